//! Which objects have which tags and policies, as rows.

use firn_catalog::DatabaseRecord;
use firn_engine::Session;

use super::record_sql::{Existing, text};
use crate::policies::references;
use crate::run_error::RunError;
use crate::services::Services;
use crate::tags;

pub const TABLES: [&str; 2] = ["TAG_REFERENCES", "POLICY_REFERENCES"];

/// Those of the account and of these databases.
pub fn existing(
    services: &Services,
    session: &dyn Session,
    databases: &[DatabaseRecord],
) -> Result<Vec<Existing>, RunError> {
    Ok(vec![tag_references(services, session, databases)?, policy_references(services, session, databases)?])
}

fn tag_references(
    services: &Services,
    session: &dyn Session,
    databases: &[DatabaseRecord],
) -> Result<Existing, RunError> {
    let row = |row: tags::TagRow| {
        let name = &row.tag.routine.name;
        let object = row.object_id.map_or_else(|| row.name.clone(), |id| id.to_string());
        let identity = format!(
            "{} {} {} {object} {}",
            row.tag.id,
            row.domain,
            row.database.as_deref().unwrap_or_default(),
            row.column.as_deref().unwrap_or_default()
        );
        let cells = vec![
            text(name.database()),
            text(name.schema()),
            Some(row.tag.id.to_string()),
            text(&name.name),
            Some(row.value),
            row.database,
            row.schema,
            row.object_id.map(|id| id.to_string()),
            Some(row.name),
            Some(row.domain),
            row.column,
        ];
        (identity, cells)
    };
    let objects = tags::rows(services, session, None, databases)?.into_iter().map(row).collect();
    Ok(Existing { table: "TAG_REFERENCES", objects })
}

fn policy_references(
    services: &Services,
    session: &dyn Session,
    databases: &[DatabaseRecord],
) -> Result<Existing, RunError> {
    let rows = references(services, session, databases)?;
    let objects = rows.iter().map(|row| {
        let mut cells = row.cells();
        let identity = format!("{} {cells:?}", row.policy.id);
        cells.push(Some(row.policy.id.to_string()));
        (identity, cells)
    });
    Ok(Existing { table: "POLICY_REFERENCES", objects: objects.collect() })
}

//! Clones of schemas and databases belong to who makes them, so that everything in the source has to be readable. What was
//! dropped is brought back by its owner.

use firn_engine::Session;
use firn_sql::Failure;
use firn_sql::command::{Ddl, ObjectKind, OwnershipTarget};
use firn_sql::names::display_identifier;
use firn_sql::privileges::{Privilege, SecurableKind};

use super::targets::named_within;
use crate::authorise::{Authority, Secured};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub fn check_clone(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    ddl: &Ddl,
) -> Result<(), RunError> {
    let (database, schema) = match ddl {
        Ddl::CreateDatabase { clone_of: Some(source), .. } => (source.as_str(), None),
        Ddl::CreateSchema { clone_of: Some(source), .. } => (source.database(), Some(source.schema.as_str())),
        _ => return Ok(()),
    };
    let Some(record) = services.catalog.database(database) else { return Ok(()) };
    let authority = Authority::new(&services.catalog, session, &state.role);
    for named in named_within(services, session, &record)?.into_values() {
        if schema.is_some_and(|schema| schema != named.name.schema()) {
            continue;
        }
        // The copy of a policy or tag is still its owner's, and holds as before.
        if matches!(named.kind, SecurableKind::MaskingPolicy | SecurableKind::RowAccessPolicy | SecurableKind::Tag) {
            continue;
        }
        let secured =
            Secured { kind: named.kind, database, schema: named.name.schema(), owner: &named.owner, id: named.id };
        let needed = match named.kind {
            SecurableKind::Table | SecurableKind::View | SecurableKind::SemanticView => Privilege::Select,
            SecurableKind::Stage => Privilege::Read,
            _ => Privilege::Usage,
        };
        if !authority.has(secured, needed)? {
            let place = schema.map_or("database", |_| "schema");
            return Err(Failure::insufficient_privileges(place, schema.unwrap_or(database)).into());
        }
    }
    Ok(())
}

/// UNDROP of a table, a tag or a schema; that of a database is checked where it is done.
pub fn check_undrop(session: &dyn Session, state: &SessionState, ddl: &Ddl) -> Result<(), RunError> {
    let (database, kind, schema, name) = match ddl {
        Ddl::Undrop(OwnershipTarget::Object { name, .. }) => {
            (name.database(), ObjectKind::Table, name.schema(), name.name.as_str())
        }
        Ddl::Undrop(OwnershipTarget::Routine { name, .. }) => {
            (name.database(), ObjectKind::Tag, name.schema(), name.name.as_str())
        }
        Ddl::Undrop(OwnershipTarget::Schema(name)) => (name.database(), ObjectKind::Schema, "", name.schema.as_str()),
        _ => return Ok(()),
    };
    let dropped = session.dropped(database)?.into_iter();
    let of_name = dropped.filter(|found| found.kind == kind && found.schema == schema && found.name == name);
    match of_name.max_by_key(|found| found.dropped_on_ms) {
        Some(found) if !state.role.may_use_what_is_owned_by(&found.owner) => {
            let word = match kind {
                ObjectKind::Schema => "Schema",
                ObjectKind::Tag => "Tag",
                _ => "Table",
            };
            let message =
                format!("SQL compilation error:\n{word} '{}' did not exist or was purged.", display_identifier(name));
            Err(Failure::new("002003", "02000", message).into())
        }
        _ => Ok(()),
    }
}

//! Reads grants from the state file.

use std::collections::HashMap;
use std::sync::Arc;

use firn_sql::privileges::{Privilege, SecurableKind};
use rusqlite::{Connection, Row};

use super::{FutureGrant, FuturePlace, Grants, PrivilegeGrant, Securable};
use crate::error::CatalogError;

const GRANT_FIELDS: &str = "privilege, grantee, granted_by, grant_option, created_on_ms";

/// Shares the texts of grantees, of which there are few.
#[derive(Default)]
struct Texts(HashMap<String, Arc<str>>);

impl Texts {
    fn shared(&mut self, text: String) -> Arc<str> {
        Arc::clone(self.0.entry(text).or_insert_with_key(|text| Arc::from(text.as_str())))
    }
}

pub(crate) fn load_grants(connection: &Connection) -> Result<Grants, CatalogError> {
    let mut grants = Grants::default();
    let mut texts = Texts::default();
    let sql = format!("SELECT {GRANT_FIELDS}, kind, database_id, object FROM privilege_grants");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let kind = read_kind(row, 5)?;
        let object = row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?;
        let on = Securable::of_stored(kind, row.get(6)?, object).ok_or_else(|| unreadable("object", object))?;
        grants.on.entry(on).or_default().push(read_grant(row, &mut texts)?);
    }
    for future in read_future(connection, "", [])? {
        grants.future.entry(future.place).or_default().push(future);
    }
    Ok(grants)
}

/// The grants on one object, in the order of the state file.
pub(super) fn load_on(connection: &Connection, on: &Securable) -> Result<Vec<PrivilegeGrant>, CatalogError> {
    let sql =
        format!("SELECT {GRANT_FIELDS} FROM privilege_grants WHERE database_id = ?1 AND object = ?2 AND kind = ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let (database, object) = on.stored();
    let mut rows = statement.query(rusqlite::params![database, object, on.kind().label()])?;
    let mut texts = Texts::default();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read_grant(row, &mut texts)?);
    }
    Ok(found)
}

pub(super) fn load_future(connection: &Connection, place: FuturePlace) -> Result<Vec<FutureGrant>, CatalogError> {
    read_future(
        connection,
        " WHERE database_id = ?1 AND schema_id = ?2",
        [place.database, place.schema.unwrap_or_default()],
    )
}

fn read_future<const COUNT: usize>(
    connection: &Connection,
    condition: &str,
    values: [i64; COUNT],
) -> Result<Vec<FutureGrant>, CatalogError> {
    let sql = format!("SELECT {GRANT_FIELDS}, kind, database_id, schema_id FROM future_grants{condition}");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values))?;
    let mut texts = Texts::default();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let schema: i64 = row.get(7)?;
        let place = FuturePlace { database: row.get(6)?, schema: (schema != 0).then_some(schema) };
        found.push(FutureGrant { place, kind: read_kind(row, 5)?, grant: read_grant(row, &mut texts)? });
    }
    Ok(found)
}

fn read_grant(row: &Row<'_>, texts: &mut Texts) -> Result<PrivilegeGrant, CatalogError> {
    let words = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(PrivilegeGrant {
        privilege: Privilege::of_words(words).ok_or_else(|| unreadable("privilege", words))?,
        grantee: texts.shared(row.get(1)?),
        granted_by: texts.shared(row.get(2)?),
        grant_option: row.get(3)?,
        created_on_ms: row.get(4)?,
    })
}

fn read_kind(row: &Row<'_>, column: usize) -> Result<SecurableKind, CatalogError> {
    let label = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    SecurableKind::of_label(label).ok_or_else(|| unreadable("kind", label))
}

fn unreadable(what: &str, value: &str) -> CatalogError {
    CatalogError::Corrupt(format!("a grant has the {what} '{value}', which this server does not know"))
}

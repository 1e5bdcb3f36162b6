//! The records of the databases there are.

use std::collections::BTreeMap;

use firn_sql::names::OWN_DATABASE;
use rusqlite::Connection;

use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseRecord {
    /// Survives RENAME, SWAP and UNDROP; a database made anew under the same name has another.
    pub id: i64,
    pub name: String,
    /// Below the data folder's `databases`.
    pub file_name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
}

impl DatabaseRecord {
    /// Whether it is the server's own: no role owns it.
    pub fn is_own(&self) -> bool {
        self.owner.is_empty() && self.name == OWN_DATABASE
    }
}

pub(crate) type Databases = BTreeMap<String, DatabaseRecord>;

pub(crate) fn load_databases(connection: &Connection) -> Result<Databases, CatalogError> {
    let mut statement =
        connection.prepare("SELECT name, file_name, owner, comment, created_on_ms, id FROM databases")?;
    let rows = statement.query_map([], |row| {
        let record = DatabaseRecord {
            name: row.get(0)?,
            file_name: row.get(1)?,
            owner: row.get(2)?,
            comment: row.get(3)?,
            created_on_ms: row.get(4)?,
            id: row.get(5)?,
        };
        Ok((record.name.clone(), record))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

//! The records of the databases there are.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseRecord {
    pub name: String,
    /// Below the data folder's `databases`.
    pub file_name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
}

pub(crate) type Databases = BTreeMap<String, DatabaseRecord>;

pub(crate) fn load_databases(connection: &Connection) -> Result<Databases, CatalogError> {
    let mut statement = connection.prepare("SELECT name, file_name, owner, comment, created_on_ms FROM databases")?;
    let rows = statement.query_map([], |row| {
        let record = DatabaseRecord {
            name: row.get(0)?,
            file_name: row.get(1)?,
            owner: row.get(2)?,
            comment: row.get(3)?,
            created_on_ms: row.get(4)?,
        };
        Ok((record.name.clone(), record))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

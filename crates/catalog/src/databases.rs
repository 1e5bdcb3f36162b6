//! The databases there are and the file of each. The row is the commit point: a database exists
//! exactly as long as its row does.

use firn_sql::Failure;
use rusqlite::{Connection, params};

use crate::catalog::Catalog;
use crate::database_records::{DatabaseRecord, Databases};
use crate::error::CatalogError;

impl Catalog {
    pub fn databases(&self) -> Vec<DatabaseRecord> {
        self.look(|memory| memory.databases.values().cloned().collect())
    }

    /// By its exact name.
    pub fn database(&self, name: &str) -> Option<DatabaseRecord> {
        self.look(|memory| memory.databases.get(name).cloned())
    }

    /// Fails as existing when another name differs from it in letter case only.
    pub fn add_database(&self, record: &DatabaseRecord) -> Result<(), CatalogError> {
        self.change_databases(|connection, databases| {
            refuse_taken_name(databases, &record.name)?;
            insert(connection, record)
        })
    }

    /// Puts `record` in the place of the database of that name, and returns the one it replaced.
    pub fn replace_database(&self, record: &DatabaseRecord) -> Result<Option<DatabaseRecord>, CatalogError> {
        self.change_databases(|connection, databases| {
            let replaced = databases.get(&record.name).cloned();
            match replaced {
                Some(_) => delete(connection, &record.name).map(drop)?,
                None => refuse_taken_name(databases, &record.name)?,
            }
            insert(connection, record)?;
            Ok(replaced)
        })
    }

    /// `false` when there was none.
    pub fn remove_database(&self, name: &str) -> Result<bool, CatalogError> {
        self.change_databases(|connection, _| delete(connection, name))
    }

    /// `false` when there is none named `from`.
    pub fn rename_database(&self, from: &str, to: &str) -> Result<bool, CatalogError> {
        self.change_databases(|connection, databases| {
            if !from.eq_ignore_ascii_case(to) {
                refuse_taken_name(databases, to)?;
            }
            update(connection, "UPDATE databases SET name = ?2 WHERE name = ?1 COLLATE BINARY", from, Some(to))
        })
    }

    /// `false` when there is none of that name.
    pub fn set_database_comment(&self, name: &str, comment: Option<&str>) -> Result<bool, CatalogError> {
        self.change_databases(|connection, _| {
            update(connection, "UPDATE databases SET comment = ?2 WHERE name = ?1 COLLATE BINARY", name, comment)
        })
    }

    /// `false` when there is none of that name.
    pub fn set_database_owner(&self, name: &str, role: &str) -> Result<bool, CatalogError> {
        self.change_databases(|connection, _| {
            update(connection, "UPDATE databases SET owner = ?2 WHERE name = ?1 COLLATE BINARY", name, Some(role))
        })
    }
}

fn refuse_taken_name(databases: &Databases, name: &str) -> Result<(), Failure> {
    match databases.keys().find(|taken| taken.eq_ignore_ascii_case(name)) {
        Some(taken) => Err(Failure::already_exists(taken)),
        None => Ok(()),
    }
}

fn insert(connection: &Connection, record: &DatabaseRecord) -> Result<(), CatalogError> {
    connection.execute(
        "INSERT INTO databases (name, file_name, owner, comment, created_on_ms, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![record.name, record.file_name, record.owner, record.comment, record.created_on_ms, record.id],
    )?;
    Ok(())
}

fn delete(connection: &Connection, name: &str) -> Result<bool, CatalogError> {
    Ok(connection.execute("DELETE FROM databases WHERE name = ?1 COLLATE BINARY", [name])? > 0)
}

fn update(connection: &Connection, sql: &str, name: &str, value: Option<&str>) -> Result<bool, CatalogError> {
    Ok(connection.execute(sql, params![name, value])? > 0)
}

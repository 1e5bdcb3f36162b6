//! The databases there are and the file of each. The row is the commit point: a database exists
//! exactly as long as its row does. Semantic views follow their database in the same transaction.

use firn_sql::Failure;
use firn_sql::command::TagChange;
use rusqlite::{Connection, Transaction, params};

use crate::catalog::Catalog;
use crate::database_records::{DatabaseRecord, Databases};
use crate::error::CatalogError;
use crate::memory::Memory;
use crate::principals::holders::Holder;
use crate::semantic_views::{self, ContainerEvent, follow};
use crate::tags::{self, Tagged};

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
            follow(connection, ContainerEvent::DatabaseBack(&record.name))?;
            insert(connection, record)
        })
    }

    /// As `add_database`, for the server's own, whose database roles let their holders read it.
    pub fn add_own_database(&self, record: &DatabaseRecord, roles: &[&str]) -> Result<(), CatalogError> {
        let add = |transaction: &Transaction<'_>, before: &Memory| {
            refuse_taken_name(&before.databases, &record.name)?;
            insert(transaction, record)?;
            for role in roles {
                insert_own_role(transaction, record, role)?;
            }
            Ok(())
        };
        self.change(|_, connection| Memory::load(connection), add)
    }

    /// Puts `record` in the place of the database of that name, and returns the one it replaced. A clone has the tags of its
    /// source, which has the id `clone_of`.
    pub fn replace_database(
        &self,
        record: &DatabaseRecord,
        clone_of: Option<i64>,
        tags: &[TagChange],
    ) -> Result<Option<DatabaseRecord>, CatalogError> {
        let tagged = Tagged::database(record.id);
        let mut assigned = clone_of.map(|source| self.tags_of(&Tagged::database(source))).unwrap_or_default();
        for known in assigned.iter_mut().filter(|known| Some(known.tag.database) == clone_of) {
            known.tag.database = record.id;
        }
        TagChange::apply_all(tags, &mut assigned);
        self.change_databases(|connection, databases| {
            let replaced = databases.get(&record.name).cloned();
            match replaced {
                Some(_) => {
                    follow(connection, ContainerEvent::DatabaseGone(&record.name))?;
                    delete(connection, &record.name).map(drop)?;
                }
                None => refuse_taken_name(databases, &record.name)?,
            }
            insert(connection, record)?;
            if let Some(source) = clone_of {
                tags::copy_database(connection, source, record.id)?;
                if let Some(source) = databases.values().find(|known| known.id == source) {
                    semantic_views::copy_database(connection, &source.name, &record.name, &record.owner)?;
                }
            }
            tags::write(connection, &tagged, &assigned)?;
            Ok(replaced)
        })
    }

    /// `false` when there was none.
    pub fn remove_database(&self, name: &str) -> Result<bool, CatalogError> {
        self.change_databases(|connection, _| {
            follow(connection, ContainerEvent::DatabaseGone(name))?;
            delete(connection, name)
        })
    }

    /// `false` when there is none named `from`.
    pub fn rename_database(&self, from: &str, to: &str) -> Result<bool, CatalogError> {
        self.change_databases(|connection, databases| {
            if !from.eq_ignore_ascii_case(to) {
                refuse_taken_name(databases, to)?;
            }
            follow(connection, ContainerEvent::DatabaseRenamed { from, to })?;
            rename(connection, from, to)
        })
    }

    /// Exchanges the names of two databases.
    pub fn swap_databases(&self, first: &str, second: &str) -> Result<(), CatalogError> {
        // No statement can write this name.
        const BETWEEN: &str = "\u{1}";
        self.change_databases(|connection, _| {
            for (from, to) in [(first, BETWEEN), (second, first), (BETWEEN, second)] {
                rename(connection, from, to)?;
            }
            follow(connection, ContainerEvent::DatabasesSwapped(first, second))
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

fn insert_own_role(connection: &Connection, database: &DatabaseRecord, role: &str) -> Result<(), CatalogError> {
    let holder = Holder::DatabaseRole { database: database.id, name: role.to_owned() };
    connection.execute(
        "INSERT INTO database_roles (database_id, name, owner, comment, created_on_ms) VALUES (?1, ?2, ?3, NULL, ?4)",
        params![database.id, role, database.owner, database.created_on_ms],
    )?;
    connection.execute(
        "INSERT INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, \
         created_on_ms) VALUES (?1, '', 'DATABASE', 'USAGE', ?2, ?3, 0, ?4)",
        params![database.id, holder.key(), database.owner, database.created_on_ms],
    )?;
    Ok(())
}

fn delete(connection: &Connection, name: &str) -> Result<bool, CatalogError> {
    Ok(connection.execute("DELETE FROM databases WHERE name = ?1 COLLATE BINARY", [name])? > 0)
}

fn rename(connection: &Connection, from: &str, to: &str) -> Result<bool, CatalogError> {
    update(connection, "UPDATE databases SET name = ?2 WHERE name = ?1 COLLATE BINARY", from, Some(to))
}

fn update(connection: &Connection, sql: &str, name: &str, value: Option<&str>) -> Result<bool, CatalogError> {
    Ok(connection.execute(sql, params![name, value])? > 0)
}

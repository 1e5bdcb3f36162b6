//! The tags of databases and of objects that are not tables, views or schemas. All of them are in memory. The state file
//! removes those of objects of the account with the objects, and renames them.

mod lookups;

use std::collections::HashMap;

use firn_sql::command::{AssignedTag, TagReference};
use rusqlite::{Connection, Transaction, params};

use crate::error::CatalogError;
use crate::grants::Securable;

/// What has tags.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tagged {
    /// As SHOW GRANTS writes it: `DATABASE_ROLE`.
    pub kind: String,
    /// The id of the database that it is or lies in; 0 for objects of the account.
    pub database: i64,
    /// A name, or an id.
    pub object: String,
}

impl Tagged {
    pub fn of_account(kind: &str, name: &str) -> Self {
        Self { kind: kind.to_owned(), database: 0, object: name.to_owned() }
    }

    pub fn database(id: i64) -> Self {
        Self::from(&Securable::Database(id))
    }
}

impl From<&Securable> for Tagged {
    fn from(securable: &Securable) -> Self {
        let (database, object) = securable.stored();
        Self { kind: securable.kind().label(), database, object }
    }
}

pub type Tags = HashMap<Tagged, Vec<AssignedTag>>;

pub(crate) fn write(transaction: &Transaction<'_>, tagged: &Tagged, tags: &[AssignedTag]) -> Result<(), CatalogError> {
    transaction.execute(
        "DELETE FROM tag_assignments WHERE kind = ?1 AND database_id = ?2 AND object = ?3",
        params![tagged.kind, tagged.database, tagged.object],
    )?;
    for AssignedTag { tag, value } in tags {
        transaction.execute(
            "INSERT INTO tag_assignments (kind, database_id, object, tag_database, tag_id, value) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![tagged.kind, tagged.database, tagged.object, tag.database, tag.id, value],
        )?;
    }
    Ok(())
}

/// The clone of a database and what is in it have the tags of the source; the tags of the source are in the clone too.
pub(crate) fn copy_database(transaction: &Transaction<'_>, from: i64, to: i64) -> Result<(), CatalogError> {
    transaction.execute(
        "INSERT INTO tag_assignments (kind, database_id, object, tag_database, tag_id, value) \
         SELECT kind, ?2, object, CASE tag_database WHEN ?1 THEN ?2 ELSE tag_database END, tag_id, value \
         FROM tag_assignments WHERE database_id = ?1",
        params![from, to],
    )?;
    Ok(())
}

pub(crate) fn load_tags(connection: &Connection) -> Result<Tags, CatalogError> {
    let mut statement =
        connection.prepare("SELECT kind, database_id, object, tag_database, tag_id, value FROM tag_assignments")?;
    let rows = statement.query_map([], |row| {
        let tagged = Tagged { kind: row.get(0)?, database: row.get(1)?, object: row.get(2)? };
        let tag = TagReference { database: row.get(3)?, id: row.get(4)? };
        Ok((tagged, AssignedTag { tag, value: row.get(5)? }))
    })?;
    let mut tags = Tags::new();
    for row in rows {
        let (tagged, assigned) = row?;
        tags.entry(tagged).or_default().push(assigned);
    }
    Ok(tags)
}

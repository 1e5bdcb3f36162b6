//! Semantic views by their full names. They follow their schema and database when those are renamed or dropped.

use rusqlite::{Connection, Row, params};

use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::handovers::Handover;
use crate::memory::Memory;
use crate::store::Durability;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticViewRecord {
    /// Survives RENAME and changes; a view made anew under the same name has another.
    pub id: i64,
    pub database: String,
    pub schema: String,
    pub name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    /// The model.
    pub yaml: String,
}

/// What happened to the schemas that views and login policies lie in.
#[derive(Clone, Copy, Debug)]
pub enum ContainerEvent<'a> {
    DatabaseGone(&'a str),
    DatabaseRenamed { from: &'a str, to: &'a str },
    DatabasesSwapped(&'a str, &'a str),
    DatabaseBack(&'a str),
    SchemaGone { database: &'a str, schema: &'a str },
    SchemaBack { database: &'a str, schema: &'a str },
    SchemaRenamed { database: &'a str, from: &'a str, to: &'a str },
}

/// Who grants the privileges on what is in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaOwner {
    pub database: String,
    pub schema: String,
    pub owner: String,
}

const COLUMNS: &str = "database_name, schema_name, name, owner, comment, created_on_ms, yaml, id";

impl Catalog {
    pub fn semantic_view(
        &self,
        database: &str,
        schema: &str,
        name: &str,
    ) -> Result<Option<SemanticViewRecord>, CatalogError> {
        let found = self.semantic_views(database, Some(schema))?;
        Ok(found.into_iter().find(|view| view.name == name))
    }

    /// The views of a database or of one of its schemas, by name.
    pub fn semantic_views(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<SemanticViewRecord>, CatalogError> {
        self.store().read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM semantic_views WHERE database_name = ?1 AND (?2 IS NULL OR schema_name = ?2) \
                 AND schema_name NOT GLOB '{HIDDEN}*' ORDER BY schema_name, name"
            ))?;
            let rows = statement.query_map(params![database, schema], record)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Makes the view, or replaces the one of its name.
    pub fn put_semantic_view(&self, view: &SemanticViewRecord) -> Result<(), CatalogError> {
        self.store().write(Durability::Synced, |transaction| {
            transaction.execute(
                &format!("INSERT OR REPLACE INTO semantic_views ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
                params![view.database, view.schema, view.name, view.owner, view.comment, now_ms(), view.yaml, view.id],
            )?;
            Ok(())
        })
    }

    pub fn drop_semantic_view(&self, database: &str, schema: &str, name: &str) -> Result<(), CatalogError> {
        self.store().write(Durability::Synced, |transaction| {
            transaction.execute(
                "DELETE FROM semantic_views WHERE database_name = ?1 AND schema_name = ?2 AND name = ?3",
                params![database, schema, name],
            )?;
            Ok(())
        })
    }

    /// Gives the views of a dropped role to its heir, and those in schemas with managed access to the owners of these schemas.
    /// Those in dropped schemas, whose access may have been managed, do not come back.
    pub fn hand_over_semantic_views(&self, handover: &Handover, managed: &[SchemaOwner]) -> Result<(), CatalogError> {
        let Handover { former_owner, owner, created_on_ms, .. } = handover;
        self.store().write(Durability::Synced, |transaction| {
            for schema in managed {
                transaction.execute(
                    "UPDATE semantic_views SET owner = ?1 WHERE owner = ?2 AND created_on_ms <= ?3 \
                     AND database_name = ?4 AND schema_name = ?5",
                    params![schema.owner, former_owner, created_on_ms, schema.database, schema.schema],
                )?;
            }
            transaction.execute(
                &format!(
                    "DELETE FROM semantic_views WHERE owner = ?1 AND created_on_ms <= ?2 AND schema_name GLOB '{HIDDEN}*'"
                ),
                params![former_owner, created_on_ms],
            )?;
            transaction.execute(
                "UPDATE semantic_views SET owner = ?1 WHERE owner = ?2 AND created_on_ms <= ?3",
                params![owner, former_owner, created_on_ms],
            )?;
            Ok(())
        })
    }

    /// Copies views into a schema, each with an id of its own.
    pub fn copy_semantic_views(
        &self,
        views: &[SemanticViewRecord],
        to: (&str, &str),
        owner: &str,
    ) -> Result<(), CatalogError> {
        if views.is_empty() {
            return Ok(());
        }
        self.store().write(Durability::Synced, |transaction| {
            let mut insert = transaction.prepare_cached(&format!(
                "INSERT OR REPLACE INTO semantic_views ({COLUMNS}) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, abs(random() % 9000000000000000) + 1)"
            ))?;
            for view in views {
                insert.execute(params![to.0, to.1, view.name, owner, view.comment, now_ms(), view.yaml])?;
            }
            Ok(())
        })
    }

    /// Changes the records of what lies in schemas with what happened to their schema or database.
    pub fn follow_container(&self, event: ContainerEvent<'_>) -> Result<(), CatalogError> {
        self.change(Memory::load_databases, |transaction, _| follow(transaction, event))
    }
}

/// Copies the views of a database into its clone, where objects have the identities of their sources.
pub(crate) fn copy_database(transaction: &Connection, from: &str, to: &str, owner: &str) -> Result<(), CatalogError> {
    transaction.execute(
        &format!(
            "INSERT OR REPLACE INTO semantic_views ({COLUMNS}) \
             SELECT ?2, schema_name, name, ?3, comment, ?4, yaml, id \
             FROM semantic_views WHERE database_name = ?1 AND schema_name NOT GLOB '{HIDDEN}*'"
        ),
        params![from, to, owner, now_ms()],
    )?;
    Ok(())
}

/// Tables of what lies in schemas, whose rows name these.
const FOLLOWING: [&str; 2] = ["semantic_views", "login_policies"];

pub(crate) fn follow(transaction: &Connection, event: ContainerEvent<'_>) -> Result<(), CatalogError> {
    FOLLOWING.into_iter().try_for_each(|table| follow_in(transaction, table, event))
}

fn follow_in(transaction: &Connection, table: &str, event: ContainerEvent<'_>) -> Result<(), CatalogError> {
    let long_ago = format!("{:020}", now_ms() - RETENTION_MS_MAX);
    for name in ["database_name", "schema_name"] {
        transaction.execute(
            &format!("DELETE FROM {table} WHERE {name} GLOB '{HIDDEN}*' AND substr({name}, -20) < ?1"),
            [&long_ago],
        )?;
    }
    match event {
        ContainerEvent::DatabaseGone(database) => transaction.execute(
            &format!("UPDATE {table} SET database_name = ?2 WHERE database_name = ?1"),
            params![database, hidden(database)],
        )?,
        ContainerEvent::DatabaseBack(database) => transaction.execute(
            &format!(
                "UPDATE OR REPLACE {table} SET database_name = ?1 WHERE database_name = \
                 (SELECT max(database_name) FROM {table} WHERE database_name GLOB ?2)"
            ),
            params![database, any_hidden(database)],
        )?,
        ContainerEvent::DatabaseRenamed { from, to } => transaction.execute(
            &format!("UPDATE OR REPLACE {table} SET database_name = ?2 WHERE database_name = ?1"),
            params![from, to],
        )?,
        ContainerEvent::DatabasesSwapped(first, second) => {
            let between = hidden(first);
            for (from, to) in [(first, between.as_str()), (second, first), (&between, second)] {
                follow_in(transaction, table, ContainerEvent::DatabaseRenamed { from, to })?;
            }
            0
        }
        ContainerEvent::SchemaGone { database, schema } => transaction.execute(
            &format!("UPDATE {table} SET schema_name = ?3 WHERE database_name = ?1 AND schema_name = ?2"),
            params![database, schema, hidden(schema)],
        )?,
        ContainerEvent::SchemaBack { database, schema } => transaction.execute(
            &format!(
                "UPDATE OR REPLACE {table} SET schema_name = ?2 WHERE database_name = ?1 AND schema_name = \
                 (SELECT max(schema_name) FROM {table} WHERE database_name = ?1 AND schema_name GLOB ?3)"
            ),
            params![database, schema, any_hidden(schema)],
        )?,
        ContainerEvent::SchemaRenamed { database, from, to } => transaction.execute(
            &format!("UPDATE OR REPLACE {table} SET schema_name = ?3 WHERE database_name = ?1 AND schema_name = ?2"),
            params![database, from, to],
        )?,
    };
    Ok(())
}

/// The longest retention time.
const RETENTION_MS_MAX: i64 = 90 * 24 * 60 * 60 * 1_000;

/// The prefix of names of dropped objects, which no statement can write.
const HIDDEN: char = '\u{1}';

/// A dropped container's name, with the time, so that the latest of a name comes back.
fn hidden(name: &str) -> String {
    format!("{HIDDEN}{name}{HIDDEN}{:020}", now_ms())
}

/// What matches `hidden` of the name.
fn any_hidden(name: &str) -> String {
    let literal: String =
        name.chars().map(|one| if "*?[".contains(one) { format!("[{one}]") } else { one.to_string() }).collect();
    format!("{HIDDEN}{literal}{HIDDEN}*")
}

fn record(row: &Row<'_>) -> Result<SemanticViewRecord, rusqlite::Error> {
    Ok(SemanticViewRecord {
        database: row.get(0)?,
        schema: row.get(1)?,
        name: row.get(2)?,
        owner: row.get(3)?,
        comment: row.get(4)?,
        created_on_ms: row.get(5)?,
        yaml: row.get(6)?,
        id: row.get(7)?,
    })
}

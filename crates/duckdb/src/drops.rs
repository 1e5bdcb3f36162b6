//! The side tables of dropped objects that may be restored: one row for each DROP, the records of the objects it removed,
//! and the retention time.

use std::sync::atomic::{AtomicU64, Ordering};

use firn_engine::{DroppedObject, EngineError, RoutineDescription, SchemaDescription};
use firn_sql::command::{Autoincrement, ObjectKind};
use firn_sql::names::quote_identifier;

use super::connection::Connection;
use super::side_tables::{StoredObject, side_table, text};
use super::staging;

/// The default retention time.
pub(crate) const DEFAULT_DAYS: u8 = 1;

const MILLISECONDS_IN_DAY: i64 = 86_400_000;
const PREFIX: &str = "__DROPPED_";
const FIELDS: &str = "id, kind, schema_name, name, engine_schema, database_name, owner, comment, created_on_ms, \
                      dropped_on_ms, days, object_id";

/// Makes ids differ within one millisecond.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// One DROP of a table, schema or tag.
#[derive(Clone, Debug)]
pub(crate) struct Dropped {
    pub(crate) id: String,
    kind: &'static str,
    /// The table's schema, or nothing. That of a table inside of a dropped schema is the schema's id.
    schema_name: String,
    name: String,
    /// Where the engine's tables are.
    pub(crate) engine_schema: String,
    /// The database's name at that time.
    pub(crate) database_name: String,
    pub(crate) owner: String,
    pub(crate) comment: Option<String>,
    pub(crate) created_on_ms: i64,
    dropped_on_ms: i64,
    days: u8,
    /// The identity of the table, schema or tag.
    pub(crate) object_id: i64,
}

impl Dropped {
    pub(crate) fn of_table(stored: &StoredObject, days: u8) -> Self {
        let description = &stored.description;
        Self {
            id: fresh_id(),
            kind: "TABLE",
            schema_name: description.name.schema().to_owned(),
            name: description.name.name.clone(),
            engine_schema: description.name.schema().to_owned(),
            database_name: description.name.database().to_owned(),
            owner: description.owner.clone(),
            comment: description.comment.clone(),
            created_on_ms: description.created_on_ms,
            dropped_on_ms: now_ms(),
            days,
            object_id: description.id,
        }
    }

    pub(crate) fn of_schema(schema: &SchemaDescription, days: u8) -> Self {
        Self {
            id: fresh_id(),
            kind: "SCHEMA",
            schema_name: String::new(),
            name: schema.name.clone(),
            engine_schema: schema.name.clone(),
            database_name: schema.database.clone(),
            owner: schema.owner.clone(),
            comment: schema.comment.clone(),
            created_on_ms: schema.created_on_ms,
            dropped_on_ms: now_ms(),
            days,
            object_id: schema.id,
        }
    }

    /// Its row among the routines gets the id of the drop as its schema.
    pub(crate) fn of_tag(tag: &RoutineDescription) -> Self {
        let name = &tag.routine.name;
        Self {
            id: fresh_id(),
            kind: "TAG",
            schema_name: name.schema().to_owned(),
            name: name.name.clone(),
            engine_schema: name.schema().to_owned(),
            database_name: name.database().to_owned(),
            owner: tag.owner.clone(),
            comment: tag.routine.comment.clone(),
            created_on_ms: tag.created_on_ms,
            dropped_on_ms: now_ms(),
            days: DEFAULT_DAYS,
            object_id: tag.id,
        }
    }

    fn expires_on_ms(&self) -> i64 {
        self.dropped_on_ms + i64::from(self.days) * MILLISECONDS_IN_DAY
    }

    fn described(&self) -> DroppedObject {
        DroppedObject {
            id: self.object_id,
            kind: match self.kind {
                "TABLE" => ObjectKind::Table,
                "TAG" => ObjectKind::Tag,
                _ => ObjectKind::Schema,
            },
            schema: self.schema_name.clone(),
            name: self.name.clone(),
            owner: self.owner.clone(),
            comment: self.comment.clone(),
            created_on_ms: self.created_on_ms,
            dropped_on_ms: self.dropped_on_ms,
            retention_days: self.days,
        }
    }
}

fn fresh_id() -> String {
    format!("{PREFIX}{}_{:06}", now_ms(), COUNT.fetch_add(1, Ordering::Relaxed) % 1_000_000)
}

fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// Whether a name of a schema in the side tables is that of a dropped one.
pub(crate) fn is_dropped_schema(schema: &str) -> bool {
    schema.starts_with(PREFIX)
}

/// The engine's name of a dropped table.
pub(crate) fn hidden_name(id: &str, table: &str) -> String {
    format!("{id} {table}")
}

/// The retention time of the tables of a schema without one of their own.
pub(crate) fn retention(connection: &Connection, database: &str, schema: &str) -> Result<u8, EngineError> {
    let rows = connection.rows(&format!(
        "SELECT days FROM {} WHERE schema_name IN ({}, '') ORDER BY schema_name DESC LIMIT 1",
        side_table(database, "retention"),
        text(schema)
    ))?;
    let days = rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
    Ok(days.and_then(|days| days.parse().ok()).unwrap_or(DEFAULT_DAYS))
}

/// Of a schema, or with an empty name of the database; `None` removes the setting.
pub(crate) fn set_retention(
    connection: &Connection,
    database: &str,
    schema: &str,
    days: Option<u8>,
) -> Result<(), EngineError> {
    let table = side_table(database, "retention");
    connection.execute(&format!("DELETE FROM {table} WHERE schema_name = {}", text(schema)))?;
    if let Some(days) = days {
        connection.execute(&format!("INSERT INTO {table} VALUES ({}, {days})", text(schema)))?;
    }
    Ok(())
}

pub(crate) fn write(connection: &Connection, database: &str, dropped: &Dropped) -> Result<(), EngineError> {
    let values = [
        text(&dropped.id),
        text(dropped.kind),
        text(&dropped.schema_name),
        text(&dropped.name),
        text(&dropped.engine_schema),
        text(&dropped.database_name),
        text(&dropped.owner),
        dropped.comment.as_deref().map_or_else(|| "NULL".to_owned(), text),
        dropped.created_on_ms.to_string(),
        dropped.dropped_on_ms.to_string(),
        dropped.days.to_string(),
        dropped.object_id.to_string(),
        dropped.expires_on_ms().to_string(),
    ];
    let drops = side_table(database, "drops");
    connection.execute(&format!("INSERT INTO {drops} ({FIELDS}, expires_on_ms) VALUES ({})", values.join(", ")))?;
    Ok(())
}

pub(crate) fn forget(connection: &Connection, database: &str, id: &str) -> Result<(), EngineError> {
    connection.execute(&format!("DELETE FROM {} WHERE id = {}", side_table(database, "drops"), text(id)))?;
    Ok(())
}

/// Moves the records of the objects whose schema satisfies `condition`, or of the named one, to the tables of drops.
pub(crate) fn archive(
    connection: &Connection,
    database: &str,
    id: &str,
    condition: &str,
    object: Option<&str>,
) -> Result<(), EngineError> {
    for (table, column) in [("objects", "name"), ("columns", "table_name")] {
        let (living, dropped) = (side_table(database, table), side_table(database, &format!("dropped_{table}")));
        let named = object.map_or_else(String::new, |name| format!(" AND {column} = {}", text(name)));
        connection.execute(&format!(
            "INSERT INTO {dropped} BY NAME SELECT {} AS drop_id, * FROM {living} WHERE {condition}{named}",
            text(id)
        ))?;
        connection.execute(&format!("DELETE FROM {living} WHERE {condition}{named}"))?;
    }
    Ok(())
}

/// Moves the records of a DROP back, into a schema.
pub(crate) fn restore(connection: &Connection, database: &str, id: &str, schema: &str) -> Result<(), EngineError> {
    for table in ["objects", "columns"] {
        let (living, dropped) = (side_table(database, table), side_table(database, &format!("dropped_{table}")));
        connection.execute(&format!(
            "INSERT INTO {living} BY NAME SELECT * EXCLUDE (drop_id) REPLACE ({} AS schema_name) FROM {dropped} \
             WHERE drop_id = {}",
            text(schema),
            text(id)
        ))?;
        connection.execute(&format!("DELETE FROM {dropped} WHERE drop_id = {}", text(id)))?;
    }
    Ok(())
}

/// A restored sequence continues with its next value.
pub(crate) fn set_sequence_start(
    connection: &Connection,
    database: &str,
    id: &str,
    sequence: &StoredObject,
    numbering: Autoincrement,
) -> Result<(), EngineError> {
    connection.execute(&format!(
        "UPDATE {} SET sequence_start = {} WHERE drop_id = {} AND name = {} AND kind = 'SEQUENCE'",
        side_table(database, "dropped_objects"),
        numbering.start,
        text(id),
        text(&sequence.description.name.name)
    ))?;
    Ok(())
}

/// Moves what belongs to a schema besides objects from one name to another.
pub(crate) fn move_schema(connection: &Connection, database: &str, from: &str, to: &str) -> Result<(), EngineError> {
    for table in ["routines", "drops", "retention", "schema_options"] {
        connection.execute(&format!(
            "UPDATE {} SET schema_name = {} WHERE schema_name = {}",
            side_table(database, table),
            text(to),
            text(from)
        ))?;
    }
    staging::schema_renamed(connection, database, from, to)
}

/// The last DROP of a name that has not expired.
pub(crate) fn latest(
    connection: &Connection,
    database: &str,
    kind: &str,
    schema: &str,
    name: &str,
) -> Result<Option<Dropped>, EngineError> {
    let condition = format!(
        "kind = {} AND schema_name = {} AND name = {} AND expires_on_ms > {} ORDER BY dropped_on_ms DESC, id DESC LIMIT 1",
        text(kind),
        text(schema),
        text(name),
        now_ms()
    );
    Ok(read(connection, database, &condition)?.into_iter().next())
}

/// Tables and tags dropped from a schema.
pub(crate) fn within(connection: &Connection, database: &str, schema: &str) -> Result<Vec<Dropped>, EngineError> {
    read(connection, database, &format!("kind <> 'SCHEMA' AND schema_name = {}", text(schema)))
}

pub(crate) fn expired(connection: &Connection, database: &str, now_ms: i64) -> Result<Vec<Dropped>, EngineError> {
    read(connection, database, &format!("expires_on_ms <= {now_ms}"))
}

/// What may still come back, for SHOW … HISTORY.
pub(crate) fn listed(connection: &Connection, database: &str) -> Result<Vec<DroppedObject>, EngineError> {
    let found = read(connection, database, &format!("expires_on_ms > {} ORDER BY dropped_on_ms", now_ms()))?;
    Ok(found.iter().filter(|dropped| !is_dropped_schema(&dropped.schema_name)).map(Dropped::described).collect())
}

fn read(connection: &Connection, database: &str, condition: &str) -> Result<Vec<Dropped>, EngineError> {
    let drops = side_table(database, "drops");
    let rows = connection.rows(&format!("SELECT {FIELDS} FROM {drops} WHERE {condition}"))?;
    let field = |row: &[Option<String>], index: usize| row.get(index).cloned().flatten().unwrap_or_default();
    Ok(rows
        .iter()
        .map(|row| Dropped {
            id: field(row, 0),
            kind: match field(row, 1).as_str() {
                "TABLE" => "TABLE",
                "TAG" => "TAG",
                _ => "SCHEMA",
            },
            schema_name: field(row, 2),
            name: field(row, 3),
            engine_schema: field(row, 4),
            database_name: field(row, 5),
            owner: field(row, 6),
            comment: row.get(7).cloned().flatten(),
            created_on_ms: field(row, 8).parse().unwrap_or_default(),
            dropped_on_ms: field(row, 9).parse().unwrap_or_default(),
            days: field(row, 10).parse().unwrap_or(DEFAULT_DAYS),
            object_id: field(row, 11).parse().unwrap_or_default(),
        })
        .collect())
}

/// Removes the objects of a DROP for good, and returns the folders of their stages.
pub(crate) fn purge(connection: &Connection, database: &str, dropped: &Dropped) -> Result<Vec<String>, EngineError> {
    let mut folders = Vec::new();
    if dropped.kind == "SCHEMA" {
        for inside in within(connection, database, &dropped.id)? {
            folders.extend(purge(connection, database, &inside)?);
        }
    }
    let of_drop = |select: &str| connection.rows(&format!("{select} WHERE drop_id = {}", text(&dropped.id)));
    let names = |rows: Vec<Vec<Option<String>>>| rows.into_iter().filter_map(|row| row.into_iter().next().flatten());
    let objects = side_table(database, "dropped_objects");
    for row in of_drop(&format!("SELECT name, kind FROM {objects}"))? {
        if let [Some(name), Some(kind)] = row.as_slice()
            && kind == "TABLE"
        {
            let hidden = hidden_name(&dropped.id, name);
            let relation = [database, &dropped.engine_schema, &hidden].map(quote_identifier).join(".");
            connection.execute(&format!("DROP TABLE IF EXISTS {relation}"))?;
        }
    }
    let columns = side_table(database, "dropped_columns");
    for sequence in names(of_drop(&format!("SELECT sequence_name FROM {columns}"))?) {
        connection
            .execute(&format!("DROP SEQUENCE IF EXISTS {}", side_table(database, &quote_identifier(&sequence))))?;
    }
    for table in [objects, columns] {
        connection.execute(&format!("DELETE FROM {table} WHERE drop_id = {}", text(&dropped.id)))?;
    }
    for table in ["routines", "retention", "schema_options"] {
        let table = side_table(database, table);
        connection.execute(&format!("DELETE FROM {table} WHERE schema_name = {}", text(&dropped.id)))?;
    }
    folders.extend(staging::schema_dropped(connection, database, &dropped.id)?);
    forget(connection, database, &dropped.id)?;
    drop_engine_schema_if_empty(connection, database, &dropped.engine_schema)?;
    Ok(folders)
}

/// Drops the engine's schema once neither a schema of its name nor a dropped table needs it.
pub(crate) fn drop_engine_schema_if_empty(
    connection: &Connection,
    database: &str,
    schema: &str,
) -> Result<(), EngineError> {
    let used = connection.rows(&format!(
        "SELECT 1 FROM {} WHERE name = {schema} UNION ALL \
         SELECT 1 FROM duckdb_tables() WHERE database_name = {} AND schema_name = {schema} LIMIT 1",
        side_table(database, "schemas"),
        text(database),
        schema = text(schema)
    ))?;
    if used.is_empty() {
        let schema = [database, schema].map(quote_identifier).join(".");
        connection.execute(&format!("DROP SCHEMA IF EXISTS {schema}"))?;
    }
    Ok(())
}

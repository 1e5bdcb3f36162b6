//! What the engine does not store of an object (owner, declared types, comments, keys, a view's text) is in the schema
//! `__FIRN` of the same database file, written in the same transaction as the DDL. These tables, not the engine's
//! catalog, are the source of truth for what exists.

use firn_duckdb_lower::types::declared_text;
use firn_engine::{
    AttachedPolicy, ColumnTags, EngineError, ObjectOptions, ObjectPolicies, SchemaDescription, fresh_object_id,
};
use firn_sql::ObjectName;
use firn_sql::command::{AssignedTag, ObjectKind, Persistence, PolicyReference, SchemaOptions, TagReference};
use firn_sql::names::{quote_identifier, quote_literal};
use firn_sql::stored_names::with_placeholders;
use serde_json::{Value, json};

use super::appender::Appender;
use super::connection::Connection;
use super::constraints;
use super::describe::{Row, stored_object};

pub(crate) use firn_duckdb_lower::stored::{ColumnRecord, StoredObject};

pub(crate) const SIDE_SCHEMA: &str = "__FIRN";

/// What `names_in_views` says of a database whose views have names as `stored_names` has them.
const AS_WRITTEN: &str = "AS WRITTEN";

const TABLES: &str = include_str!("side_tables.sql");

/// As `fresh_object_id`, in the engine's SQL.
const FRESH_ID: &str = "greatest(CAST(hash(uuid()) >> 1 AS BIGINT), 1)";

/// Makes the side tables of a new database.
pub(crate) fn create(connection: &Connection, name: &str) -> Result<(), EngineError> {
    let database = quote_identifier(name);
    for statement in TABLES.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        connection.execute(&statement.replace("{database}", &database))?;
    }
    create_drop_tables(connection, name)
}

/// Migrates the side tables of an older database.
pub(crate) fn renew(connection: &Connection, name: &str) -> Result<(), EngineError> {
    let objects = side_table(name, "objects");
    connection.execute(&format!("ALTER TABLE {objects} ADD COLUMN IF NOT EXISTS options VARCHAR"))?;
    let database = quote_identifier(name);
    for statement in TABLES.split(';').map(str::trim).filter(|statement| statement.contains("IF NOT EXISTS")) {
        connection.execute(&statement.replace("{database}", &database))?;
    }
    let options = side_table(name, "schema_options");
    connection.execute(&format!("ALTER TABLE {options} ADD COLUMN IF NOT EXISTS tags VARCHAR"))?;
    create_drop_tables(connection, name)?;
    for table in ["schemas", "objects", "columns", "dropped_objects", "dropped_columns", "routines"] {
        add_ids(connection, name, table)?;
    }
    drops_with_ids(connection, name)?;
    renew_names_in_views(connection, name)
}

/// The ids that a file says its database has, each with the name it was last attached under; none in one of an older version.
pub(crate) fn read_ids(connection: &Connection, name: &str) -> Result<Vec<(i64, String)>, EngineError> {
    let database = side_table(name, "database");
    let columns = connection.rows(&format!("SELECT column_name FROM (DESCRIBE {database})"))?;
    if !columns.iter().any(|column| column.first().is_some_and(|name| name.as_deref() == Some("id"))) {
        return Ok(Vec::new());
    }
    let rows = connection.rows(&format!("SELECT id, name FROM {database} WHERE id IS NOT NULL"))?;
    let row = |row: Vec<Option<String>>| match row.as_slice() {
        [Some(id), Some(name)] => Some((id.parse().ok()?, name.clone())),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(row).collect())
}

/// Records the id of a database of an older version.
pub(crate) fn write_id(connection: &Connection, name: &str, id: i64) -> Result<(), EngineError> {
    let database = side_table(name, "database");
    connection.execute(&format!("ALTER TABLE {database} ADD COLUMN IF NOT EXISTS id BIGINT"))?;
    if connection.rows(&format!("SELECT 1 FROM {database} WHERE id IS NULL"))?.is_empty() {
        return Ok(());
    }
    connection.execute(&format!("UPDATE {database} SET id = {id} WHERE id IS NULL"))?;
    Ok(())
}

/// Records the name and the id of a new database.
pub(crate) fn write_name(connection: &Connection, name: &str, id: i64) -> Result<(), EngineError> {
    let values = format!("{}, {}, {id}", text(name), text(AS_WRITTEN));
    connection.execute(&format!("INSERT INTO {} VALUES ({values})", side_table(name, "database")))?;
    Ok(())
}

/// Older versions recorded the queries of views with complete names, and changed those of the view's own schema and database
/// with these.
fn renew_names_in_views(connection: &Connection, name: &str) -> Result<(), EngineError> {
    let database = side_table(name, "database");
    connection.execute(&format!("ALTER TABLE {database} ADD COLUMN IF NOT EXISTS names_in_views VARCHAR"))?;
    let known = connection.rows(&format!("SELECT name FROM {database} WHERE names_in_views IS NULL"))?;
    let Some([Some(former)]) = known.first().map(Vec::as_slice) else { return Ok(()) };
    for table in ["objects", "dropped_objects"] {
        let table = side_table(name, table);
        let views = format!("SELECT DISTINCT schema_name, view_query FROM {table} WHERE view_query IS NOT NULL");
        for view in connection.rows(&views)? {
            let [Some(schema), Some(query)] = view.as_slice() else { continue };
            connection.execute(&format!(
                "UPDATE {table} SET view_query = {} WHERE schema_name = {} AND view_query = {}",
                text(&with_placeholders(query, former, schema)),
                text(schema),
                text(query)
            ))?;
        }
    }
    connection.execute(&format!("UPDATE {database} SET names_in_views = {}", text(AS_WRITTEN)))?;
    Ok(())
}

/// Gives the objects of an older database that have no identity one of their own.
pub(crate) fn add_ids(connection: &Connection, database: &str, table: &str) -> Result<(), EngineError> {
    let table = side_table(database, table);
    connection.execute(&format!("ALTER TABLE {table} ADD COLUMN IF NOT EXISTS id BIGINT"))?;
    connection.execute(&format!("UPDATE {table} SET id = {FRESH_ID} WHERE id IS NULL"))?;
    Ok(())
}

/// As `add_ids`, for the records of drops: that of a table has the identity which the table's own record has.
fn drops_with_ids(connection: &Connection, database: &str) -> Result<(), EngineError> {
    let (drops, objects) = (side_table(database, "drops"), side_table(database, "dropped_objects"));
    connection.execute(&format!("ALTER TABLE {drops} ADD COLUMN IF NOT EXISTS object_id BIGINT"))?;
    connection.execute(&format!(
        "UPDATE {drops} AS d SET object_id = o.id FROM {objects} AS o \
         WHERE d.object_id IS NULL AND d.kind = 'TABLE' AND o.drop_id = d.id"
    ))?;
    connection.execute(&format!("UPDATE {drops} SET object_id = {FRESH_ID} WHERE object_id IS NULL"))?;
    Ok(())
}

/// Makes the tables that hold the records of dropped objects, with the columns that those of living ones have.
fn create_drop_tables(connection: &Connection, database: &str) -> Result<(), EngineError> {
    for table in ["objects", "columns"] {
        let (living, dropped) = (side_table(database, table), side_table(database, &format!("dropped_{table}")));
        connection.execute(&format!(
            "CREATE TABLE IF NOT EXISTS {dropped} AS SELECT '' AS drop_id, * FROM {living} LIMIT 0"
        ))?;
        // Unlike the engine's listing of columns it does not walk all other databases.
        let columns =
            |table: &str| connection.rows(&format!("SELECT column_name, column_type FROM (DESCRIBE {table})"));
        let known = columns(&dropped)?;
        for column in columns(&living)?.iter().filter(|column| !known.contains(column)) {
            if let [Some(name), Some(data_type)] = column.as_slice() {
                let name = quote_identifier(name);
                connection.execute(&format!("ALTER TABLE {dropped} ADD COLUMN IF NOT EXISTS {name} {data_type}"))?;
            }
        }
    }
    Ok(())
}

/// The identities of the objects of a copied schema.
#[derive(Clone, Copy)]
pub(crate) enum Identity {
    /// The copy is in the same database, where each object has its own.
    Fresh,
    /// The copy is in a database of its own.
    OfSource,
}

impl Identity {
    pub(crate) fn of_copy(self, source_id: i64) -> i64 {
        match self {
            Self::Fresh => fresh_object_id(),
            Self::OfSource => source_id,
        }
    }
}

/// The side table `table` of a database, ready to be put into a statement.
pub(crate) fn side_table(database: &str, table: &str) -> String {
    format!("{}.\"{SIDE_SCHEMA}\".{table}", quote_identifier(database))
}

/// Returns the object as it is read from now on.
pub(crate) fn write_object(connection: &Connection, object: &StoredObject) -> Result<StoredObject, EngineError> {
    let description = &object.description;
    let name = &description.name;
    let row = vec![
        Some(name.schema().to_owned()),
        Some(name.name.clone()),
        Some(kind_text(description.kind).to_owned()),
        Some(description.owner.clone()),
        description.comment.clone(),
        Some(description.created_on_ms.to_string()),
        Some(persistence_text(description.persistence).to_owned()),
        Some(constraints::write(&description.constraints)),
        description.view_text.clone(),
        object.view_query.clone(),
        description.sequence.map(|sequence| sequence.start.to_string()),
        description.sequence.map(|sequence| sequence.increment.to_string()),
        Some(write_options(&description.options)),
        Some(description.id.to_string()),
    ];
    let columns: Vec<Row> =
        (1..).zip(&object.columns).map(|(position, column)| column_row(name, position, column)).collect();
    let written = stored_object(name.database(), &row, &columns);
    Appender::append(connection, &side_object(name.database(), "objects"), &[row])?;
    if !columns.is_empty() {
        Appender::append(connection, &side_object(name.database(), "columns"), &columns)?;
    }
    Ok(written)
}

fn side_object(database: &str, table: &str) -> ObjectName {
    ObjectName::qualified(database, SIDE_SCHEMA, table)
}

fn column_row(table: &ObjectName, position: usize, column: &ColumnRecord) -> Row {
    let description = &column.description;
    let id = match description.id {
        0 => fresh_object_id(),
        id => id,
    };
    vec![
        Some(table.schema().to_owned()),
        Some(table.name.clone()),
        Some(position.to_string()),
        Some(description.name.clone()),
        Some(declared_text(&description.data_type)),
        Some(description.not_null.to_string()),
        description.default.clone(),
        description.autoincrement.map(|auto| auto.start.to_string()),
        description.autoincrement.map(|auto| auto.increment.to_string()),
        column.sequence_name.clone(),
        description.comment.clone(),
        description.collation.clone(),
        Some(id.to_string()),
    ]
}

pub(crate) fn forget_object(connection: &Connection, name: &ObjectName) -> Result<(), EngineError> {
    for (table, column) in [("objects", "name"), ("columns", "table_name")] {
        connection.execute(&format!(
            "DELETE FROM {} WHERE schema_name = {} AND {column} = {}",
            side_table(name.database(), table),
            text(name.schema()),
            text(&name.name)
        ))?;
    }
    Ok(())
}

pub(crate) fn write_schema(connection: &Connection, schema: &SchemaDescription) -> Result<(), EngineError> {
    let values = [
        text(&schema.name),
        text(&schema.owner),
        optional_text(schema.comment.as_deref()),
        schema.created_on_ms.to_string(),
        schema.id.to_string(),
    ];
    let schemas = side_table(&schema.database, "schemas");
    connection.execute(&format!("INSERT INTO {schemas} VALUES ({})", values.join(", ")))?;
    if schema.options == SchemaOptions::default() && schema.tags.is_empty() {
        return Ok(());
    }
    let SchemaOptions { transient, managed_access } = schema.options;
    connection.execute(&format!(
        "INSERT INTO {} VALUES ({}, {transient}, {managed_access}, {})",
        side_table(&schema.database, "schema_options"),
        text(&schema.name),
        text(&write_tags(&schema.tags).to_string())
    ))?;
    Ok(())
}

/// Removes the record of a schema, not those of its objects.
pub(crate) fn forget_schema(connection: &Connection, database: &str, schema: &str) -> Result<(), EngineError> {
    let schemas = side_table(database, "schemas");
    connection.execute(&format!("DELETE FROM {schemas} WHERE name = {}", text(schema)))?;
    let options = side_table(database, "schema_options");
    connection.execute(&format!("DELETE FROM {options} WHERE schema_name = {}", text(schema)))?;
    Ok(())
}

pub(crate) fn text(value: &str) -> String {
    quote_literal(value)
}

fn optional_text(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), quote_literal)
}

fn write_options(options: &ObjectOptions) -> String {
    json!({
        "secure": options.secure,
        "materialized": options.materialized,
        "cluster_by": options.cluster_by,
        "retention_days": options.retention_days,
        "default_collation": options.default_collation,
        "unordered": options.unordered,
        "read_types": options.read_types,
        "masks": options.policies.masks.iter().map(write_attached).collect::<Vec<_>>(),
        "row_access": options.policies.row_access.as_ref().map(write_attached),
        "tags": write_tags(&options.policies.tags),
        "column_tags": options.policies.column_tags.iter().map(write_column_tags).collect::<Vec<_>>(),
    })
    .to_string()
}

/// What `write_options` wrote; anything else is no option at all.
pub(crate) fn read_options(text: &str) -> ObjectOptions {
    let options: Value = serde_json::from_str(text).unwrap_or_default();
    ObjectOptions {
        secure: options["secure"].as_bool().unwrap_or_default(),
        materialized: options["materialized"].as_bool().unwrap_or_default(),
        cluster_by: options["cluster_by"].as_str().map(str::to_owned),
        retention_days: options["retention_days"].as_u64().and_then(|days| u8::try_from(days).ok()),
        default_collation: options["default_collation"].as_str().map(str::to_owned),
        unordered: options["unordered"].as_bool().unwrap_or_default(),
        read_types: options["read_types"].as_u64(),
        policies: ObjectPolicies {
            masks: options["masks"].as_array().into_iter().flatten().filter_map(read_attached).collect(),
            row_access: read_attached(&options["row_access"]),
            tags: read_tags(&options["tags"]),
            column_tags: options["column_tags"].as_array().into_iter().flatten().filter_map(read_column_tags).collect(),
        },
    }
}

fn write_attached(attached: &AttachedPolicy) -> Value {
    json!({
        "database": attached.policy.database,
        "policy": attached.policy.id,
        "columns": attached.columns,
    })
}

fn read_attached(value: &Value) -> Option<AttachedPolicy> {
    let columns = value["columns"].as_array()?.iter();
    Some(AttachedPolicy {
        policy: PolicyReference {
            database: value["database"].as_str().unwrap_or_default().to_owned(),
            id: value["policy"].as_i64()?,
        },
        columns: columns.filter_map(|column| column.as_str().map(str::to_owned)).collect(),
    })
}

fn write_tags(tags: &[AssignedTag]) -> Value {
    tags.iter().map(|assigned| json!([assigned.tag.database, assigned.tag.id, assigned.value])).collect()
}

pub(crate) fn read_tags(value: &Value) -> Vec<AssignedTag> {
    let assigned = |value: &Value| {
        let tag = TagReference { database: value[0].as_i64()?, id: value[1].as_i64()? };
        Some(AssignedTag { tag, value: value[2].as_str()?.to_owned() })
    };
    value.as_array().into_iter().flatten().filter_map(assigned).collect()
}

fn write_column_tags(column: &ColumnTags) -> Value {
    json!({"column": column.column, "tags": write_tags(&column.tags)})
}

fn read_column_tags(value: &Value) -> Option<ColumnTags> {
    Some(ColumnTags { column: value["column"].as_str()?.to_owned(), tags: read_tags(&value["tags"]) })
}

fn kind_text(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::View => "VIEW",
        ObjectKind::Sequence => "SEQUENCE",
        _ => "TABLE",
    }
}

pub(crate) fn read_kind(text: &str) -> ObjectKind {
    match text {
        "VIEW" => ObjectKind::View,
        "SEQUENCE" => ObjectKind::Sequence,
        _ => ObjectKind::Table,
    }
}

fn persistence_text(persistence: Persistence) -> &'static str {
    match persistence {
        Persistence::Permanent => "PERMANENT",
        Persistence::Transient => "TRANSIENT",
        Persistence::Temporary => "TEMPORARY",
    }
}

pub(crate) fn read_persistence(text: &str) -> Persistence {
    match text {
        "TRANSIENT" => Persistence::Transient,
        "TEMPORARY" => Persistence::Temporary,
        _ => Persistence::Permanent,
    }
}

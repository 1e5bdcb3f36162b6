//! Stages, file formats and loads as they are recorded in the side tables of the database they belong
//! to. A stage's record names the folder that holds its files; `StageFiles` manages the folder itself.

pub(crate) mod definition;
mod external;
mod record;
mod temporary;
mod temporary_formats;

use firn_engine::stage_files::StageFiles;
use firn_engine::{EngineError, FormatDescription, StageDescription, fresh_object_id};
use firn_sql::ObjectName;
use firn_sql::names::quote_identifier;
use firn_sql::stages::StageName;

use super::connection::Connection;
use super::side_tables::{self, Identity, side_table, text};

use definition::{described_format, described_stage};
use record::read_all;

pub(crate) use external::storage_failure;
pub(crate) use record::{Kind, Record, forget, missing, read, write};
pub(crate) use temporary::TemporaryStages;
pub(crate) use temporary_formats::TemporaryFormats;

const TABLES: &str = include_str!("staging/tables.sql");

/// Makes the tables where a database does not have them yet, and migrates those of an older one.
pub(crate) fn create_tables(connection: &Connection, database: &str) -> Result<(), EngineError> {
    let quoted = quote_identifier(database);
    for statement in TABLES.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        connection.execute(&statement.replace("{database}", &quoted))?;
    }
    side_tables::add_ids(connection, database, "staging")
}

pub(crate) fn stage(connection: &Connection, name: &ObjectName) -> Result<Option<StageDescription>, EngineError> {
    read(connection, Kind::Stage, name)?.map(described_stage).transpose()
}

pub(crate) fn stages(
    connection: &Connection,
    database: &str,
    schema: Option<&str>,
) -> Result<Vec<StageDescription>, EngineError> {
    read_all(connection, Kind::Stage, database, schema)?.into_iter().map(described_stage).collect()
}

pub(crate) fn file_format(
    connection: &Connection,
    name: &ObjectName,
) -> Result<Option<FormatDescription>, EngineError> {
    read(connection, Kind::FileFormat, name)?.map(described_format).transpose()
}

pub(crate) fn file_formats(
    connection: &Connection,
    database: &str,
    schema: Option<&str>,
) -> Result<Vec<FormatDescription>, EngineError> {
    read_all(connection, Kind::FileFormat, database, schema)?.into_iter().map(described_format).collect()
}

/// The folder of a stage; `None` for a stage that does not exist or a table's that has no file yet.
pub(crate) fn folder(connection: &Connection, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
    match stage {
        StageName::Named(name) => Ok(read(connection, Kind::Stage, name)?.and_then(|record| record.folder)),
        StageName::Table(name) => Ok(read(connection, Kind::TableStage, name)?.and_then(|record| record.folder)),
        StageName::User => Ok(Some(StageFiles::user_folder(user_id))),
        StageName::Outside(_) => Ok(None),
    }
}

/// As `folder`, but a table's stage is recorded where it was not yet.
pub(crate) fn folder_for_writing(
    connection: &Connection,
    stage: &StageName,
    user_id: i64,
) -> Result<Option<String>, EngineError> {
    if let (StageName::Table(name), None) = (stage, folder(connection, stage, user_id)?) {
        let folder = StageFiles::fresh_folder("table");
        let record = Record {
            id: fresh_object_id(),
            name: name.clone(),
            owner: String::new(),
            comment: None,
            created_on_ms: chrono::Utc::now().timestamp_millis(),
            folder: Some(folder.clone()),
            definition: "{}".to_owned(),
        };
        write(connection, Kind::TableStage, &record)?;
        return Ok(Some(folder));
    }
    folder(connection, stage, user_id)
}

/// Every folder that a database's records name.
pub(crate) fn folders(connection: &Connection, database: &str) -> Result<Vec<String>, EngineError> {
    let staging = side_table(database, "staging");
    let rows = connection.rows(&format!("SELECT folder FROM {staging} WHERE folder IS NOT NULL"))?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// A table was renamed: its stage and its load history are moved with it.
pub(crate) fn table_renamed(connection: &Connection, from: &ObjectName, to: &ObjectName) -> Result<(), EngineError> {
    for (table, column) in [("staging", "name"), ("loads", "table_name")] {
        let kind = if table == "staging" { "kind = 'TABLE STAGE' AND " } else { "" };
        connection.execute(&format!(
            "UPDATE {} SET schema_name = {}, {column} = {} WHERE {kind}schema_name = {} AND {column} = {}",
            side_table(from.database(), table),
            text(to.schema()),
            text(&to.name),
            text(from.schema()),
            text(&from.name)
        ))?;
    }
    Ok(())
}

/// A table was dropped: removes its stage, whose folder is returned, and its load history.
pub(crate) fn table_dropped(connection: &Connection, name: &ObjectName) -> Result<Option<String>, EngineError> {
    forget_loads(connection, name)?;
    let record = read(connection, Kind::TableStage, name)?;
    if record.is_some() {
        forget(connection, Kind::TableStage, name)?;
    }
    Ok(record.and_then(|record| record.folder))
}

pub(crate) fn forget_loads(connection: &Connection, table: &ObjectName) -> Result<(), EngineError> {
    connection.execute(&format!(
        "DELETE FROM {} WHERE schema_name = {} AND table_name = {}",
        side_table(table.database(), "loads"),
        text(table.schema()),
        text(&table.name)
    ))?;
    Ok(())
}

/// A schema is gone with all it held; the folders of its stages are returned.
pub(crate) fn schema_dropped(
    connection: &Connection,
    database: &str,
    schema: &str,
) -> Result<Vec<String>, EngineError> {
    let staging = side_table(database, "staging");
    let within = format!("schema_name = {}", text(schema));
    let rows = connection.rows(&format!("SELECT folder FROM {staging} WHERE {within} AND folder IS NOT NULL"))?;
    connection.execute(&format!("DELETE FROM {staging} WHERE {within}"))?;
    connection.execute(&format!("DELETE FROM {} WHERE {within}", side_table(database, "loads")))?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

pub(crate) fn schema_renamed(connection: &Connection, database: &str, from: &str, to: &str) -> Result<(), EngineError> {
    for table in ["staging", "loads"] {
        connection.execute(&format!(
            "UPDATE {} SET schema_name = {} WHERE schema_name = {}",
            side_table(database, table),
            text(to),
            text(from)
        ))?;
    }
    Ok(())
}

/// Copies a schema's file formats and its external stages; other stages hold files, and stay where they are.
pub(crate) fn clone_definitions(
    connection: &Connection,
    source: (&str, &str),
    target: (&str, &str),
    identity: Identity,
) -> Result<(), EngineError> {
    for kind in [Kind::FileFormat, Kind::Stage] {
        let mut records = read_all(connection, kind, source.0, Some(source.1))?;
        records.retain(|record| kind == Kind::FileFormat || record.folder.is_none());
        for mut record in records {
            record.id = identity.of_copy(record.id);
            record.name = ObjectName::qualified(target.0, target.1, &record.name.name);
            write(connection, kind, &record)?;
        }
    }
    Ok(())
}

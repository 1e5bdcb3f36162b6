//! Directory tables: the files that a stage had when it was last refreshed.

use std::collections::BTreeMap;

use firn_duckdb_lower::temporary::engine_identifier;
use firn_engine::{EngineError, LocalTable, WireColumn};
use firn_sql::command::{DataType, IfMissing};
use firn_sql::names::{quote_identifier, quote_literal};
use firn_sql::stage_addresses::file_address;
use firn_sql::stages::{StageLocation, StageName};
use firn_sql::{Failure, ObjectName};

use super::staged_relation::{column, described, text_type};
use crate::session_state::SessionState;
use crate::side_tables::{side_table, text};
use crate::stage_places::unreadable;
use crate::transaction;

/// A file as it was registered.
#[derive(Clone, PartialEq, Eq)]
struct Registered {
    bytes: u64,
    modified_ms: i64,
    checksum: String,
}

/// The files that were added, changed or removed since the last refresh.
pub(crate) fn refresh(
    session: &SessionState,
    name: &ObjectName,
    if_missing: IfMissing,
    path: Option<&str>,
) -> Result<LocalTable, EngineError> {
    let mut table = LocalTable::new(["file", "status", "description"].map(WireColumn::text).to_vec());
    if if_missing == IfMissing::Skip && session.stage(name)?.is_none() {
        return Ok(table);
    }
    let folder = folder(session, name)?;
    let prefix = path.unwrap_or_default();
    let mut before = registered(session, name, &folder)?;
    before.retain(|path, _| path.starts_with(prefix));
    let now = present(session, &folder, prefix)?;
    for (path, file) in &now {
        let [status, description] = match before.get(path) {
            Some(known) if known == file => continue,
            Some(_) => ["REGISTERED_UPDATE", "File registered (updated) successfully."],
            None => ["REGISTERED_NEW", "File registered successfully."],
        };
        table.rows.push([path.as_str(), status, description].map(|cell| Some(cell.to_owned())).to_vec());
    }
    for path in before.keys().filter(|path| !now.contains_key(*path)) {
        let row = [path.as_str(), "UNREGISTERED", "File unregistered successfully."];
        table.rows.push(row.map(|cell| Some(cell.to_owned())).to_vec());
    }
    let directory = side_table(name.database(), "directory");
    transaction::within(&session.connection, || {
        session.connection.execute(&format!(
            "DELETE FROM {directory} WHERE folder = {} AND starts_with(path, {})",
            text(&folder),
            text(prefix)
        ))?;
        let rows: Vec<String> = now.iter().map(|(path, file)| row(&folder, path, file)).collect();
        if !rows.is_empty() {
            session.connection.execute(&format!("INSERT INTO {directory} VALUES {}", rows.join(", ")))?;
        }
        Ok(())
    })?;
    Ok(table)
}

fn row(folder: &str, path: &str, file: &Registered) -> String {
    format!("({}, {}, {}, {}, {})", text(folder), text(path), file.bytes, file.modified_ms, text(&file.checksum))
}

/// Opens a stage's directory table as a relation of the session.
pub(crate) fn open(session: &mut SessionState, location: &StageLocation) -> Result<ObjectName, EngineError> {
    let StageName::Named(stage) = &location.stage else {
        return Err(Failure::unsupported("DIRECTORY of a stage that has no name").into());
    };
    if !location.path.is_empty() {
        let way_out = "DIRECTORY takes a stage alone; WHERE RELATIVE_PATH LIKE … chooses files";
        return Err(Failure::invalid_value("stage", &location.to_string(), way_out).into());
    }
    let folder = folder(session, stage)?;
    let files = registered(session, stage, &folder)?;
    let name = session.name_staged().rows;
    let table = quote_identifier(&engine_identifier(&name));
    session.connection.execute(&format!(
        "CREATE TEMP TABLE {table} (\"RELATIVE_PATH\" VARCHAR, \"SIZE\" BIGINT, \"LAST_MODIFIED\" TIMESTAMP WITH TIME ZONE, \
         \"MD5\" VARCHAR, \"ETAG\" VARCHAR, \"FILE_URL\" VARCHAR)"
    ))?;
    let rows: Vec<String> = files
        .iter()
        .map(|(path, file)| {
            let address = file_address(&location.stage, path).unwrap_or_default();
            format!(
                "({}, {}, make_timestamptz({}), {sum}, {sum}, {})",
                quote_literal(path),
                file.bytes,
                file.modified_ms * 1_000,
                quote_literal(&address),
                sum = quote_literal(&file.checksum)
            )
        })
        .collect();
    if !rows.is_empty() {
        session.connection.execute(&format!("INSERT INTO temp.main.{table} VALUES {}", rows.join(", ")))?;
    }
    let mut stored = described(&name, Vec::new());
    stored.columns = vec![
        column("RELATIVE_PATH", text_type()),
        column("SIZE", DataType::Integer),
        column("LAST_MODIFIED", DataType::TimestampLtz { scale: 3 }),
        column("MD5", text_type()),
        column("ETAG", text_type()),
        column("FILE_URL", text_type()),
    ];
    session.record_staged(&stored);
    Ok(name)
}

/// The folder of a stage with a directory table.
fn folder(session: &SessionState, name: &ObjectName) -> Result<String, EngineError> {
    let found = session.stage(name)?.ok_or_else(|| Failure::missing_object("Stage", &name.to_string()))?;
    if found.definition.external.is_some() {
        return Err(Failure::unsupported("directory table of an external stage").into());
    }
    if !found.definition.directory {
        let message = format!(
            "SQL compilation error:\nStage '{name}' has no directory table; ALTER STAGE … SET DIRECTORY = (ENABLE = TRUE) \
             gives it one."
        );
        return Err(Failure::new("002003", "02000", message).into());
    }
    Ok(found.folder)
}

fn registered(
    session: &SessionState,
    name: &ObjectName,
    folder: &str,
) -> Result<BTreeMap<String, Registered>, EngineError> {
    let rows = session.connection.rows(&format!(
        "SELECT path, bytes, modified_ms, checksum FROM {} WHERE folder = {}",
        side_table(name.database(), "directory"),
        text(folder)
    ))?;
    let file = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter();
        let mut next = || cells.next().flatten().unwrap_or_default();
        let path = next();
        let (bytes, modified_ms) = (next().parse().unwrap_or_default(), next().parse().unwrap_or_default());
        (path, Registered { bytes, modified_ms, checksum: next() })
    };
    Ok(rows.into_iter().map(file).collect())
}

fn present(session: &SessionState, folder: &str, prefix: &str) -> Result<BTreeMap<String, Registered>, EngineError> {
    let files = session.shared.stage_files();
    let mut present = BTreeMap::new();
    for file in files.list(folder, prefix).map_err(unreadable)? {
        let checksum = files.md5(folder, &file).map_err(unreadable)?;
        present
            .insert(file.path.to_string(), Registered { bytes: file.bytes, modified_ms: file.modified_ms, checksum });
    }
    Ok(present)
}

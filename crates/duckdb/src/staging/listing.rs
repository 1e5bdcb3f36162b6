//! LIST and REMOVE, and the files that a location and a pattern choose.

use firn_engine::stage_files::StagedFile;
use firn_engine::{EngineError, ExecutionContext, LocalTable, WireColumn};
use firn_sql::Failure;
use firn_sql::names::quote_literal;
use firn_sql::stages::StageLocation;

use super::places::locate;
use crate::connection::Connection;
use crate::session::DuckDbSession;

/// Keeps the files whose whole path, counted from their place, matches a regular expression.
pub(crate) fn matching(
    connection: &Connection,
    files: Vec<StagedFile>,
    pattern: Option<&str>,
) -> Result<Vec<StagedFile>, EngineError> {
    let Some(pattern) = pattern else { return Ok(files) };
    if files.is_empty() {
        return Ok(files);
    }
    let paths: Vec<String> = files.iter().map(|file| quote_literal(file.path.as_str())).collect();
    let sql = format!(
        "SELECT regexp_full_match(path, {}, 's') FROM (SELECT unnest([{}]) AS path)",
        quote_literal(pattern),
        paths.join(", ")
    );
    let matches = connection.rows(&sql).map_err(|error| match error {
        EngineError::Failed(_) => Failure::invalid_value("PATTERN", pattern, "give a regular expression").into(),
        other => other,
    })?;
    let kept = files.into_iter().zip(matches);
    Ok(kept.filter(|(_, row)| row[0].as_deref() == Some("true")).map(|(file, _)| file).collect())
}

pub(super) fn list(
    session: &DuckDbSession,
    location: &StageLocation,
    pattern: Option<&str>,
    context: &ExecutionContext,
) -> Result<LocalTable, EngineError> {
    let mut table = LocalTable::new(vec![
        WireColumn::text("name"),
        WireColumn::integer("size"),
        WireColumn::text("md5"),
        WireColumn::text("last_modified"),
    ]);
    let Some(located) = locate(session, location, context)? else { return Ok(table) };
    let files = located.place.list(&located.path)?;
    for file in matching(&session.connection, files, pattern)? {
        table.rows.push(vec![
            Some(format!("{}{}", located.prefix, file.path)),
            Some(file.bytes.to_string()),
            Some(located.place.checksum(&file)?),
            Some(http_date(file.modified_ms)),
        ]);
    }
    Ok(table)
}

pub(super) fn remove(
    session: &DuckDbSession,
    location: &StageLocation,
    pattern: Option<&str>,
    context: &ExecutionContext,
) -> Result<LocalTable, EngineError> {
    let mut table = LocalTable::new(vec![WireColumn::text("name"), WireColumn::text("result")]);
    let Some(located) = locate(session, location, context)? else { return Ok(table) };
    let files = located.place.list(&located.path)?;
    for file in matching(&session.connection, files, pattern)? {
        if located.place.remove(&file.path)? {
            table.rows.push(vec![Some(format!("{}{}", located.prefix, file.path)), Some("removed".to_owned())]);
        }
    }
    Ok(table)
}

pub(crate) fn unreadable(error: std::io::Error) -> EngineError {
    EngineError::Internal(format!("the files of a stage cannot be reached: {error}"))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(milliseconds: i64) -> String {
    let moment = chrono::DateTime::from_timestamp_millis(milliseconds).unwrap_or_default();
    moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

//! LIST and REMOVE.

use firn_engine::{EngineError, ExecutionContext, LocalTable, WireColumn};
use firn_sql::stages::StageLocation;

use crate::session_state::SessionState;
use crate::stage_places::{locate, matching};

pub(super) fn list(
    session: &SessionState,
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
    session: &SessionState,
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

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(milliseconds: i64) -> String {
    let moment = chrono::DateTime::from_timestamp_millis(milliseconds).unwrap_or_default();
    moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

//! Which files a table was loaded from, so that none is loaded twice.

use std::collections::HashSet;

use firn_engine::EngineError;
use firn_engine::stage_files::StagedFile;
use firn_sql::ObjectName;
use firn_sql::names::quote_literal;

use super::report::{FileOutcome, Status};
use super::source::Source;
use crate::connection::Connection;
use crate::side_tables::side_table;

/// The files, by path and checksum, that were loaded into the table from a stage's folder.
pub(super) fn loaded(
    connection: &Connection,
    table: &ObjectName,
    folder: &str,
) -> Result<HashSet<(String, String)>, EngineError> {
    let rows = connection.rows(&format!(
        "SELECT path, checksum FROM {} WHERE schema_name = {} AND table_name = {} AND folder = {} AND status <> 'LOAD_FAILED'",
        side_table(table.database(), "loads"),
        quote_literal(table.schema()),
        quote_literal(&table.name),
        quote_literal(folder)
    ))?;
    let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
    Ok(rows.iter().map(|row| (text(&row[0]), text(&row[1]))).collect())
}

/// Notes loads in the transaction that makes them.
pub(super) fn note(
    connection: &Connection,
    table: &ObjectName,
    source: &Source,
    loads: &[(&StagedFile, &str, &FileOutcome)],
) -> Result<(), EngineError> {
    let now = chrono::Utc::now().timestamp_millis();
    let rows: Vec<String> = loads
        .iter()
        .filter(|(_, _, outcome)| outcome.status != Status::Skipped)
        .map(|(file, checksum, outcome)| row(table, source, file, checksum, outcome, now))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let loads = side_table(table.database(), "loads");
    connection.execute(&format!("INSERT INTO {loads} VALUES {}", rows.join(", ")))?;
    Ok(())
}

fn row(
    table: &ObjectName,
    source: &Source,
    file: &StagedFile,
    checksum: &str,
    outcome: &FileOutcome,
    now: i64,
) -> String {
    let error = outcome.first_error.as_ref();
    let number = |value: Option<u64>| value.map_or_else(|| "NULL".to_owned(), |value| value.to_string());
    let text = |value: Option<&str>| value.map_or_else(|| "NULL".to_owned(), quote_literal);
    let values = [
        quote_literal(table.schema()),
        quote_literal(&table.name),
        quote_literal(source.place_name()),
        quote_literal(file.path.as_str()),
        quote_literal(checksum),
        file.bytes.to_string(),
        quote_literal(&outcome.file),
        quote_literal(&source.stage),
        quote_literal(outcome.status.word()),
        now.to_string(),
        outcome.parsed.to_string(),
        outcome.loaded.to_string(),
        outcome.error_limit.to_string(),
        outcome.errors.to_string(),
        text(error.map(|error| error.message.as_str())),
        number(error.map(|error| error.line)),
        number(error.map(|error| error.character)),
        text(error.and_then(|error| error.column.as_deref())),
    ];
    format!("({})", values.join(", "))
}

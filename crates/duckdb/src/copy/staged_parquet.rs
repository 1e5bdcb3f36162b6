//! Parquet files as a relation: `$1` is a whole row as an object, and `@1`, `@2` are its columns.

use firn_duckdb_lower::temporary::engine_identifier;
use firn_engine::EngineError;
use firn_sql::ObjectName;
use firn_sql::command::DataType;
use firn_sql::file_formats::ParquetFormat;
use firn_sql::names::{quote_identifier, quote_literal};

use super::rows::FileRows;
use super::source::Source;
use super::staged_relation::{NamedColumn, Staged, column, described, metadata_items};
use crate::chunks::ResultColumn;
use crate::connection::Connection;
use crate::result_types;
use crate::session_state::SessionState;

pub(super) fn open(
    session: &mut SessionState,
    name: ObjectName,
    source: &Source,
    format: &ParquetFormat,
) -> Result<Staged, EngineError> {
    if source.files.is_empty() {
        return open_empty(session, name);
    }
    let columns = columns(&session.connection, source, format)?;
    let read = scan(source, format);
    let fields: Vec<String> = columns
        .iter()
        .map(|column| format!("{}: {}", quote_literal(&column.name), quote_identifier(&column.name)))
        .collect();
    let paths: Vec<String> = source.files.iter().map(|file| quote_literal(&file.place.to_string_lossy())).collect();
    let file = format!("list_position([{}], \"@path\")", paths.join(", "));
    let row = "file_row_number + 1";
    let mut items = vec![
        format!("{file} AS \"@file\""),
        format!("{row} AS \"@row\""),
        format!("{row} AS \"@line\""),
        format!("firn_parse_json(CAST(to_json({{{}}}) AS VARCHAR)) AS \"$1\"", fields.join(", ")),
    ];
    items.extend(metadata_items(source, &file, row));
    let mut records = vec![column("$1", DataType::Variant)];
    let mut named = Vec::new();
    for (number, read) in (1..).zip(&columns) {
        items.push(format!("{} AS \"@{number}\"", quote_identifier(&read.name)));
        records.push(column(&format!("@{number}"), result_types::type_of_result(&read.logical_type)));
        named.push(NamedColumn { name: read.name.clone(), expression: format!("\"@{number}\"") });
    }
    session.connection.execute(&format!(
        "CREATE TEMP VIEW {} AS SELECT {} FROM {read}",
        quote_identifier(&engine_identifier(&name)),
        items.join(", ")
    ))?;
    session.record_staged(&described(&name, records));
    let files = row_counts(&session.connection, source)?;
    let files = files.into_iter().map(|parsed| FileRows { parsed, ..FileRows::default() }).collect();
    Ok(Staged { name, files, named })
}

/// No file has no columns, and so no way to be read.
fn open_empty(session: &mut SessionState, name: ObjectName) -> Result<Staged, EngineError> {
    let source = Source::default();
    let mut items =
        vec!["1 AS \"@file\"", "1 AS \"@row\"", "1 AS \"@line\"", "firn_parse_json(CAST(NULL AS VARCHAR)) AS \"$1\""]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
    items.extend(metadata_items(&source, "1", "1"));
    session.connection.execute(&format!(
        "CREATE TEMP VIEW {} AS SELECT {} WHERE false",
        quote_identifier(&engine_identifier(&name)),
        items.join(", ")
    ))?;
    session.record_staged(&described(&name, vec![column("$1", DataType::Variant)]));
    Ok(Staged { name, files: Vec::new(), named: Vec::new() })
}

/// The engine's reader over the files, with their places in `@path`.
fn scan(source: &Source, format: &ParquetFormat) -> String {
    let paths: Vec<String> = source.files.iter().map(|file| quote_literal(&file.place.to_string_lossy())).collect();
    format!(
        "read_parquet([{}], filename = '@path', union_by_name = true, hive_partitioning = false, binary_as_string = {})",
        paths.join(", "),
        format.binary_as_text
    )
}

pub(super) fn columns(
    connection: &Connection,
    source: &Source,
    format: &ParquetFormat,
) -> Result<Vec<ResultColumn>, EngineError> {
    let stream = connection.stream(&format!("SELECT * EXCLUDE (\"@path\") FROM {} LIMIT 0", scan(source, format)))?;
    Ok(stream.columns().to_vec())
}

fn row_counts(connection: &Connection, source: &Source) -> Result<Vec<u64>, EngineError> {
    let mut counts = Vec::new();
    for file in &source.files {
        let path = quote_literal(&file.place.to_string_lossy());
        let rows = connection.rows(&format!("SELECT num_rows FROM parquet_file_metadata({path})"))?;
        let count = rows.first().and_then(|row| row[0].as_deref()).and_then(|count| count.parse().ok());
        counts.push(count.unwrap_or(0));
    }
    Ok(counts)
}

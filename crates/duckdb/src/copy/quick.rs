//! The fast path of loads: the engine reads Parquet, and CSV files that it is known to parse as the dialect does. Whatever
//! fails here is loaded again by the exact path.

use firn_duckdb_lower::types;
use firn_engine::stage_files::StagedFile;
use firn_engine::{ColumnDescription, EngineError, ExecutionContext};
use firn_sql::command::{ColumnMatch, DataType, OnError};
use firn_sql::file_formats::{Compression, CsvFormat, Encoding, FileFormat, RecordDelimiter};
use firn_sql::names::{quote_identifier, quote_literal};

use super::content::compression_of;
use super::conversions::length_max;
use super::load_job::Load;
use super::plain_text;
use super::plan::LongTexts;
use super::report::{self, FileOutcome};
use crate::session_state::SessionState;
use crate::transaction;

/// `None` when the files have to be loaded the exact way.
pub(super) fn load(
    session: &mut SessionState,
    load: &Load<'_>,
    context: &ExecutionContext,
) -> Result<Option<Vec<FileOutcome>>, EngineError> {
    if session.transaction_is_open() {
        return Ok(None);
    }
    match &load.format {
        FileFormat::Parquet(_) => parquet(session, load, context),
        FileFormat::Csv(csv) => csv_files(session, load, csv, context),
        FileFormat::Json(_) => Ok(None),
    }
}

fn parquet(
    session: &mut SessionState,
    load: &Load<'_>,
    context: &ExecutionContext,
) -> Result<Option<Vec<FileOutcome>>, EngineError> {
    let (plan, files) = load.staged_plan(session, context)?;
    let connection = &session.connection;
    let counts: Vec<u64> = files.iter().map(|file| file.parsed).collect();
    let outcomes = outcomes(load, &counts);
    attempted(transaction::within(connection, || {
        connection.execute(&plan.insert_all(&load.relation))?;
        load.note(session, &outcomes, context)?;
        Ok(outcomes)
    }))
}

fn csv_files(
    session: &SessionState,
    load: &Load<'_>,
    csv: &CsvFormat,
    context: &ExecutionContext,
) -> Result<Option<Vec<FileOutcome>>, EngineError> {
    let is_typed = |column: &&ColumnDescription| {
        matches!(column.data_type, DataType::Object | DataType::Array | DataType::Structured(_))
    };
    let suits = is_plain(csv)
        && load.copy.query.is_none()
        && load.options.match_by == ColumnMatch::ByPosition
        && !load.targets.iter().any(is_typed);
    if !suits || !load.source.files.iter().all(|file| reads_alike(file, csv)) {
        return Ok(None);
    }
    let connection = &session.connection;
    attempted(transaction::within(connection, || {
        let mut counts = Vec::new();
        for file in &load.source.files {
            counts.push(connection.execute(&insert(load, csv, file))?);
        }
        let outcomes = outcomes(load, &counts);
        load.note(session, &outcomes, context)?;
        Ok(outcomes)
    }))
}

/// The exact path finds the cause of a failed attempt.
fn attempted(outcome: Result<Vec<FileOutcome>, EngineError>) -> Result<Option<Vec<FileOutcome>>, EngineError> {
    match outcome {
        Ok(outcomes) => Ok(Some(outcomes)),
        Err(EngineError::Failed(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn outcomes(load: &Load<'_>, counts: &[u64]) -> Vec<FileOutcome> {
    let on_error: OnError = load.options.on_error;
    let one = |(file, &count): (&StagedFile, &u64)| FileOutcome {
        file: load.source.shown(file),
        parsed: count,
        loaded: count,
        error_limit: report::error_limit(on_error, count),
        ..FileOutcome::default()
    };
    load.source.files.iter().zip(counts).map(one).collect()
}

/// Options that the engine's reader has too.
fn is_plain(csv: &CsvFormat) -> bool {
    let one_byte = csv.field_delimiter.as_deref().is_some_and(|delimiter| delimiter.len() == 1 && delimiter.is_ascii());
    one_byte
        && csv.record_delimiter == RecordDelimiter::NewLine
        && !csv.parse_header
        && !csv.skip_blank_lines
        && csv.skip_byte_order_mark
        && (csv.escape.is_none() || csv.escape == csv.enclosed_by)
        && !csv.trim_space
        && csv.error_on_column_count_mismatch
        && !csv.replace_invalid_characters
        && csv.empty_field_as_null
        && csv.encoding == Encoding::UTF_8
        && csv.date_format.is_none()
        && csv.time_format.is_none()
        && csv.timestamp_format.is_none()
        && matches!(csv.escape_unenclosed, None | Some('\\'))
}

/// Whether the engine's reader takes a file as the dialect does.
fn reads_alike(file: &StagedFile, csv: &CsvFormat) -> bool {
    compression_of(file, csv.compression) == Compression::None && plain_text::is_plain(file, csv).unwrap_or(false)
}

fn insert(load: &Load<'_>, csv: &CsvFormat, file: &StagedFile) -> String {
    let quote = csv.enclosed_by.map(String::from).unwrap_or_default();
    let nulls: Vec<String> =
        std::iter::once("").chain(csv.null_if.iter().map(String::as_str)).map(quote_literal).collect();
    let columns: Vec<String> = (1..)
        .zip(&load.targets)
        .map(|(number, column): (usize, _)| format!("'c{number}': {}", quote_literal(&read_type(column))))
        .collect();
    let values: Vec<String> =
        (1..).zip(&load.targets).map(|(number, column): (usize, _)| stored(load, csv, number, column)).collect();
    let names: Vec<String> = load.targets.iter().map(|column| quote_identifier(&column.name)).collect();
    format!(
        "INSERT INTO {} ({}) SELECT {} FROM read_csv({}, auto_detect = false, header = false, skip = {}, delim = {}, \
         quote = {}, escape = {}, nullstr = [{}], allow_quoted_nulls = false, strict_mode = true, null_padding = false, \
         hive_partitioning = false, compression = 'none', max_line_size = 16777216, \
         columns = {{{}}})",
        load.relation,
        names.join(", "),
        values.join(", "),
        quote_literal(&file.place.to_string_lossy()),
        csv.skip_header,
        quote_literal(csv.field_delimiter.as_deref().unwrap_or(",")),
        quote_literal(&quote),
        quote_literal(&quote),
        nulls.join(", "),
        columns.join(", ")
    )
}

/// The type a column is read as; where the engine's text forms differ, it is text until `stored`.
fn read_type(column: &ColumnDescription) -> String {
    match &column.data_type {
        data_type @ (DataType::Number { .. } | DataType::Integer | DataType::Float | DataType::Boolean) => {
            types::engine_type(data_type)
        }
        _ => "VARCHAR".to_owned(),
    }
}

fn stored(load: &Load<'_>, csv: &CsvFormat, number: usize, column: &ColumnDescription) -> String {
    let field = format!("c{number}");
    match &column.data_type {
        DataType::Varchar { .. } => {
            let text = match csv.enclosed_by {
                Some(_) if !csv.null_if.is_empty() => nulls_taken(&field, &csv.null_if),
                _ => field,
            };
            match (length_max(&column.data_type), load.options.long_texts) {
                (Some(length), LongTexts::Refused) => format!("firn_too_long({text}, {length})"),
                (Some(length), LongTexts::Cut) => format!("left({text}, {length})"),
                (None, _) => text,
            }
        }
        DataType::Date => format!("coalesce(firn_plain_date({field}), firn_date({field}))"),
        DataType::TimestampNtz { .. } => {
            format!("coalesce(firn_plain_timestamp({field}), firn_timestamp_ntz({field}))")
        }
        DataType::Time { .. } => format!("firn_time({field})"),
        DataType::TimestampLtz { .. } => format!("firn_timestamp_ltz({field})"),
        DataType::TimestampTz { .. } => format!("firn_timestamp_tz({field})"),
        DataType::Binary { .. } => format!("firn_binary({field})"),
        DataType::Variant => format!("firn_parse_json({field})"),
        _ => field,
    }
}

/// Texts that stand for null count within quotes too.
fn nulls_taken(field: &str, nulls: &[String]) -> String {
    let nulls: Vec<String> = nulls.iter().map(|null| quote_literal(null)).collect();
    format!("CASE WHEN {field} IN ({}) THEN NULL ELSE {field} END", nulls.join(", "))
}

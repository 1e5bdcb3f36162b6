//! The report of a load, file by file.

use firn_sql::Failure;
use firn_sql::command::OnError;
use firn_sql::names::quote_identifier;

use firn_engine::columns::load_error_columns;
use firn_engine::{ColumnDescription, LocalTable, WireColumn, load_report_columns};

/// One error of a file.
#[derive(Clone, Debug)]
pub(super) struct LoadError {
    pub(super) code: &'static str,
    pub(super) sql_state: &'static str,
    pub(super) message: String,
    pub(super) row: u64,
    pub(super) line: u64,
    pub(super) character: u64,
    pub(super) offset: u64,
    /// `"T"["COLUMN":2]`, where the error is one of a column.
    pub(super) column: Option<String>,
    pub(super) record: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct FileOutcome {
    pub(super) file: String,
    pub(super) status: Status,
    pub(super) parsed: u64,
    pub(super) loaded: u64,
    pub(super) error_limit: u64,
    pub(super) errors: u64,
    pub(super) first_error: Option<LoadError>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Status {
    #[default]
    Loaded,
    PartiallyLoaded,
    Failed,
    /// Loaded before.
    Skipped,
}

impl Status {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Loaded => "LOADED",
            Self::PartiallyLoaded => "PARTIALLY_LOADED",
            Self::Failed => "LOAD_FAILED",
            Self::Skipped => "LOAD_SKIPPED",
        }
    }
}

pub(super) fn column_shown(table: &str, column: &ColumnDescription, position: usize) -> String {
    format!("{}[{}:{position}]", quote_identifier(table), quote_identifier(&column.name))
}

/// How many errors a file may have before nothing of it is loaded.
pub(super) fn error_limit(on_error: OnError, parsed: u64) -> u64 {
    match on_error {
        OnError::Abort => 1,
        OnError::Continue => parsed,
        OnError::SkipFile { errors } => errors,
        OnError::SkipFilePercent { percent } => (parsed * percent).div_ceil(100).max(1),
    }
}

pub(super) fn table(outcomes: &[FileOutcome]) -> LocalTable {
    if outcomes.is_empty() {
        let mut table = LocalTable::new(vec![WireColumn::text("status")]);
        table.rows.push(vec![Some("Copy executed with 0 files processed.".to_owned())]);
        table.inserted = Some(0);
        return table;
    }
    let mut table = LocalTable::new(load_report_columns());
    for outcome in outcomes {
        let first = outcome.first_error.as_ref();
        let message = match outcome.status {
            Status::Skipped => Some("File was loaded before.".to_owned()),
            _ => first.map(|error| error.message.clone()),
        };
        table.rows.push(vec![
            Some(outcome.file.clone()),
            Some(outcome.status.word().to_owned()),
            Some(outcome.parsed.to_string()),
            Some(outcome.loaded.to_string()),
            Some(outcome.error_limit.to_string()),
            Some(outcome.errors.to_string()),
            message,
            first.map(|error| error.line.to_string()),
            first.map(|error| error.character.to_string()),
            first.and_then(|error| error.column.clone()),
        ]);
    }
    table.inserted = Some(outcomes.iter().map(|outcome| outcome.loaded).sum());
    table
}

/// The failure of a load that ends with its first error.
pub(super) fn aborted(file: &str, error: &LoadError) -> Failure {
    let column = error.column.as_ref().map_or_else(String::new, |column| format!(", column {column}"));
    Failure::new(
        error.code,
        error.sql_state,
        format!(
            "{}\n  File '{file}', line {}, character {}\n  Row {}{column}\n  If you would like to continue loading when an \
             error is encountered, use other values such as 'SKIP_FILE' or 'CONTINUE' for the ON_ERROR option.",
            error.message, error.line, error.character, error.row
        ),
    )
}

/// The errors of files as VALIDATION_MODE reports them.
pub(super) fn error_table(errors: &[(String, LoadError)]) -> LocalTable {
    let mut table = LocalTable::new(load_error_columns());
    for (file, error) in errors {
        let category = if error.column.is_some() { "conversion" } else { "parsing" };
        table.rows.push(vec![
            Some(error.message.clone()),
            Some(file.clone()),
            Some(error.line.to_string()),
            Some(error.character.to_string()),
            Some(error.offset.to_string()),
            Some(category.to_owned()),
            Some(error.code.trim_start_matches('0').to_owned()),
            Some(error.sql_state.to_owned()),
            error.column.clone(),
            Some(error.row.to_string()),
            Some(error.line.to_string()),
            Some(error.record.clone()),
        ]);
    }
    table
}

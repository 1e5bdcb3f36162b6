//! One COPY INTO a table with everything looked up, and what every way of loading does with it.

use firn_engine::stage_files::StagedFile;
use firn_engine::{ColumnDescription, EngineError, ExecutionContext, ObjectDescription};
use firn_sql::command::{ColumnMatch, CopyIntoTable, CopyOptions, OnError, Persistence};
use firn_sql::file_formats::FileFormat;

use super::plan::{LongTexts, Plan};
use super::records::{Place, RecordError};
use super::report::{self, FileOutcome, LoadError, Status};
use super::rows::{self, FieldCount, FileRows};
use super::source::Source;
use super::{columns, history, staged, staged_query};
use crate::connection::Connection;
use crate::session_state::SessionState;
use crate::statement_outcomes::StoredOutcome;

/// A load with everything looked up.
pub(super) struct Load<'a> {
    pub(super) copy: &'a CopyIntoTable,
    pub(super) table: &'a ObjectDescription,
    pub(super) relation: String,
    pub(super) targets: Vec<&'a ColumnDescription>,
    pub(super) format: FileFormat,
    pub(super) options: Options,
    pub(super) source: Source,
    /// The checksum of each file.
    pub(super) checksums: Vec<String>,
    /// The named files that were loaded before.
    pub(super) skipped: Vec<FileOutcome>,
}

/// The options that hold: the statement's, else the stage's, else the dialect's.
pub(super) struct Options {
    pub(super) on_error: OnError,
    pub(super) size_limit: Option<u64>,
    pub(super) purge: bool,
    pub(super) force: bool,
    pub(super) long_texts: LongTexts,
    pub(super) failed_only: bool,
    pub(super) match_by: ColumnMatch,
}

impl Options {
    pub(super) fn of(given: &CopyOptions, stage: &CopyOptions) -> Self {
        let flag = |given: Option<bool>, stage: Option<bool>| given.or(stage).unwrap_or(false);
        Self {
            on_error: given.on_error.or(stage.on_error).unwrap_or(OnError::Abort),
            size_limit: given.size_limit.or(stage.size_limit).filter(|limit| *limit > 0),
            purge: flag(given.purge, stage.purge),
            force: flag(given.force, stage.force),
            long_texts: match flag(given.truncate_columns, stage.truncate_columns) {
                true => LongTexts::Cut,
                false => LongTexts::Refused,
            },
            failed_only: flag(given.return_failed_only, stage.return_failed_only),
            match_by: given.match_by_column_name.or(stage.match_by_column_name).unwrap_or(ColumnMatch::ByPosition),
        }
    }
}

impl<'a> Load<'a> {
    pub(super) fn staged_plan(
        &self,
        session: &mut SessionState,
        context: &ExecutionContext,
    ) -> Result<(Plan<'a>, Vec<FileRows>), EngineError> {
        let staged =
            staged::open(session, &self.source, &self.format, self.field_count(&session.connection)?, context)?;
        let assigned = columns::assigned(self.copy, &self.targets, self.options.match_by, &self.format, &staged)?;
        let long_texts = self.options.long_texts;
        let plan = Plan::new(session, self.copy, assigned, &staged, &self.format, long_texts, context)?;
        Ok((plan, staged.files))
    }

    fn field_count(&self, connection: &Connection) -> Result<FieldCount, EngineError> {
        if let Some(query) = &self.copy.query {
            return Ok(FieldCount::UpTo(staged_query::fields_named(&**query)?));
        }
        if self.options.match_by != ColumnMatch::ByPosition
            && let (FileFormat::Csv(csv), Some(first)) = (&self.format, self.source.files.first())
        {
            return Ok(FieldCount::UpTo(rows::header(connection, &self.source, first, csv)?.len().max(1)));
        }
        Ok(FieldCount::Exactly(self.targets.len()))
    }

    /// Records in the transaction of the load which files it loaded, and its outcome.
    pub(super) fn note(
        &self,
        session: &SessionState,
        outcomes: &[FileOutcome],
        context: &ExecutionContext,
    ) -> Result<(), EngineError> {
        if self.table.persistence == Persistence::Temporary {
            return Ok(());
        }
        let loads: Vec<(&StagedFile, &str, &FileOutcome)> = self
            .source
            .files
            .iter()
            .zip(&self.checksums)
            .zip(outcomes)
            .map(|((file, checksum), outcome)| (file, checksum.as_str(), outcome))
            .collect();
        history::note(&session.connection, &self.copy.table, &self.source, &loads)?;
        if session.transaction_is_open() {
            return Ok(());
        }
        session.record_outcome(&self.copy.table, context, || {
            StoredOutcome::of_load(self.result_table([outcomes, &self.skipped].concat()))
        })
    }

    /// The answer of the statement.
    pub(super) fn result_table(&self, mut outcomes: Vec<FileOutcome>) -> firn_engine::LocalTable {
        let inserted: u64 = outcomes.iter().map(|outcome| outcome.loaded).sum();
        let none_processed = outcomes.is_empty();
        if self.options.failed_only {
            outcomes.retain(|outcome| outcome.status != Status::Loaded);
        }
        let mut table = report::table(&outcomes);
        if self.options.failed_only && outcomes.is_empty() && !none_processed {
            table.rows.clear();
        }
        table.inserted = Some(inserted);
        table
    }

    pub(super) fn error_of(&self, error: &RecordError, place: Place) -> LoadError {
        LoadError {
            code: error.code,
            sql_state: error.sql_state,
            message: error.message.clone(),
            row: place.row,
            line: place.line,
            character: error.character,
            offset: place.offset,
            column: None,
            record: String::new(),
        }
    }
}

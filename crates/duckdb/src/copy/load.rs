//! COPY INTO a table. Where the engine's reader is equivalent to the dialect, it reads the files directly into the table;
//! else, and whenever that fails, the rows are staged, every value is tried, and ON_ERROR is applied file by file.

use std::sync::Arc;

use firn_duckdb_lower::dialect::engine_relation;
use firn_engine::{EngineError, ExecutionContext, LocalTable, ObjectDescription, Outcome};
use firn_sql::command::{CopyIntoTable, ObjectKind, OnError, Validation};
use firn_sql::{Failure, ObjectName, copy_options};

use super::load_job::{Load, Options};
use super::plan::Plan;
use super::report::{self, FileOutcome, Status};
use super::rows::FileRows;
use super::{columns, history, quick, source, staged_query, validate};
use crate::describe::Lookup;
use crate::session_state::SessionState;
use crate::{dml, transaction};

/// The name of the lock of the one statement that loads files into the table. `None` if none are loaded.
pub(crate) fn loading_mark(copy: &CopyIntoTable) -> Option<ObjectName> {
    let table = &copy.table;
    copy.validation.is_none().then(|| ObjectName { name: format!("@load {}", table.name), ..table.clone() })
}

pub(crate) fn load(
    session: &mut SessionState,
    copy: &CopyIntoTable,
    context: &ExecutionContext,
) -> Result<LocalTable, EngineError> {
    let table = target(session, copy)?;
    let mut load = job(session, copy, &table, context)?;
    let outcomes = load.run(session, context)?;
    if load.options.purge && !session.transaction_is_open() {
        load.purge(&outcomes);
    }
    Ok(load.result_table(outcomes))
}

/// VALIDATION_MODE: nothing is loaded.
pub(crate) fn validate_only<'session>(
    session: &'session mut SessionState,
    copy: &CopyIntoTable,
    mode: Validation,
    context: &ExecutionContext,
) -> Result<Outcome<'session>, EngineError> {
    let table = target(session, copy)?;
    let mut load = job(session, copy, &table, context)?;
    load.source.fetch(session)?;
    if copy.query.as_ref().is_some_and(|query| staged_query::asks_for_content_keys(&**query)) {
        load.source.find_content_keys()?;
    }
    validate::validate(session, &load, mode, context)
}

fn target(session: &SessionState, copy: &CopyIntoTable) -> Result<Arc<ObjectDescription>, EngineError> {
    let table = session.find(&copy.table)?;
    let table = table.ok_or_else(|| Failure::missing_object("Table", &copy.table.to_string()))?;
    if table.kind != ObjectKind::Table {
        return Err(dml::not_a_table(&table).into());
    }
    Ok(table)
}

fn job<'a>(
    session: &mut SessionState,
    copy: &'a CopyIntoTable,
    table: &'a ObjectDescription,
    context: &ExecutionContext,
) -> Result<Load<'a>, EngineError> {
    let definition = source::definition(session, &copy.location.stage)?;
    let stage_options = copy_options(&definition.copy_options)?;
    let mut load = Load {
        copy,
        table,
        relation: engine_relation(&copy.table, &session.temporary),
        targets: columns::targets(copy, table)?,
        format: source::format_for_reading(session, copy.format.as_ref(), &definition, &context.inputs)?,
        options: Options::of(&copy.options, &stage_options),
        source: source::files(session, &copy.location, &copy.files, copy.pattern.as_deref(), context)?,
        checksums: Vec::new(),
        skipped: Vec::new(),
    };
    columns::check_count(copy, &load.targets)?;
    load.limit_size();
    Ok(load)
}

impl Load<'_> {
    /// SIZE_LIMIT ends the list behind the file that reaches it.
    fn limit_size(&mut self) {
        let Some(limit) = self.options.size_limit else { return };
        let mut sum = 0;
        let count = self.source.files.iter().take_while(|file| {
            let goes_on = sum < limit;
            sum += file.bytes;
            goes_on
        });
        let count = count.count();
        self.source.files.truncate(count);
    }

    fn run(&mut self, session: &mut SessionState, context: &ExecutionContext) -> Result<Vec<FileOutcome>, EngineError> {
        self.skipped = self.leave_out_loaded(session)?;
        self.source.fetch(session)?;
        let mut outcomes = match self.source.files.is_empty() {
            true => Vec::new(),
            false => match quick::load(session, self, context)? {
                Some(outcomes) => outcomes,
                None => self.exactly(session, context)?,
            },
        };
        outcomes.extend_from_slice(&self.skipped);
        Ok(outcomes)
    }

    /// Skips the files that were loaded before; those named by the statement itself are reported.
    fn leave_out_loaded(&mut self, session: &SessionState) -> Result<Vec<FileOutcome>, EngineError> {
        let is_temporary = self.table.persistence == firn_sql::command::Persistence::Temporary;
        let loaded = match self.options.force || is_temporary {
            true => std::collections::HashSet::new(),
            false => history::loaded(&session.connection, &self.copy.table, self.source.place_name())?,
        };
        let mut skipped = Vec::new();
        let mut remaining = Vec::new();
        for file in std::mem::take(&mut self.source.files) {
            let checksum = self.source.checksum(&file)?;
            let key = (file.path.to_string(), checksum.clone());
            let is_named = !self.copy.files.is_empty() || self.source.is_named(&file);
            match loaded.contains(&key) {
                true if is_named => {
                    skipped.push(FileOutcome {
                        file: self.source.shown(&file),
                        status: Status::Skipped,
                        ..FileOutcome::default()
                    });
                }
                true => {}
                false => {
                    remaining.push(file);
                    self.checksums.push(checksum);
                }
            }
        }
        self.source.files = remaining;
        self.source.content_keys.clone_from(&self.checksums);
        Ok(skipped)
    }

    /// Stages the rows, tries every value, and loads what may be loaded.
    fn exactly(&self, session: &mut SessionState, context: &ExecutionContext) -> Result<Vec<FileOutcome>, EngineError> {
        let (plan, rows) = self.staged_plan(session, context)?;
        let mut outcomes = self.judge(session, &plan, &rows)?;
        if self.options.on_error == OnError::Abort
            && let Some((outcome, error)) =
                outcomes.iter().find_map(|outcome| Some((outcome, outcome.first_error.as_ref()?)))
        {
            return Err(report::aborted(&outcome.file, error).into());
        }
        if session.transaction_is_open() {
            self.insert(session, &plan, &mut outcomes, context)?;
        } else {
            let connection = &session.connection;
            transaction::within(connection, || self.insert(session, &plan, &mut outcomes, context))?;
        }
        Ok(outcomes)
    }

    /// What becomes of every file, before anything is loaded.
    fn judge(
        &self,
        session: &SessionState,
        plan: &Plan<'_>,
        rows: &[FileRows],
    ) -> Result<Vec<FileOutcome>, EngineError> {
        let bad = session.connection.rows(&plan.bad_files())?;
        let number = |cell: &Option<String>| cell.as_deref().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let mut outcomes = Vec::new();
        for (index, (file, rows)) in (1..).zip(self.source.files.iter().zip(rows)) {
            let bad = bad.iter().find(|row| number(&row[0]) == index as u64);
            let errors = rows.errors_count + bad.map_or(0, |row| number(&row[1]));
            let error_limit = report::error_limit(self.options.on_error, rows.parsed);
            let failed = errors > 0
                && match self.options.on_error {
                    OnError::Abort => true,
                    OnError::Continue => errors == rows.parsed,
                    OnError::SkipFile { .. } | OnError::SkipFilePercent { .. } => errors >= error_limit,
                };
            let status = match (failed, errors) {
                (true, _) => Status::Failed,
                (false, 0) => Status::Loaded,
                (false, _) => Status::PartiallyLoaded,
            };
            let first_error = match errors {
                0 => None,
                _ => validate::first_error(session, self, plan, index, rows, bad.map(|row| number(&row[2])))?,
            };
            outcomes.push(FileOutcome {
                file: self.source.shown(file),
                status,
                parsed: rows.parsed,
                loaded: 0,
                error_limit,
                errors,
                first_error,
            });
        }
        Ok(outcomes)
    }

    fn insert(
        &self,
        session: &SessionState,
        plan: &Plan<'_>,
        outcomes: &mut [FileOutcome],
        context: &ExecutionContext,
    ) -> Result<(), EngineError> {
        for (index, outcome) in (1..).zip(outcomes.iter_mut()) {
            if outcome.status != Status::Failed {
                outcome.loaded = session.connection.execute(&plan.insert_good(&self.relation, index))?;
            }
        }
        self.note(session, outcomes, context)
    }

    /// Removes the files that were loaded whole; one that cannot be removed stays, as in the dialect.
    fn purge(&self, outcomes: &[FileOutcome]) {
        for (file, outcome) in self.source.files.iter().zip(outcomes) {
            if outcome.status == Status::Loaded {
                self.source.purge(file);
            }
        }
    }
}

//! At start: the ends of statements that ran when the server last stopped. A statement whose outcome a database holds was
//! committed, and succeeded; any other was not completed. The same holds for those at whose commit the engine closed the
//! database, once it is opened again.

use std::collections::HashMap;

use firn_catalog::registry::{EndState, Ended, ResultFormat, StatementRecord};
use firn_catalog::{Catalog, CatalogError};
use firn_engine::error::CLOSED_STATES;
use firn_engine::{Engine, Nulls, RecordedOutcome};
use firn_sql::command::{Command, Ddl, OwnershipTarget, StageCommand, Transaction};
use firn_sql::{SourceStatement, parse_statement, secrets_in_text, split_script};
use uuid::Uuid;

use crate::change_counts::{Answer, answer, set_rows};
use crate::ending;
use crate::error::StartError;
use crate::execution::Ending;
use crate::limits::{Limits, parse_limits};
use crate::local_rows::LocalRows;
use crate::partitions::{PartitionLimits, WrittenResult, write_partitions};
use crate::result_store::ResultStore;

const NOT_COMMITTED: &str =
    "The server stopped while the statement ran; none of its changes were committed. Send it again.";
const UNKNOWN: &str =
    "The server stopped while the statement ran; whether its changes were committed can be seen in the data.";

pub struct Interrupted<'a> {
    pub catalog: &'a Catalog,
    pub engine: &'a dyn Engine,
    pub store: &'a ResultStore,
    pub limits: &'a Limits,
    /// Whether what a database holds could not be read.
    pub is_some_database_set_aside: bool,
}

/// How many statements ended how.
#[derive(Default)]
pub struct Settled {
    pub succeeded: usize,
    pub failed: usize,
}

type Outcomes = HashMap<Uuid, RecordedOutcome>;

impl Interrupted<'_> {
    pub fn settle(mut self) -> Result<Settled, StartError> {
        let left = self.catalog.registry().left_running()?;
        let recorded = self.engine.recorded_outcomes().unwrap_or_else(|error| {
            tracing::error!(%error, "the outcomes of statements cannot be read; those that ran are reported as failed");
            self.is_some_database_set_aside = true;
            Vec::new()
        });
        let mut settled = Settled::default();
        if left.is_empty() {
            return Ok(settled);
        }
        let by_handle = |outcome: RecordedOutcome| Some((outcome.query_id.parse().ok()?, outcome));
        let mut outcomes: Outcomes = recorded.into_iter().filter_map(by_handle).collect();
        for record in left {
            let ended = match record.children.is_empty() {
                true => self.end_of_single(&record, &mut outcomes)?,
                false => self.end_of_set(&record, &mut outcomes)?,
            };
            match ended.state {
                EndState::Succeeded => settled.succeeded += 1,
                _ => settled.failed += 1,
            }
            self.catalog.registry().end(record.handle, &ended)?;
        }
        Ok(settled)
    }

    /// Of statements that are recorded as failed because the engine closed their database, those that were committed
    /// before it did. Their outcomes are in the databases, which have been opened again. Returns how many there were.
    pub fn correct_closed(&self) -> Result<usize, StartError> {
        let recorded = self.engine.recorded_outcomes().map_err(|error| StartError::Outcomes(error.to_string()))?;
        let registry = self.catalog.registry();
        let mut corrected = 0;
        for outcome in recorded {
            let query_id = outcome.query_id.clone();
            let Ok(handle) = query_id.parse::<Uuid>() else { continue };
            if !registry.failed_with(handle, CLOSED_STATES)? {
                continue;
            }
            if registry.correct(handle, CLOSED_STATES, &self.succeeded(handle, outcome)?.ended)? {
                corrected += 1;
            }
            self.engine.settle_outcome(&query_id);
        }
        Ok(corrected)
    }

    /// The end of a statement at whose commit the engine closed its database, if it was committed and the database is open
    /// again.
    pub fn end_of_closed(&self, handle: Uuid) -> Result<Option<Ending>, StartError> {
        let recorded = self.engine.recorded_outcomes().map_err(|error| StartError::Outcomes(error.to_string()))?;
        let own = recorded.into_iter().find(|outcome| outcome.query_id.parse() == Ok(handle));
        own.map(|outcome| self.succeeded(handle, outcome)).transpose()
    }

    fn end_of_single(&self, record: &StatementRecord, outcomes: &mut Outcomes) -> Result<Ended, StartError> {
        if let Some(outcome) = outcomes.remove(&record.handle) {
            return Ok(self.succeeded(record.handle, outcome)?.ended);
        }
        Ok(ending::interrupted(self.why_not_completed(&record.text).to_owned(), self.limits))
    }

    fn why_not_completed(&self, text: &str) -> &'static str {
        match !self.is_some_database_set_aside && self.leaves_outcome(text) {
            true => NOT_COMMITTED,
            false => UNKNOWN,
        }
    }

    /// A set is completed with its last statement.
    fn end_of_set(&self, record: &StatementRecord, outcomes: &mut Outcomes) -> Result<Ended, StartError> {
        let texts = split_script(&record.text, &parse_limits(self.limits)).unwrap_or_default();
        for (index, child) in record.children.iter().enumerate() {
            if self.catalog.registry().find(record.user_id, *child)?.is_some_and(|child| child.ended.is_some()) {
                continue;
            }
            let text = texts.get(index).map_or(record.text.as_str(), |source| source.text.as_str());
            let Some(outcome) = outcomes.remove(child) else {
                let message = format!(
                    "Statement {} of {}: {}{}",
                    index + 1,
                    record.children.len(),
                    self.why_not_completed(text),
                    self.fate_of(&texts[..index.min(texts.len())])
                );
                return Ok(ending::interrupted(message, self.limits));
            };
            self.insert_child(record, *child, text, self.succeeded(*child, outcome)?.ended)?;
        }
        Ok(ending::succeeded(self.write(record.handle, set_rows(), Nulls::Null)?, self.limits).ended)
    }

    /// What became of the statements before the one that did not end.
    fn fate_of(&self, before: &[SourceStatement]) -> String {
        let limits = parse_limits(self.limits);
        let mut begun_at = None;
        for (index, source) in before.iter().enumerate() {
            match parse_statement(source, &limits).map(|statement| statement.command) {
                Ok(Command::Transaction(Transaction::Begin)) => begun_at = begun_at.or(Some(index)),
                Ok(Command::Transaction(_) | Command::Ddl(_)) => begun_at = None,
                _ => {}
            }
        }
        match (before.len(), begun_at) {
            (0, _) => String::new(),
            (_, None) => " The statements before it were executed.".to_owned(),
            (_, Some(0)) => " The transaction that it belongs to was rolled back.".to_owned(),
            (_, Some(begun_at)) => format!(
                " The transaction that it belongs to was rolled back; the statements before BEGIN, which is statement {}, \
                 were executed.",
                begun_at + 1
            ),
        }
    }

    fn insert_child(
        &self,
        parent: &StatementRecord,
        handle: Uuid,
        text: &str,
        ended: Ended,
    ) -> Result<(), CatalogError> {
        self.catalog.registry().insert(&StatementRecord {
            handle,
            request_id: None,
            parent: Some(parent.handle),
            children: Vec::new(),
            text: secrets_in_text::hidden(text).into_owned(),
            ended: Some(ended),
            ..parent.clone()
        })
    }

    fn succeeded(&self, handle: Uuid, recorded: RecordedOutcome) -> Result<Ending, StartError> {
        let Answer::Local(rows, stats) = answer(recorded.outcome) else {
            return Err(StartError::Outcomes(format!("the outcome of statement {handle} has rows")));
        };
        let mut written = self.write(handle, rows, recorded.nulls)?;
        written.stored.stats = stats;
        Ok(ending::succeeded(written, self.limits))
    }

    fn write(&self, handle: Uuid, rows: LocalRows, nulls: Nulls) -> Result<WrittenResult, StartError> {
        let written = write_partitions(
            &mut rows.with_nulls(nulls),
            ResultFormat::Json,
            &PartitionLimits::UNLIMITED,
            self.store,
            handle,
        );
        let mut written = written.map_err(|error| StartError::Outcomes(error.to_string()))?;
        written.stored.cells.null_words = nulls == Nulls::Word;
        Ok(written)
    }

    /// Whether a statement that was committed has left its outcome in a database.
    fn leaves_outcome(&self, text: &str) -> bool {
        let limits = parse_limits(self.limits);
        let Ok(sources) = split_script(text, &limits) else { return false };
        let [source] = sources.as_slice() else { return false };
        parse_statement(source, &limits).is_ok_and(|statement| is_in_one_transaction(&statement.command))
    }
}

fn is_in_one_transaction(command: &Command) -> bool {
    match command {
        Command::Query(_) | Command::Dml(_) | Command::InsertMany(_) | Command::Transaction(_) => true,
        Command::Ddl(ddl) => !matches!(
            ddl,
            Ddl::CreateDatabase { .. }
                | Ddl::AlterDatabase { .. }
                | Ddl::DropDatabase { .. }
                | Ddl::Undrop(OwnershipTarget::Database(_))
        ),
        Command::Stages(command) => {
            !matches!(command, StageCommand::Unload(_) | StageCommand::Remove { .. } | StageCommand::Refresh { .. })
        }
        _ => false,
    }
}

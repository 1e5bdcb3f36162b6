//! The parts of the server that statements share.

use std::sync::Arc;

use firn_catalog::registry::{EndState, StatementRecord};
use firn_catalog::{Caller, Catalog, CatalogError};
use firn_engine::Engine;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::account_usage::queue::Queue;
use crate::ballast::Ballast;
use crate::databases::DatabaseFiles;
use crate::error::StatementError;
use crate::execution::{Ending, Execution};
use crate::grant_sweep::GrantSweep;
use crate::handle::StatementHandle;
use crate::interrupted::Interrupted;
use crate::kept_sessions::KeptSessions;
use crate::limits::Limits;
use crate::metering::Metering;
use crate::outcomes::Outcomes;
use crate::plan_cache::PlanCache;
use crate::result_cache::ResultCache;
use crate::result_store::ResultStore;
use crate::running::RunningStatements;
use crate::session_state::SessionState;
use crate::short_statements::ShortStatements;
use crate::table_changes::TableChanges;
use crate::table_sizes::TableSizes;
use crate::token_uses::TokenUses;
use crate::transactions::Transactions;
use crate::view::{self, StatementView};
use crate::view_uses::ViewUses;
use crate::written_results::WrittenResults;

/// What every statement runs with; shared by all.
pub struct Services {
    pub view_uses: ViewUses,
    pub catalog: Catalog,
    pub engine: Arc<dyn Engine>,
    /// Notified when the engine has to be started anew, which takes a new process.
    pub engine_lost: Notify,
    pub databases: DatabaseFiles,
    pub ballast: Ballast,
    pub store: ResultStore,
    pub cache: ResultCache,
    pub plan_cache: PlanCache,
    pub changes: TableChanges,
    pub table_sizes: TableSizes,
    pub short_statements: ShortStatements,
    pub running: RunningStatements,
    pub transactions: Arc<Transactions>,
    pub kept_sessions: Arc<KeptSessions>,
    pub outcomes: Outcomes,
    pub written_results: WrittenResults,
    /// Texts of statements and small results, as `written_results`.
    pub written_history: WrittenResults,
    pub account_usage: Queue,
    pub token_uses: TokenUses,
    pub metering: Arc<Metering>,
    pub grant_sweep: GrantSweep,
    pub limits: Limits,
}

impl Services {
    /// A running statement of the caller's user, under a role that the caller's token covers.
    pub fn running_statement(&self, caller: &Caller, handle: StatementHandle) -> Option<Arc<Execution>> {
        let found = self.running.find(caller.user.id, handle);
        found.filter(|execution| self.catalog.principals().token_covers_role(caller, &execution.role))
    }

    /// The running set that a statement is part of.
    pub fn running_set_with(&self, caller: &Caller, handle: StatementHandle) -> Option<Arc<Execution>> {
        let found = self.running.find_set_with(caller.user.id, handle);
        found.filter(|execution| self.catalog.principals().token_covers_role(caller, &execution.role))
    }

    /// As `running_statement`, of those that have ended.
    pub fn past_statement(&self, caller: &Caller, handle: Uuid) -> Result<Option<StatementRecord>, CatalogError> {
        let found = self.catalog.registry().find(caller.user.id, handle)?;
        // Results of statements inside of blocks are the block's.
        let is_inside = |record: &StatementRecord| match &record.ended {
            Some(ended) => ended.state == EndState::Succeeded && ended.result.is_none(),
            None => false,
        };
        let found = found.filter(|record| !is_inside(record));
        Ok(found.filter(|record| self.catalog.principals().token_covers_role(caller, &record.role)))
    }

    /// As `past_statement`, for a statement of the session. A procedure with its owner's rights knows those of its own session
    /// only.
    pub fn past_statement_of(
        &self,
        state: &SessionState,
        handle: Uuid,
    ) -> Result<Option<StatementRecord>, CatalogError> {
        match state.has_owners_rights {
            true => Ok(None),
            false => self.past_statement(&state.caller, handle),
        }
    }

    /// A statement that has ended, with a partition of its result.
    pub fn view_of(&self, record: &StatementRecord, partition: Option<i64>) -> Result<StatementView, StatementError> {
        let viewed = view::of_record(record, partition, &self.store);
        if !matches!(viewed, Err(StatementError::DamagedResult(_))) {
            return viewed;
        }
        // The sweeper removes the files of a result after it has left the registry.
        let unknown = || StatementError::UnknownHandle(record.handle.to_string());
        let found = self.catalog.registry().find(record.user_id, record.handle)?.ok_or_else(unknown)?;
        match &found.ended {
            Some(ended) if ended.result.is_some() => {
                // The statement is run again then: its result must not come from the same files.
                self.cache.forget_all();
                viewed
            }
            Some(ended) if ended.state != EndState::Succeeded => view::of_record(&found, partition, &self.store),
            _ => Err(unknown()),
        }
    }

    /// Counts what the row of a statement that has ended takes.
    pub fn note_history(&self, record: &StatementRecord) {
        let result = record.ended.as_ref().and_then(|ended| ended.result.as_ref());
        let inline = result.and_then(|result| result.inline_rows.as_ref()).map_or(0, Vec::len);
        let bytes_max = self.limits.history_bytes_max.min(self.limits.history_user_bytes_max);
        self.written_history.note((record.text.len() + inline) as u64, bytes_max);
    }

    /// Opens databases again that the engine has closed, or that have another file than the damaged one. Whether there was
    /// any.
    pub fn reopen_databases(&self) -> bool {
        if self.engine.is_lost() {
            self.engine_lost.notify_one();
            return false;
        }
        let reopened = self.databases.reopen(&self.catalog, self.engine.as_ref());
        if reopened {
            self.changes.note_definitions();
            self.changes.note_all();
            self.correct_closed();
            if let Err(error) = self.databases.settle_handovers(&self.catalog, self.engine.as_ref()) {
                tracing::warn!(%error, "what a renamed or dropped role owned cannot be handed over yet");
            }
        }
        reopened
    }

    /// The end of a statement that failed because the engine closed its database, if it was committed all the same.
    pub fn end_of_closed(&self, handle: StatementHandle) -> Option<Ending> {
        self.interrupted().end_of_closed(handle.0).unwrap_or_else(|error| {
            tracing::error!(%error, "the outcomes of statements cannot be read");
            None
        })
    }

    /// A checkpoint that fails at a commit makes the statement fail though it was committed.
    pub fn correct_closed(&self) {
        match self.interrupted().correct_closed() {
            Ok(0) => {}
            Ok(corrected) => tracing::warn!(corrected, "statements that were reported as failed had been committed"),
            Err(error) => tracing::error!(%error, "the outcomes of statements cannot be read"),
        }
    }

    fn interrupted(&self) -> Interrupted<'_> {
        Interrupted {
            catalog: &self.catalog,
            engine: self.engine.as_ref(),
            store: &self.store,
            limits: &self.limits,
            is_some_database_set_aside: !self.databases.set_aside.is_empty(),
        }
    }
}

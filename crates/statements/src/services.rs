//! The parts of the server that statements share.

use std::sync::Arc;

use firn_catalog::Catalog;
use firn_engine::Engine;

use crate::authorise::ViewUses;
use crate::databases::DatabaseFiles;
use crate::limits::Limits;
use crate::outcomes::Outcomes;
use crate::plan_cache::PlanCache;
use crate::result_cache::ResultCache;
use crate::result_store::ResultStore;
use crate::row_counts::RowCounts;
use crate::running::RunningStatements;
use crate::short_statements::ShortStatements;
use crate::table_changes::TableChanges;
use crate::transactions::Transactions;
use crate::written_results::WrittenResults;

/// What every statement runs with; shared by all.
pub struct Services {
    pub view_uses: ViewUses,
    pub catalog: Catalog,
    pub engine: Arc<dyn Engine>,
    pub databases: DatabaseFiles,
    pub store: ResultStore,
    pub cache: ResultCache,
    pub plan_cache: PlanCache,
    pub changes: TableChanges,
    pub row_counts: RowCounts,
    pub short_statements: ShortStatements,
    pub running: RunningStatements,
    pub transactions: Transactions,
    pub outcomes: Outcomes,
    pub written_results: WrittenResults,
    pub limits: Limits,
}

impl Services {
    /// Opens databases again that the engine has closed, or that have another file than the damaged one.
    pub fn reopen_databases(&self) {
        if self.databases.reopen(&self.catalog, self.engine.as_ref()) {
            self.changes.note_definitions();
            self.changes.note_all();
            if let Err(error) = self.databases.settle_handovers(&self.catalog, self.engine.as_ref()) {
                tracing::warn!(%error, "what a renamed or dropped role owned cannot be handed over yet");
            }
        }
    }
}

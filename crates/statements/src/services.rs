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
    pub limits: Limits,
}

//! What all sessions of the engine share: the locks, the cached descriptions, and which databases are attached.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use firn_engine::{DefinitionClock, StageFiles};
use firn_sql::Failure;

use super::checkpoint_policy::CheckpointPolicy;
use super::describe::CatalogCache;
use super::external_access::ExternalAccess;
use super::locks::TableLocks;
use super::room_watch::Watched;
use super::statement_outcomes::UnsettledOutcomes;

pub(crate) struct Shared {
    pub(crate) locks: Arc<TableLocks>,
    pub(crate) catalog: CatalogCache,
    pub(crate) definitions: Arc<DefinitionClock>,
    databases: RwLock<HashSet<String>>,
    stage_files: Arc<StageFiles>,
    external: Option<ExternalAccess>,
    pub(crate) checkpoint_policy: CheckpointPolicy,
    pub(crate) unsettled_outcomes: UnsettledOutcomes,
    pub(crate) room: Arc<Watched>,
}

impl Shared {
    pub(crate) fn new(
        stage_files: StageFiles,
        external: Option<ExternalAccess>,
        checkpoint_policy: CheckpointPolicy,
        definitions: Arc<DefinitionClock>,
    ) -> Self {
        Self {
            locks: Arc::default(),
            catalog: CatalogCache::default(),
            definitions,
            databases: RwLock::default(),
            stage_files: Arc::new(stage_files),
            external,
            checkpoint_policy,
            unsettled_outcomes: UnsettledOutcomes::default(),
            room: Watched::new(),
        }
    }

    pub(crate) fn stage_files(&self) -> &Arc<StageFiles> {
        &self.stage_files
    }

    /// External storage; refused by name where none is configured.
    pub(crate) fn external(&self) -> Result<&ExternalAccess, Failure> {
        self.external.as_ref().ok_or_else(|| {
            let message = "Unsupported feature 'external stage': no storage outside may be reached; the setting \
                           external_stages names those that may.";
            Failure::new("000002", "0A000", message)
        })
    }

    /// Removes the files of a stage that is no more. What cannot be removed now is swept when the
    /// server starts again.
    pub(crate) fn abandon_folder(&self, folder: &str) {
        let _ = self.stage_files.remove_folder(folder);
    }

    pub(crate) fn has_database(&self, name: &str) -> bool {
        self.databases.read().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    pub(crate) fn database_names(&self) -> Vec<String> {
        self.databases.read().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(crate) fn attached(&self, name: &str) {
        self.catalog.forget_database(name);
        self.databases.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    pub(crate) fn detached(&self, name: &str) {
        self.databases.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        self.catalog.forget_database(name);
    }
}

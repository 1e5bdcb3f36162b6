//! What all sessions of the engine share: the locks, the remembered descriptions, and which databases
//! are attached.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use super::describe::CatalogCache;
use super::locks::TableLocks;

#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) locks: Arc<TableLocks>,
    pub(crate) catalog: CatalogCache,
    databases: RwLock<HashSet<String>>,
}

impl Shared {
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

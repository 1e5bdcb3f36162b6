//! The interface of the catalog: reads are served from memory, writes go to the state file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, PoisonError, RwLock};

use rusqlite::{Connection, Transaction};

use crate::access_changes;
use crate::database_records::Databases;
use crate::error::CatalogError;
use crate::link_key::LinkKey;
use crate::login_sessions::LoginSessions;
use crate::memory::Memory;
use crate::principals::Principals;
use crate::registry::Registry;
use crate::resource_monitors::MonitorUsages;
use crate::store::{Durability, STATE_FILE, StateSnapshot, Store};
use crate::warehouses::Warehouse;

/// A handle on the account's state; clones share it.
#[derive(Clone, Debug)]
pub struct Catalog {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Arc<Store>,
    registry: Registry,
    memory: RwLock<Memory>,
    link_key: LinkKey,
    login_sessions: LoginSessions,
    monitor_usages: MonitorUsages,
    access_changed_on_ms: AtomicI64,
}

impl Catalog {
    /// Opens `firn.sqlite` in `data_dir`, making it where it is missing.
    pub fn open(data_dir: &Path) -> Result<Self, CatalogError> {
        let store = Arc::new(Store::open(data_dir.join(STATE_FILE))?);
        let memory = store.read(Memory::load)?;
        let registry = Registry::new(Arc::clone(&store));
        let link_key = LinkKey::generate()?;
        let login_sessions = store.read(LoginSessions::load)?;
        let monitor_usages = store.read(MonitorUsages::load)?;
        let access_changed_on_ms = AtomicI64::new(store.read(access_changes::load)?);
        let memory = RwLock::new(memory);
        let inner = Inner { store, registry, memory, link_key, login_sessions, monitor_usages, access_changed_on_ms };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether the state file is in its place, can be read and takes writes.
    pub fn check_state_file(&self) -> Result<(), CatalogError> {
        self.inner.store.check()
    }

    /// A snapshot of the state at the moment at which `work` runs: no change of it is committed meanwhile, so no outcome is
    /// reported.
    pub fn freeze<T>(&self, work: impl FnOnce() -> T) -> Result<(StateSnapshot, T), CatalogError> {
        self.inner.store.freeze(work)
    }

    pub(crate) fn link_key(&self) -> &LinkKey {
        &self.inner.link_key
    }

    pub(crate) fn login_sessions(&self) -> &LoginSessions {
        &self.inner.login_sessions
    }

    pub(crate) fn monitor_usages(&self) -> &MonitorUsages {
        &self.inner.monitor_usages
    }

    pub(crate) fn access_change(&self) -> &AtomicI64 {
        &self.inner.access_changed_on_ms
    }

    pub fn account(&self) -> String {
        self.look(|memory| memory.account.to_string())
    }

    /// Users, roles, tokens and integrations as of now; later changes make a new snapshot.
    pub fn principals(&self) -> Arc<Principals> {
        self.look(|memory| Arc::clone(&memory.principals))
    }

    pub fn warehouses(&self) -> Vec<Warehouse> {
        self.look(|memory| memory.warehouses.values().cloned().collect())
    }

    pub fn warehouse(&self, name: &str) -> Option<Warehouse> {
        self.look(|memory| memory.warehouses.get(name).cloned())
    }

    /// `None` where there is no such warehouse.
    pub fn credits_per_hour(&self, warehouse: &str) -> Option<f64> {
        self.look(|memory| memory.warehouses.get(warehouse).map(Warehouse::credits_per_hour))
    }

    /// What ALTER ACCOUNT SET gave the parameter; `name` in upper case.
    pub fn account_parameter(&self, name: &str) -> Option<String> {
        self.look(|memory| memory.parameters.get(name).cloned())
    }

    /// All that ALTER ACCOUNT SET gave.
    pub fn account_parameters(&self) -> Arc<BTreeMap<String, String>> {
        self.look(|memory| memory.parameters.clone())
    }

    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn look<T>(&self, at: impl FnOnce(&Memory) -> T) -> T {
        at(&self.inner.memory.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn change_databases<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>, &Databases) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        self.change(Memory::load_databases, |transaction, before| work(transaction, &before.databases))
    }

    /// What a statement does to a suspended warehouse that it needs.
    pub fn resume_warehouse(&self, name: &str) -> Result<(), CatalogError> {
        let wake = |transaction: &Transaction<'_>, _: &Memory| {
            transaction.execute("UPDATE warehouses SET suspended = 0 WHERE name = ?1", [name])?;
            Ok(())
        };
        self.change(Memory::load_warehouses, wake)
    }

    /// What a resource monitor does to a warehouse.
    pub fn suspend_warehouse(&self, name: &str) -> Result<(), CatalogError> {
        let suspend = |transaction: &Transaction<'_>, _: &Memory| {
            transaction.execute("UPDATE warehouses SET suspended = 1 WHERE name = ?1", [name])?;
            Ok(())
        };
        self.change(Memory::load_warehouses, suspend)
    }

    /// Runs `work` in one durable transaction and replaces what is in memory once it is committed.
    pub(crate) fn change<T>(
        &self,
        reload: impl FnOnce(&Memory, &Connection) -> Result<Memory, CatalogError>,
        work: impl FnOnce(&Transaction<'_>, &Memory) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        let in_transaction = |transaction: &Transaction<'_>| {
            let before = self.look(Memory::clone);
            let outcome = work(transaction, &before)?;
            Ok((outcome, reload(&before, transaction)?))
        };
        let publish = |(_, after): &mut (T, Memory)| {
            *self.inner.memory.write().unwrap_or_else(PoisonError::into_inner) = after.clone();
        };
        let (outcome, _) = self.inner.store.write_then(Durability::Synced, in_transaction, publish)?;
        Ok(outcome)
    }
}

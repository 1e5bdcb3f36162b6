//! The catalog as others see it: what is in memory answers reads, the state file takes writes.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use firn_sql::command::AccountCommand;
use rusqlite::{Connection, Transaction};

use crate::apply::{AccountOutcome, Change, refuse_loss_of_last_admin};
use crate::clock::now_ms;
use crate::databases::{Databases, load_databases};
use crate::file_links::LinkKey;
use crate::principals::{Principals, load_principals};
use crate::registry::Registry;
use crate::store::{Durability, Store};
use crate::warehouses::{Warehouse, Warehouses, load_warehouses};
use crate::{ActiveRole, Caller, CatalogError};

const STATE_FILE: &str = "firn.sqlite";

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
}

/// Everything small, as of the last commit.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) account: Arc<str>,
    pub(crate) parameters: Arc<BTreeMap<String, String>>,
    pub(crate) principals: Arc<Principals>,
    pub(crate) warehouses: Arc<Warehouses>,
    pub(crate) databases: Arc<Databases>,
}

impl Catalog {
    /// Opens `firn.sqlite` in `data_dir`, making it where it is missing.
    pub fn open(data_dir: &Path) -> Result<Self, CatalogError> {
        let store = Arc::new(Store::open(data_dir.join(STATE_FILE))?);
        let memory = store.read(Memory::load)?;
        let registry = Registry::new(Arc::clone(&store));
        let link_key = LinkKey::generate()?;
        Ok(Self { inner: Arc::new(Inner { store, registry, memory: RwLock::new(memory), link_key }) })
    }

    pub(crate) fn link_key(&self) -> &LinkKey {
        &self.inner.link_key
    }

    pub fn account(&self) -> String {
        self.look(|memory| memory.account.to_string())
    }

    /// Users, roles, tokens and integrations as of now; later changes make a new snapshot.
    pub fn principals(&self) -> Arc<Principals> {
        self.look(|memory| Arc::clone(&memory.principals))
    }

    /// Carries out a command on the account's objects, if the role may.
    pub fn apply(
        &self,
        caller: &Caller,
        role: &ActiveRole,
        command: &AccountCommand,
    ) -> Result<AccountOutcome, CatalogError> {
        let reload = |_: &Memory, connection: &Connection| {
            let after = Memory::load(connection)?;
            refuse_loss_of_last_admin(&after.principals)?;
            Ok(after)
        };
        self.change(reload, |transaction, before| {
            Change { transaction, before, caller, role, now_ms: now_ms() }.apply(command)
        })
    }

    pub fn warehouses(&self) -> Vec<Warehouse> {
        self.look(|memory| memory.warehouses.values().cloned().collect())
    }

    pub fn warehouse(&self, name: &str) -> Option<Warehouse> {
        self.look(|memory| memory.warehouses.get(name).cloned())
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

impl Memory {
    pub(crate) fn load(connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self {
            account: load_pairs(connection, "SELECT name, value FROM settings")?
                .get("ACCOUNT")
                .map_or_else(|| Arc::from(""), |name| Arc::from(name.as_str())),
            parameters: Arc::new(load_pairs(connection, "SELECT name, value FROM account_parameters")?),
            principals: Arc::new(load_principals(connection)?),
            warehouses: Arc::new(load_warehouses(connection)?),
            databases: Arc::new(load_databases(connection)?),
        })
    }

    fn load_warehouses(&self, connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self { warehouses: Arc::new(load_warehouses(connection)?), ..self.clone() })
    }

    fn load_databases(&self, connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self { databases: Arc::new(load_databases(connection)?), ..self.clone() })
    }
}

fn load_pairs(connection: &Connection, sql: &str) -> Result<BTreeMap<String, String>, CatalogError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

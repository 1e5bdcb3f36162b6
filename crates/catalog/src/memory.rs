//! What the catalog answers reads from: everything small of the state file, as of the last commit.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use rusqlite::Connection;

use crate::database_records::{Databases, load_databases};
use crate::error::CatalogError;
use crate::grants::{Grants, load_grants};
use crate::principals::Principals;
use crate::principals::load::load_principals;
use crate::warehouses::{Warehouses, load_warehouses};

#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) account: Arc<str>,
    pub(crate) parameters: Arc<BTreeMap<String, String>>,
    pub(crate) principals: Arc<Principals>,
    pub(crate) warehouses: Arc<Warehouses>,
    pub(crate) databases: Arc<Databases>,
    /// Shared by all snapshots since they were loaded: a change of grants counts at once.
    pub(crate) grants: Arc<RwLock<Grants>>,
}

impl Memory {
    pub(crate) fn load(connection: &Connection) -> Result<Self, CatalogError> {
        let grants = Arc::new(RwLock::new(load_grants(connection)?));
        Self::load_with(connection, grants)
    }

    /// Loads everything but the grants, which did not change.
    pub(crate) fn load_with(connection: &Connection, grants: Arc<RwLock<Grants>>) -> Result<Self, CatalogError> {
        Ok(Self {
            grants,
            account: load_pairs(connection, "SELECT name, value FROM settings")?
                .get("ACCOUNT")
                .map_or_else(|| Arc::from(""), |name| Arc::from(name.as_str())),
            parameters: Arc::new(load_pairs(connection, "SELECT name, value FROM account_parameters")?),
            principals: Arc::new(load_principals(connection)?),
            warehouses: Arc::new(load_warehouses(connection)?),
            databases: Arc::new(load_databases(connection)?),
        })
    }

    pub(crate) fn load_warehouses(&self, connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self { warehouses: Arc::new(load_warehouses(connection)?), ..self.clone() })
    }

    pub(crate) fn load_databases(&self, connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self { databases: Arc::new(load_databases(connection)?), ..self.clone() })
    }
}

fn load_pairs(connection: &Connection, sql: &str) -> Result<BTreeMap<String, String>, CatalogError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

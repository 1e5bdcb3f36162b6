//! What the catalog answers reads from: everything small of the state file, as of the last commit.

use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

use rusqlite::Connection;

use crate::catalog_integrations::{Links, load_links};
use crate::database_records::{Databases, load_databases};
use crate::error::CatalogError;
use crate::grants::{Grants, load_grants};
use crate::login_policies::{LoginPolicies, load_login_policies};
use crate::network_policies::{NetworkPolicies, load_network_policies};
use crate::principals::Principals;
use crate::principals::load::load_principals;
use crate::resource_monitors::{ResourceMonitors, load_resource_monitors};
use crate::tags::{Tags, load_tags};
use crate::warehouses::{Warehouses, load_warehouses};

#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) account: Arc<str>,
    pub(crate) parameters: Arc<BTreeMap<String, String>>,
    pub(crate) principals: Arc<Principals>,
    pub(crate) network_policies: Arc<NetworkPolicies>,
    pub(crate) login_policies: Arc<LoginPolicies>,
    pub(crate) warehouses: Arc<Warehouses>,
    pub(crate) resource_monitors: Arc<ResourceMonitors>,
    pub(crate) databases: Arc<Databases>,
    pub(crate) tags: Arc<Tags>,
    pub(crate) links: Arc<Links>,
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
            network_policies: Arc::new(load_network_policies(connection)?),
            login_policies: Arc::new(load_login_policies(connection)?),
            warehouses: Arc::new(load_warehouses(connection)?),
            resource_monitors: Arc::new(load_resource_monitors(connection)?),
            databases: Arc::new(load_databases(connection)?),
            tags: Arc::new(load_tags(connection)?),
            links: Arc::new(load_links(connection)?),
        })
    }

    pub(crate) fn load_warehouses(&self, connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self { warehouses: Arc::new(load_warehouses(connection)?), ..self.clone() })
    }

    /// What lies in databases and schemas follows them.
    pub(crate) fn load_databases(&self, connection: &Connection) -> Result<Self, CatalogError> {
        Ok(Self {
            databases: Arc::new(load_databases(connection)?),
            login_policies: Arc::new(load_login_policies(connection)?),
            tags: Arc::new(load_tags(connection)?),
            ..self.clone()
        })
    }
}

fn load_pairs(connection: &Connection, sql: &str) -> Result<BTreeMap<String, String>, CatalogError> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

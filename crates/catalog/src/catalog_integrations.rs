//! Catalogs outside: where they are, and what lets the server in. Databases are linked to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use firn_sql::Failure;
use firn_sql::command::Property;
use rusqlite::{Connection, params};

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::memory::Memory;
use crate::properties::{Checked, CheckedProperty, Properties, check_choice, check_flag, check_text, unknown_property};

pub(crate) const CATALOG_TYPE: &str = "CATALOG";

/// The property that holds a secret; its value is sealed before it comes here.
pub const SECRET_PROPERTY: &str = "BEARER_TOKEN";

/// `CREATE CATALOG INTEGRATION … CATALOG_SOURCE = SPARK_CONNECT`.
#[derive(Clone, Debug)]
pub struct CatalogIntegration {
    pub name: String,
    pub enabled: bool,
    /// The address of the cluster.
    pub uri: String,
    /// The catalog's name there.
    pub catalog: String,
    pub table_format: Option<String>,
    /// Sealed.
    pub bearer_token: Option<String>,
    pub comment: Option<String>,
    pub owner: String,
    pub created_on_ms: i64,
}

impl CatalogIntegration {
    pub(crate) fn read(name: String, owner: String, created_on_ms: i64, properties: &Properties) -> Self {
        Self {
            name,
            enabled: properties.flag("ENABLED").unwrap_or(false),
            uri: properties.text("CATALOG_URI").unwrap_or_default(),
            catalog: properties.text("CATALOG_NAME").unwrap_or_default(),
            table_format: properties.text("TABLE_FORMAT"),
            bearer_token: properties.text(SECRET_PROPERTY),
            comment: properties.text("COMMENT"),
            owner,
            created_on_ms,
        }
    }

    pub(crate) fn check_complete(&self, properties: &Properties) -> Result<(), Failure> {
        let missing = if properties.text("CATALOG_SOURCE").is_none() {
            "CATALOG_SOURCE = SPARK_CONNECT"
        } else if self.uri.is_empty() {
            "REST_CONFIG = (CATALOG_URI = 'sc://…')"
        } else if self.catalog.is_empty() {
            "REST_CONFIG = (CATALOG_NAME = '…')"
        } else {
            return Ok(());
        };
        let message = format!("SQL compilation error:\nthe catalog integration '{}' needs {missing}.", self.name);
        Err(Failure::new("001421", "22023", message))
    }
}

pub(crate) fn check_property(property: &Property) -> CheckedProperty {
    match property.name.as_str() {
        "TYPE" => Ok(Some(Checked::Text(CATALOG_TYPE.to_owned()))),
        "CATALOG_SOURCE" => match check_choice(property, &["SPARK_CONNECT"]) {
            Ok(source) => Ok(source),
            Err(_) => Err(Failure::unsupported("CATALOG INTEGRATION of a CATALOG_SOURCE other than SPARK_CONNECT")),
        },
        "TABLE_FORMAT" => check_choice(property, &["ICEBERG", "DELTA", "PARQUET"]),
        "REST_AUTHENTICATION_TYPE" => match check_choice(property, &["BEARER"]) {
            Ok(kind) => Ok(kind),
            Err(_) => Err(Failure::unsupported("REST_AUTHENTICATION of a TYPE other than BEARER")),
        },
        "ENABLED" => check_flag(property),
        "CATALOG_URI" | "CATALOG_NAME" | "COMMENT" | SECRET_PROPERTY => check_text(property),
        name => Err(unknown_property(name, "CATALOG INTEGRATION")),
    }
}

pub(crate) type CatalogIntegrations = BTreeMap<String, Arc<CatalogIntegration>>;

pub(crate) fn load_catalog_integrations(connection: &Connection) -> Result<CatalogIntegrations, CatalogError> {
    let mut statement = connection.prepare("SELECT name, owner, created_on_ms, properties FROM integrations")?;
    let mut rows = statement.query([])?;
    let mut integrations = CatalogIntegrations::new();
    while let Some(row) = rows.next()? {
        let properties = Properties::from_json(row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?)?;
        if properties.text("TYPE").as_deref() == Some(CATALOG_TYPE) {
            let integration = CatalogIntegration::read(row.get(0)?, row.get(1)?, row.get(2)?, &properties);
            integrations.insert(integration.name.clone(), Arc::new(integration));
        }
    }
    Ok(integrations)
}

/// The integrations of linked databases, by the ids of these.
pub(crate) type Links = BTreeMap<i64, String>;

pub(crate) fn load_links(connection: &Connection) -> Result<Links, CatalogError> {
    let mut statement = connection.prepare("SELECT database_id, integration FROM linked_databases")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Catalog {
    /// The integration that a database is linked to.
    pub fn link_of(&self, database_id: i64) -> Option<String> {
        self.look(|memory| memory.links.get(&database_id).cloned())
    }

    /// As `link_of`, by the name of the database.
    pub fn link_of_name(&self, database: &str) -> Option<String> {
        self.look(|memory| memory.links.get(&memory.databases.get(database)?.id).cloned())
    }

    pub fn has_links(&self) -> bool {
        self.look(|memory| !memory.links.is_empty())
    }

    /// To be called before the database is in the catalog: a crash leaves the link of a database that never was.
    pub fn link_database(&self, database_id: i64, integration: &str) -> Result<(), CatalogError> {
        let reload = |before: &Memory, connection: &Connection| {
            Ok(Memory { links: Arc::new(load_links(connection)?), ..before.clone() })
        };
        self.change(reload, |transaction, _| {
            let sql = "INSERT INTO linked_databases (database_id, integration) VALUES (?1, ?2)";
            transaction.execute(sql, params![database_id, integration])?;
            Ok(())
        })
    }
}

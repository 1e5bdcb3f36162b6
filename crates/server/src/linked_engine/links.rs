//! Which databases are linked, to what, and what lets the server in.

use std::sync::Arc;

use firn_catalog::{Catalog, CatalogIntegration};
use firn_engine::EngineError;
use firn_spark::{Clusters, Endpoint, LinkTarget, LinkedDatabase, LinkedSession};
use firn_sql::Failure;
use firn_sql::external_storage::Credentials;
use firn_statements::linked_databases::disabled;
use firn_storage::Vault;
use serde_json::json;

pub struct Links {
    catalog: Catalog,
    vault: Vault,
    /// The clusters that the configuration allows.
    allowed: Vec<Endpoint>,
    clusters: Arc<Clusters>,
}

impl Links {
    pub fn new(catalog: Catalog, vault: Vault, allowed: Vec<Endpoint>) -> std::io::Result<Self> {
        Ok(Self { catalog, vault, allowed, clusters: Arc::new(Clusters::new()?) })
    }

    pub(super) fn open_session(&self) -> LinkedSession {
        LinkedSession::new(self.clusters.clone())
    }

    /// `None` for a database that is not linked.
    pub(super) fn linked(&self, database: &str) -> Result<Option<LinkedDatabase>, EngineError> {
        let Some(integration) = self.catalog.link_of_name(database) else { return Ok(None) };
        let Some(record) = self.catalog.database(database) else { return Ok(None) };
        let target = self.target(&integration)?;
        Ok(Some(LinkedDatabase { name: record.name, owner: record.owner, created_on_ms: record.created_on_ms, target }))
    }

    fn target(&self, name: &str) -> Result<LinkTarget, EngineError> {
        let principals = self.catalog.principals();
        let missing = || Failure::missing_object("Integration", name);
        let found: &CatalogIntegration = principals.catalog_integration(name).ok_or_else(missing)?;
        if !found.enabled {
            return Err(disabled(name).into());
        }
        let endpoint = self.endpoint(&found.uri)?;
        let token = found.bearer_token.as_deref().map(|sealed| self.reveal(name, sealed)).transpose()?;
        if token.is_some() && !endpoint.is_private() {
            let message = format!(
                "The catalog integration '{name}' has a bearer token, which is sent over TLS only: give its address as \
                 {endpoint}/;use_ssl=true, in the configuration too."
            );
            return Err(Failure::new("003538", "08001", message).into());
        }
        Ok(LinkTarget { endpoint, token, catalog: found.catalog.clone() })
    }

    /// An address that the configuration allows.
    pub(super) fn endpoint(&self, uri: &str) -> Result<Endpoint, Failure> {
        let endpoint = Endpoint::parse(uri).filter(|endpoint| self.allowed.contains(endpoint));
        endpoint.ok_or_else(|| {
            let way_out = "the server's configuration has to list it in spark_endpoints";
            Failure::invalid_value("CATALOG_URI", uri, way_out)
        })
    }

    pub(super) fn seal(&self, secret: &str) -> Result<String, EngineError> {
        let credentials = Credentials { key_id: String::new(), secret_key: secret.to_owned(), token: None };
        self.vault.seal(&credentials).map_err(|error| EngineError::Internal(error.to_string()))
    }

    fn reveal(&self, name: &str, sealed: &str) -> Result<String, EngineError> {
        let unreadable = || {
            let message = format!(
                "The token of the catalog integration '{name}' was stored with another key; \
                 ALTER CATALOG INTEGRATION {name} SET REST_AUTHENTICATION = (…) gives it anew."
            );
            Failure::new("003539", "55000", message)
        };
        Ok(self.vault.reveal(sealed).ok_or_else(unreadable)?.secret_key)
    }

    /// Reaches the cluster and lists the schemas of the catalog there.
    pub(super) fn verify(&self, name: &str) -> Result<String, EngineError> {
        let target = self.target(name)?;
        let database =
            LinkedDatabase { name: name.to_owned(), owner: String::new(), created_on_ms: 0, target: target.clone() };
        let session = self.open_session();
        let answer = match session.schemas(&database) {
            Ok(schemas) => json!({
                "success": true,
                "errorMessage": "",
                "endpoint": target.endpoint.to_string(),
                "schemas": schemas.len(),
            }),
            Err(EngineError::Failed(failure)) => json!({
                "success": false,
                "errorCode": failure.code,
                "errorMessage": failure.message,
            }),
            Err(error) => return Err(error),
        };
        Ok(answer.to_string())
    }
}

//! The clusters that firn is connected to, one for every endpoint and token, shared by all sessions.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::{Builder, Runtime};

use crate::connect::{Cluster, ConnectError, Endpoint};

/// Where the tables of a linked database are.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct LinkTarget {
    pub endpoint: Endpoint,
    pub token: Option<String>,
    /// The catalog's name on the cluster.
    pub catalog: String,
}

/// The token is not shown.
impl fmt::Debug for LinkTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LinkTarget").field("endpoint", &self.endpoint).field("catalog", &self.catalog).finish()
    }
}

/// An endpoint and the token for it.
type Reached = (Endpoint, Option<String>);

pub struct Clusters {
    /// `None` only while it is dropped.
    runtime: Option<Arc<Runtime>>,
    tls: Arc<rustls::ClientConfig>,
    open: Mutex<HashMap<Reached, Arc<Cluster>>>,
}

impl Clusters {
    /// Connects to nothing yet.
    pub fn new() -> std::io::Result<Self> {
        let runtime =
            Builder::new_multi_thread().worker_threads(1).thread_name("firn-clusters").enable_all().build()?;
        Ok(Self { runtime: Some(Arc::new(runtime)), tls: Arc::new(client_tls()?), open: Mutex::default() })
    }

    pub(crate) fn cluster(&self, target: &LinkTarget) -> Result<Arc<Cluster>, ConnectError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (target.endpoint.clone(), target.token.clone());
        if let Some(cluster) = open.get(&key) {
            return Ok(cluster.clone());
        }
        let ended = || ConnectError::Unreachable("the server stops".to_owned());
        let runtime = self.runtime.clone().ok_or_else(ended)?;
        let cluster =
            Arc::new(Cluster::new(runtime, target.endpoint.clone(), target.token.as_deref(), self.tls.clone())?);
        open.insert(key, cluster.clone());
        Ok(cluster)
    }
}

impl Drop for Clusters {
    /// A runtime must not be waited for where another one runs.
    fn drop(&mut self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
        if let Some(runtime) = self.runtime.take().and_then(Arc::into_inner) {
            runtime.shutdown_background();
        }
    }
}

fn client_tls() -> std::io::Result<rustls::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = config.map_err(std::io::Error::other)?.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

//! What every request handler can reach.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use firn_auth::Authenticator;
use firn_catalog::Catalog;
use firn_catalog::secrets::SecretHash;
use firn_statements::{Limits, StatementService};

use crate::analyst::llm::{AnalystMode, Endpoint};
use crate::analyst::{EvidenceCache, Thresholds};
use crate::config::ApiSwitch;
use crate::failed_logins::FailedLogins;
use crate::metrics::Metrics;
use crate::readiness::Readiness;

pub type AppState = Arc<App>;

pub struct App {
    pub statements: StatementService,
    pub catalog: Catalog,
    pub evidence: EvidenceCache,
    pub analyst_mode: AnalystMode,
    pub analyst_thresholds: Thresholds,
    pub language_model: Option<Endpoint>,
    pub authenticator: Authenticator,
    pub api: ApiSwitch,
    pub limits: Limits,
    /// Where connections are taken.
    pub listening: Option<SocketAddr>,
    pub body_read_wait: Duration,
    pub failed_logins: FailedLogins,
    /// What `/metrics` asks for; nothing where anybody may read it.
    pub metrics_token: Option<SecretHash>,
    pub metrics: Metrics,
    pub readiness: Readiness,
}

//! What every request handler can reach.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use firn_auth::Authenticator;
use firn_catalog::Catalog;
use firn_catalog::network_policies::Network;
use firn_catalog::secrets::SecretHash;
use firn_statements::{Limits, StatementService};

use crate::analyst::certainty::Thresholds;
use crate::analyst::evidence::EvidenceCache;
use crate::analyst::llm::endpoint::{AnalystMode, Endpoint};
use crate::backup::Backups;
use crate::config::{ApiSwitch, McpConfig};
use crate::console::Console;
use crate::download::DownloadTurns;
use crate::driver::public_address::PublicAddress;
use crate::driver::sessions::DriverSessions;
use crate::failed_logins::FailedLogins;
use crate::link_logins::LinkLogins;
use crate::logins::Logins;
use crate::metrics::Metrics;
use crate::noted_logins::NotedLogins;
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
    /// Where clients find the server, as far as it does not follow from their requests.
    pub addresses: PublicAddress,
    /// Where connections are taken.
    pub listening: Option<SocketAddr>,
    pub body_read_wait: Duration,
    pub failed_logins: FailedLogins,
    pub logins: Logins,
    /// Those whose word on the address of the client counts.
    pub trusted_proxies: Vec<Network>,
    pub noted_logins: NotedLogins,
    /// What `/metrics` asks for; nothing where anybody may read it.
    pub metrics_token: Option<SecretHash>,
    pub metrics: Metrics,
    pub readiness: Readiness,
    pub download_turns: DownloadTurns,
    pub driver_sessions: DriverSessions,
    pub link_logins: LinkLogins,
    pub backups: Backups,
    pub mcp: McpConfig,
    /// `None` where it is switched off.
    pub console: Option<Console>,
}

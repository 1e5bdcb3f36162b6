//! The server's lifecycle: lock the data folder, open its contents, listen, and on a signal shut down in order.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum_server::Handle;
use firn_auth::Authenticator;
use firn_catalog::secrets::hash_secret;
use firn_catalog::{Catalog, CatalogError, STATE_FILE};
use firn_duckdb::{DuckDb, EngineSettings, ExternalAccess};
use firn_engine::disk_room::DiskRoom;
use firn_engine::regular_files::InTheWay;
use firn_engine::{Engine, EngineError, StageQuotas};
use firn_statements::{BALLAST_BYTES_MAX, Ballast, StartError, StatementService};
use firn_storage::{Storage, Vault};

use crate::analyst::EvidenceCache;
use crate::analyst::llm::endpoint::Endpoint;
use crate::backup::layout::STAGE_KEY;
use crate::backup::{self, Backups};
use crate::config::{Config, ConsoleSwitch, DataLifetime, Demo};
use crate::console::{Console, ConsoleFile};
use crate::data_folder_lock::{DataFolderLock, LockError};
use crate::demo::{self, DemoError};
use crate::download::DownloadTurns;
use crate::driver::public_address::PublicAddress;
use crate::driver::sessions::{DriverSessions, Lifetimes};
use crate::ephemeral::{self, TemporaryFolder};
use crate::failed_logins::FailedLogins;
use crate::link_logins::LinkLogins;
use crate::linked_engine::{LinkedEngine, Links};
use crate::listener::{ListenError, Listener};
use crate::logging::{self, LoggingError};
use crate::logins::Logins;
use crate::metrics::Metrics;
use crate::noted_logins::NotedLogins;
use crate::own_files;
use crate::readiness::Readiness;
use crate::router::router;
use crate::state::{App, AppState};
use crate::state_file::{self, MissingStateFile};
use crate::stop_signals::StopSignals;
use crate::welcome::{self, FirstToken};

const DEMO_DATABASE: &str = "DEMO";
const EXIT_AT_ONCE: i32 = 130;

/// What answers still need to reach their clients once nothing runs any more.
const LAST_ANSWERS_WAIT: Duration = Duration::from_secs(2);

/// For statements that are being cancelled; planning cannot be interrupted.
const STUCK_WAIT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Logging(#[from] LoggingError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    InTheWay(#[from] InTheWay),
    #[error(transparent)]
    MissingStateFile(#[from] MissingStateFile),
    #[error("{0}; bring the file firn.sqlite back from a backup, with the databases of the same time")]
    DamagedStateFile(CatalogError),
    #[error(
        "{cause}. See that the disk works and that the server may read and write `{}` and the files beside it, then start again; \
         no backup is needed",
        data_dir.join(STATE_FILE).display()
    )]
    UnreachableStateFile { cause: CatalogError, data_dir: PathBuf },
    #[error(
        "the disk of the data folder `{}` is full: {free_bytes} bytes are free, and a start needs up to {needed_bytes}. Make \
         room there and start again; nothing that was acknowledged is lost, and no backup is needed",
        data_dir.display()
    )]
    FullDisk { data_dir: PathBuf, free_bytes: u64, needed_bytes: u64 },
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Statements(#[from] StartError),
    #[error(transparent)]
    Demo(#[from] DemoError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("the metrics cannot be set up: {0}")]
    Metrics(#[from] prometheus::Error),
    #[error("the key of external stages' credentials cannot be used: {0}")]
    CredentialsKey(std::io::Error),
    /// Nothing in this process may use the engine again; a new one recovers from the logs what was committed.
    #[error("the disk failed at a sync, or a rollback had no memory, after which the engine has to be started anew")]
    EngineLost,
    #[error("the server failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves until it is asked to stop, then stops in order. `console` are the files of the built console.
pub async fn serve(config: Config, console: &'static [ConsoleFile]) -> Result<(), ServeError> {
    let start = Instant::now();
    logging::start(config.log_format, &config.log_level)?;
    let mut signals = StopSignals::listen(config.data_lifetime)?;
    // Dropped last, when nothing uses the folder any more.
    let ending = Ending::of(&config);
    let is_ephemeral = ending.temporary.is_some();
    // First, as a server that cannot listen is to leave no data folder behind.
    let listener = match Listener::bind(config.listen, config.tls.as_ref(), config.waits).await {
        Ok(listener) => listener,
        Err(refused) => {
            // A server that was started twice holds both; what it is says more than its address.
            DataFolderLock::refuse_if_held(&config.data_dir)?;
            return Err(refused.into());
        }
    };
    let url = welcome::base_url(listener.address()?, listener.scheme());
    let lock = DataFolderLock::take(&config.data_dir)?;
    if is_ephemeral {
        ephemeral::remove_left_over(&config.data_dir);
    }
    let checked = own_files::require(&config.data_dir).map_err(ServeError::from);
    if let Err(refusal) = checked.and_then(|()| Ok(state_file::require(&config.data_dir)?)) {
        lock.withdraw();
        return Err(refusal);
    }
    if let Err(error) = backup::remove_left_over(&config.data_dir) {
        tracing::warn!(%error, "what a backup left behind cannot be removed");
    }
    Ballast::new(&config.data_dir).release_if_full();
    let is_full = |error: &CatalogError| full_disk(error, &config.data_dir);
    let catalog = Catalog::open(&config.data_dir);
    let catalog = catalog.map_err(|error| is_full(&error).unwrap_or_else(|| of_state_file(error, &config.data_dir)))?;
    if catalog.account().is_empty() {
        state_file::require_no_databases(&config.data_dir)?;
    }
    let first_start = catalog.bootstrap(&config.account, config.admin_token.as_deref());
    let first_start = first_start.map_err(|error| is_full(&error).unwrap_or(ServeError::Catalog(error)))?;
    let token = match (&first_start, &config.admin_token) {
        (Some(first_start), None) => FirstToken::Generated(&first_start.admin_token),
        _ => FirstToken::Given,
    };
    if first_start.is_some() && !is_ephemeral {
        say(&welcome::first_start(&config.data_dir, &url, &token, config.console));
    }
    let embedded: Arc<dyn Engine> = Arc::new(DuckDb::open(&engine_settings(&config)?)?);
    let engine = with_clusters(embedded, &catalog, &config)?;
    let statements =
        StatementService::start(catalog.clone(), Arc::clone(&engine), &config.data_dir, config.limits.clone());
    let statements = statements.map_err(|error| match &error {
        StartError::Catalog(cause) => is_full(cause).unwrap_or(ServeError::Statements(error)),
        _ => ServeError::Statements(error),
    })?;
    if config.demo == Demo::Load {
        if !is_ephemeral && catalog.database(DEMO_DATABASE).is_none() {
            say(&format!("Loading the demo database {DEMO_DATABASE}; this happens once and takes a few seconds."));
        }
        tokio::select! {
            loaded = demo::load(&statements, &catalog) => drop(loaded?),
            () = signals.next() => return Ok(()),
        }
    }
    let app = Arc::new(App {
        statements,
        authenticator: Authenticator::new(catalog.clone()),
        logins: Logins::new(catalog.clone()),
        trusted_proxies: config.trusted_proxies.clone(),
        catalog,
        evidence: EvidenceCache::default(),
        analyst_mode: config.analyst.mode,
        analyst_thresholds: config.analyst.thresholds,
        language_model: config.analyst.llm.clone().map(Endpoint::new),
        api: config.api,
        limits: config.limits.clone(),
        addresses: PublicAddress { configured: config.public_url.clone(), has_tls: config.tls.is_some() },
        listening: listener.address().ok(),
        body_read_wait: config.body_read_wait,
        noted_logins: NotedLogins::default(),
        failed_logins: FailedLogins::new(config.login_delay_max),
        metrics_token: config.metrics_token.as_deref().map(hash_secret),
        metrics: Metrics::new()?,
        readiness: Readiness::default(),
        driver_sessions: DriverSessions::new(Lifetimes {
            session_token: config.limits.driver_token_validity,
            master_token: config.limits.driver_session_idle_max,
            session: config.limits.driver_session_max,
        }),
        link_logins: LinkLogins::default(),
        download_turns: DownloadTurns::new(config.limits.downloads_per_user_max),
        backups: Backups::new(config.data_dir.clone(), config.backup_dir.clone()),
        mcp: config.mcp,
        console: (config.console == ConsoleSwitch::On).then(|| Console::new(console)),
    });
    say(&if is_ephemeral {
        welcome::machine_readable(&url, &config.account, &token)
    } else {
        welcome::ready(&url, start.elapsed(), config.console)
    });
    run(listener, app, engine, &mut signals, &ending).await
}

/// What is to be done when the server stops.
struct Ending {
    drain_wait: Duration,
    temporary: Option<TemporaryFolder>,
}

impl Ending {
    fn of(config: &Config) -> Self {
        let temporary = match config.data_lifetime {
            DataLifetime::Lasting => None,
            DataLifetime::Ephemeral => Some(TemporaryFolder::new(&config.data_dir)),
        };
        Self { drain_wait: config.limits.drain_wait, temporary }
    }

    fn exit_at_once(&self) -> ! {
        if let Some(folder) = &self.temporary {
            folder.remove();
        }
        std::process::exit(EXIT_AT_ONCE);
    }
}

fn of_state_file(error: CatalogError, data_dir: &Path) -> ServeError {
    match error.disk_failure() {
        Some(_) => ServeError::UnreachableStateFile { cause: error, data_dir: data_dir.to_owned() },
        None => ServeError::DamagedStateFile(error),
    }
}

/// What to report of the state file on a full disk, where it is as sound as before.
fn full_disk(error: &CatalogError, data_dir: &Path) -> Option<ServeError> {
    let room = DiskRoom::of(data_dir).ok();
    // SQLite reports an index of its log that finds no room as a failure of the disk.
    let has_failed = error.disk_failure().is_some() && room.is_some_and(|room| room.is_full());
    let free_bytes = room.map_or(0, |room| room.free_bytes);
    (has_failed || error.is_disk_full()).then(|| ServeError::FullDisk {
        data_dir: data_dir.to_owned(),
        free_bytes,
        needed_bytes: BALLAST_BYTES_MAX,
    })
}

async fn run(
    listener: Listener,
    app: AppState,
    engine: Arc<dyn Engine>,
    signals: &mut StopSignals,
    ending: &Ending,
) -> Result<(), ServeError> {
    let handle = Handle::new();
    let mut serving = pin!(listener.serve(router(Arc::clone(&app)), handle.clone()));
    tokio::select! {
        ended = &mut serving => return Ok(ended?),
        () = app.statements.engine_lost() => {
            tracing::error!("the disk failed at a sync, or a rollback had no memory; the engine takes no more statements");
            // The statements that have failed are still to be answered.
            handle.graceful_shutdown(Some(LAST_ANSWERS_WAIT));
            serving.await?;
            return Err(ServeError::EngineLost);
        }
        () = signals.next() => {}
    }
    let drain_wait = ending.drain_wait;
    tracing::info!("stopping: running statements get {} s; a second signal stops at once", drain_wait.as_secs());
    let finishing = async {
        app.readiness.stop();
        tokio::task::block_in_place(|| app.backups.stop());
        if tokio::time::timeout(drain_wait + STUCK_WAIT, app.statements.drain()).await.is_err() {
            tracing::warn!("a statement does not stop; the next start will report it as failed");
            ending.exit_at_once();
        }
        if ending.temporary.is_none() {
            checkpoint(engine).await;
        }
        handle.graceful_shutdown(Some(LAST_ANSWERS_WAIT));
    };
    tokio::select! {
        // Until then handles and health are answered, on new connections too.
        served = async { tokio::join!(finishing, &mut serving).1 } => served?,
        () = signals.next() => {
            tracing::warn!("stopped at once");
            ending.exit_at_once();
        }
    }
    tracing::info!("stopped");
    Ok(())
}

/// A closed standard output is no reason to stop.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Without a checkpoint the changes are in the write-ahead log, and are replayed on the next start.
async fn checkpoint(engine: Arc<dyn Engine>) {
    match tokio::task::spawn_blocking(move || engine.checkpoint()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the checkpoint at the end failed"),
        Err(error) => tracing::warn!(%error, "the checkpoint at the end broke off"),
    }
}

/// The engine reaches the folders of the databases and stages and its own temporary one; users and tokens lie outside.
fn engine_settings(config: &Config) -> Result<EngineSettings, ServeError> {
    Ok(EngineSettings {
        data_dir: config.data_dir.join("databases"),
        stage_dir: config.data_dir.join("stages"),
        temp_dir: config.data_dir.join(own_files::SPILL_FOLDER),
        threads: config.threads,
        memory_limit_bytes: config.memory_limit_bytes,
        stage_quotas: StageQuotas {
            user_bytes_max: config.limits.stage_user_bytes_max,
            bytes_max: config.limits.stages_bytes_max,
        },
        external: external_access(config)?,
    })
}

/// The embedded engine, and beside it the clusters that databases are linked to, if there can be any.
fn with_clusters(embedded: Arc<dyn Engine>, catalog: &Catalog, config: &Config) -> Result<Arc<dyn Engine>, ServeError> {
    if config.spark_endpoints.is_empty() && !catalog.has_links() {
        return Ok(embedded);
    }
    let vault = Vault::open(&config.data_dir.join(STAGE_KEY)).map_err(ServeError::CredentialsKey)?;
    let links = Links::new(catalog.clone(), vault, config.spark_endpoints.clone())?;
    Ok(Arc::new(LinkedEngine::new(embedded, Arc::new(links))))
}

/// The key of stages' credentials lies beside the users and tokens, where the engine does not reach.
fn external_access(config: &Config) -> Result<Option<ExternalAccess>, ServeError> {
    if config.external_stages.is_empty() {
        return Ok(None);
    }
    let vault = Vault::open(&config.data_dir.join("stage-credentials.key")).map_err(ServeError::CredentialsKey)?;
    Ok(Some(ExternalAccess {
        storage: Storage::new(config.external_stages.clone(), config.limits.external_stage_wait),
        vault: Arc::new(vault),
        file_bytes_max: config.limits.stage_file_bytes_max,
        bytes_max: config.limits.external_stage_bytes_max,
    }))
}

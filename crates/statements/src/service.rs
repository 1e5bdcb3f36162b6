//! The three things one can do with statements, and the life around them.

use std::convert::Infallible;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use firn_catalog::registry::EndState;
use firn_catalog::{Caller, Catalog};
use firn_engine::Engine;
use firn_engine::disk_room::DiskRoom;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::account_usage::{self, Login};
use crate::admission::Admission;
use crate::ballast::Ballast;
use crate::clock::now_ms;
use crate::databases::DatabaseFiles;
use crate::error::{StartError, StatementError};
use crate::execution::{Execution, Finished, OnDisk, StopReason};
use crate::grant_sweep::GrantSweep;
use crate::handle::StatementHandle;
use crate::interrupted::{Interrupted, Settled};
use crate::json_rows;
use crate::kept_sessions::{KeptSessions, end_idle_transactions};
use crate::limits::Limits;
use crate::metering::Metering;
use crate::mutex::lock;
use crate::outcomes::Outcomes;
use crate::partition_reader::OpenPartition;
use crate::past_results;
use crate::plan_cache::PlanCache;
use crate::query_type::query_type;
use crate::result_cache::ResultCache;
use crate::result_store::ResultStore;
use crate::retention;
use crate::running::RunningStatements;
use crate::services::Services;
use crate::short_statements::ShortStatements;
use crate::statement_type::StatementType;
use crate::table_changes::TableChanges;
use crate::table_sizes::TableSizes;
use crate::token_uses::TokenUses;
use crate::transactions::Transactions;
use crate::view::{self, FailedView, StatementView};
use crate::view_uses::ViewUses;
use crate::watchdog::Watchdog;
use crate::written_results::WrittenResults;

/// Cheap to clone; all clones are one service.
#[derive(Clone)]
pub struct StatementService {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) services: Arc<Services>,
    pub(crate) admission: Admission,
    pub(crate) watchdog: Watchdog,
    audit: account_usage::Writer,
    pub(crate) cores: usize,
    /// The sweeper, which ends with the service.
    tasks: Mutex<JoinSet<Infallible>>,
    stopping: AtomicBool,
}

/// A reading of the service's counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub running: u64,
    pub queued: u64,
    pub submitted: u64,
    pub succeeded: u64,
    pub failed: u64,
    pub cancelled: u64,
    pub timed_out: u64,
    pub rejected: u64,
    /// Statements that ran with a cached plan.
    pub by_cached_plan: u64,
    pub result_disk_bytes: u64,
}

/// Without names: anybody may ask for them.
#[derive(Clone, Debug, Default)]
pub struct FileProblems {
    /// What keeps the service from working.
    pub problems: Vec<String>,
    /// Databases that are set aside because of a damaged file; the others are served.
    pub set_aside: usize,
    /// The disk has no more room than its reserve: what takes much is refused.
    pub is_room_low: bool,
}

impl StatementService {
    /// Attaches the databases, settles what a crash interrupted, and starts the sweeper on
    /// the current runtime.
    pub fn start(
        catalog: Catalog,
        engine: Arc<dyn Engine>,
        data_dir: &Path,
        limits: Limits,
    ) -> Result<Self, StartError> {
        let databases = DatabaseFiles::open(data_dir, &catalog, engine.as_ref())?;
        if let Err(error) = databases.sweep_stages(&catalog, engine.as_ref()) {
            tracing::warn!(%error, "left-over files of stages cannot be removed");
        }
        if let Err(error) = account_usage::prepare(&catalog, engine.as_ref(), &databases.folder) {
            tracing::error!(%error, "there is no audit trail");
        }
        let store = ResultStore::open(data_dir)?;
        let settled = Interrupted {
            catalog: &catalog,
            engine: engine.as_ref(),
            store: &store,
            limits: &limits,
            is_some_database_set_aside: !databases.set_aside.is_empty(),
        }
        .settle()?;
        if settled.succeeded + settled.failed > 0 {
            let Settled { succeeded, failed } = settled;
            tracing::warn!(succeeded, failed, "statements were running when the server last stopped");
        }
        let transactions = Arc::<Transactions>::default();
        let services = Arc::new(Services {
            grant_sweep: GrantSweep::default(),
            metering: Arc::new(Metering::new(catalog.clone())),
            view_uses: ViewUses::default(),
            catalog,
            engine,
            engine_lost: tokio::sync::Notify::new(),
            databases,
            ballast: Ballast::new(data_dir),
            store,
            cache: ResultCache::default(),
            plan_cache: PlanCache::default(),
            table_sizes: TableSizes::default(),
            token_uses: TokenUses::default(),
            short_statements: ShortStatements::default(),
            changes: TableChanges::default(),
            running: RunningStatements::default(),
            kept_sessions: Arc::new(KeptSessions::new(Arc::clone(&transactions))),
            transactions,
            outcomes: Outcomes::default(),
            written_results: WrittenResults::default(),
            written_history: WrittenResults::default(),
            account_usage: account_usage::Queue::default(),
            limits,
        });
        services.correct_closed();
        services.ballast.restore();
        if let Err(error) = retention::remove_left_over(&services) {
            tracing::warn!(%error, "left-over partitions cannot be looked for");
        }
        let mut tasks = JoinSet::new();
        tasks.spawn(retention::sweep_regularly(services.clone()));
        tasks.spawn(end_idle_transactions(services.clone()));
        let watchdog = Watchdog::start(services.clone())?;
        let audit = account_usage::Writer::start(services.clone())?;
        let inner = Inner {
            admission: Admission::new(&services.limits),
            services,
            watchdog,
            audit,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            tasks: Mutex::new(tasks),
            stopping: AtomicBool::new(false),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A statement's state, and one partition of its result once it has one.
    pub async fn fetch(
        &self,
        caller: &Caller,
        handle: StatementHandle,
        partition: Option<i64>,
    ) -> Result<StatementView, StatementError> {
        self.take_request(caller)?;
        let view = self.fetch_stored(caller, handle, partition).await?;
        tokio::task::block_in_place(|| view.in_json())
    }

    /// As `fetch`, once the statement has ended or a request has waited for as long as it may.
    pub async fn outcome(&self, caller: &Caller, handle: StatementHandle) -> Result<StatementView, StatementError> {
        self.take_request(caller)?;
        let services = &self.inner.services;
        let running = services.running_statement(caller, handle);
        if let Some(execution) = running.or_else(|| services.running_set_with(caller, handle)) {
            wait_within_limit(&execution, &services.limits, Instant::now()).await;
        }
        self.fetch_stored(caller, handle, None).await
    }

    /// The types of statements of the caller's that have ended.
    pub fn statement_types(
        &self,
        caller: &Caller,
        handles: &[StatementHandle],
    ) -> Result<Vec<StatementType>, StatementError> {
        let type_of = |handle: &StatementHandle| {
            let found = self.inner.services.past_statement(caller, handle.0)?;
            Ok(found.map_or(StatementType(0), |record| StatementType::of(&record.text)))
        };
        handles.iter().map(type_of).collect()
    }

    /// As `fetch`, in the format that the result is stored in, for a request that has been counted.
    pub async fn fetch_stored(
        &self,
        caller: &Caller,
        handle: StatementHandle,
        partition: Option<i64>,
    ) -> Result<StatementView, StatementError> {
        let mut unrecorded = None;
        if let Some(execution) = self.inner.services.running_statement(caller, handle) {
            unrecorded = execution.announced_end().filter(|finished| finished.has_failed());
            if unrecorded.is_none() {
                return Ok(view::of_running(&execution));
            }
        }
        // Before the look at the records, where the statement may be meanwhile.
        let running_set = self.inner.services.running_set_with(caller, handle);
        let services = self.inner.services.clone();
        let caller = caller.clone();
        let look = move || {
            let record = match unrecorded {
                Some(finished) => Some(finished.record.clone()),
                None => services.past_statement(&caller, handle.0)?,
            };
            let record = match (record, running_set) {
                (Some(record), _) => record,
                (None, Some(set)) => {
                    let created_on_ms = set.created_on_ms;
                    return Ok(StatementView::Running { handle, children: Vec::new(), created_on_ms, progress: None });
                }
                (None, None) => return Err(StatementError::UnknownHandle(handle.to_string())),
            };
            past_results::check_for(&services, &caller, &record)?;
            services.view_of(&record, partition)
        };
        tokio::task::spawn_blocking(look).await.map_err(|error| StatementError::Internal(error.to_string()))?
    }

    /// The rows of a later partition of a result in a JSON array, for a request that has been counted. The caller has to be
    /// allowed to see it still.
    pub async fn open_partition(
        &self,
        caller: &Caller,
        handle: StatementHandle,
        partition: i64,
    ) -> Result<Box<dyn Read + Send>, StatementError> {
        let (services, caller) = (self.inner.services.clone(), caller.clone());
        let look = move || {
            let record = services.past_statement(&caller, handle.0)?;
            let record = record.ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))?;
            past_results::check_for(&services, &caller, &record)?;
            let (opened, format) = view::open_partition(&record, partition, &services.store)?;
            json_rows::read_later(opened, format).map_err(|error| {
                tracing::error!(statement.handle = %handle, partition, %error, "a result cannot be read");
                StatementError::DamagedResult(handle)
            })
        };
        tokio::task::spawn_blocking(look).await.map_err(|error| StatementError::Internal(error.to_string()))?
    }

    /// As `open_partition`, with what is to be known of its rows.
    pub async fn open_result_partition(
        &self,
        caller: &Caller,
        handle: StatementHandle,
        partition: usize,
    ) -> Result<OpenPartition, StatementError> {
        let (services, caller) = (self.inner.services.clone(), caller.clone());
        let look = move || {
            let record = services.past_statement(&caller, handle.0)?;
            let record = record.ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))?;
            past_results::check_for(&services, &caller, &record)?;
            let (reader, format) = view::open_partition(&record, partition as i64, &services.store)?;
            let result = record.ended.and_then(|ended| ended.result);
            let uncompressed_bytes = result
                .as_ref()
                .and_then(|result| result.partitions.get(partition))
                .map(|found| found.uncompressed_bytes);
            Ok(OpenPartition {
                reader,
                format,
                row_type: result.map(|result| result.row_type).unwrap_or_default(),
                uncompressed_bytes: uncompressed_bytes.unwrap_or_default(),
            })
        };
        tokio::task::spawn_blocking(look).await.map_err(|error| StatementError::Internal(error.to_string()))?
    }

    /// The role that a statement of the caller's was run in.
    pub async fn role_of(&self, caller: &Caller, handle: StatementHandle) -> Result<String, StatementError> {
        self.take_request(caller)?;
        if let Some(execution) = self.inner.services.running_statement(caller, handle) {
            return Ok(execution.role.clone());
        }
        let (services, caller) = (self.inner.services.clone(), caller.clone());
        let found = tokio::task::spawn_blocking(move || services.past_statement(&caller, handle.0)).await;
        let found = found.map_err(|error| StatementError::Internal(error.to_string()))??;
        found.map(|record| record.role).ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))
    }

    /// The kind of a statement of the caller's that has ended: `SELECT`, `CREATE_TABLE`.
    pub async fn query_type_of(&self, caller: &Caller, handle: StatementHandle) -> Result<String, StatementError> {
        let (services, caller) = (self.inner.services.clone(), caller.clone());
        let found = tokio::task::spawn_blocking(move || services.past_statement(&caller, handle.0)).await;
        let found = found.map_err(|error| StatementError::Internal(error.to_string()))??;
        let record = found.ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))?;
        Ok(query_type(&record.text))
    }

    /// Stops a running statement and returns once it has stopped. What the engine does in one step cannot be
    /// interrupted, so the wait for that is limited like that for any other response.
    pub async fn cancel(&self, caller: &Caller, handle: StatementHandle) -> Result<FailedView, StatementError> {
        self.take_request(caller)?;
        let mut announced = None;
        if let Some(execution) = self.inner.services.running_statement(caller, handle) {
            execution.stop(StopReason::Cancelled);
            announced = wait_within_limit(&execution, &self.inner.services.limits, Instant::now()).await;
            if announced.is_none() {
                return Err(StatementError::StillStopping(handle));
            }
        }
        let found = match announced.filter(|finished| finished.on_disk != OnDisk::Yes) {
            Some(unrecorded) => Some(unrecorded.record.clone()),
            None => self.inner.services.past_statement(caller, handle.0)?,
        };
        let record = found.ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))?;
        match record.ended.as_ref().map(|ended| ended.state) {
            Some(EndState::Cancelled) => Ok(view::failed(&record)),
            Some(EndState::Succeeded) => Err(StatementError::NotCancellable { handle, state: "succeeded" }),
            Some(EndState::TimedOut) => Err(StatementError::NotCancellable { handle, state: "timed out" }),
            Some(EndState::Failed) => Err(StatementError::NotCancellable { handle, state: "failed" }),
            None => Err(StatementError::Internal(format!("statement {handle} is on disk as running and runs nowhere"))),
        }
    }

    /// As `cancel`, by the id of the request that submitted the statement. Whether it was running.
    pub async fn cancel_request(&self, caller: &Caller, request_id: Uuid) -> Result<bool, StatementError> {
        if self.inner.services.kept_sessions.cancel_waiting(caller.user.id, request_id) {
            return Ok(true);
        }
        let registry = self.inner.services.catalog.registry();
        let found = tokio::task::block_in_place(|| registry.find_request(caller.user.id, request_id))?;
        let Some(handle) = found.map(StatementHandle) else { return Ok(false) };
        match self.cancel(caller, handle).await {
            Ok(_) | Err(StatementError::StillStopping(_)) => Ok(true),
            Err(StatementError::NotCancellable { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Returns when the engine takes no statement any more until it is started anew.
    pub async fn engine_lost(&self) {
        self.inner.services.engine_lost.notified().await;
    }

    /// Takes no new statements, gives the running ones their time, then stops them and waits until
    /// their ends are recorded.
    pub async fn drain(&self) {
        self.inner.stopping.store(true, Ordering::SeqCst);
        let running = &self.inner.services.running;
        let all_ended = async {
            for execution in running.all() {
                execution.wait().await;
            }
        };
        if tokio::time::timeout(self.inner.services.limits.drain_wait, all_ended).await.is_err() {
            running.stop_all(StopReason::ShuttingDown);
            for execution in running.all() {
                execution.wait().await;
            }
        }
        lock(&self.inner.tasks).abort_all();
        self.inner.services.kept_sessions.end_all();
        tokio::task::block_in_place(|| {
            self.inner.audit.stop();
            if let Err(error) = self.inner.services.catalog.write_monitor_usage(now_ms()) {
                tracing::error!(%error, "the use of resource monitors cannot be recorded");
            }
        });
    }

    /// What is wrong with the files of the service. The log has the details. Blocks on the disk and the engine.
    pub fn check_files(&self) -> FileProblems {
        let services = &self.inner.services;
        let mut problems = Vec::new();
        if let Err(error) = services.catalog.check_state_file() {
            tracing::warn!(%error, "the state file cannot be used");
            problems.push("the state file cannot be used".to_owned());
        }
        let closed = services.databases.problems(&services.catalog, services.engine.as_ref());
        for problem in &closed {
            tracing::warn!(database = problem.database, cause = problem.cause, "a database cannot be used");
        }
        if !closed.is_empty() {
            problems.push(format!("databases that cannot be used: {}", closed.len()));
            services.reopen_databases();
        }
        let room = DiskRoom::of(&services.databases.folder).ok();
        if room.is_some_and(|room| room.is_full()) {
            problems.push("the disk is full".to_owned());
        }
        let is_room_low = room.is_some_and(|room| room.is_low());
        FileProblems { problems, set_aside: services.databases.set_aside.damaged(), is_room_low }
    }

    /// Records that somebody showed a credential.
    pub fn note_login(&self, login: Login) {
        self.inner.services.account_usage.note(account_usage::Entry::Login(login.into()));
    }

    /// A token of the user, not that of a session, let a request in.
    pub fn note_token_use(&self, user_id: i64, at_ms: i64) {
        self.inner.services.token_uses.note(user_id, at_ms);
    }

    pub fn counters(&self) -> Counters {
        let outcomes = &self.inner.services.outcomes;
        let queued = self.inner.admission.queued();
        Counters {
            running: self.inner.services.running.count().saturating_sub(queued) as u64,
            queued: queued as u64,
            submitted: outcomes.submitted.load(Ordering::Relaxed),
            succeeded: outcomes.ended(EndState::Succeeded),
            failed: outcomes.ended(EndState::Failed),
            cancelled: outcomes.ended(EndState::Cancelled),
            timed_out: outcomes.ended(EndState::TimedOut),
            rejected: outcomes.rejected.load(Ordering::Relaxed),
            by_cached_plan: self.inner.services.plan_cache.answered(),
            result_disk_bytes: self.inner.services.catalog.registry().disk_bytes().unwrap_or(0),
        }
    }

    /// Every request counts against the user's rate, whatever it asks for.
    pub(crate) fn take_request(&self, caller: &Caller) -> Result<(), StatementError> {
        self.inner.admission.take_request(caller.user.id).map_err(|turned_away| {
            self.inner.services.outcomes.count_rejected();
            StatementError::TooManyRequests { retry_after_s: turned_away.retry_after_s }
        })
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.inner.stopping.load(Ordering::SeqCst)
    }
}

/// Waits for a statement as long as a synchronous request may.
/// The outcome, if it comes in time for a request that was received then.
pub(crate) async fn wait_within_limit(
    execution: &Execution,
    limits: &Limits,
    received: Instant,
) -> Option<Arc<Finished>> {
    let left = limits.sync_wait.saturating_sub(received.elapsed());
    tokio::time::timeout(left, execution.wait()).await.ok().flatten()
}

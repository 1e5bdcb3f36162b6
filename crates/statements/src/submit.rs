//! Submits a request: from its text to a running statement, and to the first response.

mod checks;
mod prepared;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use firn_catalog::registry::{EndState, Ended, StatementRecord, StoredResult};
use firn_catalog::warehouses::Warehouse;
use firn_catalog::{Caller, CatalogError};
use firn_engine::error::IO_STATE;
use firn_sql::Failure;
use firn_sql::secrets_in_text::{self, known_values};
use uuid::Uuid;

use crate::account_usage::Accessed;
use crate::admission::QueuePlace;
use crate::clock::now_ms;
use crate::drive::Drive;
use crate::error::{ROLE_NOT_GRANTED_CODE, StatementError};
use crate::execution::{Execution, Finished, OnDisk, StopReason, TimeLimit, state_of_refusal};
use crate::handle::StatementHandle;
use crate::kept_run::{KeptRun, Place};
use crate::limits::{parse_limits, within};
use crate::partitions::{Completeness, WrittenResult};
use crate::plan::Plan;
use crate::recorded_texts::require_room_for_text;
use crate::request::{FormatWish, IfLeft, Purpose, Submission, SubmitRequest, Wait};
use crate::run_error::RunError;
use crate::service::{StatementService, wait_within_limit};
use crate::session_state::{SessionState, first_role, may_use_warehouse, missing_warehouse};
use crate::settings::SessionSettings;
use crate::view::{self, StatementView};
use crate::{description, ending, long_texts, making_room, past_results, reuse};
use checks::{check_bindings, refuse_bound_set, timeout_s};
use prepared::{Prepared, record_of};

/// As long as the names of roles are.
const ROLE_CHARACTERS_MAX: usize = 255;

impl StatementService {
    pub async fn submit(&self, caller: &Caller, request: SubmitRequest) -> Result<StatementView, StatementError> {
        let format = request.result_format;
        let view = self.submit_as(caller, request).await?;
        // One that was submitted before may have asked for another format.
        match format {
            FormatWish::Json => tokio::task::block_in_place(|| view.in_json()),
            FormatWish::Arrow | FormatWish::ArrowForAll => Ok(view),
        }
    }

    async fn submit_as(&self, caller: &Caller, request: SubmitRequest) -> Result<StatementView, StatementError> {
        self.take_request(caller)?;
        if self.is_stopping() {
            return Err(StatementError::ShuttingDown);
        }
        // To parse a long statement takes a part of its time limit and of the wait for its outcome.
        let received = Instant::now();
        if request.submission == Submission::Retry
            && let Some(first) = tokio::task::block_in_place(|| self.first_submission(caller, &request))?
        {
            return self.follow(caller, first, request.wait).await;
        }
        let place = self.place_of(caller, &request).await?;
        // What follows writes to disk and runs short statements, which may hold up no other request.
        match tokio::task::block_in_place(|| self.begin(caller, &request, place, received))? {
            Begun::Over(view) => Ok(*view),
            Begun::Before(first) => self.follow(caller, first, request.wait).await,
            Begun::Running(execution) => {
                let waiting = (request.if_left == IfLeft::Cancel).then(|| Waiting(Some(Arc::clone(&execution))));
                let answered = self.answer(&execution, request.wait, received).await;
                if let Some(mut waiting) = waiting {
                    waiting.0 = None;
                }
                answered
            }
        }
    }

    /// Everything up to where a request has to wait. Blocks on the disk, and as long as a short statement takes.
    fn begin(
        &self,
        caller: &Caller,
        request: &SubmitRequest,
        mut place: Place,
        received: Instant,
    ) -> Result<Begun, StatementError> {
        require_room_for_text(&self.inner.services.databases.folder, &request.statement)?;
        let has_lost_transaction = match &mut place {
            Place::Session(in_use) => in_use.take_lost_transaction(),
            _ => false,
        };
        let kept = match &place {
            Place::Session(in_use) => in_use.state().map(|state| (in_use.kept_as(), state)),
            Place::Beside(kept_as, state) => Some((*kept_as, state.as_ref())),
            Place::OfItself => None,
        };
        let state = match kept {
            Some(kept) => self.continued(caller, request, kept)?,
            None => self.session_of(caller, request)?,
        };
        if let Some(known) = self.answer_from_cache(request, &state)? {
            return Ok(Begun::Over(known.into()));
        }
        let mut prepared = self.prepare(state, request)?;
        if has_lost_transaction {
            prepared.report_lost_transaction(self.inner.services.limits.transaction_idle_max);
        }
        if let Ok(plan) = &prepared.plan {
            making_room::release_room(&self.inner.services, &prepared.state, plan);
        }
        let in_queue = self.enter_queue(&prepared)?;
        let record = prepared.record(request);
        let execution = match self.claim(request, record, prepared.timeout_s)? {
            Claimed::Fresh(execution) => execution,
            Claimed::Before(first) => return Ok(Begun::Before(first)),
        };
        execution.limit_time(TimeLimit::since(received, prepared.timeout_s));
        let secrets = known_values::of_variables(&request.statement);
        if !secrets.is_empty() {
            execution.note_secrets(self.inner.services.catalog.registry(), secrets);
        }
        if request.wait == Wait::ForHandle {
            execution.ensure_recorded(self.inner.services.catalog.registry())?;
        }
        self.inner.services.outcomes.count_submitted();
        self.inner.services.running.add(execution.clone());
        self.inner.watchdog.wake();
        match &place {
            Place::Session(in_use) => in_use.note_running(&execution),
            Place::Beside(kept_as, _) if prepared.state.purpose == Purpose::Run => {
                self.inner.services.kept_sessions.note_beside(kept_as.id, execution.handle.0);
            }
            Place::Beside(..) | Place::OfItself => {}
        }
        let kept = place.into_session().and_then(|in_use| KeptRun::new(in_use, request));
        let job = prepared.into_job(&execution, self.inner.services.limits.sync_wait, kept);
        let mut drive = Drive::new(self.inner.clone(), execution.clone(), job, in_queue);
        if request.wait == Wait::ForOutcome
            && let Some(finished) = drive.at_once()
        {
            return view::of_finished(&finished).map(|view| Begun::Over(view.into()));
        }
        tokio::spawn(drive.finish());
        Ok(Begun::Running(execution))
    }

    /// The statement of an earlier request of the caller with the same request id.
    fn first_submission(
        &self,
        caller: &Caller,
        request: &SubmitRequest,
    ) -> Result<Option<StatementHandle>, StatementError> {
        match (request.submission, request.request_id) {
            (Submission::Retry, Some(request_id)) => {
                let registry = self.inner.services.catalog.registry();
                Ok(registry.find_request(caller.user.id, request_id)?.map(StatementHandle))
            }
            _ => Ok(None),
        }
    }

    /// Answers for a statement that was submitted before: its outcome, or its handle while it runs.
    async fn follow(
        &self,
        caller: &Caller,
        handle: StatementHandle,
        wait: Wait,
    ) -> Result<StatementView, StatementError> {
        if let Some(execution) = self.inner.services.running_statement(caller, handle) {
            return self.answer(&execution, wait, Instant::now()).await;
        }
        let found = self.inner.services.past_statement(caller, handle.0)?;
        let record = found.ok_or_else(|| StatementError::UnknownHandle(handle.to_string()))?;
        tokio::task::block_in_place(|| past_results::check_for(&self.inner.services, caller, &record))?;
        self.inner.services.view_of(&record, None)
    }

    /// The session that a request begins with.
    pub(crate) fn session_of(&self, caller: &Caller, request: &SubmitRequest) -> Result<SessionState, StatementError> {
        let catalog = &self.inner.services.catalog;
        let role = first_role(catalog, caller, request.role.as_deref())
            .inspect_err(|error| self.record_refusal(caller, request, error))?;
        let mut settings = SessionSettings::of(catalog, &caller.user, request.nulls);
        settings.apply_all(&request.parameters).map_err(invalid_parameters)?;
        let mut state = SessionState::new(caller.clone(), role, settings, request);
        state.request_key = reuse::request_key(request, &state).map(Arc::from);
        state.template = reuse::template_of(request, &state).map(Arc::new);
        Ok(state)
    }

    /// The cached result of the same request, if nothing has changed since. Nothing is parsed or run; the statement gets its
    /// handle and its record like any other.
    fn answer_from_cache(
        &self,
        request: &SubmitRequest,
        state: &SessionState,
    ) -> Result<Option<StatementView>, StatementError> {
        let services = &self.inner.services;
        let cached = state.request_key.as_deref().and_then(|key| services.cache.find(key, &services.changes));
        let Some(cached) = cached.filter(|_| request.request_id.is_none()) else { return Ok(None) };
        let Some(rows) = cached.result.inline_rows.clone() else { return Ok(None) };
        timeout_s(request.timeout_s, &state.settings, &services.limits)?;
        let stored = StoredResult::clone(&cached.result);
        let first_rows = Bytes::from(rows);
        let written =
            WrittenResult { stored, first_rows: first_rows.clone(), completeness: Completeness::Whole, profile: None };
        let reads = cached.read.reads.as_ref().and_then(|reads| reads.of_result());
        let ended = Ended { reads, ..ending::succeeded(written, &services.limits).ended };
        let record = StatementRecord { ended: Some(ended), ..record_of(state, request, Vec::new()) };
        self.inner.services.outcomes.count_submitted();
        self.inner.services.outcomes.count_end(EndState::Succeeded);
        services.catalog.registry().insert(&record)?;
        let (handle, begun) = (record.handle, record.created_on_ms);
        let accessed = Accessed::of_sources((handle, state.caller.user.id, begun), &cached.read);
        services.account_usage.note_access(accessed);
        services.note_history(&record);
        services.account_usage.note_statement(&record);
        view::of_finished(&Finished { record, first_rows, on_disk: OnDisk::Yes }).map(Some)
    }

    /// A statement under a role that the caller may not take is in the history with the role that it asked for, though it has no
    /// session and its request gets no handle.
    fn record_refusal(&self, caller: &Caller, request: &SubmitRequest, error: &CatalogError) {
        let CatalogError::RoleNotGranted(role) = error else { return };
        let services = &self.inner.services;
        let record = StatementRecord {
            handle: Uuid::now_v7(),
            user_id: caller.user.id,
            request_id: None,
            parent: None,
            children: Vec::new(),
            created_on_ms: now_ms(),
            text: secrets_in_text::hidden(&request.statement).into_owned(),
            query_tag: None,
            sender: request.sender,
            session: None,
            role: role.chars().take(ROLE_CHARACTERS_MAX).collect(),
            warehouse: request.warehouse.clone(),
            database: request.database.clone(),
            schema: request.schema.clone(),
            ended: Some(ending::refused(ROLE_NOT_GRANTED_CODE, error.to_string(), &services.limits)),
        };
        if let Err(cause) = services.catalog.registry().insert(&record) {
            tracing::error!(%cause, "a statement that was refused for its role cannot be recorded");
            return;
        }
        services.note_history(&record);
        services.account_usage.note_statement(&record);
    }

    fn prepare(&self, state: SessionState, request: &SubmitRequest) -> Result<Prepared, StatementError> {
        let services = &self.inner.services;
        let timeout_s = timeout_s(request.timeout_s, &state.settings, &services.limits)?;
        let limits = parse_limits(&services.limits);
        let make = || {
            let _memory = long_texts::reserve(services.engine.as_ref(), &request.statement)?;
            let completed = (state.purpose == Purpose::Describe)
                .then(|| description::completed(&request.bindings, &request.statement));
            let bindings = completed.as_ref().unwrap_or(&request.bindings);
            Plan::make(&request.statement, bindings, &state.settings, state.reach(), &limits)
        };
        let known = state.template.as_ref().and_then(|asked| services.plan_cache.find(asked, &services.changes));
        let plan = check_bindings(request, services.limits.bindings_max)
            .and_then(|()| known.map_or_else(make, |known| Ok(Plan::of_known(known))))
            .and_then(|plan| refuse_bound_set(plan, request))
            .map_err(|failure| RunError::from(failure).without_secrets_of(&request.statement))
            .and_then(|plan| self.check_given_warehouse(&state, request).map(|()| plan));
        let mut prepared = Prepared::new(state, plan, timeout_s, request);
        if let Some(warehouse) = self.warehouse_of(&prepared) {
            prepared.timeout_s = within(prepared.timeout_s, warehouse.statement_timeout_s);
        }
        Ok(prepared)
    }

    pub(crate) fn check_given_warehouse(&self, state: &SessionState, request: &SubmitRequest) -> Result<(), RunError> {
        match &request.warehouse {
            Some(name) if !may_use_warehouse(&self.inner.services.catalog, &state.role, name) => {
                Err(missing_warehouse().into())
            }
            _ => Ok(()),
        }
    }

    /// A place in the queue of the warehouse that will do the work.
    fn enter_queue(&self, prepared: &Prepared) -> Result<QueuePlace, StatementError> {
        let user_id = prepared.state.caller.user.id;
        let entered = self.inner.admission.enter(user_id, self.warehouse_of(prepared).as_ref());
        entered.map_err(|turned_away| {
            self.inner.services.outcomes.count_rejected();
            StatementError::TooManyRequests { retry_after_s: turned_away.retry_after_s }
        })
    }

    fn warehouse_of(&self, prepared: &Prepared) -> Option<Warehouse> {
        let plan = prepared.plan.as_ref().ok().filter(|plan| plan.may_need_warehouse())?;
        let name = prepared.state.warehouse.as_deref().or_else(|| plan.chosen_warehouse())?;
        self.inner.services.catalog.warehouse(name)
    }

    /// A request id is on disk before its statement runs, so that no crash lets it run twice.
    fn claim(
        &self,
        request: &SubmitRequest,
        record: StatementRecord,
        timeout_s: u64,
    ) -> Result<Claimed, StatementError> {
        if request.request_id.is_none() {
            return Ok(Claimed::Fresh(Arc::new(Execution::new(record, timeout_s))));
        }
        // Before the claim: whoever finds that on disk waits for the statement, which must be found running.
        let services = &self.inner.services;
        let execution = Arc::new(Execution::recorded(record.clone(), timeout_s));
        services.running.add(execution.clone());
        let first = services.catalog.registry().insert_claim(&record);
        if !matches!(first, Ok(None)) {
            services.running.remove(execution.handle);
            execution.announce(Arc::new(Finished {
                record: record.clone(),
                first_rows: Bytes::new(),
                on_disk: OnDisk::No { sql_state: IO_STATE },
            }));
        }
        Ok(match (first?, request.submission) {
            (None, _) => Claimed::Fresh(execution),
            (Some(first), Submission::Retry) => Claimed::Before(StatementHandle(first)),
            // The same id without `retry` is a new request; the id keeps standing for the first.
            (Some(_), Submission::First) => {
                Claimed::Fresh(Arc::new(Execution::new(StatementRecord { request_id: None, ..record }, timeout_s)))
            }
        })
    }

    async fn answer(
        &self,
        execution: &Execution,
        wait: Wait,
        received: Instant,
    ) -> Result<StatementView, StatementError> {
        let services = &self.inner.services;
        let finished = match wait {
            Wait::ForHandle => None,
            Wait::ForOutcome => wait_within_limit(execution, &services.limits, received).await,
        };
        if let Some(finished) = finished {
            let ended = finished.record.ended.as_ref();
            if ended.is_some_and(|ended| ended.code == ending::TOO_MANY_CODE) {
                return Err(StatementError::TooManyRequests { retry_after_s: 1 });
            }
            return view::of_finished(&finished);
        }
        let handle = execution.handle;
        tokio::task::block_in_place(|| execution.ensure_recorded(services.catalog.registry()))
            .map_err(|refused| StatementError::NotRecorded { handle, sql_state: state_of_refusal(&refused) })?;
        Ok(view::of_running(execution))
    }
}

/// How far a request has come without waiting.
enum Begun {
    Over(Box<StatementView>),
    /// It repeats an earlier request.
    Before(StatementHandle),
    Running(Arc<Execution>),
}

enum Claimed {
    Fresh(Arc<Execution>),
    Before(StatementHandle),
}

/// Cancels the statement if the request ends before it has its answer.
struct Waiting(Option<Arc<Execution>>);

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(execution) = self.0.take() {
            execution.stop(StopReason::Cancelled);
        }
    }
}

pub(crate) fn invalid_parameters(failure: Failure) -> StatementError {
    StatementError::Invalid { code: "390142", sql_state: None, message: failure.message }
}

//! Opening, looking at and closing a kept session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_catalog::Caller;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{Entry, Kept, NotHad, Owner, SessionKind};
use crate::clock::now_ms;
use crate::error::StatementError;
use crate::request::SubmitRequest;
use crate::run_error::RunError;
use crate::service::{StatementService, wait_within_limit};
use crate::session_state::{GivenNames, SessionState, may_use_warehouse};

/// A kept session as its owner sees it.
#[derive(Clone, Debug)]
pub struct SessionView {
    pub id: Uuid,
    /// As CURRENT_SESSION() gives it.
    pub number: u64,
    pub kind: SessionKind,
    pub user: String,
    /// A request has it.
    pub is_busy: bool,
    /// As the last request that has ended left them.
    pub names: SessionNames,
    /// What clients are sent of its parameters, as texts.
    pub parameters: Vec<(String, String)>,
    pub created_on_ms: i64,
    pub idle_max: Duration,
}

#[derive(Clone, Debug, Default)]
pub struct SessionNames {
    pub role: String,
    pub warehouse: Option<String>,
    pub database: Option<String>,
    pub schema: Option<String>,
}

impl SessionNames {
    pub(super) fn of(state: &SessionState) -> Self {
        Self {
            role: state.role.name.clone(),
            warehouse: state.warehouse.clone(),
            database: state.namespace.database.clone(),
            schema: state.namespace.schema.clone(),
        }
    }
}

impl StatementService {
    /// Opens a session with the names and parameters of a request. A driver's names that do not exist are left out.
    pub fn open_session(
        &self,
        caller: &Caller,
        request: &SubmitRequest,
        idle_max: Duration,
    ) -> Result<SessionView, StatementError> {
        self.take_request(caller)?;
        if self.is_stopping() {
            return Err(StatementError::ShuttingDown);
        }
        let services = &self.inner.services;
        let kind = if request.driver.is_some() { SessionKind::Driver } else { SessionKind::Api };
        services.kept_sessions.end_idle();
        // Before anything is opened; others that open one meanwhile are counted when it is kept.
        let has_room = services.kept_sessions.check_room(caller, kind, &services.limits);
        has_room.map_err(StatementError::TooManySessions)?;
        let mut state = self.session_of(caller, request)?;
        (state.request_key, state.template) = (None, None);
        match kind {
            SessionKind::Api => self.check_given_warehouse(&state, request).map_err(refused)?,
            SessionKind::Driver => self.begin_as_driver(&mut state, request),
        }
        let session = services.engine.open_session().map_err(|error| refused(error.into()))?;
        let is_api = kind == SessionKind::Api;
        let given =
            GivenNames { database: is_api && request.database.is_some(), schema: is_api && request.schema.is_some() };
        state.enter(services, session.as_ref(), &given).map_err(refused)?;
        drop(session);
        if kind == SessionKind::Driver && request.schema.is_some() && state.namespace.schema != request.schema {
            state.namespace.schema = None;
        }
        let kept = Kept { session: None, state, lost_transaction: false };
        let entry = Entry {
            kind,
            owner: Owner::of(caller),
            user: caller.user.name.clone(),
            idle_max,
            created_on_ms: now_ms(),
            last_used: Instant::now(),
            heard: Instant::now(),
            names: SessionNames::of(&kept.state),
            parameters: kept.state.settings.for_clients(),
            snapshot: kept.snapshot(kind),
            turn: Arc::new(Semaphore::new(1)),
            kept: Some(Box::new(kept)),
            beside: Vec::new(),
            running: None,
        };
        let id =
            services.kept_sessions.keep(caller, entry, &services.limits).map_err(StatementError::TooManySessions)?;
        // The user may have been disabled meanwhile.
        services.kept_sessions.end_of_shut_out(&services.catalog.principals());
        self.session(caller, id)
    }

    /// Parameters that do not exist or cannot have their values are left out, and so is a warehouse that cannot be used.
    fn begin_as_driver(&self, state: &mut SessionState, request: &SubmitRequest) {
        state.settings.of_driver();
        if let Some(client) = request.driver.as_ref().and_then(|driver| driver.client.as_deref()) {
            state.client = client.into();
        }
        let parameters = request.driver.iter().flat_map(|driver| &driver.parameters);
        for (name, value) in parameters {
            if let Err(failure) = state.settings.set(name, value) {
                tracing::debug!(parameter = name, reason = failure.message, "a parameter of a login is left out");
            }
        }
        let may_use = |name: &String| may_use_warehouse(&self.inner.services.catalog, &state.role, name);
        state.warehouse = state.warehouse.take().filter(may_use);
    }

    /// Whether there is a session of that identifier, whoever it is of.
    pub fn has_session(&self, id: Uuid) -> bool {
        self.inner.services.kept_sessions.contains(id)
    }

    /// Ends a session in which nothing has run.
    pub fn discard_session(&self, caller: &Caller, id: Uuid) {
        // One that is gone already needs no end.
        let _ = self.inner.services.kept_sessions.close(caller, id);
    }

    /// The session was used, though no statement ran in it.
    pub fn touch_session(&self, caller: &Caller, id: Uuid) -> Result<(), StatementError> {
        self.inner.services.kept_sessions.touch(caller, id).map_err(|why| not_had(why, id))
    }

    pub fn session(&self, caller: &Caller, id: Uuid) -> Result<SessionView, StatementError> {
        self.inner.services.kept_sessions.view(caller, id).map_err(|why| not_had(why, id))
    }

    pub fn sessions(&self, caller: &Caller) -> Vec<SessionView> {
        self.inner.services.kept_sessions.views(caller)
    }

    /// Ends a session and cancels the statement that runs in it. Returns once that has ended; what the engine does in one step
    /// cannot be interrupted, and is waited for as long as any other response.
    pub async fn close_session(&self, caller: &Caller, id: Uuid) -> Result<(), StatementError> {
        self.take_request(caller)?;
        let services = &self.inner.services;
        let close = || services.kept_sessions.close(caller, id);
        let running = tokio::task::block_in_place(close).map_err(|why| not_had(why, id))?;
        if let Some(execution) = running {
            wait_within_limit(&execution, &services.limits, Instant::now()).await;
        }
        Ok(())
    }
}

pub fn not_had(why: NotHad, id: Uuid) -> StatementError {
    match why {
        NotHad::Unknown => StatementError::UnknownSession(id),
        NotHad::Busy => StatementError::BusySession(id),
        NotHad::Cancelled => StatementError::Invalid {
            code: "000604",
            sql_state: Some("57014"),
            message: "SQL execution canceled".to_owned(),
        },
    }
}

fn refused(error: RunError) -> StatementError {
    match error {
        RunError::Failed(failure) => {
            StatementError::Invalid { code: failure.code, sql_state: Some(failure.sql_state), message: failure.message }
        }
        other => StatementError::Internal(other.to_string()),
    }
}

//! Opening, looking at and closing a kept session.

use std::time::{Duration, Instant};

use firn_catalog::Caller;
use uuid::Uuid;

use super::{Kept, NotHad};
use crate::error::StatementError;
use crate::request::SubmitRequest;
use crate::run_error::RunError;
use crate::service::{StatementService, wait_within_limit};
use crate::session_state::{GivenNames, SessionState};

/// A kept session as its owner sees it.
#[derive(Clone, Debug)]
pub struct SessionView {
    pub id: Uuid,
    /// A request has it.
    pub is_busy: bool,
    /// As the last request that has ended left them.
    pub names: SessionNames,
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
    /// Opens a session with the names and parameters of a request.
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
        services.kept_sessions.end_idle();
        // Before anything is opened; others that open one meanwhile are counted when it is kept.
        services.kept_sessions.check_room(caller, &services.limits).map_err(StatementError::TooManySessions)?;
        let mut state = self.session_of(caller, request)?;
        (state.request_key, state.template) = (None, None);
        self.check_given_warehouse(&state, request).map_err(refused)?;
        let session = services.engine.open_session().map_err(|error| refused(error.into()))?;
        let given = GivenNames { database: request.database.is_some(), schema: request.schema.is_some() };
        state.enter(services, session.as_ref(), &given).map_err(refused)?;
        let kept = Kept { session, state };
        let id = services
            .kept_sessions
            .keep(caller, kept, idle_max, &services.limits)
            .map_err(StatementError::TooManySessions)?;
        // The user may have been disabled meanwhile.
        services.kept_sessions.end_of_shut_out(&services.catalog.principals());
        self.session(caller, id)
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

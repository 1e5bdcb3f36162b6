//! Opening, looking at and closing a kept session.

use std::time::Duration;

use firn_catalog::Caller;
use uuid::Uuid;

use super::{Kept, NotHad};
use crate::error::StatementError;
use crate::request::SubmitRequest;
use crate::run_error::RunError;
use crate::service::StatementService;
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
        let (of_user, all) = services.kept_sessions.counts(caller.user.id);
        if of_user >= services.limits.sessions_per_user_max || all >= services.limits.sessions_max {
            return Err(StatementError::TooManySessions(of_user));
        }
        let mut state = self.session_of(caller, request)?;
        (state.request_key, state.template) = (None, None);
        self.check_given_warehouse(&state, request).map_err(refused)?;
        let session = services.engine.open_session().map_err(|error| refused(error.into()))?;
        let given = GivenNames { database: request.database.is_some(), schema: request.schema.is_some() };
        state.enter(&services.catalog, session.as_ref(), &given).map_err(refused)?;
        let id = services.kept_sessions.keep(caller, Kept { session, state }, idle_max);
        self.session(caller, id)
    }

    pub fn session(&self, caller: &Caller, id: Uuid) -> Result<SessionView, StatementError> {
        self.inner.services.kept_sessions.view(caller, id).map_err(|why| not_had(why, id))
    }

    pub fn close_session(&self, caller: &Caller, id: Uuid) -> Result<(), StatementError> {
        self.take_request(caller)?;
        self.inner.services.kept_sessions.close(caller, id).map_err(|why| not_had(why, id))
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

//! A request in a kept session: what it takes from the session, and what it leaves there.

use firn_catalog::Caller;
use firn_catalog::registry::EndState;
use firn_engine::Session;
use firn_sql::Namespace;
use firn_sql::command::{Command, Transaction};
use firn_sql::resolve::Uses;
use uuid::Uuid;

use crate::error::StatementError;
use crate::handle::session_number;
use crate::kept_sessions::{InUse, not_had};
use crate::request::SubmitRequest;
use crate::service::StatementService;
use crate::services::Services;
use crate::session_state::{DEFAULT_SCHEMA, SessionState, first_role};
use crate::settings::StatementCount;

pub struct KeptRun {
    in_use: InUse,
    session: Option<Box<dyn Session>>,
    /// As the last statement that succeeded has left it: one that failed may have left the rights of a procedure.
    good: SessionState,
}

impl KeptRun {
    pub fn new(in_use: InUse) -> Option<Self> {
        let good = in_use.state()?.clone();
        Some(Self { in_use, session: None, good })
    }

    pub fn take_session(&mut self) -> Option<Box<dyn Session>> {
        self.in_use.take_session()
    }

    pub fn bring_back(&mut self, session: Box<dyn Session>) {
        self.session = Some(session);
    }

    pub fn note_good(&mut self, state: &SessionState) {
        self.good = state.clone();
    }

    /// Keeps what is for the next request. A transaction that is still open ends: it would hold up others for as long as the
    /// session idles.
    pub fn finish(self, services: &Services, left: &SessionState, handle: Uuid, end: EndState) {
        let Self { in_use, session, mut good } = self;
        let Some(mut session) = session else { return };
        let mut state = match end {
            EndState::Succeeded => left.clone(),
            // What temporary objects were filled from counts, whatever became of the statement.
            _ => {
                good.temporary_reads = left.temporary_reads.clone();
                good
            }
        };
        session.renew_interrupter();
        if session.in_transaction() {
            let context = state.execution_context(&services.catalog, &Uses::default());
            if session.execute(&Command::Transaction(Transaction::Rollback), &context).is_err() {
                return;
            }
        }
        session.release();
        state.end_request(handle);
        in_use.keep(session, state);
    }
}

impl StatementService {
    /// The session that a request names.
    pub(crate) fn kept_session(
        &self,
        caller: &Caller,
        request: &SubmitRequest,
    ) -> Result<Option<InUse>, StatementError> {
        let Some(id) = request.session else { return Ok(None) };
        let taken = self.inner.services.kept_sessions.take(caller, id);
        taken.map(Some).map_err(|why| not_had(why, id))
    }

    /// What a request begins with in a kept session: names that it gives are chosen as by USE, its parameters set as by ALTER
    /// SESSION.
    pub(crate) fn continued(
        &self,
        caller: &Caller,
        request: &SubmitRequest,
        in_use: &InUse,
    ) -> Result<SessionState, StatementError> {
        let Some(kept) = in_use.state() else { return self.session_of(caller, request) };
        let mut state = kept.clone();
        state.caller = caller.clone();
        (state.client_address, state.server_address) = (request.client_address, request.server_address);
        (state.sender, state.changes, state.is_kept) = (request.sender, request.changes, true);
        state.session_id = session_number(in_use.id).to_string();
        if let Some(role) = &request.role {
            (state.role, state.secondary_roles) = first_role(&self.inner.services.catalog, caller, Some(role))?;
        }
        if let Some(warehouse) = &request.warehouse {
            state.warehouse = Some(warehouse.clone());
        }
        if let Some(database) = &request.database {
            let schema = request.schema.clone().unwrap_or_else(|| DEFAULT_SCHEMA.to_owned());
            state.namespace = Namespace { database: Some(database.clone()), schema: Some(schema) };
        } else if let Some(schema) = &request.schema {
            state.namespace.schema = Some(schema.clone());
        }
        state.settings.formats.nulls = request.nulls;
        state.settings.statement_count = StatementCount::Exactly(1);
        state.settings.apply_all(&request.parameters).map_err(crate::submit::invalid_parameters)?;
        Ok(state)
    }
}

//! A request in a kept session: what it takes from the session, and what it leaves there.

use firn_catalog::Caller;
use firn_catalog::registry::EndState;
use firn_engine::{EngineError, Session};
use firn_sql::Namespace;
use firn_sql::command::{Command, Transaction};
use firn_sql::resolve::Uses;
use firn_values::formats::Nulls;
use uuid::Uuid;

use crate::error::StatementError;
use crate::handle::session_number;
use crate::kept_sessions::{InUse, OnlyIf, SessionKind, not_had};
use crate::request::{FormatWish, Purpose, SubmitRequest, Transfers, Wait};
use crate::service::StatementService;
use crate::services::Services;
use crate::session_state::{DEFAULT_SCHEMA, KeptAs, SessionState, first_role};
use crate::settings::{SessionSettings, StatementCount};
use crate::statement_type::StatementType;
use crate::transactions::TransactionState;

pub struct KeptRun {
    in_use: InUse,
    session: Option<Box<dyn Session>>,
    /// As the last statement that succeeded has left it: one that failed may have left the rights of a procedure.
    good: SessionState,
    /// What the parameters of the request alone were before, by their names.
    before: Vec<(String, Option<String>)>,
}

impl KeptRun {
    pub fn new(in_use: InUse, request: &SubmitRequest) -> Option<Self> {
        let good = in_use.state()?.clone();
        let given = request.driver.iter().flat_map(|driver| &driver.parameters);
        let before = given.map(|(name, _)| (name.clone(), good.settings.given.get(name).cloned())).collect();
        Some(Self { in_use, session: None, good, before })
    }

    pub fn take_session(
        &mut self,
        open: impl FnOnce() -> Result<Box<dyn Session>, EngineError>,
    ) -> Result<Box<dyn Session>, EngineError> {
        self.in_use.take_session(open)
    }

    pub fn bring_back(&mut self, session: Box<dyn Session>) {
        self.session = Some(session);
    }

    pub fn note_good(&mut self, state: &SessionState) {
        self.good = state.clone();
    }

    /// Keeps what is for the next request. A transaction that is still open ends, unless a driver goes on with it: it would hold
    /// up others for as long as the session idles.
    pub fn finish(self, services: &Services, left: &SessionState, handle: Uuid, end: EndState) {
        let Self { in_use, session, mut good, before } = self;
        let Some(mut session) = session else { return };
        let is_run = left.purpose == Purpose::Run;
        let mut state = match end {
            EndState::Succeeded if is_run => left.clone(),
            // What temporary objects were filled from counts, whatever became of the statement.
            _ => {
                session.note_failure();
                good.temporary_reads = left.temporary_reads.clone();
                (good.transaction, good.last_transaction) = (left.transaction.clone(), left.last_transaction.clone());
                good
            }
        };
        session.renew_interrupter();
        if session.in_transaction() && in_use.kind == SessionKind::Api {
            let context = state.execution_context(&services.catalog, &Uses::default());
            if session.execute(&Command::Transaction(Transaction::Rollback), &context).is_err() {
                return;
            }
        }
        session.release();
        if !session.in_transaction() {
            state.last_transaction = state.transaction.take().or(state.last_transaction.take());
            services.transactions.end(in_use.id, TransactionState::RolledBack);
        }
        if is_run {
            take_back(&mut state, before, services);
            state.end_request(handle);
        }
        in_use.keep(session, state);
    }
}

/// Takes parameters back that were set for the request alone.
fn take_back(state: &mut SessionState, before: Vec<(String, Option<String>)>, services: &Services) {
    if before.is_empty() {
        return;
    }
    let fresh = SessionSettings::of(&services.catalog, &state.caller.user, Nulls::Null);
    for (name, value) in before {
        // What was set before can be set again.
        let _ = match value {
            Some(value) => state.settings.set(&name, &value),
            None => state.settings.reset(&name, &fresh),
        };
    }
}

/// What a request begins in.
pub enum Place {
    /// A session of its own.
    OfItself,
    Session(InUse),
    /// A session of its own with the state of a kept one, in which it leaves nothing.
    Beside(KeptAs, Box<SessionState>),
}

impl Place {
    pub fn into_session(self) -> Option<InUse> {
        match self {
            Self::Session(in_use) => Some(in_use),
            Self::OfItself | Self::Beside(..) => None,
        }
    }
}

/// Whether a text is a single statement that changes nothing of its session, by its first words.
fn leaves_nothing(text: &str) -> bool {
    let is_single = !text.trim_end().trim_end_matches(';').contains(';');
    let number = StatementType::of(text).0;
    is_single && matches!(number, 0x1000 | 0x3100..=0x3700 | 0x4400 | 0x4500 | 0x4701)
}

impl StatementService {
    /// What a request begins in. A driver's request waits for its turn in its session, unless it can run beside it.
    pub(crate) async fn place_of(&self, caller: &Caller, request: &SubmitRequest) -> Result<Place, StatementError> {
        let Some(id) = request.session else { return Ok(Place::OfItself) };
        let services = &self.inner.services;
        let sessions = &services.kept_sessions;
        if request.driver.is_none() {
            return sessions.take(caller, id).map(Place::Session).map_err(|why| not_had(why, id));
        }
        if leaves_nothing(&request.statement) {
            let only_if = if request.wait == Wait::ForHandle { OnlyIf::Any } else { OnlyIf::Busy };
            let beside = sessions.beside(caller, id, only_if).map_err(|why| not_had(why, id))?;
            if let Some(state) = beside {
                return Ok(Place::Beside(KeptAs { id, kind: SessionKind::Driver }, state));
            }
        }
        let wait = (request.request_id, services.limits.session_turn_wait);
        sessions.take_in_turn(caller, id, wait).await.map(Place::Session).map_err(|why| not_had(why, id))
    }

    /// What a request begins with in a kept session: names that it gives are chosen as by USE, its parameters set as by ALTER
    /// SESSION.
    pub(crate) fn continued(
        &self,
        caller: &Caller,
        request: &SubmitRequest,
        (kept_as, kept): (KeptAs, &SessionState),
    ) -> Result<SessionState, StatementError> {
        let mut state = kept.clone();
        state.caller = caller.clone();
        (state.client_address, state.server_address) = (request.client_address, request.server_address);
        (state.sender, state.changes, state.kept_as) = (request.sender, request.changes, Some(kept_as));
        (state.transfers, state.result_format) = (Transfers::of(request), request.result_format);
        state.session_id = session_number(kept_as.id).to_string();
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
        match &request.driver {
            None => state.settings.statement_count = StatementCount::Exactly(1),
            Some(driver) => {
                for (name, value) in &driver.parameters {
                    // Drivers send parameters that only others know.
                    let _ = state.settings.set(name, value);
                }
                let asked = driver.format_parameter.and_then(|name| state.settings.given.get(name));
                if let Some(asked) = asked.and_then(|value| FormatWish::of_parameter(value)) {
                    state.result_format = asked;
                }
                state.purpose = driver.purpose;
            }
        }
        if state.purpose == Purpose::Describe {
            state.settings.rows_max = Some(0);
        }
        state.settings.apply_all(&request.parameters).map_err(crate::submit::invalid_parameters)?;
        Ok(state)
    }
}

//! Reads for one caller outside of the statement API: what a question needs to know of the data. Every text passes the
//! same parser, the same authorisation and the same allowlists as a statement of the caller's, and only queries pass.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use firn_analyst::semantic_model::{ReadModel, SemanticModel, TableSource};
use firn_analyst::semantic_view::{complete_expressions, omitted_metrics, over_view};
use firn_catalog::registry::{PastStatement, Sender};
use firn_catalog::{AnsweredQuestion, Caller};
use firn_engine::{
    EngineError, ExecutionContext, Interrupt, ObjectDescription, Outcome, RowBudget, RowStream, Session, WireType,
};
use firn_sql::bindings::Bindings;
use firn_sql::command::{Command, IfMissing};
use firn_sql::privileges::{Privilege, PrivilegeSet};
use firn_sql::resolve::{Access, ObjectUse, UsedKind, Uses};
use firn_sql::{Failure, ObjectName, Statement, names_in_text};
use firn_values::formats::Nulls;

use crate::account_views;
use crate::admission::Slot;
use crate::attempts::Attempts;
use crate::authorise::{Authority, Secured, authorise};
use crate::error::StatementError;
use crate::mutex::lock;
use crate::parameters::SessionParameters;
use crate::ready_query::{only_queries, ready};
use crate::request::{Changes, FormatWish, IfLeft, Submission, SubmitRequest, Wait};
use crate::run_error::{RunError, outdated};
use crate::semantic_views;
use crate::service::StatementService;
use crate::services::Services;
use crate::session_state::{
    GivenNames, SessionState, first_role, may_use_warehouse, missing_warehouse, warehouse_refusal,
};
use crate::settings::SessionSettings;

/// Rows read between two checks of whether the caller still waits.
const ROWS_PER_STEP: u64 = 1_000;
const QUESTIONS_MAX: u32 = 10_000;

/// Why nothing was read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReadError {
    /// The query's own fault, or an object the caller may not know of.
    #[error(transparent)]
    Refused(#[from] Failure),
    #[error("stopped")]
    Stopped,
    #[error("{0}")]
    Internal(String),
}

impl From<RunError> for ReadError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Failed(failure) => Self::Refused(failure),
            RunError::Outdated => Self::Refused(outdated()),
            RunError::Stopped => Self::Stopped,
            RunError::Internal(cause) => Self::Internal(cause),
        }
    }
}

/// Ends a reader's work from outside, for good.
#[derive(Default)]
pub struct ReadStop {
    stopped: AtomicBool,
    interrupt: Mutex<Option<Arc<dyn Interrupt>>>,
}

impl ReadStop {
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(interrupt) = lock(&self.interrupt).as_ref() {
            interrupt.interrupt();
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// A session that reads as one caller in one role.
pub struct Reader {
    services: Arc<Services>,
    session: Box<dyn Session>,
    state: SessionState,
    stop: Arc<ReadStop>,
}

impl StatementService {
    /// Counts a request against the caller's rate; refuses it while the server stops.
    pub fn admit_request(&self, caller: &Caller) -> Result<(), StatementError> {
        self.take_request(caller)?;
        if self.is_stopping() { Err(StatementError::ShuttingDown) } else { Ok(()) }
    }

    /// A slot of the warehouse that the caller names, else of the caller's own.
    pub async fn turn_to_read(
        &self,
        caller: &Caller,
        role: Option<&str>,
        warehouse: Option<&str>,
    ) -> Result<Slot, StatementError> {
        let catalog = &self.inner.services.catalog;
        let role = catalog.principals().active_role(caller, role)?;
        let may_use = |name: &str| may_use_warehouse(catalog, &role, name);
        let warehouse = match warehouse {
            Some(name) => Some(catalog.warehouse(name).filter(|_| may_use(name)).ok_or_else(|| {
                let Failure { code, sql_state, message } = missing_warehouse();
                StatementError::Invalid { code, sql_state: Some(sql_state), message }
            })?),
            None => {
                let usual = caller.user.default_warehouse.as_deref().filter(|name| may_use(name));
                usual.and_then(|name| catalog.warehouse(name))
            }
        };
        if let Some(refusal) = warehouse.as_ref().and_then(|found| warehouse_refusal(catalog, found)) {
            let Failure { code, sql_state, message } = refusal;
            return Err(StatementError::Invalid { code, sql_state: Some(sql_state), message });
        }
        let turned_away = |retry_after_s| {
            self.inner.services.outcomes.count_rejected();
            StatementError::TooManyRequests { retry_after_s }
        };
        let entered = self.inner.admission.enter(caller.user.id, warehouse.as_ref());
        let mut place = entered.map_err(|away| turned_away(away.retry_after_s))?;
        let mut slot = place.turn().await.ok_or_else(|| turned_away(1))?;
        if let Some(warehouse) = &warehouse {
            slot.set_metered(self.inner.services.metering.begin(&warehouse.name));
        }
        Ok(slot)
    }

    /// Grows with every change to any data, so that entries cached with an older number are stale.
    pub fn changes_so_far(&self) -> u64 {
        self.inner.services.changes.of_anything()
    }

    /// A reader in the role the caller asks for, or in the caller's default. Blocks on the engine.
    pub fn reader(&self, caller: &Caller, role: Option<&str>, stop: Arc<ReadStop>) -> Result<Reader, StatementError> {
        let services = Arc::clone(&self.inner.services);
        let role = first_role(&services.catalog, caller, role)?;
        let settings = SessionSettings::of(&services.catalog, &caller.user, Nulls::Null);
        let mut state = SessionState::new(caller.clone(), role, settings, &request());
        let internal = |error: &dyn std::fmt::Display| StatementError::Internal(error.to_string());
        let session = services.engine.open_session().map_err(|error| internal(&error))?;
        let given = GivenNames { database: false, schema: false };
        state.enter(&services, session.as_ref(), &given).map_err(|error| internal(&error))?;
        *lock(&stop.interrupt) = Some(session.interrupter());
        Ok(Reader { services, session, state, stop })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        *lock(&self.stop.interrupt) = None;
    }
}

impl Reader {
    pub fn role(&self) -> &str {
        &self.state.role.name
    }

    pub fn user_id(&self) -> i64 {
        self.state.caller.user.id
    }

    /// Whether the caller could run the text as it is: one query, its objects readable, and accepted by the engine.
    pub fn prepare(&mut self, sql: &str) -> Result<(), ReadError> {
        let (statement, context) = self.ready(sql)?;
        if !matches!(statement.command, Command::Query(_)) {
            return Err(not_a_query());
        }
        self.session.explain(&statement.command, &context).map_err(RunError::from)?;
        self.still_wanted()
    }

    /// The query's rows, at most `rows_max` of them; what is beyond is not read.
    pub fn rows(&mut self, sql: &str, rows_max: u64) -> Result<Vec<Vec<Option<String>>>, ReadError> {
        let stop = Arc::clone(&self.stop);
        self.execute(sql, |mut rows| {
            let mut json = vec![b'['];
            let mut left = rows_max;
            while left > 0 {
                if stop.is_stopped() {
                    return Err(ReadError::Stopped);
                }
                let budget = RowBudget { bytes: usize::MAX, rows: left.min(ROWS_PER_STEP) };
                let encoded = rows.encode(&mut json, budget).map_err(RunError::from)?;
                left = left.saturating_sub(encoded.rows);
                if encoded.ended {
                    break;
                }
            }
            json.push(b']');
            serde_json::from_slice(&json).map_err(|error| ReadError::Internal(error.to_string()))
        })
    }

    /// The types of the query's columns. It is executed, but no row is read.
    pub fn types(&mut self, sql: &str) -> Result<Vec<WireType>, ReadError> {
        self.execute(sql, |rows| Ok(rows.columns().iter().map(|column| column.wire_type).collect()))
    }

    fn execute<T>(
        &mut self,
        sql: &str,
        read: impl FnOnce(Box<dyn RowStream + '_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let stop = Arc::clone(&self.stop);
        let definitions = Arc::clone(self.services.engine.definitions());
        let mut attempts = Attempts::new(&definitions);
        loop {
            let (statement, context) = self.ready(sql)?;
            match self.session.execute(&statement.command, &context) {
                Err(EngineError::Outdated) => attempts.again(|| stop.is_stopped())?,
                Err(error) => return Err(RunError::from(error).into()),
                Ok(Outcome::Rows(rows)) => return read(rows),
                Ok(_) => return Err(not_a_query()),
            }
        }
    }

    /// The model of a semantic view that the caller may query, by its name as written. What its expressions name is in the
    /// schema of the view, wherever the caller is. Who may not read its tables reads them by the view.
    pub fn semantic_view(&mut self, given: &str) -> Result<ReadModel, ReadError> {
        self.still_wanted()?;
        let missing = || Failure::missing_object("Semantic view", given);
        let mut name = ObjectName::of_parts(names_in_text(given)?).ok_or_else(missing)?;
        name.qualify(&self.state.namespace)?;
        let view = semantic_views::find(&self.services, self.session.as_ref(), &self.state.role, &name)?;
        let authority = Authority::new(&self.services.catalog, self.session.as_ref(), &self.state.role);
        if !authority.has(Secured::semantic_view(&view), Privilege::Select)? {
            return Err(Failure::insufficient_privileges("semantic view", &view.name).into());
        }
        let mut model = semantic_views::model_in(&view)?;
        if !self.reads_tables_of(&model)? {
            let offered = over_view(model.clone(), &name);
            let omitted = omitted_metrics(&model, &offered);
            let warning = || {
                format!(
                    "Not used: {}. They are computed from columns that are no public dimension or fact of {name}, and your role \
                     cannot read its tables; SEMANTIC_VIEW({name} METRICS …) computes them.",
                    omitted.join(", ")
                )
            };
            let warnings = if omitted.is_empty() { Vec::new() } else { vec![warning()] };
            return Ok(ReadModel { model: offered, warnings });
        }
        complete_expressions(&mut model, &semantic_views::function_home(&view));
        Ok(ReadModel { model, warnings: Vec::new() })
    }

    fn reads_tables_of(&mut self, model: &SemanticModel) -> Result<bool, ReadError> {
        for table in &model.tables {
            let TableSource::BaseTable { .. } = &table.source else { continue };
            let name = ObjectName::of_parts(names_in_text(&table.source.sql())?);
            match name.map(|name| self.describe(&name)) {
                Some(Ok(_)) => {}
                None | Some(Err(ReadError::Refused(_))) => return Ok(false),
                Some(Err(other)) => return Err(other),
            }
        }
        Ok(true)
    }

    /// A table or view that the caller may read.
    pub fn describe(&mut self, name: &ObjectName) -> Result<Arc<ObjectDescription>, ReadError> {
        self.still_wanted()?;
        let mut name = name.clone();
        name.qualify(&self.state.namespace).map_err(ReadError::Refused)?;
        let object = ObjectUse {
            written: name.to_string(),
            name: name.clone(),
            kind: UsedKind::Table,
            access: Access::Read,
            needs: PrivilegeSet::NONE.with(Privilege::Select),
            if_missing: IfMissing::Fail,
        };
        let uses = Uses { objects: vec![object], ..Uses::default() };
        authorise(&self.services, self.session.as_ref(), &self.state.role, &uses)?;
        let found = self.session.describe(&name).map_err(RunError::from)?;
        found.ok_or_else(|| ReadError::Refused(Failure::missing_object("Object", &name.to_string())))
    }

    /// The statements of the history that the caller may see, the latest first.
    pub fn visible_history(&self) -> Result<Vec<PastStatement>, ReadError> {
        self.still_wanted()?;
        Ok(account_views::latest_visible(&self.services, &self.state)?)
    }

    /// Questions over the model of a name that were answered with SQL, as far as the caller may see them; the latest first.
    pub fn visible_questions(&self, semantic_model: &str) -> Result<Vec<AnsweredQuestion>, ReadError> {
        self.still_wanted()?;
        let by = self.state.sees_questions_of();
        let found = self.services.catalog.answered_questions(by, semantic_model, QUESTIONS_MAX);
        Ok(found.map_err(RunError::from)?)
    }

    fn ready(&mut self, sql: &str) -> Result<(Statement, ExecutionContext), ReadError> {
        self.still_wanted()?;
        Ok(ready(&self.services, self.session.as_mut(), &self.state, sql)?)
    }

    fn still_wanted(&self) -> Result<(), ReadError> {
        if self.stop.is_stopped() { Err(ReadError::Stopped) } else { Ok(()) }
    }
}

fn not_a_query() -> ReadError {
    ReadError::Refused(only_queries())
}

/// A request that says nothing: the user's own defaults hold.
pub(crate) fn request() -> SubmitRequest {
    SubmitRequest {
        statement: String::new(),
        timeout_s: None,
        database: None,
        schema: None,
        warehouse: None,
        role: None,
        bindings: Bindings::default(),
        parameters: SessionParameters::default(),
        wait: Wait::ForOutcome,
        nulls: Nulls::Null,
        result_format: FormatWish::Json,
        request_id: None,
        submission: Submission::First,
        sender: Sender::User,
        changes: Changes::Refused,
        if_left: IfLeft::GoOn,
        session: None,
        driver: None,
        client_address: None,
        server_address: None,
    }
}

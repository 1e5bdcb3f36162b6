//! A request on its way to a job: its plan, its record, and what it begins with.

use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_catalog::registry::StatementRecord;
use firn_sql::Failure;
use firn_sql::command::{Command, Transaction};
use firn_sql::secrets_in_text;
use uuid::Uuid;

use crate::clock::now_ms;
use crate::execution::Execution;
use crate::handle::session_number;
use crate::kept_run::KeptRun;
use crate::plan::Plan;
use crate::request::SubmitRequest;
use crate::run::{Job, Timeout};
use crate::run_error::RunError;
use crate::session_state::{GivenNames, SessionState};
use crate::short_statements;

/// A request that has passed every check that needs no session.
pub(super) struct Prepared {
    pub(super) state: SessionState,
    /// A plan that could not be made is a failed statement like any other: it gets its handle.
    pub(super) plan: Result<Plan, RunError>,
    children: Vec<Uuid>,
    given: GivenNames,
    pub(super) timeout_s: u64,
    timeout: Timeout,
}

impl Prepared {
    pub(super) fn new(
        state: SessionState,
        plan: Result<Plan, RunError>,
        timeout_s: u64,
        request: &SubmitRequest,
    ) -> Self {
        let children = match &plan {
            Ok(plan) if plan.is_set() => plan.statements.iter().map(|_| Uuid::now_v7()).collect(),
            _ => Vec::new(),
        };
        let timeout = if request.timeout_s.is_some() { Timeout::OfRequest } else { Timeout::OfSession };
        let given = GivenNames { database: request.database.is_some(), schema: request.schema.is_some() };
        Self { state, plan, children, given, timeout_s, timeout }
    }

    /// What was to go on with a transaction must not succeed without it. ROLLBACK asks for what has happened.
    pub(super) fn report_lost_transaction(&mut self, idle_max: Duration) {
        let is_rollback = |command: &Command| matches!(command, Command::Transaction(Transaction::Rollback));
        if self.plan.as_ref().is_ok_and(|plan| plan.only_statement().is_some_and(|only| is_rollback(&only.command))) {
            return;
        }
        let message = format!(
            "The transaction of the session was rolled back, with its changes, after {} seconds without a statement; begin it \
             anew. The server's setting transaction_idle_ms_max says how long it stays.",
            idle_max.as_secs_f64()
        );
        self.plan = Err(Failure::new("000625", "40000", message).into());
    }

    pub(super) fn record(&self, request: &SubmitRequest) -> StatementRecord {
        let record = record_of(&self.state, request, self.children.clone());
        // A variable that was not set has no use that could show what it is for.
        match self.plan.is_err() && secrets_in_text::is_assignment(&request.statement) {
            true => {
                let text = secrets_in_text::hidden_assignment(&request.statement).into_owned();
                StatementRecord { text, ..record }
            }
            false => record,
        }
    }

    pub(super) fn into_job(
        self,
        execution: &Arc<Execution>,
        sync_wait: Duration,
        kept: Option<KeptRun>,
    ) -> Result<Job, RunError> {
        let mut state = self.state;
        // Others learn the handle when the request has waited for long enough, so a crash long before that interests nobody.
        let unknown_for = if execution.is_recorded() { Duration::ZERO } else { sync_wait / 2 };
        state.outcome_recorded_from = Some(Instant::now() + unknown_for);
        if !state.is_kept() {
            state.session_id = session_number(execution.handle.0).to_string();
        }
        let plan = self.plan?;
        // What runs again at once would find the session gone.
        let tables = plan
            .only_statement()
            .filter(|_| kept.is_none())
            .and_then(|statement| short_statements::tables(statement, &state.settings, &state.namespace));
        Ok(Job {
            execution: execution.clone(),
            tables,
            plan,
            state,
            given: self.given,
            children: self.children,
            timeout: self.timeout,
            kept,
        })
    }
}

pub(super) fn record_of(state: &SessionState, request: &SubmitRequest, children: Vec<Uuid>) -> StatementRecord {
    StatementRecord {
        handle: Uuid::now_v7(),
        user_id: state.caller.user.id,
        request_id: request.request_id,
        parent: None,
        children,
        created_on_ms: now_ms(),
        text: secrets_in_text::hidden(&request.statement).into_owned(),
        query_tag: state.recorded_tag(),
        sender: request.sender,
        session: state.kept_session(),
        role: state.role.name.clone(),
        warehouse: state.warehouse.clone(),
        database: state.namespace.database.clone(),
        schema: state.namespace.schema.clone(),
        ended: None,
    }
}

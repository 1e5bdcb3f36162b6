//! Stopping what runs: queries, sessions and transactions. Who administers the account stops everyone's, everyone else
//! their own; what a caller may not stop looks like what does not run.

use std::sync::Arc;

use firn_catalog::registry::StatementRecord;
use firn_sql::Failure;
use firn_sql::command::{Command, Transaction};
use serde_json::json;
use uuid::Uuid;

use super::CallContext;
use crate::execution::{Execution, StopReason};
use crate::run_error::RunError;
use crate::transaction_scope;

impl CallContext<'_> {
    /// What else runs that the caller may stop.
    fn stoppable(&self) -> impl Iterator<Item = Arc<Execution>> {
        let (user_id, own) = (self.state.caller.user.id, self.execution.handle);
        let sees_all = self.state.role.is_account_admin();
        let running = self.services.running.all().into_iter();
        let principals = self.services.catalog.principals();
        let is_own = move |other: &Execution| {
            let is_covered = || principals.token_covers_role(&self.state.caller, &other.role);
            !self.state.has_owners_rights && other.user_id == user_id && is_covered()
        };
        running.filter(move |other| other.handle != own && (sees_all || is_own(other)))
    }

    fn stop_where(&self, is_meant: impl Fn(&Execution) -> bool) -> usize {
        let meant: Vec<Arc<Execution>> = self.stoppable().filter(|execution| is_meant(execution)).collect();
        meant.iter().for_each(|execution| execution.stop(StopReason::Cancelled));
        meant.len()
    }

    pub(super) fn cancel_query(&self, handle: &str) -> String {
        match self.stop_where(|execution| execution.handle.to_string() == handle.trim().to_ascii_lowercase()) {
            0 => "Identified SQL statement is not currently executing.".to_owned(),
            _ => format!("query [{}] terminated.", handle.trim()),
        }
    }

    pub(super) fn cancel_all_queries(&self, session: &str) -> String {
        let count = self.stop_where(|execution| execution.session().to_string() == session);
        format!("{count} cancelled.")
    }

    pub(super) fn abort_session(&self, session: &str) -> Result<Option<String>, RunError> {
        let ended = self.services.kept_sessions.abort(session, |owner| self.may_end_what_is_of(owner));
        let stopped = self.stop_where(|execution| execution.session().to_string() == session);
        match ended + stopped {
            0 => Err(missing("Session", session).into()),
            _ => Ok(Some(format!("session [{session}] terminated."))),
        }
    }

    /// Whether the session may end sessions and transactions of this user.
    fn may_end_what_is_of(&self, user_id: i64) -> bool {
        let is_own = !self.state.has_owners_rights && self.state.caller.user.id == user_id;
        self.state.role.is_account_admin() || is_own
    }

    /// The session's own transaction is rolled back, and one of a session that idles; another ends with the statement that is
    /// stopped.
    pub(super) fn abort_transaction(&mut self, transaction: &str) -> Result<Option<String>, RunError> {
        if self.state.transaction.as_deref() == Some(transaction) {
            transaction_scope::check(self.state, &*self.session, &Command::Transaction(Transaction::Rollback))?;
            self.session.execute(&Command::Transaction(Transaction::Rollback), &self.context)?;
            return Ok(Some(format!("Transaction [{transaction}] aborted.")));
        }
        let idle = &self.services.kept_sessions;
        let aborted = idle.abort_transaction(transaction, |owner| self.may_end_what_is_of(owner), self.services);
        let stopped = self.stop_where(|execution| execution.transaction().as_deref() == Some(transaction));
        match aborted + stopped {
            0 => Err(missing("Transaction", transaction).into()),
            _ => Ok(Some(format!("Transaction [{transaction}] aborted."))),
        }
    }

    pub(super) fn own_statement(&self, handle: Uuid) -> Result<StatementRecord, RunError> {
        let found = self.services.past_statement_of(self.state, handle)?;
        found.ok_or_else(|| Failure::new("000709", "02000", format!("Statement {handle} not found")).into())
    }

    /// Nothing here runs quicker by a service beside the engine.
    pub(super) fn estimate_acceleration(&self, handle: &str) -> Result<Option<String>, RunError> {
        let missing = || Failure::new("000709", "02000", format!("Statement {handle} not found"));
        let record = self.own_statement(Uuid::try_parse(handle).map_err(|_| missing())?)?;
        let finished = record.ended.map_or(record.created_on_ms, |ended| ended.finished_on_ms);
        let estimate = json!({
            "estimatedQueryTimes": {},
            "originalQueryTime": (finished - record.created_on_ms) as f64 / 1000.0,
            "queryUUID": record.handle.to_string(),
            "status": "ineligible",
            "upperLimitScaleFactor": 0,
        });
        Ok(Some(estimate.to_string()))
    }
}

fn missing(kind: &str, name: &str) -> Failure {
    Failure::missing_object(kind, name)
}

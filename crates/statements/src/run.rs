//! Runs what a request holds, blocking the thread it is on: one statement, or a set in one session.

use std::sync::Arc;
use std::time::Instant;

use firn_catalog::registry::{Ended, ResultFormat, StatementRecord};
use firn_engine::Session;
use firn_engine::error::{CLOSED_STATES, MEMORY_STATE};
use firn_sql::command::{Command, Transaction};
use firn_sql::{Failure, secrets_in_text};
use uuid::Uuid;

use crate::autocommit::begins_transaction;
use crate::change_counts::set_rows;
use crate::clock::now_ms;
use crate::execution::{Ending, Execution, TimeLimit};
use crate::kept_run::KeptRun;
use crate::limits::{parse_limits, within};
use crate::partitions::{PartitionLimits, WrittenResult, write_partitions};
use crate::plan::{Plan, Reach};
use crate::reads::Reads;
use crate::run_error::{RunError, outdated};
use crate::services::Services;
use crate::session_state::{GivenNames, SessionState};
use crate::transaction_writes::tables_written_until_commit;
use crate::transactions::TransactionState;
use crate::{current_definitions, ending, record_end, run_statement};

/// One request, ready to run.
pub struct Job {
    pub execution: Arc<Execution>,
    pub plan: Plan,
    /// The tables that the only statement reads, if it may be restarted without visible effect.
    pub tables: Option<Arc<str>>,
    pub state: SessionState,
    pub given: GivenNames,
    /// One handle per statement when the plan is a set.
    pub children: Vec<Uuid>,
    pub timeout: Timeout,
    /// The session that outlasts the request.
    pub kept: Option<KeptRun>,
}

/// Whose time limit holds: the request's for all of it, or the session's for each statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    OfRequest,
    OfSession,
}

pub fn run(services: &Services, mut job: Job) -> Ending {
    let execution = job.execution.clone();
    let outcome = match (job.plan.is_set(), job.tables.take()) {
        (true, _) => run_set(services, &mut job),
        (false, None) => run_single(services, &mut job),
        (false, Some(tables)) => run_timed(services, &mut job, &tables),
    };
    let ending = ended(services, &job, outcome);
    match job.kept.take() {
        Some(kept) => kept.finish(services, &job.state, execution.handle.0, ending.ended.state),
        // What a request leaves open ends with it.
        None => services.transactions.end(execution.handle.0, TransactionState::RolledBack),
    }
    ending
}

fn ended(services: &Services, job: &Job, outcome: Result<WrittenResult, RunError>) -> Ending {
    let execution = &job.execution;
    match outcome {
        Ok(written) => {
            let limits = &services.limits;
            let bytes_max = limits.results_disk_bytes_max.min(limits.results_user_bytes_max);
            services.written_results.note(written.stored.disk_bytes(), bytes_max);
            with_reads_of_result(ending::succeeded(written, limits), &job.state)
        }
        Err(error) => {
            // The partitions of a failed statement are removed.
            if let Err(error) = services.store.remove(execution.handle.0) {
                tracing::warn!(statement.handle = %execution.handle, %error, "left-over partitions cannot be removed");
            }
            let sql_state = match &error {
                RunError::Failed(failure) => failure.sql_state,
                _ => "",
            };
            let may_be_closed = CLOSED_STATES.contains(&sql_state);
            if may_be_closed {
                services.reopen_databases();
            }
            if (may_be_closed || sql_state == MEMORY_STATE)
                && let Some(ending) = services.end_of_closed(execution.handle)
            {
                return ending;
            }
            let ending = ending::failed(error, execution, &services.limits);
            Ending { ended: Ended { reads: job.state.reads.borrow().of_failure(), ..ending.ended }, ..ending }
        }
    }
}

fn with_reads_of_result(ending: Ending, state: &SessionState) -> Ending {
    Ending { ended: Ended { reads: state.reads.borrow().of_result(), ..ending.ended }, ..ending }
}

fn run_timed(services: &Services, job: &mut Job, tables: &Arc<str>) -> Result<WrittenResult, RunError> {
    let begun = Instant::now();
    let outcome = run_single(services, job);
    services.short_statements.note_time(tables, begun.elapsed());
    outcome
}

fn run_single(services: &Services, job: &mut Job) -> Result<WrittenResult, RunError> {
    let mut open = open_session(services, job)?;
    let outcome = run_single_in(services, open.as_mut(), job);
    open.leave(job);
    outcome
}

fn run_single_in(services: &Services, session: &mut dyn Session, job: &mut Job) -> Result<WrittenResult, RunError> {
    let handle = job.execution.handle.0;
    if let Some(written) = run_known(services, session, job)? {
        return Ok(written);
    }
    if let (Some(_), Some(asked)) = (job.plan.known.take(), &job.state.template) {
        let limits = parse_limits(&services.limits);
        job.plan = Plan::make(&asked.text, &asked.bindings, &job.state.settings, Reach::Request, &limits)?;
    }
    let Some(statement) = job.plan.statements.pop() else {
        return Err(RunError::Internal("a plan without a statement".to_owned()));
    };
    run_without_secrets(services, &job.execution, session, &mut job.state, statement, handle)
}

/// Runs a statement; what it fails with does not quote a secret of its text.
fn run_without_secrets(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: firn_sql::Statement,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    let may_have_secrets =
        matches!(statement.command, Command::Account(_) | Command::Block(_) | Command::Stages(_) | Command::Ddl(_));
    let text = may_have_secrets.then(|| statement.text.clone());
    let outcome = current_definitions::run_statement(services, execution, session, state, statement, handle);
    outcome.map_err(|error| match text {
        Some(text) => error.without_secrets_of(&text),
        None => error,
    })
}

/// Runs the cached plan of the request. `None` if there is none, if something has changed since it was planned, or if it
/// failed: the full path reports the error, if there is one.
fn run_known(services: &Services, session: &mut dyn Session, job: &Job) -> Result<Option<WrittenResult>, RunError> {
    let (Some(known), Some(asked)) = (&job.plan.known, &job.state.template) else { return Ok(None) };
    if !known.is_current(&services.changes) {
        return Ok(None);
    }
    let handle = job.execution.handle.0;
    match run_statement::run_known(services, &job.execution, session, &job.state, (known, asked), handle) {
        Ok(written) => {
            let reads = known.read.reads.as_deref().cloned();
            job.state.reads.replace(reads.unwrap_or_else(Reads::incomplete));
            Ok(Some(written))
        }
        Err(RunError::Stopped) => Err(RunError::Stopped),
        Err(_) => {
            services.store.remove(handle)?;
            Ok(None)
        }
    }
}

/// Runs a known query and nothing else. `None` if that gave no result in its time; the job is as before.
pub fn run_quick(services: &Services, job: &mut Job) -> Option<Ending> {
    let mut session = open_session(services, job).ok()?;
    match run_known(services, session.as_mut(), job) {
        Ok(written) => {
            written.map(|written| with_reads_of_result(ending::succeeded(written, &services.limits), &job.state))
        }
        Err(_) => {
            // A folder that could not be removed is overwritten.
            let _ = services.store.remove(job.execution.handle.0);
            None
        }
    }
}

/// Runs a statement that is expected to be short. `None` if it was interrupted; the job is as before.
pub fn run_short(services: &Services, job: &mut Job) -> Option<Ending> {
    let tables = job.tables.clone()?;
    let statement = job.plan.only_statement()?.clone();
    let outcome = run_timed(services, job, &tables);
    if matches!(outcome, Err(RunError::Stopped)) {
        // A folder that could not be removed is overwritten.
        let _ = services.store.remove(job.execution.handle.0);
        job.plan.statements = vec![statement];
        return None;
    }
    Some(ended(services, job, outcome))
}

/// Runs the statements one after the other; the first that fails ends the set, and what was done
/// before it stays done.
fn run_set(services: &Services, job: &mut Job) -> Result<WrittenResult, RunError> {
    let mut open = open_session(services, job)?;
    let outcome = run_set_in(services, open.as_mut(), job);
    open.leave(job);
    outcome
}

fn run_set_in(services: &Services, session: &mut dyn Session, job: &mut Job) -> Result<WrittenResult, RunError> {
    let statements = std::mem::take(&mut job.plan.statements);
    for (index, statement) in statements.iter().enumerate() {
        let in_transaction = match statement.command {
            Command::Transaction(Transaction::Begin) => Some(&statements[index + 1..]),
            _ if begins_transaction(&statement.command, session, &job.state) => Some(&statements[index..]),
            _ => None,
        };
        if let Some(in_transaction) = in_transaction {
            session.reserve(&tables_written_until_commit(in_transaction, &job.state.namespace))?;
        }
        if job.timeout == Timeout::OfSession {
            job.execution.limit_time(TimeLimit::from_now(session_timeout_s(services, &job.state)));
        }
        let handle = run_child(services, job, session, statement.clone(), index)?;
        job.state.past.push(handle);
        if let Some(kept) = &mut job.kept {
            kept.note_good(&job.state);
        }
    }
    job.state.reads.take();
    Ok(write_partitions(
        &mut set_rows(),
        ResultFormat::Json,
        &PartitionLimits::UNLIMITED,
        &services.store,
        job.execution.handle.0,
    )?)
}

fn run_child(
    services: &Services,
    job: &mut Job,
    session: &mut dyn Session,
    statement: firn_sql::Statement,
    index: usize,
) -> Result<Uuid, RunError> {
    let handle = job.children.get(index).copied().unwrap_or_else(Uuid::now_v7);
    let text = match statement.command {
        Command::SetVariables(_) => secrets_in_text::hidden_assignment(&statement.text),
        _ => secrets_in_text::hidden(&statement.text),
    };
    let text = text.into_owned();
    let record = child_record(job, &text, handle);
    job.execution.begin_child(record);
    job.state.reads.take();
    let outcome = run_without_secrets(services, &job.execution, session, &mut job.state, statement, handle);
    let (ended, failure) = match outcome {
        Ok(written) => (with_reads_of_result(ending::succeeded(written, &services.limits), &job.state).ended, None),
        Err(error) => {
            let failure = set_failure(&error, &text, index);
            let ended = ending::failed(error, &job.execution, &services.limits).ended;
            (Ended { reads: job.state.reads.borrow().of_failure(), ..ended }, Some(failure))
        }
    };
    if let Some(record) = job.execution.take_child() {
        record_end::record_child(services, &job.execution, StatementRecord { ended: Some(ended), ..record })?;
    }
    failure.map_or(Ok(handle), Err)
}

fn session_timeout_s(services: &Services, state: &SessionState) -> u64 {
    let most = services.limits.statement_timeout_s_max;
    let seconds = match state.settings.statement_timeout_s {
        0 => most,
        seconds => seconds.min(most),
    };
    let warehouse = state.warehouse.as_deref().and_then(|name| services.catalog.warehouse(name));
    within(seconds, warehouse.map_or(0, |warehouse| warehouse.statement_timeout_s))
}

fn child_record(job: &Job, text: &str, handle: Uuid) -> StatementRecord {
    StatementRecord {
        handle,
        user_id: job.execution.user_id,
        request_id: None,
        parent: Some(job.execution.handle.0),
        children: Vec::new(),
        created_on_ms: now_ms(),
        text: text.to_owned(),
        query_tag: job.state.recorded_tag(),
        sender: job.state.sender,
        session: job.state.kept_session(),
        role: job.state.role.name.clone(),
        warehouse: job.state.warehouse.clone(),
        database: job.state.namespace.database.clone(),
        schema: job.state.namespace.schema.clone(),
        ended: None,
    }
}

/// A set's failure names the statement that failed; being stopped or failing ourselves stays what it is.
fn set_failure(error: &RunError, text: &str, index: usize) -> RunError {
    match error {
        RunError::Failed(failure) => RunError::Failed(Failure::new(
            "100132",
            "P0000",
            format!(
                "Execution of multiple statements failed on statement {} \"{}\": {} ({}/{})",
                index + 1,
                beginning(text),
                failure.message,
                failure.code,
                failure.sql_state
            ),
        )),
        RunError::Outdated => set_failure(&outdated().into(), text, index),
        RunError::Stopped => RunError::Stopped,
        RunError::Internal(message) => RunError::Internal(message.clone()),
    }
}

fn beginning(text: &str) -> String {
    const CHARACTERS_MAX: usize = 100;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn open_session(services: &Services, job: &mut Job) -> Result<OpenSession, RunError> {
    let session = match &mut job.kept {
        Some(kept) => kept.take_session(|| services.engine.open_session())?,
        None => services.engine.open_session()?,
    };
    job.execution.interrupt_through(Some(session.interrupter()));
    let mut open = OpenSession { interruptible: Interruptible(job.execution.clone()), session };
    if let Err(error) = job.state.enter(services, open.as_mut(), &job.given) {
        open.leave(job);
        return Err(error);
    }
    Ok(open)
}

/// A session that can be interrupted exactly as long as it is open.
struct OpenSession {
    interruptible: Interruptible,
    session: Box<dyn Session>,
}

impl OpenSession {
    fn as_mut(&mut self) -> &mut dyn Session {
        self.session.as_mut()
    }

    /// A session that outlasts the request waits for the next one; any other ends.
    fn leave(self, job: &mut Job) {
        drop(self.interruptible);
        if let Some(kept) = &mut job.kept {
            kept.bring_back(self.session);
        }
    }
}

struct Interruptible(Arc<Execution>);

impl Drop for Interruptible {
    fn drop(&mut self) {
        self.0.interrupt_through(None);
    }
}

//! AUTOCOMMIT = FALSE: the first query or DML statement begins a transaction, which ends with COMMIT, ROLLBACK or DDL, or
//! is rolled back with the session.

use firn_engine::Session;
use firn_sql::command::{Command, SessionCommand, StageCommand, Transaction};
use firn_sql::resolve::Uses;

use crate::execution::Execution;
use crate::request::Purpose;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::{SessionState, TransactionNow};
use crate::settings::Commits;
use crate::transactions::TransactionState;

/// Whether a statement would begin a transaction by itself.
pub fn begins_transaction(command: &Command, session: &dyn Session, state: &SessionState) -> bool {
    let works = matches!(
        command,
        Command::Query(_) | Command::Dml(_) | Command::InsertMany(_) | Command::Stages(StageCommand::Load(_))
    );
    let is_run = state.purpose == Purpose::Run;
    works && is_run && state.settings.commits == Commits::WhenAsked && !session.in_transaction()
}

pub fn begin_before(
    command: &Command,
    session: &mut dyn Session,
    state: &SessionState,
    services: &Services,
) -> Result<(), RunError> {
    if begins_transaction(command, session, state) {
        execute(Transaction::Begin, session, state, services)?;
    }
    Ok(())
}

/// Setting AUTOCOMMIT, to whatever value, commits what was done before.
pub fn end_before(
    command: &SessionCommand,
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
) -> Result<(), RunError> {
    let sets = match command {
        SessionCommand::SetParameters(parameters) => parameters.iter().any(|(name, _)| name == "AUTOCOMMIT"),
        SessionCommand::UnsetParameters(names) => names.iter().any(|name| name == "AUTOCOMMIT"),
        _ => false,
    };
    if sets && session.in_transaction() {
        execute(Transaction::Commit, session, state, services)?;
        services.changes.note_all();
        state.note_transaction(TransactionNow::None);
        services.transactions.end(state.transaction_owner(execution.handle), TransactionState::Committed);
    }
    Ok(())
}

fn execute(
    command: Transaction,
    session: &mut dyn Session,
    state: &SessionState,
    services: &Services,
) -> Result<(), RunError> {
    let context = state.execution_context(&services.catalog, &Uses::default());
    session.execute(&Command::Transaction(command), &context)?;
    Ok(())
}

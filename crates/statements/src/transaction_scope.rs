//! A transaction begins and ends in one scope: a procedure cannot end the transaction of its caller, nor leave one of its own
//! open.

use firn_engine::Session;
use firn_sql::command::{Command, SessionCommand, Transaction};
use firn_sql::resolve::Uses;
use firn_sql::{Failure, Statement};

use crate::execution::Execution;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::{SessionState, TransactionNow, TransactionScope};
use crate::transactions::{Begun, TransactionState};

const SQL_STATE: &str = "25000";

/// Remembers which transaction the session is in after a statement.
pub fn note(
    services: &Services,
    execution: &Execution,
    session: &dyn Session,
    state: &mut SessionState,
    statement: &Statement,
) {
    let is_open = session.in_transaction();
    let works = matches!(statement.command, Command::Transaction(_) | Command::Dml(_) | Command::InsertMany(_));
    if !works && state.transaction.is_some() == is_open {
        return;
    }
    state.note_transaction(if is_open { TransactionNow::Open } else { TransactionNow::None });
    execution.note_transaction(state.transaction.clone());
    match (is_open, &statement.command) {
        (true, _) => {
            if let Some(number) = &state.transaction {
                let owner = state.transaction_owner(execution.handle);
                let begun = Begun { handle: execution.handle.0, owner, session };
                services.transactions.begin(begun, &state.caller.user, number, &statement.text);
            }
        }
        (false, Command::Transaction(Transaction::Rollback)) => {
            services.transactions.end(state.transaction_owner(execution.handle), TransactionState::RolledBack);
        }
        (false, _) => services.transactions.end(state.transaction_owner(execution.handle), TransactionState::Committed),
    }
}

/// Enters a procedure, and gives the scope to return to.
pub fn enter(session: &dyn Session, state: &mut SessionState) -> TransactionScope {
    let scope = if session.in_transaction() { TransactionScope::Callers } else { TransactionScope::Own };
    std::mem::replace(&mut state.transaction_scope, scope)
}

/// Leaves a procedure. A transaction that it has left open is rolled back, which is an error.
pub fn leave(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    outer: TransactionScope,
) -> Result<(), RunError> {
    let scope = std::mem::replace(&mut state.transaction_scope, outer);
    if scope == TransactionScope::Callers || !session.in_transaction() {
        return Ok(());
    }
    let context = state.execution_context(&services.catalog, &Uses::default());
    session.execute(&Command::Transaction(Transaction::Rollback), &context)?;
    state.note_transaction(TransactionNow::None);
    services.transactions.end(state.transaction_owner(execution.handle), TransactionState::RolledBack);
    let message = "Stored procedure execution error: Scoped transaction started in stored procedure is incomplete and it was \
                   rolled back.";
    Err(Failure::new("100183", SQL_STATE, message).into())
}

/// Refuses what would begin or end a transaction while the caller's is open.
pub fn check(state: &SessionState, session: &dyn Session, command: &Command) -> Result<(), Failure> {
    let ends_transaction = match command {
        Command::Transaction(_) | Command::Ddl(_) => true,
        Command::Session(SessionCommand::SetParameters(parameters)) => {
            parameters.iter().any(|(name, _)| name == "AUTOCOMMIT")
        }
        Command::Session(SessionCommand::UnsetParameters(names)) => names.iter().any(|name| name == "AUTOCOMMIT"),
        _ => false,
    };
    if !ends_transaction || state.transaction_scope == TransactionScope::Own || !session.in_transaction() {
        return Ok(());
    }
    let message = "Modifying a transaction that has started at a different scope is not allowed.";
    Err(Failure::new("100183", SQL_STATE, message))
}

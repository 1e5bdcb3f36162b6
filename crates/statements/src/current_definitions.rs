//! Runs statements with the definitions that they were authorised for: one during whose planning definitions changed is
//! authorised again, as its names may be those of other objects now.

use firn_engine::Session;
use firn_engine::error::CLOSED_STATES;
use firn_sql::command::{Command, CreateMode, Ddl};
use firn_sql::{Failure, SourceStatement, Statement, Substitutes, parse_with};
use uuid::Uuid;

use crate::attempts::Attempts;
use crate::execution::Execution;
use crate::limits::parse_limits;
use crate::partitions::WrittenResult;
use crate::run_error::RunError;
use crate::run_statement::run_once;
use crate::services::Services;
use crate::session_state::SessionState;

/// A longer statement, such as an INSERT of many values, is parsed again instead of being copied beforehand: it seldom has to be.
const COPIED_BYTES_MAX: usize = 64 << 10;
/// How often an object that is missing or not granted is looked up again because definitions were being changed.
const LOOKED_AGAIN_MAX: usize = 5;
const ALREADY_EXISTS: &str = "002002";

pub fn run_statement(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: Statement,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    // Each statement of a block is authorised by itself.
    if matches!(statement.command, Command::Block(_)) {
        return run_once(services, execution, session, state, statement, handle);
    }
    let of_outer = std::mem::take(&mut state.effects);
    let outcome = run_until_current(services, execution, session, state, statement, handle);
    state.effects = of_outer;
    outcome
}

fn run_until_current(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: Statement,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    let (reads, may_exist) = (reads_relations(&statement.command), creates_if_missing(&statement.command));
    let definitions = services.engine.definitions();
    let only_reads = matches!(statement.command, Command::Query(_) | Command::Show(_) | Command::Describe { .. });
    let mut reopened = false;
    let mut looked_again = 0;
    let again = Again::of(&statement);
    let mut next = statement;
    let mut attempts = Attempts::new(definitions);
    loop {
        let before = definitions.now();
        match run_once(services, execution, session, state, next, handle) {
            Err(RunError::Outdated) => {}
            // Of a table that is being replaced the grants may come a moment later. Of two that create an object IF NOT EXISTS
            // the second finds it.
            Err(RunError::Failed(failure))
                if (reads && is_missing(&failure) || may_exist && failure.code == ALREADY_EXISTS)
                    && !definitions.is_unchanged_since(before)
                    && looked_again < LOOKED_AGAIN_MAX =>
            {
                looked_again += 1;
            }
            // What lists all databases fails with the first one that the engine has closed.
            Err(RunError::Failed(failure))
                if only_reads
                    && !reopened
                    && CLOSED_STATES.contains(&failure.sql_state)
                    && !session.in_transaction()
                    && services.reopen_databases() =>
            {
                reopened = true;
                services.store.remove(handle)?;
            }
            outcome => return outcome,
        }
        attempts.again(|| execution.stop_reason().is_some())?;
        state.effects.rewind();
        next = again.statement(services, state)?;
    }
}

/// What a statement is made of when it has to be authorised again.
enum Again {
    Copy(Box<Statement>),
    Source(SourceStatement),
}

impl Again {
    fn of(statement: &Statement) -> Self {
        match &statement.unfinished {
            Some(source) if source.text.len() > COPIED_BYTES_MAX => Self::Source(source.clone()),
            _ => Self::Copy(Box::new(statement.clone())),
        }
    }

    fn statement(&self, services: &Services, state: &SessionState) -> Result<Statement, RunError> {
        match self {
            Self::Copy(copy) => Ok(Statement::clone(copy)),
            Self::Source(source) => {
                let (variables, rules) = (Some(&state.variables.values), state.settings.rules);
                let substitutes = Substitutes { variables, bindings: None, rules };
                Ok(parse_with(source, &parse_limits(&services.limits), substitutes)?)
            }
        }
    }
}

fn creates_if_missing(command: &Command) -> bool {
    let mode = match command {
        Command::Ddl(Ddl::CreateTable(create)) => create.mode,
        Command::Ddl(Ddl::CreateView(create)) => create.mode,
        Command::Ddl(
            Ddl::CreateSequence { mode, .. } | Ddl::CreateSchema { mode, .. } | Ddl::CreateRoutine { mode, .. },
        ) => *mode,
        _ => return false,
    };
    mode == CreateMode::IfNotExists
}

fn is_missing(failure: &Failure) -> bool {
    ["002003", "003001"].contains(&failure.code)
}

/// Whether a name of the command may be that of a relation. A routine that another session has dropped is not replaced by
/// a later one: looking for it again would only make others wait.
fn reads_relations(command: &Command) -> bool {
    if let Command::Ddl(Ddl::DropRoutine { .. } | Ddl::AlterRoutine { .. }) = command {
        return false;
    }
    matches!(
        command,
        Command::Query(_) | Command::Dml(_) | Command::InsertMany(_) | Command::Ddl(_) | Command::Stages(_)
    )
}

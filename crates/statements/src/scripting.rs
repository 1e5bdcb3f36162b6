//! Runs blocks: step by step, in the session of the request. Every step looks whether the statement has
//! been stopped, so that a cancel or a time limit ends any loop.

mod calls;
mod chains;
mod cursors;
mod errors;
mod files;
mod history;
mod loops;
mod memory;
mod result;
mod scopes;
mod statements;
mod steps;

use firn_engine::{CellFormats, Session};
use firn_sql::blocks::{self, AfterHandler, Block, CalledName, Handler, Special};
use firn_sql::command::{Command, DataType};
use firn_sql::lookups::Rows;
use firn_sql::routines::Returns;
use firn_sql::scripting::check;
use firn_sql::stages::StageLocation;
use firn_sql::{Constant, ObjectName, SourceStatement, Statement, parse_statement};
use firn_values::formats::Nulls;
use uuid::Uuid;

pub use history::RECORDED_MAX;

use crate::account_usage::Accessed;
use crate::clock::now_ms;
use crate::execution::Execution;
use crate::limits::parse_limits;
use crate::partitions::WrittenResult;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use errors::{Raised, ScriptError};
use history::TextSource;
use memory::StatementMemory;
use scopes::Scopes;

/// Blocks that run statements that are blocks, and so on.
const DEPTH_MAX: usize = 8;

/// What every block of a request runs with.
struct Interpreter<'a> {
    services: &'a Services,
    execution: &'a Execution,
    session: &'a mut dyn Session,
    state: &'a mut SessionState,
    scopes: Scopes,
    /// Statements that the history has entries of.
    recorded: usize,
    /// Of the blocks that run, the handlers after which they go on; the innermost block is the last.
    continuing: Vec<Vec<Handler>>,
    /// Some text of the block reads results of earlier statements.
    stores_results: bool,
    /// The staged file that runs.
    file: Option<StageLocation>,
    /// The procedures that were called, with their ids.
    procedures: Vec<(ObjectName, i64)>,
    /// The text of the statement that the expressions of the block are part of: the block itself, or the CALL of a procedure.
    text: String,
    /// Of the statements that run.
    text_source: TextSource,
}

/// How a step ended.
enum Flow {
    Next,
    Break(Option<String>),
    Continue(Option<String>),
    Return(Outcome),
}

/// What a block gives back.
enum Outcome {
    Value(Constant),
    Rows(Rows),
}

/// Runs a block and writes what it returns.
pub fn run(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    block: &Block,
    text: &str,
    handle: Uuid,
) -> Result<WrittenResult, RunError> {
    check(block, &parse_limits(&services.limits))?;
    let (outcome, procedures) = outcome_of(services, execution, session, state, block, text);
    let rows = result::rows_of(outcome?, "anonymous block");
    let memory = StatementMemory::new(services.engine.as_ref());
    memory.take_rows(&rows)?;
    services.account_usage.note_access(Accessed::of_procedures(
        (handle, state.caller.user.id, now_ms()),
        execution.parent_of(handle),
        &procedures,
    ));
    let statement = Statement::new("", Command::Query(rows.into_query()?));
    crate::current_definitions::run_statement(services, execution, session, state, statement, handle)
}

/// The rows that `CALL …` gives.
pub fn rows_of_call(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    call: &str,
) -> Result<Rows, RunError> {
    let source = SourceStatement { text: call.to_owned(), line: 1, position: 0 };
    let statement = parse_statement(&source, &parse_limits(&services.limits))?;
    let Command::Block(block) = &statement.command else {
        return Err(RunError::Internal("a call is no block".to_owned()));
    };
    let (outcome, _) = outcome_of(services, execution, session, state, block, call);
    Ok(result::rows_of(outcome?, "anonymous block"))
}

/// What the procedure returns that `CALL …` would run.
pub fn returned_by_call(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    call: &str,
) -> Result<Returns, RunError> {
    let source = SourceStatement { text: call.to_owned(), line: 1, position: 0 };
    let Some(Special::Call { name: CalledName::Written(mut name), arguments, .. }) = blocks::special(&source)? else {
        return Err(RunError::Internal("a call is none".to_owned()));
    };
    name.qualify(&state.namespace)?;
    let found = interpreted(services, execution, session, state, call, |interpreter| {
        interpreter.overload(&name, &arguments, &[])
    });
    match found {
        Ok((described, _)) => Ok(described.routine.returns),
        Err(ScriptError::Run(error)) => Err(error),
        Err(ScriptError::Raised(raised)) => match raised.failure.clone() {
            Some(failure) => Err(failure.into()),
            None => Err(raised.uncaught().into()),
        },
    }
}

fn outcome_of(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    block: &Block,
    text: &str,
) -> (Result<Outcome, RunError>, Vec<(ObjectName, i64)>) {
    interpreted(services, execution, session, state, text, |interpreter| {
        let outcome = interpreter.whole(block);
        (outcome, std::mem::take(&mut interpreter.procedures))
    })
}

fn interpreted<T>(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    text: &str,
    work: impl FnOnce(&mut Interpreter<'_>) -> T,
) -> T {
    // Values are read back from cells, which only the contract's own encoding allows.
    let result_format = std::mem::take(&mut state.result_format);
    let settings = state.settings.clone();
    state.settings.formats =
        CellFormats { nulls: Nulls::Null, timezone: settings.formats.timezone, ..CellFormats::default() };
    state.settings.rows_max = None;
    // The statements of a block have no handles that anybody could ask for.
    let outcome_recorded_from = state.outcome_recorded_from.take();
    let call_depth = state.call_depth;
    let in_block = std::mem::replace(&mut state.in_block, true);
    let mut interpreter = Interpreter {
        services,
        execution,
        session: &mut *session,
        state: &mut *state,
        scopes: Scopes::default(),
        recorded: 0,
        continuing: Vec::new(),
        stores_results: asks_for_results(text),
        file: None,
        procedures: Vec::new(),
        text: text.to_owned(),
        text_source: TextSource::Written,
    };
    let outcome = work(&mut interpreter);
    (state.settings.formats, state.settings.rows_max) = (settings.formats, settings.rows_max);
    (state.outcome_recorded_from, state.result_format) = (outcome_recorded_from, result_format);
    (state.call_depth, state.in_block) = (call_depth, in_block);
    outcome
}

impl Interpreter<'_> {
    /// A block that is a statement by itself; an uncaught exception is the statement's error.
    fn whole(&mut self, block: &Block) -> Result<Outcome, RunError> {
        let ended = self.block(block);
        Self::outcome(block, ended)
    }

    /// As `whole`, of a procedure whose body its caller may not see.
    fn whole_hidden(&mut self, block: &Block, procedure: &ObjectName) -> Result<Outcome, RunError> {
        let ended = self.block(block).map_err(|error| error.without_body(procedure));
        Self::outcome(block, ended)
    }

    fn outcome(block: &Block, ended: Result<Flow, ScriptError>) -> Result<Outcome, RunError> {
        match ended {
            Ok(Flow::Return(outcome)) => Ok(outcome),
            Ok(_) => Ok(Outcome::Value(Constant::null(DataType::Varchar { length: None }))),
            Err(ScriptError::Raised(raised)) => match raised.failure.clone() {
                Some(failure) if block.carries_statement => Err(failure.into()),
                _ => Err(raised.uncaught().into()),
            },
            Err(ScriptError::Run(error)) => Err(error),
        }
    }

    fn block(&mut self, block: &Block) -> Result<Flow, ScriptError> {
        self.scopes.enter();
        let outcome = self.block_in_scope(block);
        self.scopes.leave();
        outcome
    }

    fn block_in_scope(&mut self, block: &Block) -> Result<Flow, ScriptError> {
        let declared = block.declarations.iter().try_for_each(|declaration| self.declare(declaration));
        let continuing = block.handlers.iter().filter(|handler| handler.then == AfterHandler::Continue);
        self.continuing.push(continuing.cloned().collect());
        let ended = declared.and_then(|()| self.steps(&block.steps));
        self.continuing.pop();
        let raised = match ended {
            Err(ScriptError::Raised(raised)) => raised,
            other => return other,
        };
        match handler_of(&block.handlers, &raised) {
            Some(handler) => self.handle(handler, *raised),
            None => Err(ScriptError::Raised(raised)),
        }
    }

    fn handle(&mut self, handler: &Handler, raised: Raised) -> Result<Flow, ScriptError> {
        self.session.note_failure();
        self.state.reads.borrow_mut().show_failures();
        self.scopes.enter();
        self.scopes.set_built_in("SQLCODE", Constant::integer(raised.number));
        self.scopes.set_built_in("SQLERRM", Constant::varchar(&raised.message));
        self.scopes.set_built_in("SQLSTATE", Constant::varchar(&raised.sql_state));
        self.scopes.set_raised(raised);
        self.continuing.push(Vec::new());
        let outcome = self.steps(&handler.steps);
        self.continuing.pop();
        self.scopes.leave();
        outcome
    }

    /// The handler of the innermost block after which its steps go on.
    fn continuing_handler(&self, raised: &Raised) -> Option<Handler> {
        self.continuing.last().and_then(|handlers| handler_of(handlers, raised)).cloned()
    }

    fn check_stopped(&self) -> Result<(), ScriptError> {
        match self.execution.stop_reason() {
            Some(_) => Err(ScriptError::Run(RunError::Stopped)),
            None => Ok(()),
        }
    }
}

/// Whether a text may ask for what statements before it gave.
pub fn asks_for_results(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    ["LAST_QUERY_ID", "RESULT_SCAN", "SQLID", "->>"].iter().any(|word| text.contains(word))
}

fn handler_of<'a>(handlers: &'a [Handler], raised: &Raised) -> Option<&'a Handler> {
    handlers.iter().find(|handler| handler.names.iter().any(|name| raised.is_called(name) || name == "OTHER"))
}

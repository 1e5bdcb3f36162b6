//! Commands about stages, file formats and the files of stages; COPY INTO is dispatched from here.

mod definitions;
mod listing;
mod temporary;

use firn_engine::{EngineError, ExecutionContext, Outcome};
use firn_sql::command::StageCommand;

use super::copy;
use super::session_state::SessionState;

pub(crate) use definitions::defined;

/// Whether a command defines something, and so commits the transaction that is open.
pub(crate) fn is_definition(command: &StageCommand) -> bool {
    !matches!(
        command,
        StageCommand::List { .. }
            | StageCommand::Remove { .. }
            | StageCommand::Refresh { .. }
            | StageCommand::Load(_)
            | StageCommand::Unload(_)
    )
}

/// Runs one command; one that defines something, outside a transaction.
pub(crate) fn run(
    session: &mut SessionState,
    command: &StageCommand,
    context: &ExecutionContext,
) -> Result<Outcome<'static>, EngineError> {
    match command {
        StageCommand::List { location, pattern } => {
            listing::list(session, location, pattern.as_deref(), context).map(Outcome::Table)
        }
        StageCommand::Remove { location, pattern } => {
            listing::remove(session, location, pattern.as_deref(), context).map(Outcome::Table)
        }
        StageCommand::Refresh { name, if_missing, path } => {
            copy::refresh_directory(session, name, *if_missing, path.as_deref()).map(Outcome::Table)
        }
        StageCommand::Load(load) => copy::load(session, load, context).map(Outcome::Table),
        StageCommand::Unload(unload) => copy::unload(session, unload, context).map(Outcome::Table),
        _ => definitions::run(session, command, context).map(Outcome::Done),
    }
}

//! Staged files that a statement reads: relations that are opened for it and closed before the next one.

use firn_engine::{EngineError, ExecutionContext};
use firn_sql::Command;
use firn_sql::command::{Ddl, TableSource};
use firn_sql::tree::Tree;

use super::outside_files;
use crate::copy;
use crate::session_state::SessionState;

/// The command with every staged location opened; `None` for the many that have none.
pub(super) fn open(
    session: &mut SessionState,
    command: &Command,
    context: &ExecutionContext,
) -> Result<Option<Command>, EngineError> {
    let Some(node) = tree_of(command) else { return Ok(None) };
    let has_outside = session.shared.external().is_ok();
    let is_staged = copy::has_staged_relation(node);
    if !is_staged && !has_outside {
        return Ok(None);
    }
    let mut command = command.clone();
    let Some(node) = tree_of_mut(&mut command) else { return Ok(None) };
    let changed = has_outside && outside_files::readdress(session, node)?;
    if is_staged {
        copy::open_staged_relations(session, node, context)?;
    }
    Ok((changed || is_staged).then_some(command))
}

/// What of a command can read staged files.
fn tree_of(command: &Command) -> Option<&dyn Tree> {
    match command {
        Command::Query(query) => Some(&**query),
        Command::Dml(dml) => Some(&*dml.statement),
        Command::Ddl(Ddl::CreateTable(table)) => match &table.source {
            TableSource::Query(query) => Some(&**query),
            _ => None,
        },
        _ => None,
    }
}

fn tree_of_mut(command: &mut Command) -> Option<&mut dyn Tree> {
    match command {
        Command::Query(query) => Some(&mut **query),
        Command::Dml(dml) => Some(&mut *dml.statement),
        Command::Ddl(Ddl::CreateTable(table)) => match &mut table.source {
            TableSource::Query(query) => Some(&mut **query),
            _ => None,
        },
        _ => None,
    }
}

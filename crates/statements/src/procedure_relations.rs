//! Procedures in FROM: they run when a statement is prepared, and their rows take their places. A statement that could not run
//! anyway is refused before they do anything.

use firn_engine::Session;
use firn_sql::command::{Command, DataType, Ddl, TableSource};
use firn_sql::function_checks::check_functions;
use firn_sql::lookups::Rows;
use firn_sql::resolve::Uses;
use firn_sql::routines::{Returns, RoutineKind, relation_called, replace_relation};
use firn_sql::{Failure, ObjectName, Statement};

use crate::authorise::authorise;
use crate::effects::Answer;
use crate::execution::Execution;
use crate::run_error::RunError;
use crate::semantic_views::OwnersReads;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{account_views, history_calls, policies, routines, scripting};

/// Runs the procedures that a statement reads from, and puts their rows in their places.
pub fn fill(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    statement: &mut Statement,
    (uses, by_owners): (&Uses, &OwnersReads),
) -> Result<(), RunError> {
    let is_stored = matches!(statement.command, Command::Ddl(Ddl::CreateView(_)));
    let mut is_checked = false;
    while let Some((name, call)) = relation_called(statement, &state.namespace) {
        if routines::named(&services.catalog, session, &state.role, RoutineKind::Procedure, &name)?.is_empty() {
            return Ok(());
        }
        if is_stored {
            return Err(Failure::unsupported(&format!("procedure {name} in a view")).into());
        }
        // What has effects is not run to show a plan.
        if matches!(statement.command, Command::Explain(_)) {
            return Err(Failure::unsupported("EXPLAIN of a statement that reads from a procedure").into());
        }
        if !is_checked {
            let of_caller = by_owners.authorise(services, session, &state.role, uses)?;
            authorise(services, session, &state.role, &of_caller)?;
            compile(services, execution, session, state, (statement, uses))?;
            is_checked = true;
        }
        let rows = match state.effects.next(&call)? {
            Some(Answer::Rows(known)) => known,
            _ => {
                let rows = scripting::rows_of_call(services, execution, session, state, &format!("CALL {call}"))?;
                state.effects.note(&call, Answer::Rows(rows.clone()));
                rows
            }
        };
        replace_relation(statement, rows)?;
    }
    Ok(())
}

/// Plans a statement with no rows in the places of its procedures: all of them say which columns they return.
fn compile(
    services: &Services,
    execution: &Execution,
    session: &mut dyn Session,
    state: &mut SessionState,
    (statement, uses): (&Statement, &Uses),
) -> Result<(), RunError> {
    let mut trial = statement.clone();
    while let Some((name, call)) = relation_called(&trial, &state.namespace) {
        if routines::named(&services.catalog, session, &state.role, RoutineKind::Procedure, &name)?.is_empty() {
            // The next check names it.
            break;
        }
        let returned = scripting::returned_by_call(services, execution, session, state, &format!("CALL {call}"))?;
        let columns = declared_columns(&name, returned)?;
        replace_relation(&mut trial, Rows::new(columns, Vec::new()))?;
    }
    check_functions(&trial)?;
    if statement.needs_lookup || !is_explained(&trial.command) {
        return Ok(());
    }
    policies::bind(services, session, state, &mut trial)?;
    history_calls::evaluate_arguments(services, session, state, &mut trial, uses)?;
    let context = account_views::context(services, session, state, (&trial.command, uses))?;
    session.explain(&trial.command, &context)?;
    Ok(())
}

fn is_explained(command: &Command) -> bool {
    match command {
        Command::Query(_) | Command::Dml(_) => true,
        Command::Ddl(Ddl::CreateTable(table)) => matches!(table.source, TableSource::Query(_)),
        _ => false,
    }
}

/// A statement can only be planned with the columns that RETURNS TABLE declares.
fn declared_columns(name: &ObjectName, returns: Returns) -> Result<Vec<(String, DataType)>, Failure> {
    match returns {
        Returns::Table(columns) if !columns.is_empty() => Ok(columns),
        _ => Err(Failure::unsupported(&format!(
            "procedure {name} in FROM; RETURNS TABLE (name type, …) has to declare its columns"
        ))),
    }
}

//! The stored query of a view, expanded for the session that reads it.

use firn_engine::{ObjectDescription, Session};
use firn_sql::ast::Query;
use firn_sql::command::{CalledFunction, Command, Persistence};
use firn_sql::context::substitute_context;
use firn_sql::function_checks::check_functions;
use firn_sql::owners_views::read_for;
use firn_sql::permanent_names::mean_permanent;
use firn_sql::resolve::resolve;
use firn_sql::stored_views::{is_expanded_when_read, relations_of};
use firn_sql::{Namespace, Statement};

use crate::authorise::{LIMIT_EXCEEDED, NO_WAREHOUSE, authorise, authorise_stored, expansion_failed, role_of_owner};
use crate::permanent_names::{bind_to_permanent, names_of_temporary};
use crate::routines;
use crate::run_error::RunError;
use crate::semantic_views;
use crate::services::Services;
use crate::session_state::SessionState;

pub(super) struct ExpandedView {
    pub(super) query: Box<Query>,
    /// It has functions of users or of the session, or semantic views.
    pub(super) has_routines: bool,
    /// A secure function of somebody else is part of it.
    pub(super) is_secure: bool,
    pub(super) called: Vec<CalledFunction>,
}

/// Functions and semantic views are those of now, and are used with the rights of the view's owner. `read_by` is the text of the
/// statement.
pub(super) fn expand(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    view: &ObjectDescription,
    stored: Query,
    read_by: &str,
) -> Result<ExpandedView, RunError> {
    let has_routines = is_expanded_when_read(&stored);
    let text = view.view_text.as_deref().unwrap_or_default();
    let mut statement = Statement::new(text, Command::Query(Box::new(stored)));
    let expanded = match has_routines {
        true => expand_routines(services, session, state, view, &mut statement, read_by),
        false if view.persistence == Persistence::Temporary => Ok(()),
        false => bind_relations(session, &mut statement),
    };
    expanded.map_err(|error| match error {
        RunError::Failed(failure) if ![LIMIT_EXCEEDED, NO_WAREHOUSE].contains(&failure.code) => {
            expansion_failed(view, &state.role, &failure).into()
        }
        other => other,
    })?;
    let mut context = state.sql_context_in(&services.catalog, &statement.text, view.name.database());
    context.invoker = Some(routines::invoker(&services.catalog, &view.owner)?);
    read_by.clone_into(&mut statement.text);
    substitute_context(&mut statement, &context);
    let is_secure = statement.has_policies;
    match statement.command {
        Command::Query(mut query) => {
            read_for(&mut *query, &view.owner);
            Ok(ExpandedView { query, has_routines, is_secure, called: statement.called })
        }
        _ => Err(RunError::Internal("the query of a view became something else".to_owned())),
    }
}

fn bind_relations(session: &dyn Session, statement: &mut Statement) -> Result<(), RunError> {
    let Command::Query(query) = &statement.command else { return Ok(()) };
    let relations = relations_of(query);
    let names = names_of_temporary(session, relations.iter().map(|(name, _)| name))?;
    mean_permanent(&mut statement.command, &names);
    Ok(())
}

fn expand_routines(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    view: &ObjectDescription,
    statement: &mut Statement,
    read_by: &str,
) -> Result<(), RunError> {
    let owner = role_of_owner(&services.catalog, &view.owner)?;
    let namespace = Namespace { database: view.name.database.clone(), schema: view.name.schema.clone() };
    let by_owners = semantic_views::substitute(statement, services, session, &owner, &namespace)?;
    let uses = resolve(statement, &namespace)?;
    let of_owner = by_owners.authorise(services, session, &state.role, &uses)?;
    match view.persistence {
        Persistence::Temporary => {
            authorise(services, session, &owner, &of_owner)?;
            by_owners.bind_to_permanent(session, statement, &uses)?;
        }
        _ => {
            authorise_stored(services, session, &owner, &of_owner)?;
            bind_to_permanent(session, statement, &uses)?;
        }
    }
    if check_functions(statement).is_err() {
        routines::expand_in_view(services, session, state, statement, (&namespace, &owner), read_by)?;
        check_functions(statement)?;
    }
    Ok(())
}

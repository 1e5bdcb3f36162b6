//! Queries that are run on behalf of something else than a statement: a question, a semantic view.

use firn_engine::{ExecutionContext, Outcome, Session, WireColumn};
use firn_sql::command::Command;
use firn_sql::context::substitute_context;
use firn_sql::function_checks::check_functions;
use firn_sql::resolve::resolve;
use firn_sql::{Failure, Statement, Substitutes, Variables, parse_with, split_script};

use crate::authorise::{authorise, reads_of_owners};
use crate::evaluate::in_plain_formats;
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{account_views, get_ddl, history_calls, look_up, policies, routines, semantic_views};

/// One query, parsed, resolved and authorised.
pub fn ready(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    sql: &str,
) -> Result<(Statement, ExecutionContext), RunError> {
    let authorised_at = Some(services.engine.definitions().now());
    let limits = parse_limits(&services.limits);
    let sources = split_script(sql, &limits)?;
    let [source] = sources.as_slice() else { return Err(only_queries().into()) };
    let variables = Variables::new();
    let substitutes = Substitutes { variables: Some(&variables), bindings: None, rules: state.settings.rules };
    let mut statement = parse_with(source, &limits, substitutes)?;
    if !matches!(statement.command, Command::Query(_)) {
        return Err(only_queries().into());
    }
    let context = state.sql_context(&services.catalog, &statement.text);
    substitute_context(&mut statement, &context);
    get_ddl::substitute(&mut statement, services, session, state)?;
    let by_owners = semantic_views::substitute(&mut statement, services, session, &state.role, &state.namespace)?;
    let mut uses = resolve(&mut statement, &state.namespace)?;
    services.databases.refuse_set_aside(&services.catalog, &state.role, &uses)?;
    let of_caller = by_owners.authorise(services, session, &state.role, &uses)?;
    authorise(services, session, &state.role, &of_caller)?;
    if check_functions(&statement).is_err() {
        routines::expand(services, session, state, &mut statement)?;
        check_functions(&statement)?;
    }
    policies::bind(services, session, state, &mut statement)?;
    uses.objects.extend(reads_of_owners(&statement.command));
    history_calls::evaluate_arguments(services, session, state, &mut statement, &uses)?;
    let context = account_views::context(services, session, state, (&statement.command, &uses))?;
    let context = ExecutionContext { authorised_at, ..in_plain_formats(&context) };
    if statement.needs_lookup {
        look_up::look_up(services, session, state, &mut statement, &context)?;
    }
    Ok((statement, context))
}

/// The columns that a query has; it should have no rows.
pub fn columns(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    sql: &str,
) -> Result<Vec<WireColumn>, RunError> {
    let (statement, context) = ready(services, session, state, sql)?;
    match session.execute(&statement.command, &context)? {
        Outcome::Rows(rows) => Ok(rows.columns().to_vec()),
        _ => Err(RunError::Internal("a query gave no rows".to_owned())),
    }
}

pub fn only_queries() -> Failure {
    Failure::unsupported("anything but one query")
}

//! Commands on the session, on semantic views and on login policies, which no engine runs.

use firn_engine::Session;
use firn_sql::command::{Command, SessionCommand};
use firn_sql::resolve::Uses;

use crate::local_rows::LocalRows;
use crate::login_policies::LoginPolicies;
use crate::run_error::RunError;
use crate::semantic_view_commands::Views;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{account_views, session_variables};

/// USE of a database that is set aside, or of a schema of it.
pub(super) fn refuse_set_aside(
    services: &Services,
    state: &SessionState,
    command: &SessionCommand,
) -> Result<(), RunError> {
    let database = match command {
        SessionCommand::UseDatabase(name) => Some(name.as_str()),
        SessionCommand::UseSchema(name) => name.database.as_deref().or(state.namespace.database.as_deref()),
        _ => None,
    };
    match database {
        Some(name) => Ok(services.databases.refuse_if_set_aside(&services.catalog, &state.role, name)?),
        None => Ok(()),
    }
}

/// Runs commands on the session, on semantic views or on login policies. `None` for any other command.
pub(super) fn change_session(
    services: &Services,
    session: &mut dyn Session,
    state: &mut SessionState,
    command: &Command,
    uses: &Uses,
) -> Result<Option<LocalRows>, RunError> {
    match command {
        Command::SetVariables(set) => {
            let context = account_views::context(services, session, state, (command, uses))?;
            session_variables::set(session, &mut state.variables, set, &context)?;
            state.variables.reads.add_sources(&state.reads.borrow());
            Ok(Some(LocalRows::status("Statement executed successfully.")))
        }
        Command::SemanticViews(command) => {
            let rows = Views { services, session, state }.apply(command)?;
            services.changes.note_definitions();
            Ok(Some(rows))
        }
        Command::LoginPolicies(command) => Ok(Some(LoginPolicies { services, session, state }.apply(command)?)),
        _ => Ok(None),
    }
}

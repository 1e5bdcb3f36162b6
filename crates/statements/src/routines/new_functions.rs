//! The body of a function is compiled when the function is made: names that nothing has, and arguments of types that
//! functions do not take, are reported then and not by the first call.

use firn_binder::{BindError, Type, ValueType, bind_within};
use firn_engine::{EngineError, RoutineDescription, Session};
use firn_sql::Namespace;
use firn_sql::command::Command;
use firn_sql::routines::Routine;

use super::Expander;
use super::overloads::Overloads;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// The body is read for the role that makes the function.
pub(super) fn check(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    routine: &Routine,
) -> Result<(), RunError> {
    let owner = state.role.name.clone();
    let described = RoutineDescription { id: 0, routine: routine.clone(), owner, created_on_ms: 0 };
    let expander = Expander { is_stored: true, ..Expander::new(services, session, state, "") };
    let mut called = expander.body_for_owner(described, false, (&state.role.name, 0))?;
    // What is wrong in the bodies of other functions is not about this one, and may be hidden from who makes it.
    if called.body.bodies > 1 {
        return Ok(());
    }
    let Command::Query(query) = &mut called.body.statement.command else { return Ok(()) };
    let parameters = routine
        .parameters
        .iter()
        .map(|parameter| (parameter.name.clone(), ValueType::nullable(Type::Of(parameter.data_type.clone()))));
    let namespace = Namespace { database: routine.name.database.clone(), schema: routine.name.schema.clone() };
    let schemas = Overloads::new(session, &namespace);
    let bound = bind_within(&mut **query, &schemas, parameters.collect()).map_err(EngineError::from)?;
    // Relations were looked up, and authorised, before.
    let is_certain = |error: &&BindError| !matches!(error, BindError::MissingObject { .. });
    bound.errors.iter().find(is_certain).map_or(Ok(()), |error| Err(error.failure().into()))
}

//! The columns of a view as a read gives them now. Its record has those of its creation.

use firn_engine::{ColumnDescription, ObjectDescription, Session, WireColumn};
use firn_sql::Failure;
use firn_sql::names::quote_identifier;

use crate::authorise::{EXPANSION_FAILED, LIMIT_EXCEEDED, NO_WAREHOUSE, expansion_failed, role_of_owner};
use crate::evaluate::type_name_of;
use crate::policies;
use crate::ready_query::columns;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// The name of each column's type. A view that cannot be read fails as reading it does. Functions that read tables are not
/// expanded without a warehouse, which DESCRIBE does not need.
pub fn type_names(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    view: &ObjectDescription,
) -> Result<Vec<String>, RunError> {
    let recorded = |column: &ColumnDescription| column.data_type.full_name();
    if view.view_query.is_none() || !policies::is_read_otherwise(services, session, state, view)? {
        return Ok(view.columns.iter().map(recorded).collect());
    }
    match bound(services, session, state, view) {
        Err(RunError::Failed(failure)) if failure.code == NO_WAREHOUSE => {
            Ok(view.columns.iter().map(recorded).collect())
        }
        bound => Ok(bound?.iter().map(type_name_of).collect()),
    }
}

/// Binds a view with the rights of its owner, for whom it is read.
pub fn bound(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    view: &ObjectDescription,
) -> Result<Vec<WireColumn>, RunError> {
    let mut of_owner = state.clone();
    of_owner.role = role_of_owner(&services.catalog, &view.owner)?;
    let name = [view.name.database(), view.name.schema(), &view.name.name].map(quote_identifier).join(".");
    let bound = columns(services, session, &of_owner, &format!("SELECT * FROM {name} LIMIT 0"));
    bound.map_err(|error| match error {
        RunError::Failed(failure) => of_view(view, state, failure).into(),
        other => other,
    })
}

/// A limit is one of the statement. What the owner may know of a secure view is not for others.
fn of_view(view: &ObjectDescription, state: &SessionState, failure: Failure) -> Failure {
    if failure.code == NO_WAREHOUSE {
        return failure;
    }
    let is_of_view = [EXPANSION_FAILED, LIMIT_EXCEEDED].contains(&failure.code);
    let is_hidden = view.options.secure && !state.role.may_use_what_is_owned_by(&view.owner);
    if is_of_view && !is_hidden { failure } else { expansion_failed(view, &state.role, &failure) }
}

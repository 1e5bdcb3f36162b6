//! What the views of INFORMATION_SCHEMA list: everything of their kind in the database that the role sees. Which rows the query
//! leaves does not matter.

use firn_catalog::ActiveRole;
use firn_engine::Session;
use firn_sql::ObjectName;
use firn_sql::names::SchemaName;
use firn_sql::owners_views::reader_of;

use super::SeenRecorder;
use crate::authorise::{Authority, Secured};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// Adds what the reader, which is `None` for the session's role, sees by a view.
pub(super) fn note(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    (view, reader): (&ObjectName, Option<&str>),
) -> Result<(), RunError> {
    let of_owner = match reader.filter(|owner| *owner != state.role.name) {
        Some(owner) => services.catalog.principals().role_with_inherited(owner),
        None => None,
    };
    let role: &ActiveRole = of_owner.as_ref().unwrap_or(&state.role);
    let recorder = SeenRecorder::new(state, role, reader.map(str::to_owned));
    if recorder.sees_all() {
        return Ok(());
    }
    let authority = Authority::new(&services.catalog, session, role).recording(recorder);
    let database = view.database();
    match reader_of(&view.name).0 {
        "APPLICABLE_ROLES" | "ENABLED_ROLES" | "LOGIN_HISTORY" | "QUERY_HISTORY" | "WAREHOUSE_METERING_HISTORY" => {}
        "DATABASES" => {
            for record in services.catalog.databases() {
                authority.sees_database(&record.name);
            }
        }
        "SCHEMATA" => {
            for schema in session.schemas(database)? {
                authority.sees_schema(&SchemaName { database: Some(database.to_owned()), schema: schema.name })?;
            }
        }
        "STAGES" => {
            for stage in session.permanent_stages(database, None)? {
                authority.sees(Secured::stage(&stage))?;
            }
        }
        "FILE_FORMATS" => {
            for format in session.permanent_file_formats(database, None)? {
                authority.sees(Secured::file_format(&format))?;
            }
        }
        "FUNCTIONS" | "PROCEDURES" => {
            for routine in session.routines(database)? {
                authority.sees(Secured::routine(&routine))?;
            }
        }
        _ => {
            for object in session.permanent_objects(database, None)? {
                authority.sees(object.as_ref())?;
            }
        }
    }
    Ok(())
}

//! SHOW: each kind has its columns and its rows; the clauses that narrow them are the same for all.

mod account;
mod analyst;
mod containers;
mod grants;
mod history;
mod keys;
mod listing;
pub(crate) mod login_policies;
mod objects;
pub(crate) mod parameters;
mod resource_monitors;
mod routines;
mod semantic_items;
pub(crate) mod semantic_views;
mod stages;
pub(crate) mod transactions;
pub(crate) mod type_names;
mod unsupported;
mod variables;

pub(crate) use account::namespace_text;
use firn_engine::Session;
use firn_sql::Failure;
use firn_sql::command::{Command, GrantScope, ObjectKind, Scope, Show};
use firn_sql::routines::RoutineKind;
use listing::Viewer;
pub(crate) use listing::{DAY_MS, MINUTE_MS, instant, units_left};

use crate::authorise::Authority;
use crate::local_rows::LocalRows;
use crate::reads::SeenRecorder;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// What is said of a statement that names something missing: of the schema or database of a SHOW by its own code.
pub fn refused_scope(command: &Command, error: RunError) -> RunError {
    match (command, error) {
        (Command::Show(Show { scope: Scope::Database(_) | Scope::Schema(_), .. }), RunError::Failed(failure))
            if failure.code == "002003" =>
        {
            RunError::Failed(listing::missing_scope(failure))
        }
        (_, error) => error,
    }
}

pub fn show(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    command: &Show,
) -> Result<LocalRows, RunError> {
    let authority = Authority::new(&services.catalog, session, &state.role).recording(SeenRecorder::of_session(state));
    let viewer = Viewer { authority, services, session, state };
    if let Scope::SchemaOrDatabase(name) = &command.scope {
        let scope = viewer.schema_or_database(name)?;
        return show(services, session, state, &Show { scope, ..command.clone() });
    }
    let mut listing = match command.kind {
        ObjectKind::Database => containers::databases(&viewer)?,
        ObjectKind::Schema => containers::schemas(&viewer, &command.scope)?,
        ObjectKind::Table => objects::tables(&viewer, command)?,
        ObjectKind::View => objects::views(&viewer, &command.scope)?,
        ObjectKind::SemanticView => semantic_views::semantic_views(&viewer, &command.scope)?,
        ObjectKind::SemanticItem(kind) => semantic_items::semantic_items(&viewer, &command.scope, kind)?,
        ObjectKind::Object => objects::tables_and_views(&viewer, command)?,
        ObjectKind::Column => objects::columns(&viewer, &command.scope)?,
        ObjectKind::Stage => stages::stages(&viewer, &command.scope)?,
        ObjectKind::FileFormat => stages::file_formats(&viewer, &command.scope)?,
        ObjectKind::Sequence => objects::sequences(&viewer, &command.scope)?,
        ObjectKind::PrimaryKey => keys::primary_keys(&viewer, &command.scope)?,
        ObjectKind::UniqueKey => keys::unique_keys(&viewer, &command.scope)?,
        ObjectKind::ImportedKey => keys::imported_keys(&viewer, &command.scope)?,
        ObjectKind::ExportedKey => keys::exported_keys(&viewer, &command.scope)?,
        ObjectKind::User => account::users(&viewer),
        ObjectKind::Role => account::roles(&viewer),
        ObjectKind::Warehouse => account::warehouses(&viewer),
        ObjectKind::Grant | ObjectKind::FutureGrant => match &command.scope {
            Scope::Grants(scope) => grants::grants(&viewer, scope)?,
            _ => grants::grants(&viewer, &GrantScope::OfCaller)?,
        },
        ObjectKind::DatabaseRole => account::database_roles(&viewer, &command.scope)?,
        ObjectKind::AccessToken => account::access_tokens(&viewer, &command.scope)?,
        ObjectKind::Integration => account::integrations(&viewer),
        ObjectKind::NetworkPolicy => account::network_policies(&viewer),
        ObjectKind::ResourceMonitor => resource_monitors::resource_monitors(&viewer),
        ObjectKind::LoginPolicy(kind) => login_policies::login_policies(&viewer, &command.scope, kind)?,
        ObjectKind::Parameter => parameters::parameters(&viewer, &command.scope)?,
        ObjectKind::Transaction => transactions::transactions(&viewer, &command.scope),
        ObjectKind::Lock => transactions::locks(&viewer, &command.scope),
        ObjectKind::Session => transactions::sessions(&viewer, &command.scope),
        ObjectKind::MaterializedView => objects::materialized_views(&viewer, &command.scope)?,
        ObjectKind::AnalystFeedback => analyst::feedback(&viewer)?,
        ObjectKind::Variable => variables::variables(&viewer),
        ObjectKind::Function => routines::functions(&viewer, &command.scope, command.functions)?,
        ObjectKind::Procedure => routines::routines(&viewer, &command.scope, RoutineKind::Procedure)?,
        ObjectKind::MaskingPolicy => routines::routines(&viewer, &command.scope, RoutineKind::MaskingPolicy)?,
        ObjectKind::RowAccessPolicy => routines::routines(&viewer, &command.scope, RoutineKind::RowAccessPolicy)?,
        ObjectKind::Tag => routines::routines(&viewer, &command.scope, RoutineKind::Tag)?,
        ObjectKind::Result => return Err(Failure::unsupported("SHOW RESULT").into()),
        ObjectKind::Unsupported(words) => unsupported::nothing(&viewer, &command.scope, words)?,
    };
    if command.history {
        history::add(&viewer, command, &mut listing)?;
    }
    Ok(listing.narrowed(command)?)
}

//! Statements that make room on a full disk. They get the room that is set aside for them (`ballast.rs`) before anything is
//! written for them, so they are authorised once more, beforehand: nobody else may use it up.

use firn_engine::{EngineError, Session, StageFiles};
use firn_sql::Statement;
use firn_sql::command::{Command, ContainerChange, Ddl, DmlKind, OwnershipTarget, StageCommand, TableChange};
use firn_sql::resolve::{Uses, resolve};
use firn_sql::stages::StageName;

use crate::authorise::{Decision, decide};
use crate::plan::Plan;
use crate::services::Services;
use crate::session_state::SessionState;

/// Releases the room that is set aside if the disk is full and the request does nothing but to make room.
pub fn release_room(services: &Services, state: &SessionState, plan: &Plan) {
    if makes_room(plan) && services.ballast.is_wanted() && is_authorised(services, state, plan).unwrap_or(false) {
        services.ballast.release_if_full();
    }
}

/// Whether a request does nothing but to drop, truncate or remove, or to say how long what was dropped stays.
fn makes_room(plan: &Plan) -> bool {
    let statements = plan.statements.iter();
    !plan.statements.is_empty() && statements.map(|statement| &statement.command).all(is_drop)
}

fn is_drop(command: &Command) -> bool {
    match command {
        Command::Ddl(ddl) => matches!(
            ddl,
            Ddl::DropDatabase { .. }
                | Ddl::DropSchema { .. }
                | Ddl::Drop { .. }
                | Ddl::Undrop(_)
                | Ddl::AlterDatabase { change: ContainerChange::SetRetention(_), .. }
                | Ddl::AlterSchema { change: ContainerChange::SetRetention(_), .. }
                | Ddl::AlterTable { change: TableChange::SetRetention(_), .. }
        ),
        Command::Dml(dml) => dml.kind == DmlKind::Truncate,
        Command::Stages(stages) => matches!(stages, StageCommand::Remove { .. } | StageCommand::DropStage { .. }),
        _ => false,
    }
}

/// Whether the role may run every statement of the request, and each of them finds its object. An object that a statement
/// before brings back is not found.
fn is_authorised(services: &Services, state: &SessionState, plan: &Plan) -> Result<bool, EngineError> {
    let session = services.engine.open_session()?;
    Ok(plan.statements.iter().all(|statement| may_run(services, session.as_ref(), state, statement)))
}

fn may_run(services: &Services, session: &dyn Session, state: &SessionState, statement: &Statement) -> bool {
    match &statement.command {
        Command::Ddl(Ddl::Undrop(OwnershipTarget::Database(name))) => {
            let catalog = &services.catalog;
            services.databases.find_dropped(catalog, &state.role.name, name).is_ok_and(|found| found.is_some())
                && is_allowed(services, session, state, statement)
        }
        // Everyone may, but of an empty stage nothing is removed.
        Command::Stages(StageCommand::Remove { location, .. }) if location.stage == StageName::User => {
            let folder = StageFiles::user_folder(state.caller.user.id);
            services.engine.stage_files().list(&folder, &location.path).is_ok_and(|files| !files.is_empty())
        }
        _ => is_allowed(services, session, state, statement),
    }
}

fn is_allowed(services: &Services, session: &dyn Session, state: &SessionState, statement: &Statement) -> bool {
    match resolve(&mut statement.clone(), &state.namespace) {
        Ok(uses) if !is_empty(&uses) => {
            matches!(decide(services, session, &state.role, &uses), Ok(Decision::Allowed))
        }
        _ => false,
    }
}

fn is_empty(uses: &Uses) -> bool {
    uses.objects.is_empty() && uses.schemas.is_empty() && uses.databases.is_empty()
}

//! The file format that a stage names.

use firn_engine::Session;
use firn_sql::command::{Command, FormatChoice, Persistence, StageChange, StageCommand};
use firn_sql::{Failure, ObjectName};

use crate::run_error::RunError;

/// A permanent stage may not name a temporary file format: once the session has ended, it would have the permanent one of that
/// name, which nobody has authorised.
pub fn refuse_temporary(session: &dyn Session, command: &Command) -> Result<(), RunError> {
    let format = match command {
        Command::Stages(StageCommand::CreateStage(create)) if create.persistence != Persistence::Temporary => {
            named(create.properties.format.as_ref())
        }
        Command::Stages(StageCommand::AlterStage { name, change: StageChange::Set(properties), .. })
            if is_permanent_stage(session, name)? =>
        {
            named(properties.format.as_ref())
        }
        _ => None,
    };
    let Some(name) = format else { return Ok(()) };
    let Some(found) = session.file_format(name)? else { return Ok(()) };
    let permanent = session.permanent_file_formats(name.database(), Some(name.schema()))?;
    match permanent.iter().any(|format| format.name == *name && format.id == found.id) {
        true => Ok(()),
        false => {
            let what =
                format!("a permanent stage with the temporary file format {name}; CREATE TEMPORARY STAGE takes it");
            Err(Failure::unsupported(&what).into())
        }
    }
}

fn named(format: Option<&FormatChoice>) -> Option<&ObjectName> {
    match format {
        Some(FormatChoice::Named(name)) => Some(name),
        _ => None,
    }
}

fn is_permanent_stage(session: &dyn Session, name: &ObjectName) -> Result<bool, RunError> {
    Ok(session.stage(name)?.is_some_and(|stage| stage.persistence != Persistence::Temporary))
}

//! CREATE, ALTER and DROP of temporary stages and file formats.

use firn_engine::{EngineError, ExecutionContext, fresh_object_id};
use firn_sql::command::{CreateMode, CreateStage, FormatChange, Persistence, Property, StageChange, StageCommand};
use firn_sql::names::display_identifier;
use firn_sql::{Failure, ObjectName};

use crate::describe;
use crate::session_state::SessionState;
use crate::staging::{Record, definition};
use crate::status_text::DONE;

/// Runs a command about a temporary stage or file format; `None` when it is about another.
pub(super) fn run(
    session: &mut SessionState,
    command: &StageCommand,
    context: &ExecutionContext,
) -> Result<Option<String>, EngineError> {
    match command {
        StageCommand::CreateStage(create) if create.persistence == Persistence::Temporary => {
            self::create(session, create, context).map(Some)
        }
        StageCommand::AlterStage { name, change, .. } => match session.temporary_stages.take(name) {
            Some(record) => alter(session, record, change).map(Some),
            None => Ok(None),
        },
        StageCommand::DropStage { name, .. } => match session.temporary_stages.take(name) {
            Some(record) => {
                abandon(session, record);
                Ok(Some(format!("{} successfully dropped.", display_identifier(&name.name))))
            }
            None => Ok(None),
        },
        StageCommand::CreateFormat { name, mode, persistence: Persistence::Temporary, options, comment } => {
            create_format(session, (name, *mode), options, comment.clone(), context).map(Some)
        }
        StageCommand::AlterFormat { name, change, .. } => match session.temporary_formats.take(name) {
            Some(record) => alter_format(session, record, change).map(Some),
            None => Ok(None),
        },
        StageCommand::DropFormat { name, .. } => Ok(session
            .temporary_formats
            .take(name)
            .map(|_| format!("{} successfully dropped.", display_identifier(&name.name)))),
        _ => Ok(None),
    }
}

fn create_format(
    session: &mut SessionState,
    (name, mode): (&ObjectName, CreateMode),
    options: &[Property],
    comment: Option<String>,
    context: &ExecutionContext,
) -> Result<String, EngineError> {
    let shown = display_identifier(&name.name);
    require_schema(session, name)?;
    match (session.temporary_formats.find(name), mode) {
        (Some(_), CreateMode::New) => return Err(Failure::already_exists(&shown).into()),
        (Some(_), CreateMode::IfNotExists) => return Ok(format!("{shown} already exists, statement succeeded.")),
        (Some(_), CreateMode::OrReplace) | (None, _) => drop(session.temporary_formats.take(name)),
    }
    session.temporary_formats.put(Record {
        id: context.new_object_id.unwrap_or_else(fresh_object_id),
        name: name.clone(),
        owner: context.role.clone(),
        comment,
        created_on_ms: chrono::Utc::now().timestamp_millis(),
        folder: None,
        definition: definition::write_options(options),
    });
    Ok(format!("File format {shown} successfully created."))
}

fn alter_format(session: &mut SessionState, mut record: Record, change: &FormatChange) -> Result<String, EngineError> {
    let outcome = changed_format(session, &mut record, change);
    session.temporary_formats.put(record);
    outcome.map(|()| DONE.to_owned())
}

fn changed_format(session: &SessionState, record: &mut Record, change: &FormatChange) -> Result<(), EngineError> {
    match change {
        FormatChange::Rename(new) => {
            if session.temporary_formats.find(new).is_some() {
                return Err(Failure::already_exists(&display_identifier(&new.name)).into());
            }
            require_schema(session, new)?;
            record.name = new.clone();
        }
        FormatChange::Set { options, comment } => {
            record.definition = definition::with_options(&record.definition, options)?;
            if let Some(comment) = comment {
                record.comment = Some(comment.clone());
            }
        }
    }
    Ok(())
}

fn create(session: &mut SessionState, create: &CreateStage, context: &ExecutionContext) -> Result<String, EngineError> {
    let shown = display_identifier(&create.name.name);
    require_schema(session, &create.name)?;
    match (session.temporary_stages.find(&create.name), create.mode) {
        (Some(_), CreateMode::New) => return Err(Failure::already_exists(&shown).into()),
        (Some(_), CreateMode::IfNotExists) => return Ok(format!("{shown} already exists, statement succeeded.")),
        (Some(_), CreateMode::OrReplace) | (None, _) => {}
    }
    if let Some(replaced) = session.temporary_stages.take(&create.name) {
        abandon(session, replaced);
    }
    let definition = definition::of_new(&create.properties, &session.shared)?;
    session.temporary_stages.put(Record {
        id: context.new_object_id.unwrap_or_else(fresh_object_id),
        name: create.name.clone(),
        owner: context.role.clone(),
        comment: create.properties.comment.clone(),
        created_on_ms: chrono::Utc::now().timestamp_millis(),
        folder: definition.external.is_none().then(|| session.shared.stage_files().fresh_temporary_folder()),
        definition: definition::write_stage(&definition),
    });
    Ok(format!("Stage area {shown} successfully created."))
}

fn alter(session: &mut SessionState, mut record: Record, change: &StageChange) -> Result<String, EngineError> {
    let outcome = changed(session, &mut record, change);
    session.temporary_stages.put(record);
    outcome.map(|()| DONE.to_owned())
}

fn changed(session: &SessionState, record: &mut Record, change: &StageChange) -> Result<(), EngineError> {
    match change {
        StageChange::Rename(new) => {
            if session.temporary_stages.find(new).is_some() {
                return Err(Failure::already_exists(&display_identifier(&new.name)).into());
            }
            require_schema(session, new)?;
            record.name = new.clone();
        }
        StageChange::UnsetComment => record.comment = None,
        StageChange::Set(properties) => {
            let mut definition = definition::read_stage(&record.definition)?;
            definition::change(&mut definition, properties, &session.shared)?;
            record.definition = definition::write_stage(&definition);
            if let Some(comment) = &properties.comment {
                record.comment = Some(comment.clone());
            }
        }
    }
    Ok(())
}

fn abandon(session: &SessionState, record: Record) {
    if let Some(folder) = record.folder {
        session.shared.abandon_folder(&folder);
    }
}

pub(super) fn require_schema(session: &SessionState, name: &ObjectName) -> Result<(), EngineError> {
    let schemas = describe::read_schemas(&session.connection, name.database())?;
    if schemas.iter().any(|schema| schema.name == name.schema()) {
        return Ok(());
    }
    let schema = format!("{}.{}", display_identifier(name.database()), display_identifier(name.schema()));
    Err(Failure::missing_object("Schema", &schema).into())
}

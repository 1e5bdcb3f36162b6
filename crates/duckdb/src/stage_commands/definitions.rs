//! CREATE, ALTER and DROP of stages and file formats.

use firn_engine::stage_files::StageFiles;
use firn_engine::{EngineError, ExecutionContext, fresh_object_id};
use firn_sql::command::{CreateMode, CreateStage, FormatChange, IfMissing, Property, StageChange, StageCommand};
use firn_sql::names::display_identifier;
use firn_sql::{Failure, ObjectName};

use super::temporary;
use crate::session_state::SessionState;
use crate::staging::{Kind, Record, definition, forget, missing, read, write};
use crate::statement_outcomes::StoredOutcome;
use crate::status_text::DONE;
use crate::transaction;

/// Runs one command that defines a stage or a file format, outside a transaction.
pub(super) fn run(
    session: &mut SessionState,
    command: &StageCommand,
    context: &ExecutionContext,
) -> Result<String, EngineError> {
    if let Some(status) = temporary::run(session, command, context)? {
        return Ok(status);
    }
    let (mut abandoned, mut change) = (None, None);
    let work = Work { session, context };
    let define = || {
        let status = work.run(command, &mut abandoned)?;
        if let Some(name) = defined(command).first() {
            session.record_outcome(name, context, || StoredOutcome::Done(status.clone()))?;
        }
        Ok(status)
    };
    let begin_change = || change = Some(session.shared.definitions.begin_change());
    let status = transaction::within_then(&session.connection, define, begin_change)?;
    session.definition_change = change;
    if let Some(folder) = abandoned {
        session.shared.abandon_folder(&folder);
    }
    Ok(status)
}

/// The stages and formats that a command defines or changes, under names that no table can have.
pub(crate) fn defined(command: &StageCommand) -> Vec<ObjectName> {
    let marked = |name: &ObjectName| ObjectName { name: format!("@{}", name.name), ..name.clone() };
    match command {
        StageCommand::CreateStage(CreateStage { name, .. })
        | StageCommand::CreateFormat { name, .. }
        | StageCommand::DropStage { name, .. }
        | StageCommand::DropFormat { name, .. } => vec![marked(name)],
        StageCommand::AlterStage { name, change: StageChange::Rename(new), .. }
        | StageCommand::AlterFormat { name, change: FormatChange::Rename(new), .. } => vec![marked(name), marked(new)],
        StageCommand::AlterStage { name, .. } | StageCommand::AlterFormat { name, .. } => vec![marked(name)],
        _ => Vec::new(),
    }
}

struct Work<'a> {
    session: &'a SessionState,
    context: &'a ExecutionContext,
}

impl Work<'_> {
    fn run(&self, command: &StageCommand, abandoned: &mut Option<String>) -> Result<String, EngineError> {
        match command {
            StageCommand::CreateStage(create) => self.create_stage(create, abandoned),
            StageCommand::AlterStage { name, if_missing, change } => self.alter_stage(name, *if_missing, change),
            StageCommand::DropStage { name, if_missing } => {
                let (status, record) = self.drop_record(Kind::Stage, name, *if_missing)?;
                *abandoned = record.and_then(|record| record.folder);
                Ok(status)
            }
            StageCommand::CreateFormat { name, mode, options, comment, .. } => {
                self.create_format(name, *mode, options, comment.clone())
            }
            StageCommand::AlterFormat { name, if_missing, change } => self.alter_format(name, *if_missing, change),
            StageCommand::DropFormat { name, if_missing } => {
                Ok(self.drop_record(Kind::FileFormat, name, *if_missing)?.0)
            }
            _ => Err(EngineError::Internal("a command that defines nothing came to the definitions".to_owned())),
        }
    }

    fn create_stage(&self, create: &CreateStage, abandoned: &mut Option<String>) -> Result<String, EngineError> {
        let definition = definition::of_new(&create.properties, &self.session.shared)?;
        let record = Record {
            folder: definition.external.is_none().then(|| StageFiles::fresh_folder("stage")),
            ..self.record(&create.name, create.properties.comment.clone(), definition::write_stage(&definition))
        };
        let (status, replaced) = self.create(Kind::Stage, create.mode, record)?;
        *abandoned = replaced.and_then(|record| record.folder);
        Ok(status)
    }

    fn create_format(
        &self,
        name: &ObjectName,
        mode: CreateMode,
        options: &[Property],
        comment: Option<String>,
    ) -> Result<String, EngineError> {
        let record = self.record(name, comment, definition::write_options(options));
        Ok(self.create(Kind::FileFormat, mode, record)?.0)
    }

    fn record(&self, name: &ObjectName, comment: Option<String>, definition: String) -> Record {
        Record {
            id: self.context.new_object_id.unwrap_or_else(fresh_object_id),
            name: name.clone(),
            owner: self.context.role.clone(),
            comment,
            created_on_ms: chrono::Utc::now().timestamp_millis(),
            folder: None,
            definition,
        }
    }

    /// Writes a new record; what it replaces is returned.
    fn create(&self, kind: Kind, mode: CreateMode, record: Record) -> Result<(String, Option<Record>), EngineError> {
        let connection = &self.session.connection;
        let shown = display_identifier(&record.name.name);
        temporary::require_schema(self.session, &record.name)?;
        let existing = read(connection, kind, &record.name)?;
        match (&existing, mode) {
            (Some(_), CreateMode::New) => return Err(Failure::already_exists(&shown).into()),
            (Some(_), CreateMode::IfNotExists) => {
                return Ok((format!("{shown} already exists, statement succeeded."), None));
            }
            (Some(_), CreateMode::OrReplace) => forget(connection, kind, &record.name)?,
            (None, _) => {}
        }
        write(connection, kind, &record)?;
        let word = if kind == Kind::Stage { "Stage area" } else { "File format" };
        Ok((format!("{word} {shown} successfully created."), existing))
    }

    fn require(&self, kind: Kind, name: &ObjectName, if_missing: IfMissing) -> Result<Option<Record>, EngineError> {
        match (read(&self.session.connection, kind, name)?, if_missing) {
            (Some(record), _) => Ok(Some(record)),
            (None, IfMissing::Skip) => Ok(None),
            (None, IfMissing::Fail) => Err(missing(kind, name).into()),
        }
    }

    fn alter_stage(
        &self,
        name: &ObjectName,
        if_missing: IfMissing,
        change: &StageChange,
    ) -> Result<String, EngineError> {
        let Some(mut record) = self.require(Kind::Stage, name, if_missing)? else { return Ok(DONE.to_owned()) };
        match change {
            StageChange::Rename(new) => return self.rename(Kind::Stage, record, new),
            StageChange::UnsetComment => record.comment = None,
            StageChange::Set(properties) => {
                let mut definition = definition::read_stage(&record.definition)?;
                definition::change(&mut definition, properties, &self.session.shared)?;
                record.definition = definition::write_stage(&definition);
                if let Some(comment) = &properties.comment {
                    record.comment = Some(comment.clone());
                }
            }
        }
        self.replace(Kind::Stage, name, &record)
    }

    fn alter_format(
        &self,
        name: &ObjectName,
        if_missing: IfMissing,
        change: &FormatChange,
    ) -> Result<String, EngineError> {
        let Some(mut record) = self.require(Kind::FileFormat, name, if_missing)? else { return Ok(DONE.to_owned()) };
        match change {
            FormatChange::Rename(new) => return self.rename(Kind::FileFormat, record, new),
            FormatChange::Set { options, comment } => {
                record.definition = definition::with_options(&record.definition, options)?;
                if let Some(comment) = comment {
                    record.comment = Some(comment.clone());
                }
            }
        }
        self.replace(Kind::FileFormat, name, &record)
    }

    fn rename(&self, kind: Kind, mut record: Record, new: &ObjectName) -> Result<String, EngineError> {
        if record.name.database() != new.database() {
            return Err(Failure::unsupported("RENAME TO another database").into());
        }
        temporary::require_schema(self.session, new)?;
        if read(&self.session.connection, kind, new)?.is_some() {
            return Err(Failure::already_exists(&display_identifier(&new.name)).into());
        }
        let old = std::mem::replace(&mut record.name, new.clone());
        self.replace(kind, &old, &record)
    }

    fn replace(&self, kind: Kind, old: &ObjectName, record: &Record) -> Result<String, EngineError> {
        forget(&self.session.connection, kind, old)?;
        write(&self.session.connection, kind, record)?;
        Ok(DONE.to_owned())
    }

    fn drop_record(
        &self,
        kind: Kind,
        name: &ObjectName,
        if_missing: IfMissing,
    ) -> Result<(String, Option<Record>), EngineError> {
        let shown = display_identifier(&name.name);
        let Some(record) = self.require(kind, name, if_missing)? else {
            return Ok((format!("Drop statement executed successfully ({shown} already dropped)."), None));
        };
        forget(&self.session.connection, kind, name)?;
        Ok((format!("{shown} successfully dropped."), Some(record)))
    }
}

//! Data definition: every command changes the engine's catalog and the side tables in one transaction.

mod alter_columns;
mod alter_table;
mod columns;
mod create_table;
mod default_types;
mod drops;
mod engine_views;
mod notes;
mod renames;
mod retained;
mod routines;
mod schemas;
mod sequences;
mod views;
mod work;

use std::sync::Arc;

use firn_duckdb_lower::temporary::TemporaryTables;
use firn_engine::{EngineError, ExecutionContext, ObjectDescription, SchemaDescription};
use firn_sql::ObjectName;
use firn_sql::command::{CommentTarget, Ddl, IfMissing, ObjectKind, OwnershipTarget, TableChange};
use firn_sql::names::SchemaName;

use super::connection::Connection;
use super::describe::{CatalogCache, read_schemas};
use super::session_state::SessionState;
use super::shared::Shared;
use super::side_tables::Identity;
use super::staging::Record;
use super::statement_outcomes::StoredOutcome;
use super::transaction;

pub(crate) use engine_views::make_views;
pub(crate) use renames::{Renamed, remake_record};
pub(crate) use retained::purge_expired;
pub(crate) use work::Work;

/// The objects a command changes, to be locked while it runs and invalidated in the cache afterwards.
pub(crate) fn touched(command: &Ddl) -> Vec<ObjectName> {
    match command {
        Ddl::CreateTable(create) => vec![create.name.clone()],
        Ddl::CreateView(create) => vec![create.name.clone()],
        Ddl::AlterTable { name, change: TableChange::Rename(other) | TableChange::SwapWith(other), .. } => {
            vec![name.clone(), other.clone()]
        }
        Ddl::AlterView { name, change: firn_sql::command::ViewChange::Rename(other), .. }
        | Ddl::AlterSequence { name, change: firn_sql::command::SequenceChange::Rename(other), .. } => {
            vec![name.clone(), other.clone()]
        }
        Ddl::AlterTable { name, .. }
        | Ddl::AlterView { name, .. }
        | Ddl::AlterSequence { name, .. }
        | Ddl::CreateSequence { name, .. }
        | Ddl::Drop { name, .. } => vec![name.clone()],
        Ddl::Comment { target, .. } => notes::commented_object(target),
        Ddl::GrantOwnership { target, .. } | Ddl::Undrop(target) => notes::owned_object(target),
        Ddl::CreateDatabase { .. }
        | Ddl::AlterDatabase { .. }
        | Ddl::DropDatabase { .. }
        | Ddl::CreateSchema { .. }
        | Ddl::AlterSchema { .. }
        | Ddl::DropSchema { .. }
        | Ddl::CreateRoutine { .. }
        | Ddl::AlterRoutine { .. }
        | Ddl::DropRoutine { .. } => Vec::new(),
    }
}

/// The database whose file a command changes.
fn database_of(command: &Ddl) -> Option<String> {
    match command {
        Ddl::CreateSchema { name, .. }
        | Ddl::AlterSchema { name, .. }
        | Ddl::DropSchema { name, .. }
        | Ddl::Comment { target: CommentTarget::Schema(name), .. }
        | Ddl::GrantOwnership { target: OwnershipTarget::Schema(name), .. }
        | Ddl::Undrop(OwnershipTarget::Schema(name)) => Some(name.database().to_owned()),
        Ddl::CreateRoutine { routine, .. } => Some(routine.name.database().to_owned()),
        Ddl::AlterRoutine { name, .. }
        | Ddl::DropRoutine { name, .. }
        | Ddl::Undrop(OwnershipTarget::Routine { name, .. }) => Some(name.database().to_owned()),
        _ => touched(command).first().map(|name| name.database().to_owned()),
    }
}

/// Invalidates the cached descriptions of the objects that a committed command has changed, and of others that it has written:
/// those whose defaults name a sequence that was renamed.
pub(crate) fn forget(catalog: &CatalogCache, command: &Ddl, touched: &[ObjectName], written: &[ObjectDescription]) {
    match command {
        Ddl::CreateSchema { name, .. } | Ddl::AlterSchema { name, .. } | Ddl::DropSchema { name, .. } => {
            catalog.forget_database(name.database());
        }
        Ddl::Comment { target: CommentTarget::Schema(name), .. }
        | Ddl::GrantOwnership { target: OwnershipTarget::Schema(name), .. }
        | Ddl::Undrop(OwnershipTarget::Schema(name)) => {
            catalog.forget_database(name.database());
        }
        _ => catalog.forget_objects(touched.iter().chain(written.iter().map(|object| &object.name))),
    }
}

/// Runs one command in a transaction of its own and returns its status text, and the permanent objects it has written.
pub(crate) fn run(
    session: &mut SessionState,
    command: &Ddl,
    context: &ExecutionContext,
) -> Result<(String, Vec<ObjectDescription>), EngineError> {
    let schemas = known_schemas(session, command)?;
    with_work(session, context, Transaction::OfDefinitions, |_, work| {
        work.schemas = schemas;
        let status = work.run(command)?;
        if let Some(database) = database_of(command) {
            work.record_outcome(&database, || StoredOutcome::Done(status.clone()))?;
        }
        Ok((status, std::mem::take(&mut work.written)))
    })
}

/// The schemas of the database of a new table or view, read before the command's transaction begins: what was read within
/// it must not be cached. Nobody drops the schema meanwhile: the command has a lock on it.
fn known_schemas(session: &SessionState, command: &Ddl) -> Result<Option<Arc<Vec<SchemaDescription>>>, EngineError> {
    let Some(name) = new_relation(command) else { return Ok(None) };
    match session.shared.has_database(name.database()) {
        true => session.shared.catalog.schemas(&session.connection, name.database()).map(Some),
        false => Ok(None),
    }
}

/// Runs commands in one transaction.
pub(crate) fn run_all(
    session: &mut SessionState,
    commands: &[Ddl],
    context: &ExecutionContext,
) -> Result<(), EngineError> {
    let of_session: Vec<bool> = commands.iter().map(|command| temporary_record(session, command).is_some()).collect();
    let of_databases = commands.iter().zip(&of_session).filter(|(_, of_session)| !**of_session);
    let written = with_work(session, context, Transaction::OfDefinitions, |_, work| {
        of_databases.into_iter().try_for_each(|(command, _)| {
            work.read_schemas_for(command)?;
            work.run(command).map(drop)
        })?;
        Ok(std::mem::take(&mut work.written))
    })?;
    for command in commands {
        if let (Ddl::GrantOwnership { role, .. }, Some(record)) = (command, temporary_record(session, command)) {
            record.owner.clone_from(role);
        }
    }
    commands.iter().for_each(|command| forget(&session.shared.catalog, command, &touched(command), &written));
    session.definition_change = None;
    Ok(())
}

/// Whether a command is about schemas, sequences or what was dropped, none of which is temporary.
fn is_about_permanent(command: &Ddl) -> bool {
    use CommentTarget::Object as Commented;
    matches!(
        command,
        Ddl::CreateSchema { .. }
            | Ddl::AlterSchema { .. }
            | Ddl::DropSchema { .. }
            | Ddl::Undrop(_)
            | Ddl::CreateSequence { .. }
            | Ddl::AlterSequence { .. }
            | Ddl::Drop { kind: ObjectKind::Sequence, .. }
            | Ddl::Comment { target: Commented { kind: ObjectKind::Sequence, .. }, .. }
    )
}

/// The session's own stage or file format that a command hands over.
fn temporary_record<'session>(session: &'session mut SessionState, command: &Ddl) -> Option<&'session mut Record> {
    match command {
        Ddl::GrantOwnership { target: OwnershipTarget::Object { kind: ObjectKind::Stage, .. }, id, .. } => {
            session.temporary_stages.of_id(*id)
        }
        Ddl::GrantOwnership { target: OwnershipTarget::Object { kind: ObjectKind::FileFormat, .. }, id, .. } => {
            session.temporary_formats.of_id(*id)
        }
        _ => None,
    }
}

/// The name of the table or view that a command makes.
fn new_relation(command: &Ddl) -> Option<&ObjectName> {
    match command {
        Ddl::CreateTable(create) => Some(&create.name),
        Ddl::CreateView(create) => Some(&create.name),
        _ => None,
    }
}

/// The transaction that a command works in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transaction {
    /// The session's.
    Open,
    /// Its own, which changes rows.
    OfRows,
    /// Its own, which changes definitions.
    OfDefinitions,
}

/// Runs `task` with what a command works with.
pub(crate) fn with_work<T>(
    session: &mut SessionState,
    context: &ExecutionContext,
    transaction: Transaction,
    task: impl FnOnce(&Connection, &mut Work<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let connection: &Connection = &session.connection;
    let mut temporary = session.temporary.clone();
    let mut work = Work::new(connection, &session.shared, &mut temporary, context);
    let mut change = None;
    let outcome = match transaction {
        Transaction::Open => task(connection, &mut work),
        Transaction::OfRows => transaction::within(connection, || task(connection, &mut work)),
        Transaction::OfDefinitions => transaction::within_then(
            connection,
            || task(connection, &mut work),
            || change = Some(session.shared.definitions.begin_change()),
        ),
    }?;
    work.abandoned.iter().for_each(|folder| session.shared.abandon_folder(folder));
    session.temporary = temporary;
    session.definition_change = change;
    Ok(outcome)
}

/// Drops tables and views of the session.
pub(crate) fn drop_temporary(session: &mut SessionState, names: &[ObjectName]) -> Result<(), EngineError> {
    if names.is_empty() {
        return Ok(());
    }
    let context = ExecutionContext::of_role(String::new());
    with_work(session, &context, Transaction::OfRows, |_, work| {
        names.iter().try_for_each(|name| work.drop_temporary(name))
    })
}

/// Copies schemas with all they hold into another database, with their identities.
pub(crate) fn clone_schemas(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    schemas: &[(SchemaName, SchemaName)],
    ids: (i64, i64),
) -> Result<(), EngineError> {
    let context = ExecutionContext::of_role(owner);
    let mut temporary = TemporaryTables::default();
    let mut work = Work::new(connection, shared, &mut temporary, &context);
    work.cloned.databases = Some(ids);
    for (source, target) in schemas {
        if let Some(mut schema) = work.require_named_schema(source, IfMissing::Fail)? {
            work.cloned.follow_tags(&mut schema.tags);
            work.add_schema(&SchemaDescription {
                database: target.database().to_owned(),
                name: target.schema.clone(),
                owner: owner.to_owned(),
                comment: None,
                created_on_ms: chrono::Utc::now().timestamp_millis(),
                ..schema
            })?;
        }
        work.clone_sequences(source, target, Identity::OfSource)?;
    }
    let mut copied = Vec::new();
    for (source, target) in schemas {
        copied.extend(work.clone_objects(source, target, Identity::OfSource)?);
    }
    engine_views::make_views(connection, &copied.iter().collect::<Vec<_>>())
}

impl Work<'_> {
    /// Reads the schemas once for new tables and views that follow each other.
    fn read_schemas_for(&mut self, command: &Ddl) -> Result<(), EngineError> {
        let Some(name) = new_relation(command) else {
            self.schemas = None;
            return Ok(());
        };
        if self.schemas.is_none() && self.shared.has_database(name.database()) {
            self.schemas = Some(read_schemas(self.connection, name.database())?.into());
        }
        Ok(())
    }

    /// Temporary objects do not hide what is about permanent ones alone.
    fn run(&mut self, command: &Ddl) -> Result<String, EngineError> {
        if !is_about_permanent(command) {
            return self.run_by_name(command);
        }
        let hiding = std::mem::take(self.temporary);
        let outcome = self.run_by_name(command);
        *self.temporary = hiding;
        outcome
    }

    fn run_by_name(&mut self, command: &Ddl) -> Result<String, EngineError> {
        match command {
            Ddl::CreateTable(create) => self.create_table(create),
            Ddl::AlterTable { name, if_missing, change } => self.alter_table(name, *if_missing, change),
            Ddl::CreateView(create) => self.create_view(create),
            Ddl::AlterView { name, if_missing, change } => self.alter_view(name, *if_missing, change),
            Ddl::CreateSequence { name, mode, numbering, order, comment } => {
                self.create_sequence(name, *mode, *numbering, *order, comment.as_deref())
            }
            Ddl::AlterSequence { name, if_missing, change } => self.alter_sequence(name, *if_missing, change),
            Ddl::Drop { kind, name, if_missing } => self.drop_object(*kind, name, *if_missing),
            Ddl::CreateSchema { name, mode, clone_of, options, comment, retention_days, tags } => {
                let status = self.create_schema(name, *mode, clone_of.as_ref(), *options, comment.as_deref(), tags)?;
                if retention_days.is_some() && status.ends_with("created.") {
                    self.set_schema_retention(name, *retention_days)?;
                }
                Ok(status)
            }
            Ddl::Undrop(OwnershipTarget::Object { name, .. }) => self.undrop_table(name),
            Ddl::Undrop(OwnershipTarget::Schema(name)) => self.undrop_schema(name),
            Ddl::Undrop(OwnershipTarget::Routine { name, .. }) => self.undrop_tag(name),
            Ddl::AlterSchema { name, if_missing, change } => self.alter_schema(name, *if_missing, change),
            Ddl::DropSchema { name, if_missing, refuse_if_filled } => {
                self.drop_schema(name, *if_missing, *refuse_if_filled)
            }
            Ddl::CreateRoutine { routine, mode, .. } => self.create_routine(routine, *mode),
            Ddl::DropRoutine { kind, name, types, if_missing } => self.drop_routine(*kind, name, types, *if_missing),
            Ddl::AlterRoutine { kind, name, types, if_missing, change } => {
                self.alter_routine(*kind, name, types, *if_missing, change)
            }
            Ddl::Comment { target, if_missing, comment } => self.comment(target, *if_missing, comment),
            Ddl::GrantOwnership { target, id, role } => self.grant_ownership(target, *id, role),
            Ddl::CreateDatabase { .. }
            | Ddl::AlterDatabase { .. }
            | Ddl::DropDatabase { .. }
            | Ddl::Undrop(OwnershipTarget::Database(_)) => {
                Err(EngineError::Internal("databases are not changed in a session".to_owned()))
            }
        }
    }
}

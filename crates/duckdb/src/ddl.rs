//! Data definition: every command changes the engine's catalog and the side tables in one transaction.

mod alter_columns;
mod alter_table;
mod columns;
mod create_table;
mod default_types;
mod drops;
mod notes;
mod renames;
mod retained;
mod routines;
mod schemas;
mod sequences;
mod views;

use std::collections::HashSet;
use std::sync::Arc;

use firn_engine::{
    CellFormats, EngineError, ExecutionContext, InputFormats, Integers, ObjectDescription, RepeatedMatches,
    SchemaDescription, WeekRules,
};
use firn_sql::command::{CreateMode, Ddl, IfMissing, ObjectKind, OwnershipTarget, TableChange};
use firn_sql::names::{SchemaName, display_identifier};
use firn_sql::{Failure, ObjectName};

use super::connection::Connection;
use super::describe::{self, CatalogCache, Lookup};
use super::dialect::{RewriteContext, Visibility, engine_relation};
use super::session::DuckDbSession;
use super::shared::Shared;
use super::side_tables::{self, StoredObject};
use super::temporary::TemporaryTables;
use super::{information_schema, staging, transaction};

pub(crate) use renames::{Renamed, remake_record, remake_views};
pub(crate) use retained::purge_expired;

pub(crate) const DONE: &str = "Statement executed successfully.";

/// The objects a command changes, to be locked while it runs and forgotten afterwards.
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

/// Makes a committed command's changes visible to those who remember descriptions.
pub(crate) fn forget(catalog: &CatalogCache, command: &Ddl, touched: &[ObjectName]) {
    match command {
        Ddl::CreateSchema { name, .. } | Ddl::AlterSchema { name, .. } | Ddl::DropSchema { name, .. } => {
            catalog.forget_database(name.database());
        }
        Ddl::Comment { target: firn_sql::command::CommentTarget::Schema(name), .. }
        | Ddl::GrantOwnership { target: OwnershipTarget::Schema(name), .. }
        | Ddl::Undrop(OwnershipTarget::Schema(name)) => {
            catalog.forget_database(name.database());
        }
        _ => catalog.forget_objects(touched),
    }
}

/// Runs one command in a transaction of its own and returns its status text.
pub(crate) fn run(
    session: &mut DuckDbSession,
    command: &Ddl,
    context: &ExecutionContext,
) -> Result<String, EngineError> {
    with_work(session, context, false, |_, work| work.run(command))
}

/// Runs `task` with what a command works with, in a transaction of its own or in the one that is open.
pub(crate) fn with_work<T>(
    session: &mut DuckDbSession,
    context: &ExecutionContext,
    in_transaction: bool,
    task: impl FnOnce(&Connection, &mut Work<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let connection: &Connection = &session.connection;
    let mut temporary = session.temporary.clone();
    let mut work =
        Work { connection, shared: &session.shared, temporary: &mut temporary, context, abandoned: Vec::new() };
    let outcome = if in_transaction {
        task(connection, &mut work)
    } else {
        transaction::within(connection, || task(connection, &mut work))
    }?;
    work.abandoned.iter().for_each(|folder| session.shared.abandon_folder(folder));
    session.temporary = temporary;
    Ok(outcome)
}

/// Copies schemas with all they hold into another database.
pub(crate) fn clone_schemas(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    schemas: &[(SchemaName, SchemaName)],
) -> Result<(), EngineError> {
    let context = ExecutionContext {
        role: owner.to_owned(),
        user: String::new(),
        user_id: 0,
        query_id: String::new(),
        visible_owners: None,
        account_rows: Vec::new(),
        owned_databases: Vec::new(),
        timezone: "UTC".to_owned(),
        weeks: WeekRules::default(),
        inputs: InputFormats::default(),
        repeated_matches: RepeatedMatches::default(),
        integers: Integers::Narrow,
        formats: CellFormats::default(),
    };
    let mut temporary = TemporaryTables::default();
    let mut work = Work { connection, shared, temporary: &mut temporary, context: &context, abandoned: Vec::new() };
    for (source, target) in schemas {
        let options = work.require_named_schema(source, IfMissing::Fail)?.map(|schema| schema.options);
        work.create_schema(target, CreateMode::New, None, options.unwrap_or_default(), None)?;
        work.clone_sequences(source, target)?;
    }
    let mut copied = Vec::new();
    for (source, target) in schemas {
        copied.extend(work.clone_objects(source, target)?);
    }
    views::make_views(connection, &copied.iter().collect::<Vec<_>>(), &[])
}

/// One command at work.
pub(crate) struct Work<'session> {
    connection: &'session Connection,
    shared: &'session Shared,
    temporary: &'session mut TemporaryTables,
    context: &'session ExecutionContext,
    /// Folders of stages that are gone once the command has happened.
    abandoned: Vec<String>,
}

impl Work<'_> {
    fn run(&mut self, command: &Ddl) -> Result<String, EngineError> {
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
            Ddl::CreateSchema { name, mode, clone_of, options, comment, retention_days } => {
                let status = self.create_schema(name, *mode, clone_of.as_ref(), *options, comment.as_deref())?;
                if retention_days.is_some() && status.ends_with("created.") {
                    self.set_schema_retention(name, *retention_days)?;
                }
                Ok(status)
            }
            Ddl::Undrop(OwnershipTarget::Object { name, .. }) => self.undrop_table(name),
            Ddl::Undrop(OwnershipTarget::Schema(name)) => self.undrop_schema(name),
            Ddl::AlterSchema { name, if_missing, change } => self.alter_schema(name, *if_missing, change),
            Ddl::DropSchema { name, if_missing, refuse_if_filled } => {
                self.drop_schema(name, *if_missing, *refuse_if_filled)
            }
            Ddl::CreateRoutine { routine, mode } => self.create_routine(routine, *mode),
            Ddl::DropRoutine { kind, name, types, if_missing } => self.drop_routine(*kind, name, types, *if_missing),
            Ddl::AlterRoutine { kind, name, types, if_missing, change } => {
                self.alter_routine(*kind, name, types, *if_missing, change)
            }
            Ddl::Comment { target, if_missing, comment } => self.comment(target, *if_missing, comment),
            Ddl::GrantOwnership { target, role } => self.grant_ownership(target, role),
            Ddl::CreateDatabase { .. }
            | Ddl::AlterDatabase { .. }
            | Ddl::DropDatabase { .. }
            | Ddl::Undrop(OwnershipTarget::Database(_)) => {
                Err(EngineError::Internal("databases are not changed in a session".to_owned()))
            }
        }
    }

    pub(crate) fn rewrite_context(&self) -> RewriteContext<'_> {
        RewriteContext {
            temporary: self.temporary,
            visibility: Visibility::of(self.context),
            account_rows: &self.context.account_rows,
            lookup: self,
            formats: &self.context.formats,
            weeks: self.context.weeks,
            inputs: &self.context.inputs,
            repeated_matches: self.context.repeated_matches,
            integers: self.context.integers,
        }
    }

    /// The engine's name of a table, wherever it lives.
    fn relation(&self, name: &ObjectName) -> String {
        engine_relation(name, self.temporary)
    }

    /// An object by its name; temporary tables hide permanent ones.
    fn find_stored(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        match self.temporary.stored(name) {
            Some(stored) => Ok(Some(stored.clone())),
            None => self.find_permanent(name),
        }
    }

    fn find_permanent(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        if !self.shared.has_database(name.database()) {
            return Ok(None);
        }
        describe::read_object(self.connection, name)
    }

    /// The object of the wanted kind, or `None` where a missing one may be skipped.
    fn find_kind(
        &self,
        kind: ObjectKind,
        name: &ObjectName,
        if_missing: IfMissing,
    ) -> Result<Option<StoredObject>, EngineError> {
        match self.find_stored(name)? {
            Some(stored) if stored.description.kind == kind => Ok(Some(stored)),
            Some(stored) => Err(wrong_kind(&stored, kind).into()),
            None if if_missing == IfMissing::Skip => Ok(None),
            None => {
                self.require_schema(name)?;
                Err(Failure::missing_object(kind_word(kind), &name.to_string()).into())
            }
        }
    }

    fn find_schema(&self, database: &str, schema: &str) -> Result<Option<SchemaDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(None);
        }
        let schemas = describe::read_schemas(self.connection, database)?;
        Ok(schemas.into_iter().find(|description| description.name == schema))
    }

    fn require_schema(&self, name: &ObjectName) -> Result<SchemaDescription, EngineError> {
        if let Some(schema) = self.find_schema(name.database(), name.schema())? {
            return Ok(schema);
        }
        let schema = format!("{}.{}", display_identifier(name.database()), display_identifier(name.schema()));
        Err(Failure::missing_object("Schema", &schema).into())
    }

    /// Decides what a CREATE does about an object that is there already. `Some` is the status text of
    /// a command that has nothing to do.
    fn make_room(
        &mut self,
        mode: CreateMode,
        kind: ObjectKind,
        existing: Option<&StoredObject>,
    ) -> Result<Option<String>, EngineError> {
        let Some(existing) = existing else { return Ok(None) };
        let shown = display_identifier(&existing.description.name.name);
        match mode {
            CreateMode::New => Err(Failure::already_exists(&shown).into()),
            CreateMode::IfNotExists => Ok(Some(format!("{shown} already exists, statement succeeded."))),
            CreateMode::OrReplace if existing.description.kind != kind => Err(wrong_kind(existing, kind).into()),
            CreateMode::OrReplace => Ok(None),
        }
    }

    /// Writes what is known of an object in the place of what was known under `old_name`.
    fn save(&mut self, old_name: &ObjectName, stored: StoredObject) -> Result<(), EngineError> {
        if self.temporary.contains(old_name) {
            self.temporary.forget(old_name);
            self.temporary.record(stored);
            return Ok(());
        }
        side_tables::forget_object(self.connection, old_name)?;
        if stored.description.kind == ObjectKind::Table && *old_name != stored.description.name {
            staging::table_renamed(self.connection, old_name, &stored.description.name)?;
        }
        side_tables::write_object(self.connection, &stored)
    }
}

impl Lookup for Work<'_> {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        if let Some(view) = information_schema::describe(name)? {
            return Ok(Some(view));
        }
        Ok(self.find_stored(name)?.map(|stored| Arc::new(stored.described())))
    }

    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        self.connection.find_view(name)
    }
}

fn wrong_kind(stored: &StoredObject, wanted: ObjectKind) -> Failure {
    Failure::new(
        "002203",
        "02000",
        format!(
            "SQL compilation error:\nObject found is of type '{}', not specified type '{}'.",
            kind_word(stored.description.kind).to_uppercase(),
            kind_word(wanted).to_uppercase()
        ),
    )
}

/// Fails when two of the names are one to the engine.
fn duplicate_column<'names>(names: impl Iterator<Item = &'names str>) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.to_ascii_uppercase()) {
            return Err(Failure::new(
                "002025",
                "42S21",
                format!("SQL compilation error:\nduplicate column name '{}'", display_identifier(name)),
            ));
        }
    }
    Ok(())
}

fn kind_word(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::View => "View",
        ObjectKind::Sequence => "Sequence",
        _ => "Table",
    }
}

fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// The engine's name of a permanent object.
fn engine_name(name: &ObjectName) -> String {
    [name.database(), name.schema(), &name.name].map(firn_sql::names::quote_identifier).join(".")
}

//! The context of one DDL command, and how it finds and records objects.

use std::collections::HashSet;
use std::sync::Arc;

use firn_duckdb_lower::dialect::{RewriteContext, Visibility, engine_relation};
use firn_duckdb_lower::information_schema;
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_engine::{ClonedReferences, EngineError, ExecutionContext, ObjectDescription, SchemaDescription};
use firn_sql::command::{CreateMode, IfMissing, ObjectKind};
use firn_sql::names::{display_identifier, quote_identifier};
use firn_sql::permanent_names::permanent_name;
use firn_sql::{Failure, ObjectName};

use crate::connection::Connection;
use crate::describe::{self, Lookup};
use crate::shared::Shared;
use crate::side_tables::{self, StoredObject};
use crate::staging;
use crate::statement_outcomes::{self, StoredOutcome};

/// One command at work.
pub(crate) struct Work<'session> {
    pub(super) connection: &'session Connection,
    pub(super) shared: &'session Shared,
    pub(super) temporary: &'session mut TemporaryTables,
    pub(super) context: &'session ExecutionContext,
    /// Folders of stages that are gone once the command has happened.
    pub(super) abandoned: Vec<String>,
    /// What records that are copied refer to in the clone.
    pub(super) cloned: ClonedReferences,
    /// The schemas of the database as they were before the command, of a command that changes none.
    pub(super) schemas: Option<Arc<Vec<SchemaDescription>>>,
    /// The permanent objects that were written, as they are read from now on.
    pub(super) written: Vec<ObjectDescription>,
}

impl<'session> Work<'session> {
    pub(super) fn new(
        connection: &'session Connection,
        shared: &'session Shared,
        temporary: &'session mut TemporaryTables,
        context: &'session ExecutionContext,
    ) -> Self {
        let cloned = ClonedReferences::default();
        Self {
            connection,
            shared,
            temporary,
            context,
            abandoned: Vec::new(),
            cloned,
            schemas: None,
            written: Vec::new(),
        }
    }

    pub(crate) fn rewrite_context(&self) -> RewriteContext<'_> {
        RewriteContext {
            temporary: self.temporary,
            visibility: Visibility::of(self.context),
            account_rows: &self.context.account_rows,
            views_of_owners: &self.context.views_of_owners,
            lookup: self,
            formats: &self.context.formats,
            weeks: self.context.weeks,
            inputs: &self.context.inputs,
            repeated_matches: self.context.repeated_matches,
            integers: self.context.integers,
        }
    }

    /// Records the outcome of the command with its change.
    pub(crate) fn record_outcome(
        &self,
        database: &str,
        outcome: impl FnOnce() -> StoredOutcome,
    ) -> Result<(), EngineError> {
        statement_outcomes::record(self.connection, self.shared, database, self.context, outcome)
    }

    /// The engine's name of a table, wherever it lives.
    pub(super) fn relation(&self, name: &ObjectName) -> String {
        engine_relation(name, self.temporary)
    }

    /// An object by its name; temporary tables hide permanent ones.
    pub(super) fn find_stored(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        match (permanent_name(name), self.temporary.stored(name)) {
            (Some(name), _) => self.find_permanent(&name),
            (None, Some(stored)) => Ok(Some(stored.clone())),
            (None, None) => self.find_permanent(name),
        }
    }

    pub(super) fn find_permanent(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        if !self.shared.has_database(name.database()) {
            return Ok(None);
        }
        describe::read_object(self.connection, name)
    }

    /// The object of the wanted kind, or `None` where a missing one may be skipped.
    pub(super) fn find_kind(
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

    pub(super) fn find_schema(&self, database: &str, schema: &str) -> Result<Option<SchemaDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(None);
        }
        let is_wanted = |found: &&SchemaDescription| found.database == database && found.name == schema;
        if let Some(known) = self.schemas.iter().flat_map(|schemas| schemas.iter()).find(is_wanted) {
            return Ok(Some(known.clone()));
        }
        let schemas = describe::read_schemas(self.connection, database)?;
        Ok(schemas.into_iter().find(|description| description.name == schema))
    }

    pub(super) fn require_schema(&self, name: &ObjectName) -> Result<SchemaDescription, EngineError> {
        if let Some(schema) = self.find_schema(name.database(), name.schema())? {
            return Ok(schema);
        }
        let schema = format!("{}.{}", display_identifier(name.database()), display_identifier(name.schema()));
        Err(Failure::missing_object("Schema", &schema).into())
    }

    /// Handles an existing object of the name of a CREATE. `Some` is the status text of a command that has nothing to do.
    pub(super) fn make_room(
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

    /// Replaces the record of the object `old_name`.
    pub(super) fn save(&mut self, old_name: &ObjectName, stored: StoredObject) -> Result<(), EngineError> {
        if self.temporary.contains(old_name) {
            self.temporary.forget(old_name);
            self.temporary.record(stored);
            return Ok(());
        }
        side_tables::forget_object(self.connection, old_name)?;
        if stored.description.kind == ObjectKind::Table && *old_name != stored.description.name {
            staging::table_renamed(self.connection, old_name, &stored.description.name)?;
        }
        self.write(&stored)
    }

    /// Records a permanent object.
    pub(super) fn write(&mut self, stored: &StoredObject) -> Result<(), EngineError> {
        let written = side_tables::write_object(self.connection, stored)?;
        self.written.push(written.described());
        Ok(())
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
        self.connection.find_view(permanent_name(name).as_ref().unwrap_or(name))
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
pub(super) fn duplicate_column<'names>(names: impl Iterator<Item = &'names str>) -> Result<(), Failure> {
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

pub(super) fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// The engine's name of a permanent object.
pub(super) fn engine_name(name: &ObjectName) -> String {
    [name.database(), name.schema(), &name.name].map(quote_identifier).join(".")
}

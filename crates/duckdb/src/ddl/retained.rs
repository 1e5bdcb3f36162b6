//! Dropped objects are retained until their retention time has passed, and UNDROP restores the latest of a name.
//!
//! A dropped table stays in the engine's schema under a hidden name, and its records move to side tables of their own, so
//! that no statement sees it. Views and sequences of a dropped schema are created again from their records.

use firn_engine::{EngineError, RoutineDescription, SchemaDescription};
use firn_sql::command::{Autoincrement, IfMissing, ObjectKind, Persistence, SchemaOptions};
use firn_sql::names::{SchemaName, display_identifier, quote_identifier};
use firn_sql::routines::RoutineKind;
use firn_sql::{Failure, ObjectName};

use super::columns::Home;
use super::engine_views::make_views;
use super::renames::{Renamed, follow_defaults};
use super::work::{Work, engine_name};
use crate::connection::Connection;
use crate::drops::{self, Dropped};
use crate::side_tables::{StoredObject, forget_object, forget_schema, text};
use crate::{describe, routines, staging};

impl Work<'_> {
    /// The retention time of a table in days.
    pub(super) fn table_retention(&self, stored: &StoredObject) -> Result<u8, EngineError> {
        let name = &stored.description.name;
        if stored.description.persistence == Persistence::Temporary {
            return Ok(0);
        }
        let inherited = drops::retention(self.connection, name.database(), name.schema())?;
        let days = stored.description.options.retention_days.unwrap_or(inherited);
        let most = if stored.description.persistence == Persistence::Transient { 1 } else { days };
        Ok(days.min(most))
    }

    /// Hides a table and its records.
    pub(super) fn retain_table(&mut self, stored: &StoredObject, days: u8) -> Result<(), EngineError> {
        let name = &stored.description.name;
        let dropped = Dropped::of_table(stored, days);
        self.hide_table(stored, &dropped.id)?;
        let hidden = ObjectName::qualified(name.database(), &dropped.id, &name.name);
        staging::table_renamed(self.connection, name, &hidden)?;
        let this = format!("schema_name = {}", text(name.schema()));
        drops::archive(self.connection, name.database(), &dropped.id, &this, Some(&name.name))?;
        drops::write(self.connection, name.database(), &dropped)
    }

    /// Gives the engine's table its hidden name. Defaults that use sequences are dropped, or the engine would refuse to drop
    /// the sequence.
    fn hide_table(&self, stored: &StoredObject, id: &str) -> Result<(), EngineError> {
        let relation = engine_name(&stored.description.name);
        for column in stored.columns.iter().filter(|column| uses_sequence(column.description.default.as_deref())) {
            let column = quote_identifier(&column.description.name);
            self.connection.execute(&format!("ALTER TABLE {relation} ALTER COLUMN {column} DROP DEFAULT"))?;
        }
        let hidden = quote_identifier(&drops::hidden_name(id, &stored.description.name.name));
        self.connection.execute(&format!("ALTER TABLE {relation} RENAME TO {hidden}"))?;
        Ok(())
    }

    pub(super) fn undrop_table(&mut self, name: &ObjectName) -> Result<String, EngineError> {
        self.require_schema(name)?;
        let shown = display_identifier(&name.name);
        if self.find_stored(name)?.is_some() {
            return Err(Failure::already_exists(&shown).into());
        }
        let found = drops::latest(self.connection, name.database(), "TABLE", name.schema(), &name.name)?;
        let dropped = found.ok_or_else(|| purged("Table", &shown))?;
        drops::restore(self.connection, name.database(), &dropped.id, name.schema())?;
        let hidden = ObjectName::qualified(name.database(), &dropped.id, &name.name);
        staging::table_renamed(self.connection, &hidden, name)?;
        self.restore_table(name, &dropped)?;
        drops::forget(self.connection, name.database(), &dropped.id)?;
        Ok(format!("Table {shown} successfully restored."))
    }

    /// The records are back already; the engine's table follows.
    fn restore_table(&mut self, name: &ObjectName, dropped: &Dropped) -> Result<(), EngineError> {
        let Some(mut stored) = self.find_permanent(name)? else {
            return Err(EngineError::Internal("a dropped table has lost its record".to_owned()));
        };
        let renamed = [Renamed::Database { from: &dropped.database_name, to: name.database() }];
        follow_defaults(&mut stored.columns, &renamed)?;
        let hidden = drops::hidden_name(&dropped.id, &name.name);
        let from = ObjectName::qualified(name.database(), &dropped.engine_schema, &hidden);
        if dropped.engine_schema == name.schema() {
            let target = quote_identifier(&name.name);
            self.connection.execute(&format!("ALTER TABLE {} RENAME TO {target}", engine_name(&from)))?;
        } else {
            let mut hidden = stored.clone();
            hidden.description.name = from;
            self.copy_engine_table(&hidden, name, Home::Database(name.database()))?;
        }
        let defaults: Vec<(String, String)> = stored
            .columns
            .iter()
            .filter_map(|column| Some((column.description.name.clone(), column.description.default.clone()?)))
            .filter(|(_, default)| uses_sequence(Some(default)))
            .collect();
        for (column, default) in defaults {
            self.set_default(&mut stored, &column, &default)?;
        }
        forget_object(self.connection, name)?;
        self.write(&stored)
    }

    /// Hides a tag. What has it refers to it by its id, and has it again when it is restored.
    pub(super) fn retain_tag(&mut self, tag: &RoutineDescription) -> Result<(), EngineError> {
        let dropped = Dropped::of_tag(tag);
        routines::move_routine(self.connection, &tag.routine, &dropped.id)?;
        drops::write(self.connection, tag.routine.name.database(), &dropped)
    }

    pub(super) fn undrop_tag(&mut self, name: &ObjectName) -> Result<String, EngineError> {
        self.require_schema(name)?;
        let shown = display_identifier(&name.name);
        let (kind, database) = (RoutineKind::Tag, name.database());
        if self.find_routine(kind, name, "")?.is_some() {
            return Err(Failure::already_exists(&shown).into());
        }
        let found = drops::latest(self.connection, database, "TAG", name.schema(), &name.name)?;
        let dropped = found.ok_or_else(|| purged("Tag", &shown))?;
        let hidden = ObjectName::qualified(database, &dropped.id, &name.name);
        let tag = self.find_routine(kind, &hidden, "")?.ok_or_else(|| purged("Tag", &shown))?;
        routines::move_routine(self.connection, &tag.routine, name.schema())?;
        drops::forget(self.connection, database, &dropped.id)?;
        Ok(format!("Tag {shown} successfully restored."))
    }

    /// Hides a schema with all it holds; the engine's schema stays.
    pub(super) fn retain_schema(&mut self, schema: &SchemaDescription, days: u8) -> Result<(), EngineError> {
        let database = &schema.database;
        let dropped = Dropped::of_schema(schema, days);
        let objects = describe::read_stored(self.connection, database, Some(&schema.name))?;
        let of_kind = |kind: ObjectKind| objects.iter().filter(move |stored| stored.description.kind == kind);
        for table in of_kind(ObjectKind::Table) {
            self.hide_table(table, &dropped.id)?;
        }
        for view in of_kind(ObjectKind::View) {
            self.connection.execute(&format!("DROP VIEW {}", engine_name(&view.description.name)))?;
        }
        let numbered: Vec<(StoredObject, Autoincrement)> = of_kind(ObjectKind::Sequence)
            .map(|sequence| Ok((sequence.clone(), self.remaining(sequence)?)))
            .collect::<Result<_, EngineError>>()?;
        let all = format!("schema_name = {}", text(&schema.name));
        drops::archive(self.connection, database, &dropped.id, &all, None)?;
        for (sequence, remaining) in numbered {
            self.drop_sequence(&sequence)?;
            drops::set_sequence_start(self.connection, database, &dropped.id, &sequence, remaining)?;
        }
        drops::move_schema(self.connection, database, &schema.name, &dropped.id)?;
        forget_schema(self.connection, database, &schema.name)?;
        drops::write(self.connection, database, &dropped)
    }

    pub(super) fn undrop_schema(&mut self, name: &SchemaName) -> Result<String, EngineError> {
        let (database, shown) = (name.database().to_owned(), display_identifier(&name.schema));
        if self.find_schema(&database, &name.schema)?.is_some() {
            return Err(Failure::already_exists(&shown).into());
        }
        let found = drops::latest(self.connection, &database, "SCHEMA", "", &name.schema)?;
        let dropped = found.ok_or_else(|| purged("Schema", &shown))?;
        self.add_schema(&SchemaDescription {
            id: dropped.object_id,
            database: database.clone(),
            name: name.schema.clone(),
            owner: dropped.owner.clone(),
            comment: dropped.comment.clone(),
            created_on_ms: dropped.created_on_ms,
            // Its options and tags are restored with the rest.
            options: SchemaOptions::default(),
            tags: Vec::new(),
        })?;
        drops::restore(self.connection, &database, &dropped.id, &name.schema)?;
        drops::move_schema(self.connection, &database, &dropped.id, &name.schema)?;
        drops::forget(self.connection, &database, &dropped.id)?;
        self.restore_objects(name, &dropped)?;
        Ok(format!("Schema {shown} successfully restored."))
    }

    fn restore_objects(&mut self, name: &SchemaName, dropped: &Dropped) -> Result<(), EngineError> {
        let objects = describe::read_stored(self.connection, name.database(), Some(&name.schema))?;
        let of_kind = |kind: ObjectKind| objects.iter().filter(move |stored| stored.description.kind == kind);
        for sequence in of_kind(ObjectKind::Sequence) {
            let numbering = sequence.description.sequence.unwrap_or(Autoincrement { start: 1, increment: 1 });
            self.create_engine_sequence(&engine_name(&sequence.description.name), numbering)?;
        }
        for table in of_kind(ObjectKind::Table) {
            self.restore_table(&table.description.name, dropped)?;
        }
        for sequence in of_kind(ObjectKind::Sequence) {
            self.restore_sequence_defaults(&sequence.description.name)?;
        }
        let views: Vec<&StoredObject> = of_kind(ObjectKind::View).collect();
        make_views(self.connection, &views)
    }

    /// Restores the defaults of other schemas' tables that use the sequence.
    pub(super) fn restore_sequence_defaults(&mut self, sequence: &ObjectName) -> Result<(), EngineError> {
        let literal = firn_sql::names::quote_literal(&engine_name(sequence));
        for mut stored in describe::read_stored(self.connection, sequence.database(), None)? {
            let table = stored.description.name.clone();
            let columns: Vec<(String, String)> = stored
                .columns
                .iter()
                .filter_map(|column| Some((column.description.name.clone(), column.description.default.clone()?)))
                .filter(|(_, default)| default.contains(&literal))
                .collect();
            if stored.description.kind != ObjectKind::Table || table.schema() == sequence.schema() || columns.is_empty()
            {
                continue;
            }
            for (column, default) in columns {
                self.set_default(&mut stored, &column, &default)?;
            }
        }
        Ok(())
    }

    /// Drops the engine's schema once no table is left in it.
    pub(super) fn drop_engine_schema(&self, database: &str, schema: &str) -> Result<(), EngineError> {
        drops::drop_engine_schema_if_empty(self.connection, database, schema)
    }

    /// Purges the retained tables of a schema.
    pub(super) fn purge_tables_of(&mut self, schema: &SchemaDescription) -> Result<(), EngineError> {
        for dropped in drops::within(self.connection, &schema.database, &schema.name)? {
            self.abandoned.extend(drops::purge(self.connection, &schema.database, &dropped)?);
        }
        Ok(())
    }

    pub(super) fn set_schema_retention(&self, name: &SchemaName, days: Option<u8>) -> Result<(), EngineError> {
        self.require_named_schema(name, IfMissing::Fail)?;
        drops::set_retention(self.connection, name.database(), &name.schema, days)
    }
}

fn uses_sequence(default: Option<&str>) -> bool {
    default.is_some_and(|default| default.to_ascii_uppercase().contains("NEXTVAL("))
}

fn purged(kind: &str, name: &str) -> Failure {
    Failure::new("002003", "02000", format!("SQL compilation error:\n{kind} '{name}' did not exist or was purged."))
}

/// Removes objects whose retention time has passed, and returns the folders of their stages.
pub(crate) fn purge_expired(connection: &Connection, database: &str, now_ms: i64) -> Result<Vec<String>, EngineError> {
    let mut folders = Vec::new();
    for dropped in drops::expired(connection, database, now_ms)? {
        folders.extend(crate::transaction::within(connection, || drops::purge(connection, database, &dropped))?);
    }
    Ok(folders)
}

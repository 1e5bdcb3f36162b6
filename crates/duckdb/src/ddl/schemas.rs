//! Schemas. The engine cannot rename one, so a renamed schema is a new one to which everything moves.

use firn_engine::{EngineError, ObjectDescription, SchemaDescription, fresh_object_id};
use firn_sql::command::{
    AssignedTag, ContainerChange, CreateMode, CreateTable, IfMissing, ObjectKind, SchemaOptions, TableSource, TagChange,
};
use firn_sql::names::{INFORMATION_SCHEMA, SchemaName, display_identifier, quote_identifier};
use firn_sql::{Failure, ObjectName};

use super::engine_views::make_views;
use super::renames::{Renamed, follow_defaults};
use super::work::{Work, engine_name, now_ms};
use crate::side_tables::{Identity, StoredObject, forget_schema, write_schema};
use crate::status_text::DONE;
use crate::{describe, drops, staging};

impl Work<'_> {
    pub(super) fn create_schema(
        &mut self,
        name: &SchemaName,
        mode: CreateMode,
        clone_of: Option<&SchemaName>,
        options: SchemaOptions,
        comment: Option<&str>,
        tags: &[TagChange],
    ) -> Result<String, EngineError> {
        let shown = display_identifier(&name.schema);
        self.require_database(name.database())?;
        if is_built_in(&name.schema) {
            return match mode {
                CreateMode::New | CreateMode::OrReplace => Err(Failure::already_exists(&shown).into()),
                CreateMode::IfNotExists => Ok(format!("{shown} already exists, statement succeeded.")),
            };
        }
        let existing = self.find_schema(name.database(), &name.schema)?;
        match (&existing, mode) {
            (Some(_), CreateMode::New) => return Err(Failure::already_exists(&shown).into()),
            (Some(_), CreateMode::IfNotExists) => return Ok(format!("{shown} already exists, statement succeeded.")),
            (Some(_), CreateMode::OrReplace) | (None, _) => {}
        }
        if let Some(source) = clone_of {
            self.require_named_schema(source, IfMissing::Fail)?;
            self.cloned.ids = self.routine_copies(source)?;
            if source.database() == name.database() {
                self.cloned.tags = self.cloned.ids.keys().copied().collect();
            }
        }
        let schema = SchemaDescription {
            tags: self.tags_of_new_schema(clone_of, tags)?,
            id: fresh_object_id(),
            database: name.database().to_owned(),
            name: name.schema.clone(),
            owner: self.context.role.clone(),
            comment: comment.map(str::to_owned),
            created_on_ms: now_ms(),
            options,
        };
        match (existing, clone_of) {
            (Some(existing), Some(source)) if source == name => self.replace_by_own_clone(&existing, schema)?,
            (existing, clone_of) => {
                if let Some(existing) = existing {
                    self.remove_schema(&existing)?;
                }
                self.add_schema(&schema)?;
                if let Some(source) = clone_of {
                    self.clone_content(source, name)?;
                }
            }
        }
        Ok(format!("Schema {shown} successfully created."))
    }

    /// The clone is made beside its source, and gets the name once that is gone.
    fn replace_by_own_clone(
        &mut self,
        source: &SchemaDescription,
        clone: SchemaDescription,
    ) -> Result<(), EngineError> {
        let beside = SchemaDescription { name: format!("__CLONE_{}", clone.id), ..clone };
        self.add_schema(&beside)?;
        self.clone_content(&name_of(source), &name_of(&beside))?;
        self.remove_schema(source)?;
        self.rename_schema(beside, &source.name)?;
        for stored in describe::read_stored(self.connection, &source.database, Some(&source.name))? {
            if stored.description.kind == ObjectKind::Sequence {
                self.restore_sequence_defaults(&stored.description.name)?;
            }
        }
        Ok(())
    }

    fn clone_content(&mut self, source: &SchemaName, target: &SchemaName) -> Result<(), EngineError> {
        self.clone_sequences(source, target, Identity::Fresh)?;
        let views = self.clone_objects(source, target, Identity::Fresh)?;
        make_views(self.connection, &views.iter().collect::<Vec<_>>())
    }

    /// A clone has those of its source too.
    fn tags_of_new_schema(
        &self,
        clone_of: Option<&SchemaName>,
        changes: &[TagChange],
    ) -> Result<Vec<AssignedTag>, EngineError> {
        let mut tags = Vec::new();
        if let Some(source) = clone_of {
            tags.extend(self.find_schema(source.database(), &source.schema)?.into_iter().flat_map(|found| found.tags));
            self.cloned.follow_tags(&mut tags);
        }
        TagChange::apply_all(changes, &mut tags);
        Ok(tags)
    }

    pub(super) fn alter_schema(
        &mut self,
        name: &SchemaName,
        if_missing: IfMissing,
        change: &ContainerChange,
    ) -> Result<String, EngineError> {
        let Some(mut schema) = self.require_named_schema(name, if_missing)? else { return Ok(DONE.to_owned()) };
        match change {
            ContainerChange::SetComment(comment) => {
                schema.comment.clone_from(comment);
                self.rewrite_schema(&schema)?;
            }
            ContainerChange::SetManagedAccess(managed_access) => {
                schema.options.managed_access = *managed_access;
                self.rewrite_schema(&schema)?;
            }
            ContainerChange::Rename(to) => self.rename_schema(schema, to)?,
            ContainerChange::SwapWith(other) => self.swap_schemas(schema, other)?,
            ContainerChange::SetRetention(days) => self.set_schema_retention(name, *days)?,
            ContainerChange::SetTags(changes) => {
                TagChange::apply_all(changes, &mut schema.tags);
                self.rewrite_schema(&schema)?;
            }
        }
        Ok(DONE.to_owned())
    }

    fn rewrite_schema(&self, schema: &SchemaDescription) -> Result<(), EngineError> {
        forget_schema(self.connection, &schema.database, &schema.name)?;
        write_schema(self.connection, schema)
    }

    pub(super) fn drop_schema(
        &mut self,
        name: &SchemaName,
        if_missing: IfMissing,
        refuse_if_filled: bool,
    ) -> Result<String, EngineError> {
        let shown = display_identifier(&name.schema);
        let Some(schema) = self.require_named_schema(name, if_missing)? else {
            return Ok(format!("Drop statement executed successfully ({shown} already dropped)."));
        };
        if refuse_if_filled && !describe::read_stored(self.connection, &schema.database, Some(&schema.name))?.is_empty()
        {
            return Err(Failure::new(
                "003003",
                "42710",
                format!("SQL compilation error:\nSchema '{shown}' is not empty; drop it with CASCADE."),
            )
            .into());
        }
        self.remove_schema(&schema)?;
        Ok(format!("{shown} successfully dropped."))
    }

    pub(super) fn require_named_schema(
        &self,
        name: &SchemaName,
        if_missing: IfMissing,
    ) -> Result<Option<SchemaDescription>, EngineError> {
        match self.find_schema(name.database(), &name.schema)? {
            Some(schema) => Ok(Some(schema)),
            None if if_missing == IfMissing::Skip => Ok(None),
            None => Err(Failure::missing_object("Schema", &name.to_string()).into()),
        }
    }

    fn require_database(&self, database: &str) -> Result<(), EngineError> {
        if self.shared.has_database(database) {
            return Ok(());
        }
        Err(Failure::missing_object("Database", &display_identifier(database)).into())
    }

    pub(super) fn add_schema(&self, schema: &SchemaDescription) -> Result<(), EngineError> {
        self.connection.execute(&format!(
            "CREATE SCHEMA IF NOT EXISTS {}.{}",
            quote_identifier(&schema.database),
            quote_identifier(&schema.name)
        ))?;
        write_schema(self.connection, schema)
    }

    /// Drops a schema with all its objects, or hides it for the retention time.
    fn remove_schema(&mut self, schema: &SchemaDescription) -> Result<(), EngineError> {
        let days = drops::retention(self.connection, &schema.database, &schema.name)?;
        if days > 0 {
            return self.retain_schema(schema, days);
        }
        self.purge_tables_of(schema)?;
        self.drop_routines(&schema.database, &schema.name)?;
        for stored in describe::read_stored(self.connection, &schema.database, Some(&schema.name))? {
            match stored.description.kind {
                ObjectKind::Table => self.drop_table_now(&stored)?,
                ObjectKind::View => self.drop_recorded("VIEW", &stored)?,
                _ => self.drop_sequence(&stored)?,
            }
        }
        drops::set_retention(self.connection, &schema.database, &schema.name, None)?;
        self.abandoned.extend(staging::schema_dropped(self.connection, &schema.database, &schema.name)?);
        forget_schema(self.connection, &schema.database, &schema.name)?;
        self.drop_engine_schema(&schema.database, &schema.name)
    }

    fn swap_schemas(&mut self, first: SchemaDescription, other: &str) -> Result<(), EngineError> {
        let other = SchemaName { database: Some(first.database.clone()), schema: other.to_owned() };
        let Some(second) = self.require_named_schema(&other, IfMissing::Fail)? else { return Ok(()) };
        if first.name == second.name {
            return Ok(());
        }
        let between = format!("{}__SWAP", first.name);
        let (first_name, second_name) = (first.name.clone(), second.name.clone());
        self.rename_schema(first.clone(), &between)?;
        self.rename_schema(second, &first_name)?;
        self.rename_schema(SchemaDescription { name: between, ..first }, &second_name)
    }

    /// Views in other schemas are not changed: they read what has the name when they are read.
    fn rename_schema(&mut self, schema: SchemaDescription, to: &str) -> Result<(), EngineError> {
        let database = schema.database.clone();
        if is_built_in(to) || self.find_schema(&database, to)?.is_some() {
            return Err(Failure::already_exists(&display_identifier(to)).into());
        }
        // Its options and tags move with the rest.
        let plain = SchemaDescription {
            name: to.to_owned(),
            options: SchemaOptions::default(),
            tags: Vec::new(),
            ..schema.clone()
        };
        self.add_schema(&plain)?;
        let renamed = [Renamed::Schema { database: &database, from: &schema.name, to }];
        let old = describe::read_stored(self.connection, &database, Some(&schema.name))?;
        let moved = |stored: &StoredObject| ObjectName::qualified(&database, to, &stored.description.name.name);
        for sequence in old.iter().filter(|stored| stored.description.kind == ObjectKind::Sequence) {
            let description = ObjectDescription { name: moved(sequence), ..sequence.description.clone() };
            self.continue_sequence(sequence, description)?;
        }
        for mut table in old.iter().filter(|stored| stored.description.kind == ObjectKind::Table).cloned() {
            follow_defaults(&mut table.columns, &renamed)?;
            let target = moved(&table);
            self.move_table(table, &target)?;
        }
        for mut view in old.iter().filter(|stored| stored.description.kind == ObjectKind::View).cloned() {
            let from = view.description.name.clone();
            self.connection.execute(&format!("DROP VIEW {}", engine_name(&from)))?;
            view.description.name = moved(&view);
            self.save(&from, view)?;
        }
        self.follow_renamed_schema(&database, &renamed, to)?;
        for sequence in old.iter().filter(|stored| stored.description.kind == ObjectKind::Sequence) {
            self.drop_recorded("SEQUENCE", sequence)?;
        }
        drops::move_schema(self.connection, &database, &schema.name, to)?;
        forget_schema(self.connection, &database, &schema.name)?;
        self.drop_engine_schema(&database, &schema.name)
    }

    /// Defaults of the database go on finding the sequences that moved, and the views that moved get their engine's views.
    fn follow_renamed_schema(
        &mut self,
        database: &str,
        renamed: &[Renamed<'_>],
        schema: &str,
    ) -> Result<(), EngineError> {
        let mut views = Vec::new();
        for stored in describe::read_stored(self.connection, database, None)? {
            match stored.description.kind {
                ObjectKind::View if stored.description.name.schema() == schema => views.push(stored),
                ObjectKind::Table => self.follow_in_defaults(&stored.description.name, renamed)?,
                _ => {}
            }
        }
        make_views(self.connection, &views.iter().collect::<Vec<_>>())
    }

    /// Sequences come first: the defaults of tables use them.
    pub(super) fn clone_sequences(
        &mut self,
        source: &SchemaName,
        target: &SchemaName,
        identity: Identity,
    ) -> Result<(), EngineError> {
        self.require_named_schema(source, IfMissing::Fail)?;
        for stored in describe::read_stored(self.connection, source.database(), Some(&source.schema))? {
            if stored.description.kind == ObjectKind::Sequence {
                let description = ObjectDescription {
                    id: identity.of_copy(stored.description.id),
                    name: ObjectName::qualified(target.database(), &target.schema, &stored.description.name.name),
                    owner: self.context.role.clone(),
                    created_on_ms: now_ms(),
                    ..stored.description.clone()
                };
                self.continue_sequence(&stored, description)?;
            }
        }
        Ok(())
    }

    /// Everything but the sequences. Views are recorded only, and have to be created once everything they read exists.
    pub(super) fn clone_objects(
        &mut self,
        source: &SchemaName,
        target: &SchemaName,
        identity: Identity,
    ) -> Result<Vec<StoredObject>, EngineError> {
        self.copy_routines((source.database(), &source.schema), (target.database(), &target.schema), identity)?;
        let renamed = [
            Renamed::Schema { database: source.database(), from: &source.schema, to: &target.schema },
            Renamed::Database { from: source.database(), to: target.database() },
        ];
        staging::clone_definitions(
            self.connection,
            (source.database(), &source.schema),
            (target.database(), &target.schema),
            identity,
        )?;
        let mut views = Vec::new();
        for mut stored in describe::read_stored(self.connection, source.database(), Some(&source.schema))? {
            let from = stored.description.name.clone();
            let name = ObjectName::qualified(target.database(), &target.schema, &from.name);
            stored.description.id = identity.of_copy(stored.description.id);
            match stored.description.kind {
                ObjectKind::Table => self.clone_table(&stored, &from, name, &renamed)?,
                ObjectKind::View => {
                    stored.description.name = name;
                    stored.description.options.policies.follow(&self.cloned);
                    self.write(&stored)?;
                    views.push(stored);
                }
                _ => {}
            }
        }
        Ok(views)
    }

    /// Makes a table's defaults find the sequences under their new names.
    fn follow_in_defaults(&mut self, name: &ObjectName, renamed: &[Renamed<'_>]) -> Result<(), EngineError> {
        let Some(mut stored) = self.find_permanent(name)? else { return Ok(()) };
        let changed = follow_defaults(&mut stored.columns, renamed)?;
        if changed.is_empty() {
            return Ok(());
        }
        for index in changed {
            let column = stored.columns[index].description.clone();
            self.set_default(&mut stored, &column.name, &column.default.unwrap_or_default())?;
        }
        self.save(name, stored)
    }

    fn clone_table(
        &mut self,
        stored: &StoredObject,
        from: &ObjectName,
        name: ObjectName,
        renamed: &[Renamed<'_>],
    ) -> Result<(), EngineError> {
        let create = CreateTable {
            name,
            mode: CreateMode::New,
            persistence: stored.description.persistence,
            columns: Vec::new(),
            constraints: Vec::new(),
            source: TableSource::Clone(from.clone()),
            comment: None,
            cluster_by: None,
            retention_days: None,
            or_alter: false,
            default_collation: None,
            copy_grants: false,
            policies: Vec::new(),
        };
        self.create_table_following(&create, renamed, stored.description.id).map(drop)
    }
}

fn name_of(schema: &SchemaDescription) -> SchemaName {
    SchemaName { database: Some(schema.database.clone()), schema: schema.name.clone() }
}

/// Every database has this schema; the engine does not distinguish its case.
fn is_built_in(schema: &str) -> bool {
    schema.eq_ignore_ascii_case(INFORMATION_SCHEMA)
}

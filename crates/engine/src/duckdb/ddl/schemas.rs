//! Schemas. The engine cannot rename one, so a renamed schema is a new one to which everything moves.

use firn_sql::command::{ContainerChange, CreateMode, CreateTable, IfMissing, ObjectKind, TableSource};
use firn_sql::names::{SchemaName, display_identifier, quote_identifier};
use firn_sql::{Failure, ObjectName};

use super::renames::{Renamed, remake_defaults, remake_view, resolved_query};
use super::views::make_view;
use super::{DONE, Work, engine_name};
use crate::duckdb::describe;
use crate::duckdb::side_tables::{StoredObject, forget_schema, write_object, write_schema};
use crate::{EngineError, SchemaDescription};

impl Work<'_> {
    pub(super) fn create_schema(
        &mut self,
        name: &SchemaName,
        mode: CreateMode,
        clone_of: Option<&SchemaName>,
        comment: Option<&str>,
    ) -> Result<String, EngineError> {
        let shown = display_identifier(&name.schema);
        self.require_database(name.database())?;
        if let Some(existing) = self.find_schema(name.database(), &name.schema)? {
            match mode {
                CreateMode::New => return Err(Failure::already_exists(&shown).into()),
                CreateMode::IfNotExists => return Ok(format!("{shown} already exists, statement succeeded.")),
                CreateMode::OrReplace => self.remove_schema(&existing)?,
            }
        }
        self.add_schema(&SchemaDescription {
            database: name.database().to_owned(),
            name: name.schema.clone(),
            owner: self.context.role.clone(),
            comment: comment.map(str::to_owned),
            created_on_ms: super::now_ms(),
        })?;
        if let Some(source) = clone_of {
            self.clone_objects(source, name)?;
        }
        Ok(format!("Schema {shown} successfully created."))
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
                forget_schema(self.connection, &schema.database, &schema.name)?;
                write_schema(self.connection, &schema)?;
            }
            ContainerChange::Rename(to) => self.rename_schema(schema, to)?,
        }
        Ok(DONE.to_owned())
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

    fn add_schema(&self, schema: &SchemaDescription) -> Result<(), EngineError> {
        self.connection.execute(&format!(
            "CREATE SCHEMA {}.{}",
            quote_identifier(&schema.database),
            quote_identifier(&schema.name)
        ))?;
        write_schema(self.connection, schema)
    }

    /// Drops a schema with all it holds.
    fn remove_schema(&mut self, schema: &SchemaDescription) -> Result<(), EngineError> {
        for stored in describe::read_stored(self.connection, &schema.database, Some(&schema.name))? {
            match stored.description.kind {
                ObjectKind::Table => self.drop_table(&stored)?,
                ObjectKind::View => self.drop_recorded("VIEW", &stored)?,
                _ => self.drop_recorded("SEQUENCE", &stored)?,
            }
        }
        self.connection.execute(&format!(
            "DROP SCHEMA {}.{}",
            quote_identifier(&schema.database),
            quote_identifier(&schema.name)
        ))?;
        forget_schema(self.connection, &schema.database, &schema.name)
    }

    fn rename_schema(&mut self, schema: SchemaDescription, to: &str) -> Result<(), EngineError> {
        let database = schema.database.clone();
        if self.find_schema(&database, to)?.is_some() {
            return Err(Failure::already_exists(&display_identifier(to)).into());
        }
        self.add_schema(&SchemaDescription { name: to.to_owned(), ..schema.clone() })?;
        for mut stored in describe::read_stored(self.connection, &database, Some(&schema.name))? {
            let from = stored.description.name.clone();
            let target = ObjectName::qualified(&database, to, &from.name);
            match stored.description.kind {
                ObjectKind::Table => self.move_table(stored, &target)?,
                ObjectKind::View => {
                    self.connection.execute(&format!("DROP VIEW {}", engine_name(&from)))?;
                    stored.description.name = target;
                    self.save(&from, stored)?;
                }
                _ => {
                    self.move_sequence(&mut stored, &target)?;
                    self.save(&from, stored)?;
                }
            }
        }
        self.connection.execute(&format!(
            "DROP SCHEMA {}.{}",
            quote_identifier(&database),
            quote_identifier(&schema.name)
        ))?;
        forget_schema(self.connection, &database, &schema.name)?;
        self.follow_renamed_schema(&database, &schema.name, to)
    }

    /// Views and defaults of the database go on finding what moved.
    fn follow_renamed_schema(&mut self, database: &str, from: &str, to: &str) -> Result<(), EngineError> {
        let renamed = [Renamed::Schema { database, from, to }];
        for stored in describe::read_stored(self.connection, database, None)? {
            match stored.description.kind {
                ObjectKind::View => remake_view(self.connection, stored, &renamed)?,
                ObjectKind::Table => remake_defaults(self.connection, stored, &renamed)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn clone_objects(&mut self, source: &SchemaName, target: &SchemaName) -> Result<(), EngineError> {
        self.require_named_schema(source, IfMissing::Fail)?;
        let renamed = [
            Renamed::Schema { database: source.database(), from: &source.schema, to: &target.schema },
            Renamed::Database { from: source.database(), to: target.database() },
        ];
        let mut views = Vec::new();
        for mut stored in describe::read_stored(self.connection, source.database(), Some(&source.schema))? {
            let from = stored.description.name.clone();
            let name = ObjectName::qualified(target.database(), &target.schema, &from.name);
            match stored.description.kind {
                ObjectKind::Table => self.clone_table(&stored, &from, name)?,
                ObjectKind::View => {
                    stored.view_query = Some(resolved_query(&stored, &renamed)?.to_string());
                    stored.description.name = name;
                    views.push(stored);
                }
                _ => self.clone_sequence(stored, &name)?,
            }
        }
        for view in views {
            make_view(self.connection, &view, &[])?;
            write_object(self.connection, &view)?;
        }
        Ok(())
    }

    fn clone_table(&mut self, stored: &StoredObject, from: &ObjectName, name: ObjectName) -> Result<(), EngineError> {
        self.create_table(&CreateTable {
            name,
            mode: CreateMode::New,
            persistence: stored.description.persistence,
            columns: Vec::new(),
            constraints: Vec::new(),
            source: TableSource::Clone(from.clone()),
            comment: None,
        })
        .map(drop)
    }

    fn clone_sequence(&mut self, stored: StoredObject, name: &ObjectName) -> Result<(), EngineError> {
        let sequence = stored.description.sequence;
        let increment = sequence.map_or(1, |sequence| sequence.increment);
        let from = &stored.description.name;
        let start = self.next_value(from.database(), from.schema(), &from.name)?.unwrap_or(1);
        self.create_sequence(name, CreateMode::New, start, increment, stored.description.comment.as_deref()).map(drop)
    }
}

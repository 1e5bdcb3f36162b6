//! ALTER TABLE: changes the engine's table and its record.

use firn_engine::EngineError;
use firn_sql::command::{
    ConstraintKind, DroppedConstraint, IfMissing, ObjectKind, Persistence, TableChange, TableConstraint,
};
use firn_sql::names::{display_identifier, quote_identifier};
use firn_sql::{Failure, ObjectName, print};

use super::columns::Home;
use super::work::{Work, duplicate_column, engine_name};
use crate::side_tables::{ColumnRecord, StoredObject};
use crate::status_text::DONE;
use crate::{constraints, errors, wide_columns};

impl Work<'_> {
    pub(super) fn alter_table(
        &mut self,
        name: &ObjectName,
        if_missing: IfMissing,
        change: &TableChange,
    ) -> Result<String, EngineError> {
        let Some(mut stored) = self.find_kind(ObjectKind::Table, name, if_missing)? else {
            return Ok(DONE.to_owned());
        };
        match change {
            TableChange::Rename(to) => self.rename_table(stored, to)?,
            TableChange::SwapWith(other) => self.swap_tables(stored, other)?,
            TableChange::Accepted => {}
            _ => {
                self.change_table(&mut stored, change)?;
                self.save(name, stored)?;
            }
        }
        Ok(DONE.to_owned())
    }

    fn change_table(&mut self, stored: &mut StoredObject, change: &TableChange) -> Result<(), EngineError> {
        match change {
            TableChange::AddColumns { columns, constraints, if_not_exists } => {
                let known = &stored.description.constraints;
                constraints::one_primary_key(&stored.description.name, known.iter().chain(constraints))?;
                self.add_columns(stored, columns, *if_not_exists)?;
                let policies = columns.iter().flat_map(|column| &column.policies);
                policies.for_each(|change| stored.description.options.policies.apply(change));
                stored.description.constraints.extend(constraints::named(constraints));
                Ok(())
            }
            TableChange::DropColumns { columns, if_exists } => self.drop_columns(stored, columns, *if_exists),
            TableChange::RenameColumn { from, to } => self.rename_column(stored, from, to),
            TableChange::SetNotNull(column) => {
                self.alter_column(stored, column, "SET NOT NULL")?.description.not_null = true;
                Ok(())
            }
            TableChange::DropNotNull(column) => {
                self.alter_column(stored, column, "DROP NOT NULL")?.description.not_null = false;
                Ok(())
            }
            TableChange::SetDefault { column, default } => self.set_default(stored, column, &print::sql(default)),
            TableChange::DropDefault(column) => {
                let record = self.alter_column(stored, column, "DROP DEFAULT")?;
                record.description.default = None;
                record.description.autoincrement = None;
                Ok(())
            }
            TableChange::SetDataType { column, data_type } => self.set_data_type(stored, column, data_type),
            TableChange::SetComment(comment) => {
                stored.description.comment.clone_from(comment);
                Ok(())
            }
            TableChange::SetColumnComment { column, comment } => {
                column_of(stored, column)?.description.comment.clone_from(comment);
                Ok(())
            }
            TableChange::AddConstraint(constraint) => self.add_constraint(stored, constraint),
            TableChange::RenameConstraint { from, to } => rename_constraint(stored, from, to),
            TableChange::SetClustering(cluster_by) => {
                stored.description.options.cluster_by.clone_from(cluster_by);
                Ok(())
            }
            TableChange::SetRetention(days) => {
                let most = if stored.description.persistence == Persistence::Permanent { u8::MAX } else { 1 };
                if days.is_some_and(|days| days > most) {
                    let shown = days.unwrap_or_default().to_string();
                    let parameter = "parameter 'DATA_RETENTION_TIME_IN_DAYS'";
                    return Err(Failure::invalid_value(
                        parameter,
                        &shown,
                        "a transient table is retained for one day at most",
                    )
                    .into());
                }
                stored.description.options.retention_days = *days;
                Ok(())
            }
            TableChange::SetDefaultCollation(collation) => {
                stored.description.options.default_collation.clone_from(collation);
                Ok(())
            }
            TableChange::Policy(change) => {
                stored.description.options.policies.apply(change);
                Ok(())
            }
            TableChange::Several(changes) => changes.iter().try_for_each(|change| self.change_table(stored, change)),
            TableChange::DropConstraint(dropped) => drop_constraint(stored, dropped),
            TableChange::Rename(_) | TableChange::SwapWith(_) | TableChange::Accepted => Ok(()),
        }
    }

    pub(super) fn home<'name>(&self, name: &'name ObjectName) -> Home<'name> {
        if self.temporary.contains(name) { Home::Session } else { Home::Database(name.database()) }
    }

    /// A primary key's columns become NOT NULL; a table has one primary key at most.
    fn add_constraint(&self, stored: &mut StoredObject, constraint: &TableConstraint) -> Result<(), EngineError> {
        for column in &constraint.columns {
            column_of(stored, column)?;
        }
        if matches!(constraint.kind, ConstraintKind::PrimaryKey) {
            let known = &stored.description.constraints;
            constraints::one_primary_key(&stored.description.name, known.iter().chain([constraint]))?;
            for column in &constraint.columns {
                self.alter_column(stored, column, "SET NOT NULL")?.description.not_null = true;
            }
        }
        stored.description.constraints.extend(constraints::named(std::slice::from_ref(constraint)));
        Ok(())
    }

    /// Runs `ALTER TABLE … ALTER COLUMN …` and returns the column's record.
    pub(super) fn alter_column<'stored>(
        &self,
        stored: &'stored mut StoredObject,
        column: &str,
        action: &str,
    ) -> Result<&'stored mut ColumnRecord, EngineError> {
        let relation = self.relation(&stored.description.name);
        let record = column_of(stored, column)?;
        self.connection
            .execute(&format!("ALTER TABLE {relation} ALTER COLUMN {} {action}", quote_identifier(column)))?;
        Ok(record)
    }

    fn drop_columns(&self, stored: &mut StoredObject, columns: &[String], if_exists: bool) -> Result<(), EngineError> {
        let relation = self.relation(&stored.description.name);
        for column in columns {
            if column_of(stored, column).is_err() && if_exists {
                continue;
            }
            column_of(stored, column)?;
            if stored.columns.len() == 1 {
                return Err(Failure::new(
                    "002262",
                    "42601",
                    "SQL compilation error:\na table must keep at least one column.",
                )
                .into());
            }
            self.connection.execute(&format!("ALTER TABLE {relation} DROP COLUMN {}", quote_identifier(column)))?;
            stored.columns.retain(|record| record.description.name != *column);
            stored.description.constraints.retain(|constraint| !constraint.columns.contains(column));
            stored.description.options.policies.forget_column(column);
        }
        Ok(())
    }

    fn rename_column(&self, stored: &mut StoredObject, from: &str, to: &str) -> Result<(), EngineError> {
        let relation = self.relation(&stored.description.name);
        if !from.eq_ignore_ascii_case(to) {
            let names = stored.columns.iter().map(|column| column.description.name.as_str());
            duplicate_column(names.chain([to]))?;
        }
        column_of(stored, from)?.description.name = to.to_owned();
        self.connection.execute(&format!(
            "ALTER TABLE {relation} RENAME COLUMN {} TO {}",
            quote_identifier(from),
            quote_identifier(to)
        ))?;
        stored.description.options.policies.rename_column(from, to);
        for constraint in &mut stored.description.constraints {
            for column in constraint.columns.iter_mut().filter(|column| *column == from) {
                *column = to.to_owned();
            }
        }
        Ok(())
    }

    pub(super) fn set_default(&self, stored: &mut StoredObject, column: &str, text: &str) -> Result<(), EngineError> {
        let data_type = column_of(stored, column)?.description.data_type.clone();
        let name = stored.description.name.clone();
        let expression = self.default_expression(text, &data_type, self.home(&name))?;
        let record = self.alter_column(stored, column, &format!("SET DEFAULT {expression}"))?;
        record.description.default = Some(text.to_owned());
        record.description.autoincrement = None;
        Ok(())
    }

    fn rename_table(&mut self, stored: StoredObject, to: &ObjectName) -> Result<(), EngineError> {
        let from = stored.description.name.clone();
        if from == *to {
            return Ok(());
        }
        if from.database() != to.database() {
            return Err(Failure::unsupported("renaming a table into another database").into());
        }
        self.require_schema(to)?;
        if self.find_stored(to)?.is_some() {
            return Err(Failure::already_exists(&display_identifier(&to.name)).into());
        }
        self.move_table(stored, to)
    }

    /// Moves a table to a free name of the same database.
    pub(super) fn move_table(&mut self, mut stored: StoredObject, to: &ObjectName) -> Result<(), EngineError> {
        let from = stored.description.name.clone();
        match self.home(&from) {
            Home::Session => {
                let target = quote_identifier(&self.temporary.identifier(to));
                self.connection.execute(&format!("ALTER TABLE {} RENAME TO {target}", self.relation(&from)))?;
            }
            Home::Database(_) if from.schema() == to.schema() => {
                let target = quote_identifier(&to.name);
                self.connection.execute(&format!("ALTER TABLE {} RENAME TO {target}", engine_name(&from)))?;
            }
            home @ Home::Database(_) => self.copy_engine_table(&stored, to, home)?,
        }
        stored.description.name = to.clone();
        self.save(&from, stored)
    }

    /// The engine cannot move a table between schemas, so the rows go into a new one.
    pub(super) fn copy_engine_table(
        &self,
        stored: &StoredObject,
        to: &ObjectName,
        home: Home<'_>,
    ) -> Result<(), EngineError> {
        let from = engine_name(&stored.description.name);
        let columns: Vec<String> =
            stored.columns.iter().map(|column| self.column_sql(column, home)).collect::<Result<_, _>>()?;
        let target = engine_name(to);
        self.connection.execute(&format!("CREATE TABLE {target} ({})", columns.join(", ")))?;
        let rows = format!("SELECT * FROM {from}");
        if wide_columns::gives_wide_columns(self.connection, &rows)? {
            let widening = wide_columns::widening(self.connection, &target)?;
            widening.iter().try_for_each(|sql| self.connection.execute(sql).map(drop))?;
        }
        self.connection.execute(&format!("INSERT INTO {target} {rows}"))?;
        self.connection.execute(&format!("DROP TABLE {from}"))?;
        Ok(())
    }

    fn swap_tables(&mut self, first: StoredObject, other: &ObjectName) -> Result<(), EngineError> {
        let second = self.find_kind(ObjectKind::Table, other, IfMissing::Fail)?;
        let second = second.ok_or_else(|| Failure::missing_object("Table", &other.to_string()))?;
        let first_name = first.description.name.clone();
        if first_name.database() != other.database() {
            return Err(Failure::unsupported("swapping tables of two databases").into());
        }
        if self.temporary.contains(&first_name) != self.temporary.contains(other) {
            return Err(Failure::unsupported("swapping a temporary table with a permanent one").into());
        }
        let between =
            ObjectName::qualified(first_name.database(), first_name.schema(), &format!("{}__SWAP", first_name.name));
        let mut moved = first.clone();
        moved.description.name = between.clone();
        self.move_table(first, &between)?;
        self.move_table(second, &first_name)?;
        self.move_table(moved, other)
    }
}

pub(super) fn column_of<'stored>(
    stored: &'stored mut StoredObject,
    column: &str,
) -> Result<&'stored mut ColumnRecord, EngineError> {
    stored
        .column_mut(column)
        .ok_or_else(|| EngineError::Failed(errors::invalid_identifier(&display_identifier(column))))
}

fn drop_constraint(stored: &mut StoredObject, dropped: &DroppedConstraint) -> Result<(), EngineError> {
    let constraints = &mut stored.description.constraints;
    let before = constraints.len();
    constraints.retain(|constraint| match (dropped, &constraint.kind) {
        (DroppedConstraint::Named(name), _) => constraint.name.as_ref() != Some(name),
        (DroppedConstraint::PrimaryKey, ConstraintKind::PrimaryKey) => false,
        (DroppedConstraint::Unique(columns), ConstraintKind::Unique)
        | (DroppedConstraint::ForeignKey(columns), ConstraintKind::ForeignKey { .. }) => constraint.columns != *columns,
        _ => true,
    });
    if constraints.len() == before {
        return Err(Failure::missing_object("Constraint", &describe_dropped(dropped)).into());
    }
    Ok(())
}

fn rename_constraint(stored: &mut StoredObject, from: &str, to: &str) -> Result<(), EngineError> {
    let constraints = &mut stored.description.constraints;
    if constraints.iter().any(|constraint| constraint.name.as_deref() == Some(to)) {
        return Err(Failure::already_exists(&display_identifier(to)).into());
    }
    let found = constraints.iter_mut().find(|constraint| constraint.name.as_deref() == Some(from));
    let found = found.ok_or_else(|| Failure::missing_object("Constraint", &display_identifier(from)))?;
    found.name = Some(to.to_owned());
    Ok(())
}

fn describe_dropped(dropped: &DroppedConstraint) -> String {
    match dropped {
        DroppedConstraint::Named(name) => display_identifier(name),
        DroppedConstraint::PrimaryKey => "PRIMARY KEY".to_owned(),
        DroppedConstraint::Unique(columns) => format!("UNIQUE ({})", columns.join(", ")),
        DroppedConstraint::ForeignKey(columns) => format!("FOREIGN KEY ({})", columns.join(", ")),
    }
}

//! `CREATE OR ALTER TABLE` of an existing table: the changes that make it match the definition.

use firn_engine::{ColumnDescription, ObjectDescription, Session};
use firn_sql::command::{
    ColumnDefinition, Command, ConstraintKind, CreateTable, Ddl, IfMissing, ObjectKind, Persistence, TableChange,
    TableConstraint,
};
use firn_sql::names::display_identifier;
use firn_sql::{Failure, Statement, print};

use crate::run_error::RunError;

/// Puts the changes in the place of the definition; a table that is not there is made.
pub fn alter_existing(session: &dyn Session, statement: &mut Statement) -> Result<(), RunError> {
    let Command::Ddl(Ddl::CreateTable(table)) = &statement.command else { return Ok(()) };
    if !table.or_alter {
        return Ok(());
    }
    let Some(existing) = session.describe(&table.name)? else { return Ok(()) };
    match (existing.persistence, table.persistence) {
        // It hides what has its name.
        (Persistence::Permanent | Persistence::Transient, Persistence::Temporary) => return Ok(()),
        (Persistence::Temporary, Persistence::Permanent | Persistence::Transient) => {
            let what = "CREATE OR ALTER TABLE that changes TRANSIENT or TEMPORARY";
            return Err(Failure::unsupported(what).into());
        }
        _ => {}
    }
    if existing.kind != ObjectKind::Table {
        return Err(Failure::already_exists(&display_identifier(&table.name.name)).into());
    }
    let change = TableChange::Several(changes(&existing, table)?);
    let name = table.name.clone();
    statement.command = Command::Ddl(Ddl::AlterTable { name, if_missing: IfMissing::Fail, change });
    Ok(())
}

fn changes(existing: &ObjectDescription, wanted: &CreateTable) -> Result<Vec<TableChange>, Failure> {
    let refuse = |differs: bool, what: &str| match differs {
        true => Err(Failure::unsupported(&format!("CREATE OR ALTER TABLE that changes {what}"))),
        false => Ok(()),
    };
    refuse(existing.persistence != wanted.persistence, "TRANSIENT or TEMPORARY")?;
    refuse(!wanted.policies.is_empty(), "policies or tags")?;
    refuse(keys(&existing.constraints) != keys(&wanted.constraints), "keys")?;
    let mut changes = Vec::new();
    let mut added = Vec::new();
    for column in &wanted.columns {
        match existing.columns.iter().find(|known| known.name == column.name) {
            Some(known) => {
                refuse(known.autoincrement != column.autoincrement, "AUTOINCREMENT")?;
                refuse(known.collation != column.collation, "a collation")?;
                column_changes(known, column, &mut changes);
            }
            None => added.push(column.clone()),
        }
    }
    if !added.is_empty() {
        changes.push(TableChange::AddColumns { columns: added, constraints: Vec::new(), if_not_exists: false });
    }
    let is_wanted = |known: &&ColumnDescription| wanted.columns.iter().any(|column| column.name == known.name);
    let dropped: Vec<String> =
        existing.columns.iter().filter(|known| !is_wanted(known)).map(|known| known.name.clone()).collect();
    if !dropped.is_empty() {
        changes.push(TableChange::DropColumns { columns: dropped, if_exists: false });
    }
    if existing.comment != wanted.comment {
        changes.push(TableChange::SetComment(wanted.comment.clone()));
    }
    if existing.options.cluster_by != wanted.cluster_by {
        changes.push(TableChange::SetClustering(wanted.cluster_by.clone()));
    }
    if existing.options.retention_days != wanted.retention_days {
        changes.push(TableChange::SetRetention(wanted.retention_days));
    }
    Ok(changes)
}

fn column_changes(known: &ColumnDescription, wanted: &ColumnDefinition, changes: &mut Vec<TableChange>) {
    let column = || known.name.clone();
    if let Some(data_type) = wanted.data_type.as_ref().filter(|data_type| **data_type != known.data_type) {
        changes.push(TableChange::SetDataType { column: column(), data_type: data_type.clone() });
    }
    match (known.not_null, wanted.not_null) {
        (false, true) => changes.push(TableChange::SetNotNull(column())),
        (true, false) => changes.push(TableChange::DropNotNull(column())),
        _ => {}
    }
    match (&known.default, &wanted.default) {
        (Some(_), None) => changes.push(TableChange::DropDefault(column())),
        (known, Some(default)) if known.as_deref() != Some(print::sql(default).as_str()) => {
            changes.push(TableChange::SetDefault { column: column(), default: default.clone() });
        }
        _ => {}
    }
    if known.comment != wanted.comment {
        changes.push(TableChange::SetColumnComment { column: column(), comment: wanted.comment.clone() });
    }
}

/// Keys without their names, in an order of their own.
fn keys(constraints: &[TableConstraint]) -> Vec<String> {
    let shown = |constraint: &TableConstraint| match &constraint.kind {
        ConstraintKind::PrimaryKey => format!("P {:?}", constraint.columns),
        ConstraintKind::Unique => format!("U {:?}", constraint.columns),
        ConstraintKind::ForeignKey { table, columns, rules } => {
            format!("F {:?} {table} {columns:?} {rules:?}", constraint.columns)
        }
    };
    let mut keys: Vec<String> = constraints.iter().map(shown).collect();
    keys.sort();
    keys
}

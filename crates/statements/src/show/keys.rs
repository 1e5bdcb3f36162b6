//! SHOW PRIMARY KEYS, UNIQUE KEYS and IMPORTED KEYS.

use std::sync::Arc;

use firn_engine::ObjectDescription;
use firn_sql::ObjectName;
use firn_sql::command::{ConstraintKind, ObjectKind, Scope, TableConstraint};

use super::listing::{Listing, Viewer, instant, text};
use crate::constraint_names::constraint_name;
use crate::run_error::RunError;

pub fn primary_keys(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    own_keys(viewer, scope, |constraint| matches!(constraint.kind, ConstraintKind::PrimaryKey))
}

pub fn unique_keys(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    own_keys(viewer, scope, |constraint| matches!(constraint.kind, ConstraintKind::Unique))
}

fn own_keys(viewer: &Viewer, scope: &Scope, wanted: fn(&TableConstraint) -> bool) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant database_name schema_name table_name column_name key_sequence:integer \
         constraint_name rely comment",
    );
    for table in viewer.objects_in(scope, &[ObjectKind::Table])? {
        for constraint in table.constraints.iter().filter(|constraint| wanted(constraint)) {
            for (index, column) in constraint.columns.iter().enumerate() {
                listing.add([
                    instant(table.created_on_ms),
                    text(table.name.database()),
                    text(table.name.schema()),
                    text(&table.name.name),
                    text(column),
                    Some((index + 1).to_string()),
                    Some(constraint_name(&table, constraint)),
                    text("false"),
                    None,
                ]);
            }
        }
    }
    Ok(listing)
}

/// Keys of tables within the scope that point to tables the role may know of.
pub fn imported_keys(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let is_visible =
        |table: &ObjectName| viewer.objects_in(&Scope::Object(table.clone()), &[ObjectKind::Table]).is_ok();
    foreign_keys(viewer, &viewer.objects_in(scope, &[ObjectKind::Table])?, is_visible)
}

/// Keys of the same database that point to tables within the scope.
pub fn exported_keys(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let referenced = viewer.objects_in(scope, &[ObjectKind::Table])?;
    let all = match scope {
        Scope::Object(name) => viewer.objects_in(&Scope::Database(name.database().to_owned()), &[ObjectKind::Table])?,
        scope => viewer.objects_in(scope, &[ObjectKind::Table])?,
    };
    foreign_keys(viewer, &all, |table| referenced.iter().any(|known| known.name == *table))
}

fn foreign_keys(
    viewer: &Viewer,
    tables: &[Arc<ObjectDescription>],
    wanted: impl Fn(&ObjectName) -> bool,
) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant pk_database_name pk_schema_name pk_table_name pk_column_name fk_database_name \
         fk_schema_name fk_table_name fk_column_name key_sequence:integer update_rule delete_rule fk_name pk_name \
         deferrability rely comment",
    );
    for table in tables {
        for constraint in &table.constraints {
            let ConstraintKind::ForeignKey { table: referenced, columns, rules } = &constraint.kind else { continue };
            if !wanted(referenced) {
                continue;
            }
            let (key_name, key) = referenced_key(viewer, referenced, columns);
            for (index, column) in constraint.columns.iter().enumerate() {
                listing.add([
                    instant(table.created_on_ms),
                    text(referenced.database()),
                    text(referenced.schema()),
                    text(&referenced.name),
                    key.get(index).cloned(),
                    text(table.name.database()),
                    text(table.name.schema()),
                    text(&table.name.name),
                    text(column),
                    Some((index + 1).to_string()),
                    text(rules.on_update.words()),
                    text(rules.on_delete.words()),
                    Some(constraint_name(table, constraint)),
                    key_name.clone(),
                    text("NOT DEFERRABLE"),
                    text("false"),
                    None,
                ]);
            }
        }
    }
    Ok(listing)
}

/// The name and columns of the key that a foreign key points to; without columns of its own it means the primary key.
fn referenced_key(viewer: &Viewer, table: &ObjectName, columns: &[String]) -> (Option<String>, Vec<String>) {
    // A table that is gone has no key to name.
    let found = viewer.objects_in(&Scope::Object(table.clone()), &[ObjectKind::Table]).unwrap_or_default();
    let key = found.first().and_then(|table| {
        let is_meant = |key: &&TableConstraint| match key.kind {
            ConstraintKind::PrimaryKey => columns.is_empty() || key.columns == columns,
            ConstraintKind::Unique => key.columns == columns,
            ConstraintKind::ForeignKey { .. } => false,
        };
        let key = table.constraints.iter().find(is_meant)?;
        Some((constraint_name(table, key), key.columns.clone()))
    });
    match key {
        Some((name, key)) => (Some(name), key),
        None => (None, columns.to_vec()),
    }
}

//! The names of constraints.

use firn_engine::ObjectDescription;
use firn_sql::command::{ConstraintKind, TableConstraint};

/// A constraint without a name of its own is called after what it is and where.
pub fn constraint_name(table: &ObjectDescription, constraint: &TableConstraint) -> String {
    let kind = match constraint.kind {
        ConstraintKind::PrimaryKey => "PK",
        ConstraintKind::Unique => "UK",
        ConstraintKind::ForeignKey { .. } => "FK",
    };
    constraint
        .name
        .clone()
        .unwrap_or_else(|| format!("SYS_{kind}_{}_{}", table.name.name, constraint.columns.join("_")))
}

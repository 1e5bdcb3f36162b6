//! The session's temporary tables and views in INFORMATION_SCHEMA: rows beside those of the side tables. As in SHOW, a temporary
//! object is listed instead of the permanent one of its name.

use std::sync::Arc;

use firn_engine::{ObjectDescription, ObjectOptions};
use firn_sql::command::{ConstraintKind, ObjectKind, TableConstraint};
use firn_sql::names::{quote_identifier, quote_literal};

use crate::temporary::TemporaryTables;
use crate::types::declared_text;

/// What the queries of the views read as the records of objects and of columns.
pub(super) struct Records {
    pub(super) objects: String,
    pub(super) columns: String,
}

const OBJECT_FIELDS: &str =
    "schema_name, name, kind, owner, comment, created_on_ms, persistence, constraints, view_text, options, id";

const COLUMN_FIELDS: &str = "schema_name, table_name, position, name, declared_type, not_null, default_text, \
                             autoincrement_start, autoincrement_increment, comment, collation_name";

/// `None` where no temporary object is to be seen.
pub(super) fn records(database: &str, temporary: Option<&TemporaryTables>) -> Records {
    let stored = |table: &str| format!("{}.\"__FIRN\".{table}", quote_identifier(database));
    let mut shown = temporary.map(|temporary| temporary.within(database, None)).unwrap_or_default();
    if shown.is_empty() {
        return Records { objects: stored("objects"), columns: stored("columns") };
    }
    shown.sort_by(|left, right| left.name.cmp(&right.name));
    let rows = |rows: Vec<String>| rows.iter().map(|row| format!(" UNION ALL SELECT {row}")).collect::<String>();
    Records {
        objects: format!(
            "(SELECT {OBJECT_FIELDS} FROM {} WHERE {}{})",
            stored("objects"),
            not_among(&shown, "name"),
            rows(shown.iter().map(|object| object_row(object)).collect())
        ),
        columns: format!(
            "(SELECT {COLUMN_FIELDS} FROM {} WHERE {}{})",
            stored("columns"),
            not_among(&shown, "table_name"),
            rows(shown.iter().flat_map(|object| column_rows(object)).collect())
        ),
    }
}

fn not_among(objects: &[Arc<ObjectDescription>], column: &str) -> String {
    let is = |object: &Arc<ObjectDescription>| {
        let (schema, name) = (quote_literal(object.name.schema()), quote_literal(&object.name.name));
        format!("(schema_name = {schema} AND {column} = {name})")
    };
    format!("NOT ({})", objects.iter().map(is).collect::<Vec<_>>().join(" OR "))
}

fn object_row(object: &ObjectDescription) -> String {
    let kind = if object.kind == ObjectKind::View { "VIEW" } else { "TABLE" };
    [
        quote_literal(object.name.schema()),
        quote_literal(&object.name.name),
        quote_literal(kind),
        quote_literal(&object.owner),
        optional(object.comment.as_deref()),
        object.created_on_ms.to_string(),
        quote_literal("TEMPORARY"),
        constraints(&object.constraints),
        optional(object.view_text.as_deref()),
        options(&object.options),
        object.id.to_string(),
    ]
    .join(", ")
}

fn column_rows(object: &ObjectDescription) -> Vec<String> {
    let row = |(position, column): (usize, &firn_engine::ColumnDescription)| {
        let number = |number: Option<i64>| number.map_or_else(|| "NULL".to_owned(), |number| number.to_string());
        [
            quote_literal(object.name.schema()),
            quote_literal(&object.name.name),
            position.to_string(),
            quote_literal(&column.name),
            quote_literal(&declared_text(&column.data_type)),
            column.not_null.to_string(),
            optional(column.default.as_deref()),
            number(column.autoincrement.map(|autoincrement| autoincrement.start)),
            number(column.autoincrement.map(|autoincrement| autoincrement.increment)),
            optional(column.comment.as_deref()),
            optional(column.collation.as_deref()),
        ]
        .join(", ")
    };
    (1..).zip(&object.columns).map(row).collect()
}

/// What the views ask for, as the side tables have it.
fn options(options: &ObjectOptions) -> String {
    let days = options.retention_days.map_or_else(|| "NULL".to_owned(), |days| days.to_string());
    format!(
        "CAST(json_object('secure', {}, 'materialized', {}, 'cluster_by', {}, 'retention_days', {days}) AS VARCHAR)",
        options.secure,
        options.materialized,
        optional(options.cluster_by.as_deref())
    )
}

fn constraints(constraints: &[TableConstraint]) -> String {
    let written = |constraint: &TableConstraint| {
        let kind = match constraint.kind {
            ConstraintKind::PrimaryKey => "PRIMARY KEY",
            ConstraintKind::Unique => "UNIQUE",
            ConstraintKind::ForeignKey { .. } => "FOREIGN KEY",
        };
        format!("json_object('name', {}, 'kind', {})", optional(constraint.name.as_deref()), quote_literal(kind))
    };
    let written: Vec<String> = constraints.iter().map(written).collect();
    match written.is_empty() {
        true => quote_literal("[]"),
        false => format!("CAST(json_array({}) AS VARCHAR)", written.join(", ")),
    }
}

fn optional(text: Option<&str>) -> String {
    text.map_or_else(|| "NULL".to_owned(), quote_literal)
}

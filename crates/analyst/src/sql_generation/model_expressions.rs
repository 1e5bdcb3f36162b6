//! The expressions of a model's metrics and filters, with every name in them led back to the common table expressions.

use crate::interpretation::query::Expr;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};

use crate::read_back::composed_aggregates;

use super::identifiers::{identifier, table_alias};

/// Metrics may be made of metrics, but not without end.
const DEPTH_MAX: usize = 6;

/// The expression with qualified names; names the model does not know stay as they are.
pub fn qualified(index: &ModelIndex, table: TableId, expression: &str) -> String {
    qualify(index, table, expression, 0)
}

/// A metric that is computed of aggregates, so that each can be computed over the rows of its own table; `None` where it is
/// anything else.
#[must_use]
pub fn composed_metric(index: &ModelIndex, column: ColumnId) -> Option<Expr> {
    composed_aggregates(index, &index.columns[column].expression)
}

/// The metric of the model that an expression computes side by side.
#[must_use]
pub fn metric_composed_as(index: &ModelIndex, expr: &Expr) -> Option<ColumnId> {
    let is_it = |column: &ColumnId| {
        index.columns[*column].kind == ColumnKind::Metric && composed_metric(index, *column).as_ref() == Some(expr)
    };
    (0..index.columns.len()).find(is_it)
}

fn qualify(index: &ModelIndex, table: TableId, expression: &str, depth: usize) -> String {
    let mut text = String::with_capacity(expression.len() + 16);
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let end = rest[1..].find('\'').map_or(rest.len(), |end| end + 2);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if let Some((name, behind)) = quoted(rest) {
            let physical = index.tables[table].physical.iter().find(|other| *other == name);
            let alias = physical.map(|_| format!("{}.", table_alias(&index.tables[table].name)));
            text.push_str(&alias.filter(|_| !text.ends_with('.')).unwrap_or_default());
            text.push_str(name);
            rest = behind;
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest
                .find(|other: char| !(other.is_ascii_alphanumeric() || other == '_' || other == '.'))
                .unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            let is_function = behind.trim_start().starts_with('(');
            let known = if is_function { None } else { replacement(index, table, name, depth) };
            text.push_str(known.as_deref().unwrap_or(name));
            rest = behind;
        } else {
            let end = first.len_utf8();
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    text
}

/// A name in quotes and what is behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let end = text.strip_prefix('"')?.find('"')? + 2;
    Some(text.split_at(end))
}

fn replacement(index: &ModelIndex, table: TableId, name: &str, depth: usize) -> Option<String> {
    let (owner, name) = match name.split_once('.') {
        Some((owner, name)) => (index.table_named(owner.trim_start_matches("__"))?, name),
        None => (table, name),
    };
    let Some(column) = index.column_named(owner, name) else {
        let physical = index.tables[owner].physical.iter().find(|other| other.eq_ignore_ascii_case(name))?;
        return Some(format!("{}.{physical}", table_alias(&index.tables[owner].name)));
    };
    let entry = &index.columns[column];
    match entry.kind {
        ColumnKind::Metric | ColumnKind::Filter if depth < DEPTH_MAX => {
            Some(format!("({})", qualify(index, owner, &entry.expression, depth + 1)))
        }
        ColumnKind::Metric | ColumnKind::Filter => None,
        _ => Some(format!("{}.{}", table_alias(&index.tables[owner].name), identifier(&entry.name))),
    }
}

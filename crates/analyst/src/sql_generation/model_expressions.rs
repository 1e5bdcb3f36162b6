//! The expressions of a model's metrics and filters, with every name in them led back to the common table expressions.

use crate::links::model_index::{ColumnKind, ModelIndex, TableId};

use super::identifiers::{identifier, table_alias};

/// Metrics may be made of metrics, but not without end.
const DEPTH_MAX: usize = 6;

/// The expression with qualified names; names the model does not know stay as they are.
pub fn qualified(index: &ModelIndex, table: TableId, expression: &str) -> String {
    qualify(index, table, expression, 0)
}

fn qualify(index: &ModelIndex, table: TableId, expression: &str, depth: usize) -> String {
    let mut text = String::with_capacity(expression.len() + 16);
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let end = rest[1..].find('\'').map_or(rest.len(), |end| end + 2);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest
                .find(|other: char| !(other.is_ascii_alphanumeric() || other == '_' || other == '.'))
                .unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            let is_function = behind.trim_start().starts_with('(');
            let known = if is_function { None } else { replacement(index, table, name, depth) };
            let unnamed = || is_unnamed(&text, name, is_function).then(|| qualified_name(index, table, name));
            let replaced = known.or_else(unnamed);
            text.push_str(replaced.as_deref().unwrap_or(name));
            rest = behind;
        } else {
            let end = first.len_utf8();
            text.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    text
}

/// A physical column under the name of its table's common table expression.
pub fn qualified_name(index: &ModelIndex, table: TableId, name: &str) -> String {
    format!("{}.{name}", table_alias(&index.tables[table].name))
}

/// The names in the table's metrics and filters that are no logical names.
pub fn unnamed_columns(index: &ModelIndex, table: TableId) -> Vec<String> {
    let made = index.tables[table].columns.iter().map(|&column| &index.columns[column]);
    let made = made.filter(|entry| matches!(entry.kind, ColumnKind::Metric | ColumnKind::Filter));
    let alias = format!("{}.", table_alias(&index.tables[table].name));
    let mut names = Vec::new();
    for entry in made {
        let text = qualified(index, table, &entry.expression);
        for piece in text.split(|character: char| !(character.is_ascii_alphanumeric() || "_.".contains(character))) {
            let name = piece.strip_prefix(&alias).filter(|name| index.column_named(table, name).is_none());
            names.extend(name.map(str::to_string));
        }
    }
    names
}

/// Whether a name that the model does not know is a physical column, not a word of SQL.
fn is_unnamed(before: &str, name: &str, is_function: bool) -> bool {
    const WORDS: &[&str] = &[
        "is",
        "null",
        "then",
        "else",
        "end",
        "when",
        "case",
        "true",
        "false",
        "interval",
        "distinct",
        "over",
        "escape",
        "current_date",
        "current_timestamp",
        "within",
        "nulls",
        "partition",
        "year",
        "month",
        "day",
        "date",
    ];
    let lower = name.to_ascii_lowercase();
    let is_type = before.trim_end().to_ascii_lowercase().ends_with(" as") || before.trim_end().ends_with("::");
    !(is_function || is_type || name.contains('.') || WORDS.contains(&lower.as_str()) || identifier(name) != name)
}

fn replacement(index: &ModelIndex, table: TableId, name: &str, depth: usize) -> Option<String> {
    let (owner, name) = match name.split_once('.') {
        Some((owner, name)) => (index.table_named(owner.trim_start_matches("__"))?, name),
        None => (table, name),
    };
    let entry = &index.columns[index.column_named(owner, name)?];
    match entry.kind {
        ColumnKind::Metric | ColumnKind::Filter if depth < DEPTH_MAX => {
            Some(format!("({})", qualify(index, owner, &entry.expression, depth + 1)))
        }
        ColumnKind::Metric | ColumnKind::Filter => None,
        _ => Some(format!("{}.{}", table_alias(&index.tables[owner].name), identifier(&entry.name))),
    }
}

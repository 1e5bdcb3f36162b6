//! The common table expression of a logical table: the columns that the query uses, each with its expression.

use std::collections::BTreeSet;

use crate::semantic_model::{LogicalTable, SemanticModel, TableSource, product};

use super::identifiers::{identifier, table_alias};
use super::layout::{indented, listed};
use super::physical_columns;

/// What a query uses of a logical table.
#[derive(Debug, Default)]
pub(super) struct Use {
    /// Other names the query joins the table under.
    pub(super) aliases: BTreeSet<String>,
    /// All columns are selected.
    pub(super) is_whole: bool,
}

/// `__orders AS (SELECT … FROM …)` with what `body` names of the table.
pub(super) fn common_table(model: &SemanticModel, table: &LogicalTable, usage: &Use, body: &str) -> String {
    let alias = table_alias(&table.name);
    let named = |column: &str| {
        let names = usage.aliases.iter().chain([&alias]).map(|alias| format!("{alias}.{column}"));
        names.into_iter().any(|name| physical_columns::names(body, &name))
    };
    let product = product(model, table);
    let product = product.iter().map(|product| Column { name: &product.fact.name, expr: &product.fact.expr });
    let columns: Vec<Column<'_>> =
        columns_of(table).into_iter().chain(product.filter(|product| named(&identifier(product.name)))).collect();
    let mut used: Vec<bool> = columns.iter().map(|column| usage.is_whole || named(&identifier(column.name))).collect();
    let physical = physical_columns::used(model, table, &named);
    if physical.is_empty() && !used.contains(&true) {
        mark_rows(table, &columns, &mut used);
    }
    add_parts(&columns, &mut used);
    let referenced = columns.iter().zip(&used).filter(|(_, used)| **used).map(|(column, _)| column.text());
    let mut items: Vec<String> = referenced.chain(physical).collect();
    if items.is_empty() {
        items.push("*".to_owned());
    }
    let query = format!("{}\nFROM {}", listed("SELECT", &items), source(table));
    format!("{alias} AS (\n{}\n)", indented(&query))
}

/// Where only the rows count, their key stands for them, else their first column.
fn mark_rows(table: &LogicalTable, columns: &[Column<'_>], used: &mut [bool]) {
    let is_key = |column: &Column<'_>| table.primary_key.iter().any(|key| key.eq_ignore_ascii_case(column.name));
    for (column, used) in columns.iter().zip(used.iter_mut()) {
        *used = is_key(column);
    }
    if !used.contains(&true)
        && let Some(first) = used.first_mut()
    {
        *first = true;
    }
}

/// An expression may use other columns of its table by their logical names.
fn add_parts(columns: &[Column<'_>], used: &mut [bool]) {
    loop {
        let missing = (0..columns.len()).find(|&part| {
            let is_part = |whole: usize| whole != part && used[whole] && columns[whole].mentions(columns[part].name);
            !used[part] && !columns[part].is_plain() && (0..columns.len()).any(is_part)
        });
        let Some(part) = missing else { return };
        used[part] = true;
    }
}

struct Column<'a> {
    name: &'a str,
    expr: &'a str,
}

impl Column<'_> {
    fn text(&self) -> String {
        let expr = expression_text(self.expr);
        let name = identifier(self.name);
        let is_folded = !expr.starts_with('"') && expr.eq_ignore_ascii_case(&name);
        if is_folded || expr == name { expr } else { format!("{expr} AS {name}") }
    }

    /// The physical column of the same name.
    fn is_plain(&self) -> bool {
        self.expr.trim().eq_ignore_ascii_case(self.name)
    }

    fn mentions(&self, name: &str) -> bool {
        let is_of_name = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
        self.expr.split(|character| !is_of_name(character)).any(|word| word.eq_ignore_ascii_case(name))
    }
}

fn columns_of(table: &LogicalTable) -> Vec<Column<'_>> {
    let dimensions = table.dimensions.iter().filter(|column| !column.is_filter);
    let dimensions = dimensions.map(|column| (&column.name, &column.expr));
    let times = table.time_dimensions.iter().map(|column| (&column.name, &column.expr));
    let facts = table.facts.iter().map(|column| (&column.name, &column.expr));
    dimensions.chain(times).chain(facts).map(|(name, expr)| Column { name, expr }).collect()
}

/// A bare name that is a reserved word must be quoted; any other expression is as the model has it. A comment at its end
/// must not swallow what follows.
fn expression_text(expr: &str) -> String {
    let bare = expr.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    match bare {
        true => identifier(expr),
        false if expr.contains("--") => format!("{expr}\n"),
        false => expr.to_owned(),
    }
}

fn source(table: &LogicalTable) -> String {
    match &table.source {
        TableSource::BaseTable { database, schema, table } => {
            let parts = [database.as_deref(), schema.as_deref(), Some(table.as_str())];
            parts.into_iter().flatten().map(identifier).collect::<Vec<_>>().join(".")
        }
        TableSource::Definition(text) => format!("(\n{}\n)", indented(text)),
    }
}

//! The logical tables that a SELECT reads, and the columns its names stand for.

use firn_sql::ast::{Expr, Ident, ObjectName, Select, TableFactor};
use firn_sql::stages::read_identifier;

use super::{KnownTables, PastQuery};
use crate::semantic_model::expressions::parse_expression;
use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{LogicalTable, TableSource};

/// The tables of one FROM clause.
pub(super) struct Scope<'m> {
    tables: Vec<ScopedTable<'m>>,
}

struct ScopedTable<'m> {
    alias: String,
    /// Its place in the model.
    place: usize,
    table: &'m LogicalTable,
    /// Of the physical table; `None` where the names are those of the logical one.
    physical: Option<&'m [String]>,
}

/// What a column name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScopedColumn {
    /// The table's place in the model.
    pub(super) table: usize,
    pub(super) name: String,
    pub(super) offer: Offer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    /// A dimension, time dimension or fact.
    Logical,
    /// A column of the physical table that the model has no name for.
    Physical,
}

impl<'m> Scope<'m> {
    /// `None` where anything but tables of the model is read.
    pub(super) fn of(known: &'m KnownTables<'m>, past: &PastQuery, select: &Select) -> Option<Self> {
        let joined = select
            .from
            .iter()
            .flat_map(|item| std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation)));
        let tables: Option<Vec<_>> = joined.map(|factor| scoped(known, past, factor)).collect();
        tables.filter(|tables| !tables.is_empty()).map(|tables| Self { tables })
    }

    /// One logical table, by its physical columns' names, as the expressions of the model are written.
    pub(super) fn of_table(known: &'m KnownTables<'m>, place: usize) -> Option<Self> {
        let table = known.model.tables.get(place)?;
        Some(Self {
            tables: vec![ScopedTable {
                alias: table.name.to_uppercase(),
                place,
                table,
                physical: known.columns.get(place)?.as_deref(),
            }],
        })
    }

    pub(super) fn places(&self) -> Vec<usize> {
        self.tables.iter().map(|table| table.place).collect()
    }

    /// The column behind `column`, `table.column` or a longer name; `None` where there is none, or more than one.
    pub(super) fn column(&self, name: &[Ident]) -> Option<ScopedColumn> {
        let (column, qualifiers) = name.split_last()?;
        let column = folded(column);
        let is_meant =
            |table: &&ScopedTable<'_>| qualifiers.last().is_none_or(|qualifier| folded(qualifier) == table.alias);
        let mut found = self.tables.iter().filter(is_meant).filter_map(|table| table.column(&column));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

impl ScopedTable<'_> {
    fn column(&self, folded_name: &str) -> Option<ScopedColumn> {
        let found = |name: &str, offer| ScopedColumn { table: self.place, name: name.to_owned(), offer };
        let is_named = |(name, _): &(&str, &str)| folded_text(name).eq_ignore_ascii_case(folded_name);
        let Some(physical) = self.physical else {
            return logical_columns(self.table).find(is_named).map(|(name, _)| found(name, Offer::Logical));
        };
        let is_it = |(_, expression): &(&str, &str)| plain_column(expression).as_deref() == Some(folded_name);
        if let Some((name, _)) = logical_columns(self.table).find(is_it) {
            return Some(found(name, Offer::Logical));
        }
        physical.iter().find(|column| *column == folded_name).map(|column| found(column, Offer::Physical))
    }
}

fn scoped<'m>(known: &'m KnownTables<'m>, past: &PastQuery, factor: &TableFactor) -> Option<ScopedTable<'m>> {
    let TableFactor::Table { name, alias, args: None, .. } = factor else { return None };
    let parts: Option<Vec<String>> = name.0.iter().map(|part| part.as_ident().map(folded)).collect();
    let parts = parts?;
    let written = parts.last()?;
    let alias = alias.as_ref().map_or_else(|| written.clone(), |alias| folded(&alias.name));
    // The analyst's own SQL reads `__orders`, which it defines over the physical table.
    let logical = written.strip_prefix("__").filter(|_| parts.len() == 1);
    for (place, table) in known.model.tables.iter().enumerate() {
        let Some(columns) = known.columns.get(place)?.as_deref() else { continue };
        if logical.is_some_and(|name| name.eq_ignore_ascii_case(&table.name)) {
            return Some(ScopedTable { alias, place, table, physical: None });
        }
        if logical.is_none() && is_over(table, &parts, past) {
            return Some(ScopedTable { alias, place, table, physical: Some(columns) });
        }
    }
    None
}

fn is_over(table: &LogicalTable, parts: &[String], past: &PastQuery) -> bool {
    let TableSource::BaseTable { database, schema, table } = &table.source else { return false };
    let mut wanted = parts.iter().rev();
    let is_named = wanted.next().is_some_and(|name| *name == folded_text(table));
    let schema_is = wanted.next().or(past.schema.as_ref());
    let database_is = wanted.next().or(past.database.as_ref());
    let agrees = |of_model: &Option<String>, of_query: Option<&String>| {
        of_model.as_deref().is_none_or(|name| of_query.is_some_and(|given| *given == folded_text(name)))
    };
    is_named && agrees(schema, schema_is) && agrees(database, database_is)
}

pub(super) fn logical_columns(table: &LogicalTable) -> impl Iterator<Item = (&str, &str)> {
    let dimensions = table.dimensions.iter().map(|column| (column.name.as_str(), column.expr.as_str()));
    let times = table.time_dimensions.iter().map(|column| (column.name.as_str(), column.expr.as_str()));
    let facts = table.facts.iter().map(|column| (column.name.as_str(), column.expr.as_str()));
    dimensions.chain(times).chain(facts)
}

/// The physical column that an expression is, if it is nothing more.
fn plain_column(expression: &str) -> Option<String> {
    match parse_expression(expression)? {
        Expr::Identifier(name) => Some(folded(&name)),
        _ => None,
    }
}

pub(super) fn folded(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_uppercase() }
}

/// A name of the model, folded as SQL folds it.
fn folded_text(name: &str) -> String {
    read_identifier(&identifier(name)).unwrap_or_else(|| name.to_owned())
}

/// A name of the model as it is written into SQL.
pub(super) fn written(name: &str) -> Ident {
    match identifier(name) == name && !name.starts_with('"') {
        true => Ident::new(name),
        false => Ident::with_quote('"', name.trim_matches('"')),
    }
}

/// The name of a table in SQL over logical tables.
pub(super) fn prefixed(table: &LogicalTable) -> ObjectName {
    ObjectName::from(vec![written(&format!("__{}", table.name))])
}

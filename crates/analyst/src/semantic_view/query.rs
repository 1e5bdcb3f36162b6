//! `SEMANTIC_VIEW(v METRICS … DIMENSIONS … WHERE …)` as a query over the physical tables.
//!
//! Metrics of different tables are computed apart, each over its own rows joined only towards single rows, and put side
//! by side afterwards; so no row is counted twice because another table has several that match it.

pub(super) mod joins;
mod metrics;

use std::collections::BTreeSet;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident};
use firn_sql::semantic_view_tokens::{Asked, item_of};

use self::joins::{common_base, joined};
use self::metrics::Parts;
use super::expansion::{Expanded, expand_column, expand_condition, invalid_identifier};
use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{AccessModifier, LogicalTable, SemanticModel};

/// What stands between the brackets of SEMANTIC_VIEW().
pub struct ViewQuery<'a> {
    pub dimensions: &'a [Expr],
    pub metrics: &'a [Expr],
    pub facts: &'a [Expr],
    pub condition: Option<&'a Expr>,
}

pub fn query_text(model: &SemanticModel, query: &ViewQuery<'_>) -> Result<String, Failure> {
    if !query.metrics.is_empty() && !query.facts.is_empty() {
        return Err(invalid("METRICS and FACTS", "SEMANTIC_VIEW takes one of them"));
    }
    if query.metrics.is_empty() && query.facts.is_empty() && query.dimensions.is_empty() {
        return Err(invalid("SEMANTIC_VIEW", "name METRICS, FACTS or DIMENSIONS"));
    }
    let dimensions = columns(model, query.dimensions, Kind::Dimension)?;
    let condition = query.condition.map(|condition| expand_condition(model, condition)).transpose()?;
    if !query.metrics.is_empty() {
        return Parts::of(model, query.metrics)?.text(model, &dimensions, condition.as_ref());
    }
    let facts = columns(model, query.facts, Kind::Fact)?;
    let distinct = if facts.is_empty() { "DISTINCT " } else { "" };
    let mut all: Vec<&Column> = dimensions.iter().chain(&facts).collect();
    all.sort_by_key(|column| column.number);
    let selected: Vec<String> = all.iter().map(|column| column.selected()).collect();
    let mut tables: BTreeSet<String> = all.iter().flat_map(|column| column.expanded.tables.clone()).collect();
    tables.extend(condition.iter().flat_map(|condition| condition.tables.clone()));
    let base = common_base(model, &tables)?;
    let from = joined(model, base, &tables, &[])?;
    let condition = condition_text(condition.as_ref());
    Ok(format!("SELECT {distinct}{} FROM {from}{condition}", selected.join(", ")))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Dimension,
    Fact,
}

/// A column of the result.
struct Column {
    /// As it stands after AS.
    name: String,
    expanded: Expanded,
    /// Its place among all that is asked for.
    number: usize,
}

impl Column {
    fn selected(&self) -> String {
        format!("{} AS {}", self.expanded.expr, self.name)
    }
}

/// Something asked for by name, or an expression.
struct Item<'e> {
    number: usize,
    what: What<'e>,
    alias: Option<String>,
}

enum What<'e> {
    /// `name`, `table.name` or `table.*`.
    Named {
        table: Option<String>,
        name: Option<String>,
        text: String,
    },
    Expr(&'e Expr),
}

impl<'e> Item<'e> {
    fn of(expr: &'e Expr) -> Self {
        let Some(item) = item_of(expr) else {
            return Self { number: 0, what: What::of(expr), alias: None };
        };
        let what = match item.asked {
            Asked::Expr(expr) => What::of(expr),
            Asked::AllOf(table) => {
                let text = format!("{table}.*");
                What::Named { table: Some(table.trim_matches('"').to_owned()), name: None, text }
            }
        };
        Self { number: item.number, what, alias: item.alias.map(Ident::to_string) }
    }

    /// The name of its column, where it has no other.
    fn name(&self, name: &str) -> String {
        self.alias.clone().unwrap_or_else(|| identifier(name))
    }
}

impl<'e> What<'e> {
    fn of(expr: &'e Expr) -> Self {
        let text = expr.to_string();
        match expr {
            Expr::Identifier(name) => Self::Named { table: None, name: Some(name.value.clone()), text },
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, name] => Self::Named { table: Some(table.value.clone()), name: Some(name.value.clone()), text },
                _ => Self::Expr(expr),
            },
            Expr::QualifiedWildcard(table, _) => Self::Named { table: Some(table.to_string()), name: None, text },
            _ => Self::Expr(expr),
        }
    }
}

fn columns(model: &SemanticModel, asked: &[Expr], kind: Kind) -> Result<Vec<Column>, Failure> {
    let mut columns = Vec::new();
    for expr in asked {
        let item = Item::of(expr);
        match &item.what {
            What::Named { table, name, text } => {
                for (owner, found) in items_named(model, table.as_deref(), name.as_deref(), kind, text)? {
                    let (name, expanded) = (item.name(&found), expand_column(model, owner, &found)?);
                    columns.push(Column { name, expanded, number: item.number });
                }
            }
            What::Expr(expr) => {
                let expanded = expand_condition(model, expr)?;
                columns.push(Column { name: item.name(&expr.to_string()), expanded, number: item.number });
            }
        }
    }
    Ok(columns)
}

fn items_named<'m>(
    model: &'m SemanticModel,
    table: Option<&str>,
    name: Option<&str>,
    kind: Kind,
    text: &str,
) -> Result<Vec<(&'m LogicalTable, String)>, Failure> {
    let of_table = |table: &LogicalTable| -> Vec<(String, AccessModifier)> {
        let dimensions = table.dimensions.iter().map(|item| (item.name.clone(), item.access_modifier));
        let times = table.time_dimensions.iter().map(|item| (item.name.clone(), item.access_modifier));
        let facts = table.facts.iter().map(|item| (item.name.clone(), item.access_modifier));
        match (kind, name) {
            (Kind::Dimension, _) => dimensions.chain(times).collect(),
            (Kind::Fact, None) => facts.collect(),
            (Kind::Fact, Some(_)) => facts.chain(dimensions).chain(times).collect(),
        }
    };
    let mut found = Vec::new();
    for owner in model.tables.iter().filter(|other| table.is_none_or(|table| other.name.eq_ignore_ascii_case(table))) {
        for (item, access) in of_table(owner) {
            if name.is_none_or(|name| item.eq_ignore_ascii_case(name)) && access == AccessModifier::Public {
                found.push((owner, item));
            }
        }
    }
    match (name, found.as_slice()) {
        (_, []) => Err(invalid_identifier(text)),
        (Some(name), [_, _, ..]) => {
            let message = format!("SQL compilation error:\nambiguous column name '{name}'");
            Err(Failure::new("002028", "42601", message))
        }
        _ => Ok(found),
    }
}

fn condition_text(condition: Option<&Expanded>) -> String {
    condition.map_or_else(String::new, |condition| format!(" WHERE {}", condition.expr))
}

fn invalid(what: &str, way_out: &str) -> Failure {
    Failure::invalid_value("SEMANTIC_VIEW", what, way_out)
}

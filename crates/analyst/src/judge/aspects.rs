//! What a query looks like, in words that say nothing of the model: how much it shows and of which kind, what it sums up,
//! groups, sorts, joins and compares. The words of a question let expect one look more than another.

use crate::accounting::Usage;
use crate::interpretation::query::{Condition, Direction, Expr, Function, Operand, Query, SetOperation};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex};

/// Their names, in the order of the values.
pub const ASPECTS: [&str; 10] =
    ["shown", "plain", "measures", "groups", "order", "conditions", "joins", "kinds", "repeats", "sets"];

const SHOWN_MAX: usize = 4;
const COUNT_MAX: usize = 3;
/// Functions and columns whose kinds are stated.
const NAMED_MAX: usize = 2;

/// The values of all aspects of one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aspects {
    pub values: [String; ASPECTS.len()],
}

impl Aspects {
    #[must_use]
    pub fn of(index: &ModelIndex, query: &Query, usage: &Usage) -> Self {
        let plain: Vec<&Expr> = query.select.iter().filter(|expr| !expr.is_aggregate()).collect();
        let conditions: usize = query.conditions.iter().map(leaves).sum();
        Self {
            values: [
                query.select.len().min(SHOWN_MAX).to_string(),
                plain.len().min(COUNT_MAX).to_string(),
                measures(query),
                groups(query, &plain),
                order(query),
                conditions.min(COUNT_MAX).to_string(),
                (usage.joins + semi_joins(query)).min(COUNT_MAX).to_string(),
                kinds(index, &plain),
                repeats(query, usage, &plain).to_string(),
                sets(query).to_string(),
            ],
        }
    }
}

/// The functions of what is shown, each once, by name.
fn measures(query: &Query) -> String {
    let mut names: Vec<&str> = query.select.iter().filter_map(function).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(NAMED_MAX);
    joined(&names)
}

fn function(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::CountRows(_) => Some("count"),
        Expr::Aggregate(function, _) => Some(match function {
            Function::Count => "count",
            Function::CountDistinct => "count_distinct",
            Function::Sum => "sum",
            Function::Average => "average",
            Function::Minimum => "minimum",
            Function::Maximum => "maximum",
            Function::Median | Function::Percentile(_) | Function::Metric => "measure",
        }),
        _ if expr.is_aggregate() => Some("measure"),
        _ => None,
    }
}

fn groups(query: &Query, plain: &[&Expr]) -> String {
    let is_measured = plain.len() < query.select.len()
        || query.order.iter().any(|(expr, _)| expr.is_aggregate())
        || !query.having.is_empty();
    let is_grouped = !query.group.is_empty() || (is_measured && !plain.is_empty());
    let mut names = Vec::new();
    names.extend(is_grouped.then_some("group"));
    names.extend((!query.having.is_empty()).then_some("having"));
    joined(&names)
}

/// The direction and kind of the first sort key, and whether the rows are limited.
fn order(query: &Query) -> String {
    let mut names = Vec::new();
    if let Some((expr, direction)) = query.order.first() {
        names.push(match direction {
            Direction::Ascending => "up",
            Direction::Descending => "down",
        });
        names.push(match function(expr) {
            Some("count" | "count_distinct") => "count",
            Some(_) => "measure",
            None => "column",
        });
    }
    names.extend(query.limit.map(|limit| if limit == 1 { "one" } else { "some" }));
    joined(&names)
}

/// Conditions that are made of no others.
fn leaves(condition: &Condition) -> usize {
    match condition {
        Condition::Any(conditions) | Condition::All(conditions) => conditions.iter().map(leaves).sum(),
        Condition::Not(inner) => leaves(inner),
        Condition::In(_, nested) => nested.conditions.iter().map(leaves).sum::<usize>().max(1),
        _ => 1,
    }
}

/// Rows that must be met in another table, as a join meets them.
fn semi_joins(query: &Query) -> usize {
    query.conditions.iter().filter(|condition| matches!(condition, Condition::In(..))).count()
}

/// What the first columns that are shown hold.
fn kinds(index: &ModelIndex, plain: &[&Expr]) -> String {
    let kind = |column: ColumnId| match index.columns[column].data {
        _ if index.is_key(column) || index.is_reference(column) => "key",
        DataKind::Text => "text",
        DataKind::Number => "number",
        DataKind::Date => "date",
        DataKind::Boolean => "flag",
    };
    let columns = plain.iter().filter_map(|expr| if let Expr::Column(column) = expr { Some(*column) } else { None });
    joined(&columns.map(kind).take(NAMED_MAX).collect::<Vec<_>>())
}

/// Whether rows that are alike are shown once, or as often as a join meets them.
fn repeats(query: &Query, usage: &Usage, plain: &[&Expr]) -> &'static str {
    let is_grouped = plain.len() < query.select.len() || groups(query, plain) != "none";
    match (query.distinct, is_grouped) {
        (true, _) => "distinct",
        (_, true) => "grouped",
        _ if usage.joins > 0 => "joined",
        _ => "plain",
    }
}

/// How the query combines sets of rows; what is not among others is the difference of two.
fn sets(query: &Query) -> &'static str {
    match &query.combined {
        Some((SetOperation::Intersect, _)) => return "intersect",
        Some((SetOperation::Except, _)) => return "except",
        Some((SetOperation::Union, _)) => return "union",
        None => {}
    }
    let of_conditions: Vec<&str> = query.conditions.iter().chain(&query.having).map(set_of).collect();
    ["except", "value", "or"].into_iter().find(|name| of_conditions.contains(name)).unwrap_or("none")
}

fn set_of(condition: &Condition) -> &'static str {
    match condition {
        Condition::Not(inner) if matches!(**inner, Condition::In(..)) => "except",
        Condition::Not(inner) => set_of(inner),
        Condition::Compare(_, _, Operand::Query(_)) => "value",
        Condition::Any(_) => "or",
        _ => "none",
    }
}

fn joined(names: &[&str]) -> String {
    if names.is_empty() { "none".to_string() } else { names.join("+") }
}

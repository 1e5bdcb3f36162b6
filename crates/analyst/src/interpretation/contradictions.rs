//! Conditions of which no row fulfils all: a query with these is no reading.

use std::collections::BTreeSet;

use super::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::ColumnId;

/// Whether conditions exclude each other: a column with and without a value, with two values, or in a range without days.
#[must_use]
pub fn contradict(conditions: &[Condition]) -> bool {
    let mut all = Vec::new();
    conditions.iter().for_each(|condition| flatten(condition, &mut all));
    let missing: BTreeSet<ColumnId> = all.iter().filter_map(|condition| missing_column(condition)).collect();
    let needs = |condition: &&Condition| match condition {
        Condition::Not(inner) => missing_column(inner).is_some_and(|column| missing.contains(&column)),
        Condition::Compare(Expr::Column(column), ..) | Condition::Between(Expr::Column(column), ..) => {
            missing.contains(column)
        }
        _ => false,
    };
    all.iter().any(needs) || have_two_values(&all) || is_empty_range(&all)
}

/// The conditions that must all hold.
pub fn flatten<'a>(condition: &'a Condition, all: &mut Vec<&'a Condition>) {
    match condition {
        Condition::All(conditions) => conditions.iter().for_each(|condition| flatten(condition, all)),
        other => all.push(other),
    }
}

/// The column that a condition wants to be NULL.
#[must_use]
pub fn missing_column(condition: &Condition) -> Option<ColumnId> {
    match condition {
        Condition::Missing(column) => Some(*column),
        _ => None,
    }
}

/// No row has two values in one column.
fn have_two_values(all: &[&Condition]) -> bool {
    let equal = |condition: &&Condition| match condition {
        Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(value)) => {
            Some((*column, value.clone()))
        }
        _ => None,
    };
    let values: Vec<(ColumnId, Literal)> = all.iter().filter_map(equal).collect();
    values.iter().any(|(column, value)| values.iter().any(|(other, against)| other == column && against != value))
}

/// A day from which on, and one before which, in the wrong order.
fn is_empty_range(all: &[&Condition]) -> bool {
    let bounds = |is_lower: bool| {
        all.iter().filter_map(move |condition| match condition {
            Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Date(day))) => {
                let is_wanted = match comparison {
                    Comparison::Greater | Comparison::GreaterOrEqual => is_lower,
                    Comparison::Less => !is_lower,
                    _ => false,
                };
                is_wanted.then_some((*column, day))
            }
            _ => None,
        })
    };
    bounds(true).any(|(column, from)| bounds(false).any(|(other, to)| other == column && from >= to))
}

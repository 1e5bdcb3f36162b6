//! Conditions on values, quoted texts and patterns.

use super::Parts;
use super::comparing::{comparison_of, condition_of, literal};
use crate::chart::Context;
use crate::chart::fragment::{Fragment, Kind};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::DataKind;

type Made = Vec<Kind>;

fn value_condition(parts: &Parts<'_>, at: usize, comparison: Comparison) -> Option<Condition> {
    match parts.kind(at)? {
        Kind::Value(column, text) => Some(literal(*column, comparison, Literal::Text(text.clone()))),
        _ => None,
    }
}

fn is_value_of(parts: &Parts<'_>, value: usize, column: usize) -> bool {
    match (parts.kind(value), parts.column(column)) {
        (Some(Kind::Value(own, _)), Some(column)) => *own == column,
        _ => false,
    }
}

fn named_value(parts: &Parts<'_>, value: usize, column: usize, comparison: Comparison) -> Made {
    let condition = value_condition(parts, value, comparison).filter(|_| is_value_of(parts, value, column));
    condition.map(Kind::Condition).into_iter().collect()
}

pub fn column_value(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    named_value(&Parts(parts), 1, 0, Comparison::Equal)
}

pub fn value_column(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    named_value(&Parts(parts), 0, 1, Comparison::Equal)
}

pub fn value_alone(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    value_condition(&Parts(parts), 0, Comparison::Equal).map(Kind::Condition).into_iter().collect()
}

pub fn column_not_value(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    named_value(&Parts(parts), 2, 0, Comparison::NotEqual)
}

pub fn column_compare_value(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match comparison_of(parts.operator(1)) {
        Some(comparison @ (Comparison::Equal | Comparison::NotEqual)) => named_value(&parts, 2, 0, comparison),
        _ => Vec::new(),
    }
}

fn text_of(parts: &Parts<'_>, at: usize) -> Option<String> {
    match parts.kind(at)? {
        Kind::Text(text) | Kind::Value(_, text) => Some(text.clone()),
        _ => None,
    }
}

pub fn column_text(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), text_of(&parts, 1)) {
        (Some(column), Some(text)) if context.index.columns[column].data == DataKind::Text => {
            vec![Kind::Condition(literal(column, Comparison::Equal, Literal::Text(text)))]
        }
        _ => Vec::new(),
    }
}

/// `the student "Linda"`: the rows called so.
pub fn rows_text(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let label = parts.table(0).map(|table| context.index.label(table)).unwrap_or_default();
    match (label.as_slice(), text_of(&parts, 1)) {
        ([column], Some(text)) if context.index.columns[*column].data == DataKind::Text => {
            vec![Kind::Condition(literal(*column, Comparison::Equal, Literal::Text(text)))]
        }
        _ => Vec::new(),
    }
}

fn pattern(context: &Context<'_>, parts: &Parts<'_>, places: [usize; 3]) -> Made {
    let [column, operator, text] = places;
    let (Some(column), Some(operator), Some(text)) =
        (parts.column(column), parts.operator(operator), text_of(parts, text))
    else {
        return Vec::new();
    };
    let text = text.trim_matches('%');
    let pattern = match operator {
        Operator::Contains => format!("%{text}%"),
        Operator::StartsWith => format!("{text}%"),
        Operator::EndsWith => format!("%{text}"),
        _ => return Vec::new(),
    };
    let is_text = context.index.columns[column].data == DataKind::Text;
    is_text.then_some(Kind::Condition(Condition::Like(column, pattern))).into_iter().collect()
}

pub fn column_pattern(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    pattern(context, &Parts(parts), [0, 1, 2])
}

pub fn pattern_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    pattern(context, &Parts(parts), [2, 0, 1])
}

/// `in Oslo, Bergen or Trondheim`: one more value of the same column.
pub fn further_value(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let Some(further) = value_condition(&parts, 2, Comparison::Equal) else { return Vec::new() };
    let Condition::Compare(Expr::Column(column), ..) = further else { return Vec::new() };
    let is_same = |condition: &Condition| matches!(condition, Condition::Compare(Expr::Column(other), Comparison::Equal, Operand::Literal(Literal::Text(_))) if *other == column);
    match condition_of(&parts, 0) {
        Some(first) if is_same(first) && *first != further => {
            vec![Kind::Condition(Condition::Any(vec![first.clone(), further]))]
        }
        Some(Condition::Any(all)) if all.iter().all(is_same) && !all.contains(&further) => {
            let all = all.iter().cloned().chain([further]).collect();
            vec![Kind::Condition(Condition::Any(all))]
        }
        _ => Vec::new(),
    }
}

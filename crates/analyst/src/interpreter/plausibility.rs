//! Readings whose SQL the engine would refuse: a number compared with a date, a condition on rows that needs their sum.

use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query};
use crate::links::model_index::{ColumnKind, DataKind, ModelIndex};

/// Whether every comparison of the query is between things of one kind, and every condition is where it can be asked.
pub(super) fn is_plausible(index: &ModelIndex, query: &Query) -> bool {
    let of_rows = query.conditions.iter().all(|condition| can_hold(index, condition, Of::Rows));
    let of_groups = query.having.iter().all(|condition| can_hold(index, condition, Of::Groups));
    let other = query.combined.as_ref().is_none_or(|(_, other)| is_plausible(index, other));
    let adds_up = query.select.iter().all(|expr| can_add_up(index, expr));
    of_rows && of_groups && other && adds_up
}

/// A share of everything in everything is no answer.
pub(super) fn is_whole(query: &Query) -> bool {
    matches!(query.select.as_slice(), [Expr::Share(_)])
}

/// Days and texts have no sum, and no average either.
fn can_add_up(index: &ModelIndex, expr: &Expr) -> bool {
    match expr {
        Expr::Aggregate(Function::Sum | Function::Average | Function::Median, column) => {
            matches!(index.columns[*column].data, DataKind::Number) || index.columns[*column].kind == ColumnKind::Metric
        }
        _ => true,
    }
}

/// A metric is a sum wherever it is shown or ordered by.
pub(super) fn sum_metrics_up(index: &ModelIndex, query: &mut Query) {
    let shown = query.select.iter_mut().chain(query.order.iter_mut().map(|(expr, _)| expr));
    for expr in shown {
        if let Expr::Column(column) = expr
            && index.columns[*column].kind == ColumnKind::Metric
        {
            *expr = Expr::Aggregate(Function::Metric, *column);
        }
    }
    if let Some((_, other)) = &mut query.combined {
        sum_metrics_up(index, other);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Rows,
    Groups,
}

fn can_hold(index: &ModelIndex, condition: &Condition, of: Of) -> bool {
    let fits = |expr: &Expr| of == Of::Groups || !sums_up(index, expr);
    match condition {
        Condition::Compare(left, comparison, right) => {
            let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            let right_fits = match right {
                Operand::Literal(literal) => is_comparable(index, left, literal, is_order),
                Operand::Expr(right) => fits(right) && are_alike(index, left, right),
                Operand::Query(query) => {
                    is_plausible(index, query) && query.select.first().is_none_or(|right| are_alike(index, left, right))
                }
            };
            fits(left) && right_fits
        }
        Condition::Between(left, low, high) => {
            fits(left) && is_comparable(index, left, low, true) && is_comparable(index, left, high, true)
        }
        Condition::In(column, query) => fits(&Expr::Column(*column)) && is_plausible(index, query),
        Condition::Like(column, _) | Condition::Missing(column) | Condition::Named(column) => {
            fits(&Expr::Column(*column))
        }
        Condition::Any(conditions) | Condition::All(conditions) => {
            conditions.iter().all(|condition| can_hold(index, condition, of))
        }
        Condition::Not(condition) => can_hold(index, condition, of),
    }
}

/// Whether the expression needs several rows.
fn sums_up(index: &ModelIndex, expr: &Expr) -> bool {
    let mut columns = Vec::new();
    expr.columns(&mut columns);
    expr.is_aggregate() || columns.into_iter().any(|column| index.columns[column].kind == ColumnKind::Metric)
}

/// Whether two expressions can be compared: what is plainly a number goes with no text, date or flag.
fn are_alike(index: &ModelIndex, left: &Expr, right: &Expr) -> bool {
    match (kind_of(index, left), kind_of(index, right)) {
        (Some(left), Some(right)) => left == right,
        _ => true,
    }
}

/// The kind of what an expression gives, where that is plain.
fn kind_of(index: &ModelIndex, expr: &Expr) -> Option<DataKind> {
    match expr {
        Expr::Column(column) | Expr::Aggregate(Function::Minimum | Function::Maximum, column) => {
            let entry = &index.columns[*column];
            if entry.is_number_as_text { Some(DataKind::Number) } else { Some(entry.data) }
        }
        Expr::Aggregate(..) | Expr::CountRows(_) | Expr::Ratio(..) | Expr::Share(_) | Expr::Part(..) => {
            Some(DataKind::Number)
        }
        _ => None,
    }
}

fn is_comparable(index: &ModelIndex, expr: &Expr, literal: &Literal, is_order: bool) -> bool {
    let Expr::Column(column) = expr else { return true };
    let entry = &index.columns[*column];
    match (entry.data, literal) {
        (DataKind::Text, Literal::Number(_)) => entry.is_number_as_text || !is_order,
        (DataKind::Number, Literal::Date(_)) | (DataKind::Boolean, Literal::Date(_) | Literal::Number(_)) => false,
        (DataKind::Number, Literal::Text(text)) => entry.is_number_as_text || text.trim().parse::<f64>().is_ok(),
        (DataKind::Boolean, Literal::Text(text)) => ["true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"]
            .iter()
            .any(|word| text.trim().eq_ignore_ascii_case(word)),
        (DataKind::Date, Literal::Text(text)) => text.starts_with(|first: char| first.is_ascii_digit()),
        (DataKind::Date, Literal::Number(_)) => false,
        _ => true,
    }
}

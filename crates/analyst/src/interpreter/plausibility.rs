//! Readings whose SQL the engine would refuse: a number compared with a date, a condition on rows that needs their sum.

use crate::interpretation::query::{Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnKind, DataKind, ModelIndex};

/// Whether every comparison of the query is between things of one kind, and every condition is where it can be asked.
pub(super) fn is_plausible(index: &ModelIndex, query: &Query) -> bool {
    let of_rows = query.conditions.iter().all(|condition| can_hold(index, condition, Of::Rows));
    let of_groups = query.having.iter().all(|condition| can_hold(index, condition, Of::Groups));
    let other = query.combined.as_ref().is_none_or(|(_, other)| is_plausible(index, other));
    of_rows && of_groups && other
}

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Rows,
    Groups,
}

fn can_hold(index: &ModelIndex, condition: &Condition, of: Of) -> bool {
    let fits = |expr: &Expr| of == Of::Groups || !sums_up(index, expr);
    match condition {
        Condition::Compare(left, _, right) => {
            let right_fits = match right {
                Operand::Literal(literal) => is_comparable(index, left, literal),
                Operand::Expr(right) => fits(right),
                Operand::Query(query) => is_plausible(index, query),
            };
            fits(left) && right_fits
        }
        Condition::Between(left, low, high) => {
            fits(left) && is_comparable(index, left, low) && is_comparable(index, left, high)
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

fn is_comparable(index: &ModelIndex, expr: &Expr, literal: &Literal) -> bool {
    let Expr::Column(column) = expr else { return true };
    let entry = &index.columns[*column];
    match (entry.data, literal) {
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

//! Comparisons of rows, part by part: the engine would take two NULLs in them for equal.

use super::chains::joined;
use super::repetitions;
use crate::Failure;
use crate::ast::{BinaryOperator, Expr, UnaryOperator};

/// `(a, b) IN ((1, 2), (3, 4))` and `(a, b) = (1, 2)`.
pub(super) fn spell_out(expr: &mut Expr) -> Result<(), Failure> {
    let (compared, negated) = match expr {
        Expr::InList { expr: row, list, negated } => {
            if matches!(**row, Expr::Tuple(_)) {
                repetitions::check(row, list.len())?;
            }
            let equalities = list.iter().map(|other| equality(row, other)).collect::<Option<Vec<_>>>();
            (equalities.and_then(|equalities| joined(equalities, &BinaryOperator::Or)), *negated)
        }
        Expr::BinaryOp { left, op: op @ (BinaryOperator::Eq | BinaryOperator::NotEq), right } => {
            (equality(left, right), *op == BinaryOperator::NotEq)
        }
        _ => return Ok(()),
    };
    let Some(compared) = compared else { return Ok(()) };
    let compared = Expr::Nested(Box::new(compared));
    *expr = if negated { Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(compared) } } else { compared };
    Ok(())
}

/// That two rows of as many parts are equal; `None` if they are no such rows.
fn equality(row: &Expr, other: &Expr) -> Option<Expr> {
    let (Expr::Tuple(parts), Expr::Tuple(others)) = (row, other) else { return None };
    if parts.len() != others.len() {
        return None;
    }
    let nested = |part: &Expr| Box::new(Expr::Nested(Box::new(part.clone())));
    let equal = |(part, other)| Expr::BinaryOp { left: nested(part), op: BinaryOperator::Eq, right: nested(other) };
    joined(parts.iter().zip(others).map(equal).collect(), &BinaryOperator::And)
        .map(|joined| Expr::Nested(Box::new(joined)))
}

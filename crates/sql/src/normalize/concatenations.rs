//! `||` has the precedence of + and -, left-associative; the library parses it with the precedence of *. Expressions are
//! regrouped, with brackets.

use crate::ast::{BinaryOperator, Expr};

/// Called for every operation after its operands.
pub(super) fn regroup(expr: &mut Expr) {
    let Expr::BinaryOp { left, op, right } = expr else { return };
    match op {
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo => {
            if let Expr::BinaryOp { op: BinaryOperator::StringConcat, left: first, right: second } = &mut **left {
                // (a || b) * c is a || (b * c).
                let factor = operation(take(second), op, take(right));
                *expr = operation(take(first), &BinaryOperator::StringConcat, nested(factor));
            }
        }
        BinaryOperator::Plus | BinaryOperator::Minus => {
            if let Some(first) = first_of_chain(right) {
                // a + (b || c) is (a + b) || c.
                let sum = operation(take(left), op, take(first));
                *first = nested(sum);
                *expr = take(right);
            }
        }
        _ => {}
    }
}

/// The leftmost operand of `b || c || d`.
fn first_of_chain(expr: &mut Expr) -> Option<&mut Expr> {
    let Expr::BinaryOp { op: BinaryOperator::StringConcat, left, .. } = expr else { return None };
    let is_chain = matches!(**left, Expr::BinaryOp { op: BinaryOperator::StringConcat, .. });
    if is_chain { first_of_chain(left) } else { Some(left) }
}

fn operation(left: Expr, op: &BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: op.clone(), right: Box::new(right) }
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::value(crate::ast::Value::Null))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::regroup;
    use crate::print;

    #[test]
    fn concatenation_binds_like_addition() {
        for (before, after) in [
            ("'a' || b * c", "'a' || (b * c)"),
            ("a + b || c", "(a + b) || c"),
            ("a + b || c || d", "(a + b) || c || d"),
            ("a || b + c", "a || b + c"),
            ("(a || b) * c", "(a || b) * c"),
        ] {
            let mut expr = print::read_expression(before).unwrap();
            regroup(&mut expr);
            assert_eq!(expr.to_string(), after, "for {before}");
        }
    }
}

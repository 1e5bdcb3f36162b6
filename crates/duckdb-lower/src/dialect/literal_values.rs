//! The values of literals.

use firn_sql::ast::{Expr, UnaryOperator, Value};

/// A text literal.
pub fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// An integer literal, with or without a sign.
pub(super) fn integer_of(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok(),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => integer_of(expr).map(|number| -number),
        Expr::Nested(inside) => integer_of(inside),
        _ => None,
    }
}

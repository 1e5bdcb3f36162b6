//! Integers computed among themselves, which the engine would do in 32 bits, or past 64 bits in more digits
//! than a number of the dialect has.

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, UnaryOperator, Value};

use super::build::{cast, null};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    if is_wide_literal(expr) {
        *expr = cast(std::mem::replace(expr, null()), "DECIMAL(38,0)");
        return Ok(());
    }
    let Expr::BinaryOp { left, op, right } = expr else { return Ok(()) };
    if !matches!(op, BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply) {
        return Ok(());
    }
    if is_large_literal(left) {
        **left = cast(std::mem::replace(left, null()), "DECIMAL(38,0)");
    } else if is_large_literal(right) {
        **right = cast(std::mem::replace(right, null()), "DECIMAL(38,0)");
    } else if is_integer_literal(left) && is_integer_literal(right) {
        let wide = *op == BinaryOperator::Multiply && digits(left) + digits(right) > 18;
        let engine_type = if wide { "DECIMAL(38,0)" } else { "BIGINT" };
        **left = cast(std::mem::replace(left, null()), engine_type);
    }
    Ok(())
}

fn is_wide_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(&value.value, Value::Number(digits, _)
        if digits.len() > 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<i64>().is_err()))
}

/// An integer that leaves no room for a sum in 64 bits.
fn is_large_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(&value.value, Value::Number(digits, _)
        if digits.len() > 18 && digits.bytes().all(|byte| byte.is_ascii_digit())))
}

/// How many digits an integer literal has.
fn digits(expr: &Expr) -> usize {
    expr.to_string().bytes().filter(u8::is_ascii_digit).count()
}

fn is_integer_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => {
            matches!(&value.value, Value::Number(digits, _) if digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() < 19)
        }
        Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } => is_integer_literal(expr),
        Expr::Nested(inside) => is_integer_literal(inside),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn integers_are_computed_in_64_bits() {
        check("SELECT 2147483647 + 1", "SELECT CAST(2147483647 AS BIGINT) + 1");
        check("SELECT 1 + 2 + 3", "SELECT CAST(1 AS BIGINT) + 2 + 3");
        check("SELECT 1000000000 * 1000000000", "SELECT CAST(1000000000 AS DECIMAL(38,0)) * 1000000000");
        check("SELECT 9223372036854775808", "SELECT CAST(9223372036854775808 AS DECIMAL(38,0))");
    }
}

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
    if let Expr::BinaryOp { left, op: BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, right } =
        expr
        && is_integer_literal(left)
        && is_integer_literal(right)
    {
        **left = cast(std::mem::replace(left, null()), "BIGINT");
    }
    Ok(())
}

fn is_wide_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(&value.value, Value::Number(digits, _)
        if digits.len() > 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<i64>().is_err()))
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
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn integers_are_computed_in_64_bits() {
        check("SELECT 2147483647 + 1", "SELECT CAST(2147483647 AS BIGINT) + 1");
        check("SELECT 1 + 2 + 3", "SELECT CAST(1 AS BIGINT) + 2 + 3");
        check("SELECT a + 1", "SELECT a + 1");
        check("SELECT 9223372036854775808", "SELECT CAST(9223372036854775808 AS DECIMAL(38,0))");
    }
}

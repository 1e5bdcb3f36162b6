//! Literals whose form or type differs: hexadecimal binary, escaped text, integers in arithmetic among
//! themselves (which the engine would compute in 32 bits).

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, UnaryOperator, Value};

use super::build::{call, cast, text};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    match expr {
        Expr::Value(value) => {
            if let Value::HexStringLiteral(digits) = &value.value {
                *expr = call("unhex", vec![text(digits)]);
            } else if let Value::EscapedStringLiteral(inside) = &value.value {
                *expr = text(inside);
            } else if let Value::DollarQuotedString(inside) = &value.value {
                *expr = text(&inside.value.clone());
            }
        }
        Expr::BinaryOp { left, op: BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, right } => {
            if is_integer_literal(left) && is_integer_literal(right) {
                **left = cast(std::mem::replace(left, Expr::value(Value::Null)), "BIGINT");
            }
        }
        _ => {}
    }
    Ok(())
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
    fn literals_take_the_engine_s_form() {
        check("SELECT X'AB'", "SELECT unhex('AB')");
        check("SELECT $$it's$$", "SELECT 'it''s'");
        check("SELECT 2147483647 + 1", "SELECT CAST(2147483647 AS BIGINT) + 1");
        check("SELECT a + 1", "SELECT a + 1");
    }
}

//! Division and remainder: by zero they are an error, not infinity or NULL.

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Value};

use super::build::{call, null};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::BinaryOp { left, op, right } = expr else { return Ok(()) };
    let name = match op {
        BinaryOperator::Divide => "firn_divide",
        BinaryOperator::Modulo => "firn_modulo",
        _ => return Ok(()),
    };
    if is_nonzero_number(right) {
        return Ok(());
    }
    let dividend = std::mem::replace(&mut **left, null());
    let divisor = std::mem::replace(&mut **right, null());
    *expr = call(name, vec![dividend, divisor]);
    Ok(())
}

/// A divisor that can be seen not to be zero needs no check.
fn is_nonzero_number(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => {
            matches!(&value.value, Value::Number(digits, _) if digits.parse::<f64>().is_ok_and(|number| number != 0.0))
        }
        Expr::Nested(inside) => is_nonzero_number(inside),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn division_checks_its_divisor() {
        check("SELECT a / b", "SELECT firn_divide(firn_as_number(a), firn_as_number(b))");
        check("SELECT a / 7.0", "SELECT firn_as_number(a) / 7.0");
        check("SELECT a / 0", "SELECT firn_divide(firn_as_number(a), 0)");
        check("SELECT a % b", "SELECT firn_modulo(firn_as_number(a), firn_as_number(b))");
        check(
            "SELECT a / b / c",
            "SELECT firn_divide(firn_as_number(firn_divide(firn_as_number(a), firn_as_number(b))), firn_as_number(c))",
        );
    }
}

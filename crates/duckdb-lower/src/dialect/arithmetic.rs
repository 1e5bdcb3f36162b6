//! Division and remainder: by zero they are an error, not infinity or NULL.

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Value};

use super::build::{call, call_name, cast, null, plain_arguments};
use super::literal_values::text_of;

/// So many hexadecimal digits may be a number of more than 38 decimal ones.
const WIDE_HEXADECIMAL: usize = 32;

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::BinaryOp { left, op, right } = expr else { return Ok(()) };
    if *op == BinaryOperator::Modulo
        && let Some(digits) = wide_hexadecimal(left)
    {
        let divisor = cast(std::mem::replace(&mut **right, null()), "VARCHAR");
        *expr = cast(call("firn_hexadecimal_remainder", vec![digits, divisor]), "DECIMAL(38,0)");
        return Ok(());
    }
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

/// The text that `TO_NUMBER(text, 'XXXX…')` reads, where the number itself may not fit: its remainder does.
fn wide_hexadecimal(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Nested(inside) | Expr::Cast { expr: inside, .. } => wide_hexadecimal(inside),
        Expr::Function(function) => match (call_name(function)?, &plain_arguments(function)?[..]) {
            ("firn_numeric", &[inside]) => wide_hexadecimal(inside),
            ("firn_read_number", &[digits, model]) => {
                let model = text_of(model)?;
                let is_wide =
                    model.len() >= WIDE_HEXADECIMAL && model.bytes().all(|place| matches!(place, b'X' | b'x'));
                is_wide.then(|| digits.clone())
            }
            _ => None,
        },
        _ => None,
    }
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
    use crate::dialect::testing::check;

    #[test]
    fn division_checks_its_divisor() {
        check("SELECT a / b", "SELECT firn_divide(firn_as_number(a), firn_as_number(b))");
        check("SELECT a / 7.0", "SELECT firn_as_number(a) / 7.0");
        check("SELECT a / 0", "SELECT firn_divide(firn_as_number(a), 0)");
        check("SELECT a % b", "SELECT firn_modulo(firn_as_number(a), firn_as_number(b))");
        check(
            "SELECT TO_NUMBER(a, 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX') % 7",
            "SELECT CAST(firn_hexadecimal_remainder(CAST(a AS VARCHAR), CAST(7 AS VARCHAR)) AS DECIMAL(38,0))",
        );
        check(
            "SELECT a / b / c",
            "SELECT firn_divide(firn_as_number(firn_divide(firn_as_number(a), firn_as_number(b))), firn_as_number(c))",
        );
    }
}

//! What a literal text spells.

use firn_sql::ast::{Expr, UnaryOperator, Value};

/// A literal without digits, such as the name of a date part.
pub(super) fn is_word(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(&value.value, Value::SingleQuotedString(text)
        if !text.contains(|c: char| c.is_ascii_digit())))
}

/// The number that a literal text spells in digits.
pub(super) fn number_in(expr: &Expr) -> Option<Expr> {
    let Expr::Value(value) = expr else { return None };
    let Value::SingleQuotedString(text) = &value.value else { return None };
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || digits.len() > 38 {
        return None;
    }
    let number = Expr::value(Value::Number(digits.to_owned(), false));
    Some(if negative {
        Expr::Nested(Box::new(Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(number) }))
    } else {
        number
    })
}

/// Whether a number of `number_in` is a NUMBER(18,5) without loss; any other one stays as it is written.
pub(super) fn fits_operand(number: &Expr) -> bool {
    match number {
        Expr::Nested(inside) | Expr::UnaryOp { expr: inside, .. } => fits_operand(inside),
        Expr::Value(value) => {
            let Value::Number(digits, _) = &value.value else { return false };
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            whole.trim_start_matches('0').len() <= 13 && fraction.trim_end_matches('0').len() <= 5
        }
        _ => false,
    }
}

//! Literals in Spark's SQL.

use firn_binder::Family;
use firn_sql::ast::{Expr, Value};

use super::{Lowering, Text, refused};

/// A text in Spark's quotes and escapes.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('\'');
    for character in value.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\u0000"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

/// The text of a literal.
pub(super) fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        Expr::Nested(inside) => text_of(inside),
        _ => None,
    }
}

/// The value of a literal that is a whole number, also a negative one.
pub(super) fn integer_of(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::UnaryOp { op: firn_sql::ast::UnaryOperator::Minus, expr } => integer_of(expr).map(|value| -value),
        Expr::Nested(inside) => integer_of(inside),
        _ => None,
    }
}

impl Lowering<'_> {
    pub(super) fn literal(&self, expr: &Expr, value: &Value) -> Text {
        Ok(match value {
            Value::Null => "NULL".to_owned(),
            Value::Boolean(true) => "TRUE".to_owned(),
            Value::Boolean(false) => "FALSE".to_owned(),
            Value::SingleQuotedString(value) => text(value),
            Value::Number(digits, _) => self.number(expr, digits),
            other => return Err(refused(&format!("literal {other}"))),
        })
    }

    /// Whole numbers have 64 bits, as those of columns have, and not Spark's 32.
    fn number(&self, expr: &Expr, digits: &str) -> String {
        if self.bound.type_of(expr).family() == Family::Float {
            return format!("{digits}D");
        }
        let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        match is_whole {
            true if self.has_wide_integers() || digits.parse::<i64>().is_err() => {
                format!("CAST({digits} AS DECIMAL(38,0))")
            }
            true => format!("{digits}L"),
            false if digits.starts_with('.') => format!("0{digits}"),
            false if digits.ends_with('.') => format!("{digits}0"),
            false => digits.to_owned(),
        }
    }
}

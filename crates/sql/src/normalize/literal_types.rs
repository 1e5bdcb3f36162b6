//! `SYSTEM$TYPEOF` of literals and casts to VARCHAR(n): precision and length are those of the text.

use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value};
use crate::data_types::DataType;
use crate::reader::declared_type;

pub(super) fn type_of_argument(function: &Function) -> Option<String> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))] = list.args.as_slice() else { return None };
    if function.name.to_string() != "SYSTEM$TYPEOF" {
        return None;
    }
    of_value(value)
}

fn of_value(value: &Expr) -> Option<String> {
    match value {
        Expr::Value(literal) => match &literal.value {
            Value::Null => Some("NULL[LOB]".to_owned()),
            Value::SingleQuotedString(text) => Some(format!("VARCHAR({})[LOB]", text.chars().count())),
            Value::Number(digits, _) => of_number(digits),
            _ => None,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            of_value(expr).filter(|type_name| type_name.starts_with("NUMBER"))
        }
        Expr::Cast { data_type, .. } => match declared_type(data_type).ok()? {
            DataType::Varchar { length: Some(length) } => Some(format!("VARCHAR({length})[LOB]")),
            _ => None,
        },
        _ => None,
    }
}

/// `NUMBER(precision,scale)` with the bytes that its digits take.
fn of_number(written: &str) -> Option<String> {
    let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: usize = exponent.trim_start_matches('+').parse().ok()?;
    let scale = fraction.len().saturating_sub(exponent);
    let zeros = exponent.saturating_sub(fraction.len());
    let digits = format!("{}{fraction}{}", whole.trim_start_matches('0'), "0".repeat(zeros.min(40)));
    let value: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let bytes = match value {
        0..=0x7f => 1,
        0x80..=0x7fff => 2,
        0x8000..=0x7fff_ffff => 4,
        0x8000_0000..=0x7fff_ffff_ffff_ffff => 8,
        _ => 16,
    };
    let precision = digits.len().max(1);
    (precision <= 38 && scale < precision).then(|| format!("NUMBER({precision},{scale})[SB{bytes}]"))
}

#[cfg(test)]
mod tests {
    use super::of_number;

    #[test]
    fn numbers_are_as_wide_as_they_are_written() {
        for (written, type_name) in [
            ("1", Some("NUMBER(1,0)[SB1]")),
            ("10000", Some("NUMBER(5,0)[SB2]")),
            ("1e10", Some("NUMBER(11,0)[SB8]")),
            ("1.5", Some("NUMBER(2,1)[SB1]")),
            ("1e-3", None),
        ] {
            assert_eq!(of_number(written).as_deref(), type_name, "{written}");
        }
    }
}

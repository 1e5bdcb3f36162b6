//! One bound value as a typed expression.

use super::calendar;
use crate::Failure;
use crate::ast::{Expr, UnaryOperator, Value};
use crate::build::{call, cast, cast_canonical, null, number, string};
use crate::data_types::{DataType, type_in_tree};
use crate::exact_numbers::check_digits;

const MILLISECONDS_IN_DAY: i64 = 86_400_000;
const NANOSECONDS_IN_DAY: i64 = 86_400_000_000_000;
const NANOSECONDS_IN_MINUTE: i128 = 60_000_000_000;
/// What the wire adds to an offset in minutes to keep it positive.
const OFFSET_SHIFT: i64 = 1_440;

pub(super) fn expression(type_name: &str, value: Option<&str>) -> Result<Expr, Failure> {
    let type_name = type_name.to_ascii_uppercase();
    let Some(data_type) = data_type(&type_name) else {
        let message = format!("Unsupported data type '{type_name}'.");
        return Err(Failure::new("002040", "42601", message));
    };
    let Some(value) = value else { return Ok(cast(null(), type_in_tree(&data_type))) };
    let expr = typed(&type_name, &data_type, value).ok_or_else(|| {
        let message = format!("Invalid bind value ({value}) for type ({type_name}).");
        Failure::new("002086", "22000", message)
    })?;
    if type_name == "FIXED" {
        check_digits(value)?;
    }
    Ok(expr)
}

fn data_type(type_name: &str) -> Option<DataType> {
    let scale = 9;
    Some(match type_name {
        "FIXED" => DataType::Number { precision: 38, scale: 0 },
        "REAL" | "DECFLOAT" => DataType::Float,
        "TEXT" => DataType::Varchar { length: None },
        "VARIANT" => DataType::Variant,
        "OBJECT" | "MAP" => DataType::Object,
        "ARRAY" => DataType::Array,
        "BOOLEAN" => DataType::Boolean,
        "DATE" => DataType::Date,
        "TIME" => DataType::Time { scale },
        "TIMESTAMP_NTZ" => DataType::TimestampNtz { scale },
        "TIMESTAMP_LTZ" => DataType::TimestampLtz { scale },
        "TIMESTAMP_TZ" => DataType::TimestampTz { scale },
        "BINARY" => DataType::Binary { length: None },
        _ => return None,
    })
}

/// `None` when the text is no value of the type.
fn typed(type_name: &str, data_type: &DataType, value: &str) -> Option<Expr> {
    let as_type = |text: String| cast_canonical(string(text), type_in_tree(data_type));
    match type_name {
        "FIXED" => fixed(value),
        "REAL" => real(value).map(as_type),
        "DECFLOAT" => fixed(value).filter(|_| check_digits(value).is_ok()).or_else(|| real(value).map(as_type)),
        "TEXT" => Some(string(value)),
        "VARIANT" => Some(call("PARSE_JSON", vec![string(value)])),
        "OBJECT" | "MAP" => Some(call("TO_OBJECT", vec![call("PARSE_JSON", vec![string(value)])])),
        "ARRAY" => Some(call("TO_ARRAY", vec![call("PARSE_JSON", vec![string(value)])])),
        "BOOLEAN" => match value.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(Expr::value(Value::Boolean(true))),
            "false" | "0" => Some(Expr::value(Value::Boolean(false))),
            _ => None,
        },
        "DATE" => calendar::date(value.parse::<i64>().ok()?.div_euclid(MILLISECONDS_IN_DAY)).map(as_type),
        "TIME" => {
            let nanoseconds = value.parse().ok().filter(|time| (0..NANOSECONDS_IN_DAY).contains(time))?;
            Some(as_type(calendar::time(nanoseconds)))
        }
        "TIMESTAMP_NTZ" => calendar::timestamp(value.parse().ok()?).map(as_type),
        "TIMESTAMP_LTZ" => calendar::timestamp(value.parse().ok()?).map(|text| as_type(format!("{text}+00:00"))),
        "TIMESTAMP_TZ" => timestamp_tz(value).map(as_type),
        "BINARY" => hexadecimal(value).map(|digits| call("TO_BINARY", vec![string(digits), string("HEX")])),
        _ => None,
    }
}

/// A plain number; a negative one in brackets, so that no sign before it makes a comment.
fn fixed(value: &str) -> Option<Expr> {
    let (negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !all_digits || whole.len() + fraction.len() == 0 {
        return None;
    }
    let literal = number(digits);
    if !negative {
        return Some(literal);
    }
    Some(Expr::Nested(Box::new(Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(literal) })))
}

fn real(value: &str) -> Option<String> {
    let special = match value.to_ascii_lowercase().as_str() {
        "nan" => Some("NaN"),
        "infinity" | "inf" | "+infinity" | "+inf" => Some("Infinity"),
        "-infinity" | "-inf" => Some("-Infinity"),
        _ => None,
    };
    match special {
        Some(special) => Some(special.to_owned()),
        None => value.parse::<f64>().ok().filter(|number| number.is_finite()).map(|_| value.to_owned()),
    }
}

/// `<epoch nanoseconds> <offset in minutes + 1440>`.
fn timestamp_tz(value: &str) -> Option<String> {
    let (nanoseconds, shifted) = value.split_once(' ')?;
    let offset = shifted.parse::<i64>().ok()?.checked_sub(OFFSET_SHIFT)?;
    if offset.abs() >= OFFSET_SHIFT {
        return None;
    }
    let nanoseconds = i128::from(nanoseconds.parse::<i64>().ok()?);
    let local = calendar::timestamp(nanoseconds + i128::from(offset) * NANOSECONDS_IN_MINUTE)?;
    let sign = if offset < 0 { '-' } else { '+' };
    Some(format!("{local} {sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60))
}

fn hexadecimal(value: &str) -> Option<String> {
    let valid = value.len().is_multiple_of(2) && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| value.to_ascii_uppercase())
}

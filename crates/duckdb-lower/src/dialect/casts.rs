//! Casts to the dialect's types. Where the engine's own cast would give another value (text of a
//! semi-structured value, a float rounded to an integer, hexadecimal binary) a macro replaces it.

use firn_sql::ast::{self, CastKind, Expr, Value};
use firn_sql::command::DataType;
use firn_sql::{Failure, StructuredType, declared_type};

use super::build::{call, cast_as, null, number, text};
use super::tried_values::{converted, triable};
use crate::types;

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Cast { kind, expr: inside, data_type, format } = expr else { return Ok(()) };
    if format.is_some() {
        return Err(Failure::unsupported("CAST … FORMAT"));
    }
    if is_engine_type(data_type) {
        return Ok(());
    }
    let target = declared_type(data_type)?;
    let kind = kind.clone();
    let inside = std::mem::replace(&mut **inside, null());
    *expr = convert(&kind, inside, &target);
    Ok(())
}

/// `value` with every part in its type.
pub fn structured_value(value: Expr, target: &StructuredType) -> Expr {
    let function = match target {
        StructuredType::Array(_) => "firn_structured_array",
        _ => "firn_structured_object",
    };
    call(function, vec![value, text(&target.word())])
}

/// Casts made by other passes name the engine's type, which is written without quotes or arguments.
fn is_engine_type(data_type: &ast::DataType) -> bool {
    const MADE_BY_PASSES: &[&str] = &[
        "BIGINT",
        "DOUBLE",
        "VARCHAR",
        "DATE",
        "TIMESTAMP",
        "TIMESTAMPTZ",
        "BLOB",
        "TIME",
        "HUGEINT",
        "BOOLEAN",
        "FIRN_TIMESTAMP_TZ",
    ];
    let ast::DataType::Custom(name, arguments) = data_type else { return false };
    let name = name.to_string();
    arguments.is_empty()
        && (MADE_BY_PASSES.contains(&name.as_str()) || name.starts_with("DECIMAL(") || name.ends_with(']'))
}

/// `value` as the dialect's type `target`.
pub(super) fn convert(kind: &CastKind, value: Expr, target: &DataType) -> Expr {
    let trying = *kind == CastKind::TryCast;
    let plain_kind = if trying { CastKind::TryCast } else { CastKind::Cast };
    if is_null(&value) && !matches!(target, DataType::Structured(_)) {
        return cast_as(plain_kind, value, &types::engine_type(target));
    }
    match target {
        DataType::Varchar { length: None } if is_text_literal(&value) => cast_as(plain_kind, value, "VARCHAR"),
        DataType::Varchar { length: None } => call("firn_text", vec![value]),
        DataType::Varchar { length: Some(length) } => {
            let name = if trying { "firn_try_text_within" } else { "firn_text_within" };
            call(name, vec![value, number(i64::try_from(*length).unwrap_or(i64::MAX))])
        }
        DataType::Boolean if !is_literal(&value) || is_text_literal(&value) => {
            converted(kind, value, |value| call("firn_boolean", vec![held(value, "firn_truth")]))
        }
        DataType::Integer if !is_plain_numeral(&value) => {
            converted(kind, value, |value| call("firn_integer", vec![value]))
        }
        DataType::Binary { length: None } => converted(kind, value, |value| call("firn_binary", vec![value])),
        DataType::Binary { length: Some(length) } => {
            let name = if trying { "firn_try_binary_within" } else { "firn_binary_within" };
            let limit = number(i64::try_from(*length).unwrap_or(i64::MAX));
            if trying { triable(value, |value| call(name, vec![value, limit])) } else { call(name, vec![value, limit]) }
        }
        DataType::Date if !is_plain_instant(&value) => converted(kind, value, |value| call("firn_date", vec![value])),
        DataType::Time { scale }
        | DataType::TimestampNtz { scale }
        | DataType::TimestampLtz { scale }
        | DataType::TimestampTz { scale } => truncated(temporal(&plain_kind, value, target), *scale),
        DataType::Variant => call("firn_variant", vec![value]),
        DataType::Object => call("firn_to_object", vec![value]),
        DataType::Array => call("firn_to_array", vec![value]),
        DataType::Geography if trying => call("firn_try_to_geography", vec![value]),
        DataType::Geometry if trying => call("firn_try_to_geometry", vec![value]),
        DataType::Geography => call("firn_to_geography", vec![value]),
        DataType::Geometry => call("firn_to_geometry", vec![value]),
        DataType::Structured(structured) => converted(kind, value, |value| structured_value(value, structured)),
        DataType::Vector { .. } => converted(kind, value, |value| as_vector(value, target, CastKind::Cast)),
        DataType::Boolean => cast_as(plain_kind, held(value, "firn_truth"), "BOOLEAN"),
        other => {
            let numeric = match other {
                _ if trying => "firn_try_numeric",
                DataType::Float => "firn_as_float",
                _ => "firn_numeric",
            };
            cast_as(plain_kind, held(value, numeric), &types::engine_type(other))
        }
    }
}

fn temporal(kind: &CastKind, value: Expr, target: &DataType) -> Expr {
    let is_plain = match target {
        DataType::Time { .. } => is_plain_clock(&value),
        DataType::TimestampTz { .. } => false,
        _ => is_plain_instant(&value),
    };
    if is_plain {
        return cast_as(kind.clone(), value, &types::engine_type(target));
    }
    let reader = match target {
        DataType::Time { .. } => "firn_time",
        DataType::TimestampLtz { .. } => "firn_timestamp_ltz",
        DataType::TimestampTz { .. } => "firn_timestamp_tz",
        _ => "firn_timestamp_ntz",
    };
    converted(kind, value, |value| call(reader, vec![value]))
}

/// Truncates fractional seconds to the declared precision; the engine has six digits.
pub fn truncated(value: Expr, digits: u8) -> Expr {
    match 6_u32.checked_sub(digits.into()) {
        None | Some(0) => value,
        Some(dropped) => call("firn_truncated", vec![value, number(10_i64.pow(dropped))]),
    }
}

/// An array of numbers, which are as many as the vector has, or a vector.
pub fn as_vector(value: Expr, target: &DataType, kind: CastKind) -> Expr {
    let DataType::Vector { element, dimension } = target else { return value };
    let elements = call("firn_vector_elements", vec![value, text(element.name()), number(i64::from(*dimension))]);
    cast_as(kind, elements, &types::engine_type(target))
}

/// A text that is known to be well written as the type.
pub(super) fn convert_written(text: Expr, target: &DataType) -> Expr {
    match target {
        DataType::Varchar { .. } => text,
        DataType::Number { .. } | DataType::Float | DataType::Boolean => {
            cast_as(CastKind::Cast, text, &types::engine_type(target))
        }
        other => convert(&CastKind::Cast, text, other),
    }
}

/// What a VARIANT holds, by way of `function`; a literal is none.
fn held(value: Expr, function: &str) -> Expr {
    match value {
        Expr::Value(_) if is_plain_numeral(&value) => value,
        Expr::BinaryOp { .. } | Expr::UnaryOp { .. } | Expr::Cast { .. } => value,
        other => call(function, vec![other]),
    }
}

/// Whether the engine reads a literal as the dialect does: it would also take `1_000` and `0x1F` for numbers.
pub fn is_plain_numeral(literal: &Expr) -> bool {
    let Expr::Value(value) = literal else { return false };
    match &value.value {
        Value::SingleQuotedString(text) => !text.contains(['_', 'x', 'X', 'b', 'B', 'o', 'O']),
        _ => true,
    }
}

/// A text such as `10:00:00` or `10:00:00.5`, which the engine reads as the dialect does.
pub fn is_plain_clock(expr: &Expr) -> bool {
    let Expr::Value(value) = expr else { return false };
    let Value::SingleQuotedString(text) = &value.value else { return false };
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let (seconds, fraction) = form.split_once('.').unwrap_or((&form, "9"));
    seconds == "99:99:99" && fraction.chars().all(|c| c == '9') && !is_midnight_after(text)
}

/// `24:00:00`, which the engine reads and the dialect does not.
fn is_midnight_after(clock: &str) -> bool {
    clock.starts_with("24")
}

pub(super) fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(_))
}

/// NULL, or a text such as `2020-01-31` or `2020-01-31 10:00:00.5`, which the engine reads as the
/// dialect does.
pub fn is_plain_instant(expr: &Expr) -> bool {
    let Expr::Value(value) = expr else { return false };
    match &value.value {
        Value::Null => true,
        Value::SingleQuotedString(text) => {
            let form: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
            let (day, time) = form.split_once([' ', 'T']).unwrap_or((&form, "99:99"));
            let (seconds, fraction) = time.split_once('.').unwrap_or((time, "9"));
            let clock = text.split_once([' ', 'T']).map_or("", |(_, clock)| clock);
            day == "9999-99-99"
                && !is_midnight_after(clock)
                && matches!(seconds, "99:99" | "99:99:99")
                && fraction.chars().all(|c| c == '9')
        }
        _ => false,
    }
}

fn is_text_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_) | Value::Null))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn casts_keep_the_dialect_s_values() {
        check("SELECT a::NUMBER(10,2)", "SELECT CAST(firn_numeric(a) AS DECIMAL(10,2))");
        check("SELECT a::NUMBER", "SELECT CAST(firn_numeric(a) AS DECIMAL(38,0))");
        check("SELECT '1'::INT", "SELECT CAST('1' AS BIGINT)");
        check("SELECT a::INT", "SELECT firn_integer(a)");
        check("SELECT a::STRING", "SELECT firn_text(a)");
        check("SELECT 'a'::VARCHAR", "SELECT CAST('a' AS VARCHAR)");
        check("SELECT a::VARCHAR(3)", "SELECT firn_text_within(a, 3)");
        check("SELECT '2020-01-01'::DATE", "SELECT CAST('2020-01-01' AS DATE)");
        check("SELECT '01/02/2020'::DATE", "SELECT firn_date('01/02/2020')");
        check("SELECT '2020-01-01 10:00:00.5'::TIMESTAMP", "SELECT CAST('2020-01-01 10:00:00.5' AS TIMESTAMP)");
        check("SELECT '2020-01-01T10:00:00Z'::TIMESTAMP_LTZ", "SELECT firn_timestamp_ltz('2020-01-01T10:00:00Z')");
        check("SELECT a::TIMESTAMP_TZ", "SELECT firn_timestamp_tz(a)");
        check("SELECT a::TIMESTAMP_NTZ(3)", "SELECT firn_truncated(firn_timestamp_ntz(a), 1000)");
        check("SELECT '1_000'::INT", "SELECT firn_integer('1_000')");
        check("SELECT '0x1F'::NUMBER", "SELECT CAST(firn_numeric('0x1F') AS DECIMAL(38,0))");
        check("SELECT 'AB'::BINARY", "SELECT firn_binary('AB')");
        check("SELECT a::VARIANT, a::ARRAY", "SELECT firn_variant(a), firn_to_array(a)");
        check("SELECT TRY_CAST(a AS FLOAT)", "SELECT TRY_CAST(firn_try_numeric(a) AS DOUBLE)");
        check("SELECT TRY_CAST(a AS DATE)", "SELECT TRY(firn_date(a))");
        check("SELECT a::GEOGRAPHY", "SELECT firn_to_geography(a)");
        check("SELECT TRY_CAST(a AS GEOMETRY)", "SELECT firn_try_to_geometry(a)");
        check("SELECT a::VECTOR", "SQL compilation error:\nUnsupported data type 'VECTOR'.");
    }
}

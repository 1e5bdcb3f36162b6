//! The TO_… and TRY_TO_… functions: casts by another name, and readers and writers by a format.

use firn_sql::Failure;
use firn_sql::ast::{CastKind, Expr, Value};
use firn_sql::command::DataType;

use super::build::{call, cast, cast_as, number, text};
use super::casts::convert;
use super::format_models::{Direction, pattern};
use super::function_shapes::text_of;

pub(super) fn rewrite(name: &str, arguments: &[Expr]) -> Result<Option<Expr>, Failure> {
    let (kind, plain_name) = match name.strip_prefix("TRY_") {
        Some(rest) => (CastKind::TryCast, rest),
        None => (CastKind::Cast, name),
    };
    let [value, rest @ ..] = arguments else { return Ok(None) };
    let Some(target) = target_of(plain_name, rest)? else { return Ok(None) };
    Ok(Some(match (&target, rest) {
        (DataType::Varchar { .. }, [model]) => written(value, model)?,
        (DataType::Binary { .. }, [model]) => binary(value, model)?,
        (DataType::Number { .. }, _) => convert(&kind, value.clone(), &target),
        (target, [model]) if is_temporal(target) => match text_of(model) {
            Some(model) if model.eq_ignore_ascii_case("AUTO") => convert(&kind, value.clone(), target),
            Some(model) => read(&kind, value, model, target)?,
            None => from_epoch(value, Some(model), target),
        },
        (target, []) if is_temporal(target) && is_number(value) => from_epoch(value, None, target),
        (target, []) => convert(&kind, value.clone(), target),
        _ => return Err(Failure::unsupported(&format!("{name} with these arguments"))),
    }))
}

fn target_of(name: &str, rest: &[Expr]) -> Result<Option<DataType>, Failure> {
    Ok(Some(match name {
        "TO_CHAR" | "TO_VARCHAR" => DataType::Varchar { length: None },
        "TO_DATE" | "DATE" => DataType::Date,
        "TO_TIME" => DataType::Time { scale: 9 },
        "TO_TIMESTAMP" | "TO_TIMESTAMP_NTZ" => DataType::TimestampNtz { scale: 9 },
        "TO_TIMESTAMP_LTZ" => DataType::TimestampLtz { scale: 9 },
        "TO_TIMESTAMP_TZ" => DataType::TimestampTz { scale: 9 },
        "TO_BOOLEAN" => DataType::Boolean,
        "TO_DOUBLE" => DataType::Float,
        "TO_BINARY" => DataType::Binary { length: None },
        "TO_NUMBER" | "TO_DECIMAL" | "TO_NUMERIC" => number_type(rest)?,
        _ => return Ok(None),
    }))
}

fn number_type(rest: &[Expr]) -> Result<DataType, Failure> {
    let digits = |expr: &Expr| match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse::<u8>().ok(),
            _ => None,
        },
        _ => None,
    };
    let unsupported = || Failure::unsupported("a number format; give precision and scale");
    match rest {
        [] => Ok(DataType::Number { precision: 38, scale: 0 }),
        [precision] => Ok(DataType::Number { precision: digits(precision).ok_or_else(unsupported)?, scale: 0 }),
        [precision, scale] => Ok(DataType::Number {
            precision: digits(precision).ok_or_else(unsupported)?,
            scale: digits(scale).ok_or_else(unsupported)?,
        }),
        _ => Err(unsupported()),
    }
}

fn is_temporal(target: &DataType) -> bool {
    matches!(
        target,
        DataType::Date
            | DataType::Time { .. }
            | DataType::TimestampNtz { .. }
            | DataType::TimestampLtz { .. }
            | DataType::TimestampTz { .. }
    )
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::Number(..)))
}

fn written(value: &Expr, model: &Expr) -> Result<Expr, Failure> {
    let Some(model) = text_of(model) else { return Err(Failure::unsupported("TO_CHAR with a computed format")) };
    if model.contains('9') && !model.contains("FF") || model.contains('0') || model.contains('$') {
        return Err(Failure::unsupported(&format!("number format '{model}'")));
    }
    Ok(call("strftime", vec![super::date_parts::wall(value.clone()), text(&pattern(model, Direction::Write)?)]))
}

fn binary(value: &Expr, format: &Expr) -> Result<Expr, Failure> {
    let format = text_of(format).unwrap_or_default().to_ascii_uppercase();
    match format.as_str() {
        "HEX" => Ok(call("unhex", vec![value.clone()])),
        "BASE64" => Ok(call("from_base64", vec![value.clone()])),
        "UTF-8" | "UTF8" => Ok(call("encode", vec![value.clone()])),
        _ => Err(Failure::unsupported(&format!("binary format '{format}'"))),
    }
}

fn read(kind: &CastKind, value: &Expr, model: &str, target: &DataType) -> Result<Expr, Failure> {
    let reader = if *kind == CastKind::TryCast { "try_strptime" } else { "strptime" };
    let timestamp = call(reader, vec![value.clone(), text(&pattern(model, Direction::Read)?)]);
    Ok(match target {
        DataType::Date => cast(timestamp, "DATE"),
        DataType::Time { .. } => cast_as(CastKind::Cast, timestamp, "TIME"),
        DataType::TimestampLtz { .. } => cast(timestamp, "TIMESTAMPTZ"),
        DataType::TimestampTz { .. } => call("firn_timestamp_tz", vec![timestamp]),
        _ => timestamp,
    })
}

/// A number counts seconds, or fractions of them by its scale, since 1970.
fn from_epoch(value: &Expr, scale: Option<&Expr>, target: &DataType) -> Expr {
    let scale = scale.cloned().unwrap_or_else(|| number(0));
    let timestamp = call("firn_from_epoch", vec![value.clone(), scale]);
    match target {
        DataType::Date => cast(timestamp, "DATE"),
        DataType::Time { .. } => cast_as(CastKind::Cast, timestamp, "TIME"),
        DataType::TimestampLtz { .. } => call("timezone", vec![text("UTC"), timestamp]),
        DataType::TimestampTz { .. } => call("firn_timestamp_tz", vec![call("timezone", vec![text("UTC"), timestamp])]),
        _ => timestamp,
    }
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn conversions_are_casts_readers_and_writers() {
        check("SELECT TO_NUMBER(a, 10, 2)", "SELECT CAST(firn_numeric(a) AS DECIMAL(10,2))");
        check("SELECT TRY_TO_NUMBER(a)", "SELECT TRY_CAST(firn_numeric(a) AS DECIMAL(38,0))");
        check("SELECT TO_DATE('2020-01-01')", "SELECT CAST('2020-01-01' AS DATE)");
        check("SELECT TO_DATE(a, 'DD-MON-YYYY')", "SELECT CAST(strptime(a, '%d-%b-%Y') AS DATE)");
        check("SELECT TRY_TO_DATE(a)", "SELECT TRY(firn_date(a))");
        check("SELECT TO_CHAR(a)", "SELECT firn_text(a)");
        check("SELECT TO_CHAR(a, 'YYYY-MM')", "SELECT strftime(firn_wall(a), '%Y-%m')");
        check("SELECT TO_TIMESTAMP(1700000000)", "SELECT firn_from_epoch(1700000000, 0)");
        check("SELECT TO_TIMESTAMP(a, 3)", "SELECT firn_from_epoch(a, 3)");
        check("SELECT TO_BINARY('AB', 'HEX')", "SELECT unhex('AB')");
        check("SELECT TO_BOOLEAN(a)", "SELECT CAST(firn_truth(a) AS BOOLEAN)");
    }
}

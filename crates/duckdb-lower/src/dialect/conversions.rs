//! The TO_… and TRY_TO_… functions: casts by another name, and readers and writers by a format.

use firn_sql::Failure;
use firn_sql::ast::{CastKind, Expr, Value};
use firn_sql::command::DataType;

use super::build::{call, cast, cast_as, literal_shown, number, text};
use super::casts::convert;
use super::literal_values::{integer_of, text_of};
use super::tried_values::converted;

pub(super) fn rewrite(name: &str, arguments: &[Expr]) -> Result<Option<Expr>, Failure> {
    let (kind, plain_name) = match name.strip_prefix("TRY_") {
        Some(rest) => (CastKind::TryCast, rest),
        None => (CastKind::Cast, name),
    };
    let [value, rest @ ..] = arguments else { return Ok(None) };
    let Some(target) = target_of(plain_name, rest)? else { return Ok(None) };
    Ok(Some(match (&target, rest) {
        (DataType::Varchar { .. }, [model]) => call("firn_written_as", vec![value.clone(), model.clone()]),
        (DataType::Binary { .. }, [model]) => {
            converted(&kind, value.clone(), |value| call("firn_binary_by", vec![value, model.clone()]))
        }
        (DataType::Number { .. }, [model, ..]) if integer_of(model).is_none() => {
            converted(&kind, value.clone(), |value| number_by(value, model, &target))
        }
        (DataType::Float, [model]) => converted(&kind, value.clone(), |value| number_by(value, model, &target)),
        (DataType::Number { .. }, _) => convert(&kind, value.clone(), &target),
        (target, [scale]) if is_temporal(target) && integer_of(scale).is_some() => {
            from_epoch(value, Some(scale), target)
        }
        (target, [model]) if is_temporal(target) => match text_of(model) {
            Some(model) if model.eq_ignore_ascii_case("AUTO") => convert(&kind, value.clone(), target),
            _ => converted(&kind, value.clone(), |value| read(value, model, target)),
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
        "TO_TIME" | "TIME" => DataType::Time { scale: 9 },
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

/// Precision and scale, after a format if there is one.
fn number_type(rest: &[Expr]) -> Result<DataType, Failure> {
    let rest = match rest {
        [format, rest @ ..] if integer_of(format).is_none() => rest,
        _ => rest,
    };
    let digits = |expr: &Expr| {
        let number = integer_of(expr).and_then(|number| u8::try_from(number).ok()).filter(|number| *number <= 38);
        number.ok_or_else(|| {
            Failure::invalid_value("precision or scale", &literal_shown(expr), "give numbers of at most 38")
        })
    };
    match rest {
        [] => Ok(DataType::Number { precision: 38, scale: 0 }),
        [precision] => Ok(DataType::Number { precision: digits(precision)?, scale: 0 }),
        [precision, scale] => Ok(DataType::Number { precision: digits(precision)?, scale: digits(scale)? }),
        _ => Err(Failure::unsupported("so many arguments of a conversion to a number")),
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

fn number_by(value: Expr, model: &Expr, target: &DataType) -> Expr {
    let read = call("firn_read_number", vec![cast(value, "VARCHAR"), model.clone()]);
    convert(&CastKind::Cast, read, target)
}

fn read(value: Expr, model: &Expr, target: &DataType) -> Expr {
    let reader = match target {
        DataType::Date => "firn_date_by",
        DataType::Time { .. } => "firn_time_by",
        DataType::TimestampLtz { .. } => "firn_timestamp_ltz_by",
        DataType::TimestampTz { .. } => "firn_timestamp_tz_by",
        _ => "firn_timestamp_ntz_by",
    };
    call(reader, vec![value, model.clone()])
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
    use crate::dialect::testing::check;

    #[test]
    fn conversions_are_casts_readers_and_writers() {
        check("SELECT TO_NUMBER(a, 10, 2)", "SELECT CAST(firn_numeric(a) AS DECIMAL(10,2))");
        check("SELECT TRY_TO_NUMBER(a)", "SELECT TRY_CAST(firn_try_numeric(a) AS DECIMAL(38,0))");
        check("SELECT TO_DATE('2020-01-01')", "SELECT CAST('2020-01-01' AS DATE)");
        check("SELECT TO_DATE(a, 'DD-MON-YYYY')", "SELECT firn_date_by(a, 'DD-MON-YYYY')");
        check("SELECT TRY_TO_DATE(a)", "SELECT TRY(firn_date(a))");
        check("SELECT TO_CHAR(a)", "SELECT firn_text(a)");
        check("SELECT TO_CHAR(a, 'YYYY-MM')", "SELECT firn_written_as(a, 'YYYY-MM')");
        check("SELECT TO_TIMESTAMP(1700000000)", "SELECT firn_from_epoch(1700000000, 0)");
        check("SELECT TO_TIMESTAMP(a, 3)", "SELECT firn_from_epoch(a, 3)");
        check("SELECT TO_BINARY('AB', 'HEX')", "SELECT firn_binary_by('AB', 'HEX')");
        check("SELECT TO_BOOLEAN(a)", "SELECT firn_boolean(firn_truth(a))");
    }
}

//! Casts to the dialect's types. Where the engine's own cast would give another value (text of a
//! semi-structured value, a float rounded to an integer, hexadecimal binary) a macro takes its place.

use firn_sql::Failure;
use firn_sql::ast::{self, CastKind, Expr, Value};
use firn_sql::command::DataType;

use super::build::{call, cast_as, null, number};
use crate::duckdb::types;

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    match expr {
        Expr::Cast { kind, expr: inside, data_type, format } => {
            if format.is_some() {
                return Err(Failure::unsupported("CAST … FORMAT"));
            }
            let kind = kind.clone();
            if is_engine_type(data_type) {
                return Ok(());
            }
            let target = data_type_of(data_type)?;
            let inside = std::mem::replace(&mut **inside, null());
            *expr = convert(kind, inside, &target);
        }
        Expr::TypedString(typed) => {
            let target = data_type_of(&typed.data_type)?;
            let inside = Expr::Value(typed.value.clone());
            *expr = convert(CastKind::Cast, inside, &target);
        }
        _ => {}
    }
    Ok(())
}

/// Casts made by other passes name the engine's type, which is written without quotes or arguments.
fn is_engine_type(data_type: &ast::DataType) -> bool {
    const MADE_BY_PASSES: &[&str] = &["BIGINT", "DOUBLE", "VARCHAR", "JSON", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "BLOB"];
    matches!(data_type, ast::DataType::Custom(name, arguments)
        if arguments.is_empty() && MADE_BY_PASSES.contains(&name.to_string().as_str()))
}

/// `value` as the dialect's type `target`.
pub(crate) fn convert(kind: CastKind, value: Expr, target: &DataType) -> Expr {
    let trying = matches!(kind, CastKind::TryCast | CastKind::SafeCast);
    let kind = if trying { CastKind::TryCast } else { CastKind::Cast };
    let literal = matches!(value, Expr::Value(_));
    match target {
        DataType::Varchar { length: None } if is_text_literal(&value) => cast_as(kind, value, "VARCHAR"),
        DataType::Varchar { length: None } => call("firn_text", vec![value]),
        DataType::Varchar { length: Some(length) } => {
            let name = if trying { "firn_try_text_within" } else { "firn_text_within" };
            call(name, vec![value, number(i64::try_from(*length).unwrap_or(i64::MAX))])
        }
        DataType::Integer if !literal && !trying => call("firn_integer", vec![value]),
        DataType::Binary { .. } => call(if trying { "firn_try_binary" } else { "firn_binary" }, vec![value]),
        DataType::TimestampTz { .. } => call(if trying { "firn_try_timestamp_tz" } else { "firn_timestamp_tz" }, vec![value]),
        DataType::Date if !literal => call(if trying { "firn_try_date" } else { "firn_date" }, vec![value]),
        DataType::TimestampNtz { .. } if !literal => {
            call(if trying { "firn_try_timestamp_ntz" } else { "firn_timestamp_ntz" }, vec![value])
        }
        DataType::TimestampLtz { .. } if !literal => {
            call(if trying { "firn_try_timestamp_ltz" } else { "firn_timestamp_ltz" }, vec![value])
        }
        DataType::Variant | DataType::Object | DataType::Array => call("to_json", vec![value]),
        other => cast_as(kind, value, &types::engine_type(other)),
    }
}

fn is_text_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::SingleQuotedString(_) | Value::Null))
}

/// A type as written, in the dialect's own terms.
pub(crate) fn data_type_of(data_type: &ast::DataType) -> Result<DataType, Failure> {
    let text = data_type.to_string().to_ascii_uppercase();
    let (name, rest) = match text.split_once('(') {
        Some((name, rest)) => {
            let (arguments, after) = rest.split_once(')').unwrap_or((rest, ""));
            (format!("{}{after}", name.trim()), arguments.to_owned())
        }
        None => (text.clone(), String::new()),
    };
    let arguments: Vec<u64> = rest.split(',').filter_map(|argument| argument.trim().parse().ok()).collect();
    let scale = arguments.first().and_then(|scale| u8::try_from(*scale).ok()).unwrap_or(9);
    let length = arguments.first().copied();
    let unknown = || Failure::new("002040", "42601", format!("SQL compilation error:\nUnsupported data type '{text}'."));
    Ok(match name.trim_matches('"') {
        "NUMBER" | "NUMERIC" | "DECIMAL" | "DEC" => number_type(&arguments).ok_or_else(unknown)?,
        "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT" => DataType::Integer,
        "FLOAT" | "FLOAT4" | "FLOAT8" | "DOUBLE" | "DOUBLE PRECISION" | "REAL" => DataType::Float,
        "VARCHAR" | "STRING" | "TEXT" | "NVARCHAR" | "NVARCHAR2" | "CHAR VARYING" | "NCHAR VARYING" | "CHARACTER VARYING" => {
            DataType::Varchar { length }
        }
        "CHAR" | "CHARACTER" | "NCHAR" => DataType::Varchar { length: length.or(Some(1)) },
        "BOOLEAN" | "BOOL" => DataType::Boolean,
        "DATE" => DataType::Date,
        "TIME" => DataType::Time { scale },
        "TIMESTAMP" | "DATETIME" | "TIMESTAMP_NTZ" | "TIMESTAMPNTZ" | "TIMESTAMP WITHOUT TIME ZONE" => {
            DataType::TimestampNtz { scale }
        }
        "TIMESTAMP_LTZ" | "TIMESTAMPLTZ" | "TIMESTAMP WITH LOCAL TIME ZONE" => DataType::TimestampLtz { scale },
        "TIMESTAMP_TZ" | "TIMESTAMPTZ" | "TIMESTAMP WITH TIME ZONE" => DataType::TimestampTz { scale },
        "BINARY" | "VARBINARY" => DataType::Binary { length },
        "VARIANT" => DataType::Variant,
        "OBJECT" => DataType::Object,
        "ARRAY" => DataType::Array,
        _ => return Err(unknown()),
    })
}

fn number_type(arguments: &[u64]) -> Option<DataType> {
    let (precision, scale) = match arguments {
        [] => (38, 0),
        [precision] => (*precision, 0),
        [precision, scale] => (*precision, *scale),
        _ => return None,
    };
    if precision == 0 || precision > 38 || scale > precision {
        return None;
    }
    Some(DataType::Number { precision: u8::try_from(precision).ok()?, scale: u8::try_from(scale).ok()? })
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn casts_keep_the_dialect_s_values() {
        check("SELECT a::NUMBER(10,2)", "SELECT CAST(a AS DECIMAL(10,2))");
        check("SELECT a::NUMBER", "SELECT CAST(a AS DECIMAL(38,0))");
        check("SELECT '1'::INT", "SELECT CAST('1' AS BIGINT)");
        check("SELECT a::INT", "SELECT firn_integer(a)");
        check("SELECT a::STRING", "SELECT firn_text(a)");
        check("SELECT 'a'::VARCHAR", "SELECT CAST('a' AS VARCHAR)");
        check("SELECT a::VARCHAR(3)", "SELECT firn_text_within(a, 3)");
        check("SELECT DATE '2020-01-01'", "SELECT CAST('2020-01-01' AS DATE)");
        check("SELECT '2020-01-01'::TIMESTAMP", "SELECT CAST('2020-01-01' AS TIMESTAMP)");
        check("SELECT '2020-01-01'::TIMESTAMP_LTZ", "SELECT CAST('2020-01-01' AS TIMESTAMPTZ)");
        check("SELECT a::TIMESTAMP_TZ", "SELECT firn_timestamp_tz(a)");
        check("SELECT 'AB'::BINARY", "SELECT firn_binary('AB')");
        check("SELECT a::VARIANT", "SELECT to_json(a)");
        check("SELECT TRY_CAST(a AS FLOAT)", "SELECT TRY_CAST(a AS DOUBLE)");
        check("SELECT a::GEOGRAPHY", "SQL compilation error:\nUnsupported data type 'GEOGRAPHY'.");
    }
}

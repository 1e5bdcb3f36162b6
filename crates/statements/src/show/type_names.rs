//! A declared type as SHOW COLUMNS writes it.

use firn_sql::command::DataType;
use firn_sql::type_names::{BINARY_LENGTH_DEFAULT, VARCHAR_LENGTH_DEFAULT};

/// `fixed`, `text`: the wire's name, which SHOW VARIABLES uses.
pub fn wire_name(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Number { .. } | DataType::Integer => "fixed",
        DataType::Float => "real",
        DataType::Varchar { .. } => "text",
        DataType::Boolean => "boolean",
        DataType::Date => "date",
        DataType::Time { .. } => "time",
        DataType::TimestampNtz { .. } => "timestamp_ntz",
        DataType::TimestampLtz { .. } => "timestamp_ltz",
        DataType::TimestampTz { .. } => "timestamp_tz",
        DataType::Binary { .. } => "binary",
        DataType::Variant => "variant",
        DataType::Object => "object",
        DataType::Array => "array",
        DataType::Geography => "geography",
        DataType::Geometry => "geometry",
        DataType::Vector { .. } => "vector",
        DataType::Structured(structured) => match structured.outermost() {
            "ARRAY" => "array",
            "MAP" => "map",
            _ => "object",
        },
    }
}

/// SHOW COLUMNS writes types as JSON that tools parse.
pub fn json(data_type: &DataType, not_null: bool) -> String {
    let nullable = !not_null;
    let timed =
        |name: &str, scale: u8| format!(r#"{{"type":"{name}","precision":0,"scale":{scale},"nullable":{nullable}}}"#);
    let plain = |name: &str| format!(r#"{{"type":"{name}","nullable":{nullable}}}"#);
    match data_type {
        DataType::Number { precision, scale } => {
            format!(r#"{{"type":"FIXED","precision":{precision},"scale":{scale},"nullable":{nullable}}}"#)
        }
        DataType::Integer => format!(r#"{{"type":"FIXED","precision":38,"scale":0,"nullable":{nullable}}}"#),
        DataType::Float => plain("REAL"),
        DataType::Varchar { length } => {
            let length = length.unwrap_or(VARCHAR_LENGTH_DEFAULT);
            let bytes = (length * 4).min(VARCHAR_LENGTH_DEFAULT * 4);
            format!(r#"{{"type":"TEXT","length":{length},"byteLength":{bytes},"nullable":{nullable},"fixed":false}}"#)
        }
        DataType::Boolean => plain("BOOLEAN"),
        DataType::Date => plain("DATE"),
        DataType::Time { scale } => timed("TIME", *scale),
        DataType::TimestampNtz { scale } => timed("TIMESTAMP_NTZ", *scale),
        DataType::TimestampLtz { scale } => timed("TIMESTAMP_LTZ", *scale),
        DataType::TimestampTz { scale } => timed("TIMESTAMP_TZ", *scale),
        DataType::Binary { length } => {
            let length = length.unwrap_or(BINARY_LENGTH_DEFAULT);
            format!(r#"{{"type":"BINARY","length":{length},"byteLength":{length},"nullable":{nullable},"fixed":true}}"#)
        }
        DataType::Variant => plain("VARIANT"),
        DataType::Object => plain("OBJECT"),
        DataType::Array => plain("ARRAY"),
        DataType::Geography => plain("GEOGRAPHY"),
        DataType::Geometry => plain("GEOMETRY"),
        DataType::Vector { .. } => plain("VECTOR"),
        DataType::Structured(structured) => plain(structured.outermost()),
    }
}

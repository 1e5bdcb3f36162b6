//! A declared type as DESCRIBE and SHOW COLUMNS write it.

use firn_sql::command::DataType;

const VARCHAR_LENGTH_MAX: u64 = 16_777_216;
const BINARY_LENGTH_MAX: u64 = 8_388_608;

/// `NUMBER(38,0)`, `VARCHAR(16777216)`: DESCRIBE's form.
pub fn full_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Number { precision, scale } => format!("NUMBER({precision},{scale})"),
        DataType::Integer => "NUMBER(38,0)".to_owned(),
        DataType::Float => "FLOAT".to_owned(),
        DataType::Varchar { length } => format!("VARCHAR({})", length.unwrap_or(VARCHAR_LENGTH_MAX)),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::Time { scale } => format!("TIME({scale})"),
        DataType::TimestampNtz { scale } => format!("TIMESTAMP_NTZ({scale})"),
        DataType::TimestampLtz { scale } => format!("TIMESTAMP_LTZ({scale})"),
        DataType::TimestampTz { scale } => format!("TIMESTAMP_TZ({scale})"),
        DataType::Binary { length } => format!("BINARY({})", length.unwrap_or(BINARY_LENGTH_MAX)),
        DataType::Variant => "VARIANT".to_owned(),
        DataType::Object => "OBJECT".to_owned(),
        DataType::Array => "ARRAY".to_owned(),
    }
}

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
            let length = length.unwrap_or(VARCHAR_LENGTH_MAX);
            let bytes = (length * 4).min(VARCHAR_LENGTH_MAX * 4);
            format!(r#"{{"type":"TEXT","length":{length},"byteLength":{bytes},"nullable":{nullable},"fixed":false}}"#)
        }
        DataType::Boolean => plain("BOOLEAN"),
        DataType::Date => plain("DATE"),
        DataType::Time { scale } => timed("TIME", *scale),
        DataType::TimestampNtz { scale } => timed("TIMESTAMP_NTZ", *scale),
        DataType::TimestampLtz { scale } => timed("TIMESTAMP_LTZ", *scale),
        DataType::TimestampTz { scale } => timed("TIMESTAMP_TZ", *scale),
        DataType::Binary { length } => {
            let length = length.unwrap_or(BINARY_LENGTH_MAX);
            format!(r#"{{"type":"BINARY","length":{length},"byteLength":{length},"nullable":{nullable},"fixed":true}}"#)
        }
        DataType::Variant => plain("VARIANT"),
        DataType::Object => plain("OBJECT"),
        DataType::Array => plain("ARRAY"),
    }
}

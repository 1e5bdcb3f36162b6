//! A result column as the binder describes it and as the wire does.

use firn_binder::{OutputColumn, TEXT_LENGTH_MAX, Type};
use firn_sql::command::DataType;
use serde_json::Value;

const PRECISION_MAX: i64 = 38;

#[derive(Debug, PartialEq, Eq)]
struct Described {
    wire_type: String,
    precision: Option<i64>,
    scale: Option<i64>,
    length: Option<i64>,
}

/// The class of a disagreement and both descriptions. A description is narrower where the server reports the maximum
/// precision or length, or no origin, because its engine does not preserve them.
pub fn compare(bound: &OutputColumn, column: &Value) -> (&'static str, String) {
    let theirs = Described::of_wire(column);
    let nullable = column["nullable"].as_bool().unwrap_or(true);
    let table = column["table"].as_str().unwrap_or_default();
    let origin = bound.origin.as_ref().map(|origin| origin.relation.name().name.as_str()).unwrap_or_default();
    let class = match Described::of_bound(&bound.value.data_type) {
        None => "unknown type",
        Some(ours) if ours.wire_type != theirs.wire_type => "type",
        Some(ours) if ours.scale != theirs.scale => "scale",
        Some(ours) if ours.precision != theirs.precision && theirs.precision != Some(PRECISION_MAX) => "precision",
        Some(ours) if ours.length != theirs.length && theirs.length != i64::try_from(TEXT_LENGTH_MAX).ok() => "length",
        Some(_) if column["name"] != *bound.name => "name",
        Some(_) if bound.value.nullable && !nullable => "nullable",
        Some(_) if origin != table && !table.is_empty() => "origin",
        Some(ours) if ours == theirs && bound.value.nullable == nullable && origin == table => "agree",
        Some(_) => "narrower",
    };
    let details = format!(
        "{}: {} {} {origin} | {theirs:?} {nullable} {table}",
        bound.name, bound.value.data_type, bound.value.nullable
    );
    (class, details)
}

impl Described {
    fn of_wire(column: &Value) -> Self {
        let wire_type = column["type"].as_str().unwrap_or_default().to_owned();
        let number = |field: &str| column[field].as_i64();
        Self { wire_type, precision: number("precision"), scale: number("scale"), length: number("length") }
    }

    fn of_bound(data_type: &Type) -> Option<Self> {
        let plain =
            |wire_type: &str| Self { wire_type: wire_type.to_owned(), precision: None, scale: None, length: None };
        let digits = |wire_type: &str, precision: u8, scale: u8| Self {
            precision: Some(i64::from(precision)),
            scale: Some(i64::from(scale)),
            ..plain(wire_type)
        };
        let sized = |wire_type: &str, length: u64| Self { length: i64::try_from(length).ok(), ..plain(wire_type) };
        let data_type = match data_type {
            Type::Unknown => return None,
            Type::Null => return Some(sized("text", TEXT_LENGTH_MAX)),
            Type::Of(data_type) => data_type,
        };
        Some(match data_type {
            DataType::Number { precision, scale } => digits("fixed", *precision, *scale),
            DataType::Integer => digits("fixed", 38, 0),
            DataType::Float => plain("real"),
            DataType::Varchar { length } => sized("text", length.unwrap_or(16_777_216)),
            DataType::Boolean => plain("boolean"),
            DataType::Date => plain("date"),
            DataType::Time { scale } => digits("time", 0, *scale),
            DataType::TimestampNtz { scale } => digits("timestamp_ntz", 0, *scale),
            DataType::TimestampLtz { scale } => digits("timestamp_ltz", 0, *scale),
            DataType::TimestampTz { scale } => digits("timestamp_tz", 0, *scale),
            DataType::Binary { length } => sized("binary", length.unwrap_or(8_388_608)),
            DataType::Variant => plain("variant"),
            DataType::Object => plain("object"),
            DataType::Array => plain("array"),
            DataType::Geography => plain("geography"),
            DataType::Geometry => plain("geometry"),
            DataType::Vector { .. } => plain("vector"),
            DataType::Structured(structured) if structured.outermost() == "ARRAY" => plain("array"),
            DataType::Structured(_) => plain("object"),
        })
    }
}

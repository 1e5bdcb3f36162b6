//! A result column as the binder describes it and as the wire does.

use firn_binder::TEXT_LENGTH_MAX;
use firn_sql::command::DataType;
use firn_sql::data_type_of_text;
use serde_json::Value;

use crate::bound_types::Logged;

#[derive(Debug, PartialEq, Eq)]
struct Described {
    wire_type: String,
    precision: Option<i64>,
    scale: Option<i64>,
    length: Option<i64>,
}

/// The class of the first disagreement, and both descriptions.
pub fn compare_all(bound: &Logged, columns: &[Value]) -> (&'static str, String) {
    let Logged { types, renamed } = bound;
    if types.is_empty() {
        return ("unknown columns", String::new());
    }
    if types.len() != columns.len() {
        return ("column count", format!("{} {}", types.len(), columns.len()));
    }
    if *renamed > 0 {
        return ("name", format!("{renamed} of {}", types.len()));
    }
    let classes = types.iter().zip(columns).map(|(bound, column)| compare(bound, column));
    classes.into_iter().find(|(class, _)| *class != "agree").unwrap_or(("agree", String::new()))
}

fn compare(bound: &str, column: &Value) -> (&'static str, String) {
    let theirs = Described::of_wire(column);
    let class = match Described::of_bound(bound) {
        None => "unknown type",
        Some(ours) if ours.wire_type != theirs.wire_type => "type",
        Some(ours) if ours.scale != theirs.scale => "scale",
        Some(ours) if ours.precision != theirs.precision => "precision",
        Some(ours) if ours.length != theirs.length => "length",
        Some(_) => "agree",
    };
    (class, format!("{}: {bound} | {theirs:?}", column["name"]))
}

impl Described {
    fn of_wire(column: &Value) -> Self {
        let wire_type = column["type"].as_str().unwrap_or_default().to_owned();
        let number = |field: &str| column[field].as_i64();
        Self { wire_type, precision: number("precision"), scale: number("scale"), length: number("length") }
    }

    /// `None` for a type that the binder does not know.
    fn of_bound(name: &str) -> Option<Self> {
        let plain =
            |wire_type: &str| Self { wire_type: wire_type.to_owned(), precision: None, scale: None, length: None };
        let digits = |wire_type: &str, precision: u8, scale: u8| Self {
            precision: Some(i64::from(precision)),
            scale: Some(i64::from(scale)),
            ..plain(wire_type)
        };
        let sized = |wire_type: &str, length: u64| Self { length: i64::try_from(length).ok(), ..plain(wire_type) };
        let data_type = match name {
            "UNKNOWN" => return None,
            "NULL" => return Some(sized("text", TEXT_LENGTH_MAX)),
            name => data_type_of_text(name).expect("a type of the dialect"),
        };
        Some(match data_type {
            DataType::Number { precision, scale } => digits("fixed", precision, scale),
            DataType::Integer => digits("fixed", 38, 0),
            DataType::Float => plain("real"),
            DataType::Varchar { length } => sized("text", length.unwrap_or(16_777_216)),
            DataType::Boolean => plain("boolean"),
            DataType::Date => plain("date"),
            DataType::Time { scale } => digits("time", 0, scale),
            DataType::TimestampNtz { scale } => digits("timestamp_ntz", 0, scale),
            DataType::TimestampLtz { scale } => digits("timestamp_ltz", 0, scale),
            DataType::TimestampTz { scale } => digits("timestamp_tz", 0, scale),
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

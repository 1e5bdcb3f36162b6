//! Converts the values of a file to the types of the columns: the dialect's expression for it, and the error for a value
//! that cannot be converted.

use firn_duckdb_lower::dialect::{call, text};
use firn_sql::ast::{self, CastKind, Expr};
use firn_sql::command::DataType;
use firn_sql::file_formats::{BinaryText, FileFormat};
use firn_sql::type_in_tree;

use super::columns::Assigned;

/// An error of a value.
pub(super) struct ValueError {
    pub(super) code: &'static str,
    pub(super) sql_state: &'static str,
    pub(super) message: String,
}

/// The expression whose value the column stores. Lengths of texts are the caller's to check.
pub(super) fn converted(assigned: &Assigned<'_>, format: &FileFormat) -> Expr {
    let mut value = assigned.value.clone();
    let formats = Formats::of(format);
    if assigned.is_plain {
        let by_model = match &assigned.column.data_type {
            DataType::Date => formats.date.map(|model| ("TO_DATE", model)),
            DataType::Time { .. } => formats.time.map(|model| ("TO_TIME", model)),
            DataType::TimestampNtz { .. } => formats.timestamp.map(|model| ("TO_TIMESTAMP_NTZ", model)),
            DataType::TimestampLtz { .. } => formats.timestamp.map(|model| ("TO_TIMESTAMP_LTZ", model)),
            DataType::TimestampTz { .. } => formats.timestamp.map(|model| ("TO_TIMESTAMP_TZ", model)),
            DataType::Binary { .. } => Some(("TO_BINARY", formats.binary)),
            _ => None,
        };
        if let Some((function, model)) = by_model {
            return call(function, vec![value, text(model)]);
        }
        match &assigned.column.data_type {
            DataType::Varchar { .. } => return value,
            DataType::Variant | DataType::Object | DataType::Array => return call("PARSE_JSON", vec![value]),
            DataType::Vector { .. } | DataType::Structured(_) => value = call("PARSE_JSON", vec![value]),
            _ => {}
        }
    }
    let target = match &assigned.column.data_type {
        DataType::Varchar { .. } => DataType::Varchar { length: None },
        other => other.clone(),
    };
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(value), data_type: type_in_tree(&target), format: None }
}

/// The longest text a column takes, where it says so.
pub(super) fn length_max(data_type: &DataType) -> Option<u64> {
    match data_type {
        DataType::Varchar { length } => *length,
        _ => None,
    }
}

/// The error for a text that is no value of the type.
pub(super) fn value_error(data_type: &DataType, value: Option<&str>) -> ValueError {
    let Some(value) = value else {
        return ValueError {
            code: "100072",
            sql_state: "22000",
            message: "NULL result in a non-nullable column".to_owned(),
        };
    };
    let (code, sql_state, message) = match data_type {
        DataType::Number { .. } | DataType::Integer | DataType::Float => {
            ("100038", "22018", format!("Numeric value '{value}' is not recognized"))
        }
        DataType::Boolean => ("100037", "22018", format!("Boolean value '{value}' is not recognized")),
        DataType::Date => ("100040", "22007", format!("Date '{value}' is not recognized")),
        DataType::Time { .. } => ("100108", "22007", format!("Time '{value}' is not recognized")),
        DataType::TimestampNtz { .. } | DataType::TimestampLtz { .. } | DataType::TimestampTz { .. } => {
            ("100035", "22007", format!("Timestamp '{value}' is not recognized"))
        }
        DataType::Binary { .. } => ("100115", "22000", format!("The value '{value}' is not a legal binary text")),
        DataType::Variant | DataType::Object | DataType::Array | DataType::Structured(_) | DataType::Vector { .. } => {
            ("100069", "22P02", format!("Error parsing JSON: {value}"))
        }
        DataType::Geography | DataType::Geometry => {
            ("100205", "22000", format!("Error parsing a {}: {value}", data_type.full_name()))
        }
        DataType::Varchar { .. } => {
            ("100078", "22000", format!("User character length limit exceeded by string '{value}'"))
        }
    };
    ValueError { code, sql_state, message }
}

/// The models by which a format's texts are read.
struct Formats<'format> {
    date: Option<&'format str>,
    time: Option<&'format str>,
    timestamp: Option<&'format str>,
    binary: &'static str,
}

impl<'format> Formats<'format> {
    fn of(format: &'format FileFormat) -> Self {
        let word = |binary: BinaryText| match binary {
            BinaryText::Hex => "HEX",
            BinaryText::Base64 => "BASE64",
            BinaryText::Utf8 => "UTF-8",
        };
        match format {
            FileFormat::Csv(csv) => Self {
                date: csv.date_format.as_deref(),
                time: csv.time_format.as_deref(),
                timestamp: csv.timestamp_format.as_deref(),
                binary: word(csv.binary_format),
            },
            FileFormat::Json(json) => Self {
                date: json.date_format.as_deref(),
                time: json.time_format.as_deref(),
                timestamp: json.timestamp_format.as_deref(),
                binary: word(json.binary_format),
            },
            FileFormat::Parquet(_) => Self { date: None, time: None, timestamp: None, binary: "HEX" },
        }
    }
}

/// `name` as an item of a select list.
pub(super) fn aliased(expr: Expr, name: &str) -> ast::SelectItem {
    ast::SelectItem::ExprWithAlias { expr, alias: ast::Ident::with_quote('"', name) }
}

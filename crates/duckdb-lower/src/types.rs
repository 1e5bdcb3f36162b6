//! The dialect's column types beside the engine's: how a declared type is stored, and what an
//! expression's type is called when a table is made of it.

use firn_sql::command::{DataType, VectorElement};
use firn_sql::{StructuredType, structured_type_of_text};

pub fn engine_type(data_type: &DataType) -> String {
    match data_type {
        DataType::Number { precision, scale } => format!("DECIMAL({precision},{scale})"),
        DataType::Integer => "BIGINT".to_owned(),
        DataType::Float => "DOUBLE".to_owned(),
        DataType::Varchar { .. } => "VARCHAR".to_owned(),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::Time { .. } => "TIME".to_owned(),
        DataType::TimestampNtz { .. } => "TIMESTAMP".to_owned(),
        DataType::TimestampLtz { .. } => "TIMESTAMPTZ".to_owned(),
        DataType::TimestampTz { .. } => "FIRN_TIMESTAMP_TZ".to_owned(),
        DataType::Binary { .. } => "BLOB".to_owned(),
        DataType::Variant => "FIRN_VARIANT".to_owned(),
        DataType::Object => "FIRN_OBJECT".to_owned(),
        DataType::Array => "FIRN_ARRAY".to_owned(),
        DataType::Geography => "FIRN_GEOGRAPHY".to_owned(),
        DataType::Geometry => "FIRN_GEOMETRY".to_owned(),
        DataType::Structured(structured) => match **structured {
            StructuredType::Array(_) => "FIRN_ARRAY".to_owned(),
            _ => "FIRN_OBJECT".to_owned(),
        },
        DataType::Vector { element: VectorElement::Float, dimension } => format!("FLOAT[{dimension}]"),
        DataType::Vector { element: VectorElement::Integer, dimension } => format!("INTEGER[{dimension}]"),
    }
}

/// The type as the side tables keep it; `read_declared` is its inverse.
pub fn declared_text(data_type: &DataType) -> String {
    let sized = |name: &str, length: &Option<u64>| match length {
        Some(length) => format!("{name}({length})"),
        None => name.to_owned(),
    };
    match data_type {
        DataType::Number { precision, scale } => format!("NUMBER({precision},{scale})"),
        DataType::Integer => "INTEGER".to_owned(),
        DataType::Float => "FLOAT".to_owned(),
        DataType::Varchar { length } => sized("VARCHAR", length),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::Time { scale } => format!("TIME({scale})"),
        DataType::TimestampNtz { scale } => format!("TIMESTAMP_NTZ({scale})"),
        DataType::TimestampLtz { scale } => format!("TIMESTAMP_LTZ({scale})"),
        DataType::TimestampTz { scale } => format!("TIMESTAMP_TZ({scale})"),
        DataType::Binary { length } => sized("BINARY", length),
        DataType::Variant => "VARIANT".to_owned(),
        DataType::Object => "OBJECT".to_owned(),
        DataType::Array => "ARRAY".to_owned(),
        DataType::Geography => "GEOGRAPHY".to_owned(),
        DataType::Geometry => "GEOMETRY".to_owned(),
        DataType::Vector { element, dimension } => format!("VECTOR({},{dimension})", element.name()),
        DataType::Structured(structured) => structured.word(),
    }
}

pub fn read_declared(text: &str) -> Option<DataType> {
    if ["ARRAY(", "MAP(", "OBJECT("].iter().any(|start| text.starts_with(start)) {
        return structured_type_of_text(text).ok().map(|structured| DataType::Structured(Box::new(structured)));
    }
    let (name, arguments) = text.split_once('(').unwrap_or((text, ""));
    let arguments: Vec<u64> =
        arguments.trim_end_matches(')').split(',').filter_map(|number| number.parse().ok()).collect();
    let scale = || arguments.first().and_then(|scale| u8::try_from(*scale).ok()).unwrap_or(9);
    Some(match name {
        "NUMBER" => match arguments[..] {
            [precision, scale] => {
                DataType::Number { precision: u8::try_from(precision).ok()?, scale: u8::try_from(scale).ok()? }
            }
            _ => return None,
        },
        "INTEGER" => DataType::Integer,
        "FLOAT" => DataType::Float,
        "VARCHAR" => DataType::Varchar { length: arguments.first().copied() },
        "BOOLEAN" => DataType::Boolean,
        "DATE" => DataType::Date,
        "TIME" => DataType::Time { scale: scale() },
        "TIMESTAMP_NTZ" => DataType::TimestampNtz { scale: scale() },
        "TIMESTAMP_LTZ" => DataType::TimestampLtz { scale: scale() },
        "TIMESTAMP_TZ" => DataType::TimestampTz { scale: scale() },
        "BINARY" => DataType::Binary { length: arguments.first().copied() },
        "VARIANT" => DataType::Variant,
        "OBJECT" => DataType::Object,
        "ARRAY" => DataType::Array,
        "GEOGRAPHY" => DataType::Geography,
        "GEOMETRY" => DataType::Geometry,
        "VECTOR" if text.contains("INT") => vector(VectorElement::Integer, &arguments)?,
        "VECTOR" => vector(VectorElement::Float, &arguments)?,
        _ => return None,
    })
}

fn vector(element: VectorElement, arguments: &[u64]) -> Option<DataType> {
    let dimension = u16::try_from(*arguments.first()?).ok()?;
    Some(DataType::Vector { element, dimension })
}

/// Whether a column declared so holds what the engine computes: the same kind of value, or an exact number with as many
/// digits after the point.
pub fn holds(declared: &DataType, computed: &DataType) -> bool {
    let scale_of = |data_type: &DataType| match data_type {
        DataType::Number { scale, .. } => Some(*scale),
        DataType::Integer => Some(0),
        _ => None,
    };
    match (scale_of(declared), scale_of(computed)) {
        (Some(declared), Some(computed)) => declared == computed,
        _ => engine_type(declared) == engine_type(computed),
    }
}

#[cfg(test)]
mod tests {
    use firn_sql::command::{DataType, VectorElement};

    use super::{declared_text, read_declared};

    #[test]
    fn a_declared_type_survives_being_written_down() {
        let types = [
            DataType::Number { precision: 10, scale: 2 },
            DataType::Integer,
            DataType::Float,
            DataType::Varchar { length: None },
            DataType::Varchar { length: Some(12) },
            DataType::Boolean,
            DataType::Date,
            DataType::Time { scale: 3 },
            DataType::TimestampNtz { scale: 9 },
            DataType::TimestampLtz { scale: 6 },
            DataType::TimestampTz { scale: 0 },
            DataType::Binary { length: Some(8) },
            DataType::Variant,
            DataType::Object,
            DataType::Array,
            DataType::Geography,
            DataType::Geometry,
            DataType::Vector { element: VectorElement::Float, dimension: 3 },
            DataType::Vector { element: VectorElement::Integer, dimension: 4096 },
        ];
        for data_type in types {
            assert_eq!(read_declared(&declared_text(&data_type)), Some(data_type));
        }
    }
}

//! Types of columns on a cluster in the dialect's terms, and types of the dialect in Spark's SQL.

use firn_sql::command::DataType;

/// Spark's timestamps have microseconds.
const FRACTION_DIGITS: u8 = 6;

/// A column's type as a linked table shows it, and how its values are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnType {
    pub(crate) data_type: DataType,
    pub(crate) reading: Reading,
}

/// How the values of a stored column become values of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Plain,
    /// Arrays, maps and structs, which are semi-structured values in the dialect.
    Variant,
    /// Of types that the dialect does not have.
    Text,
}

/// Of a type as DESCRIBE shows it.
pub(crate) fn column_type(shown: &str) -> ColumnType {
    let shown = shown.trim().to_ascii_lowercase();
    let (name, arguments) = shown.split_once(['(', '<']).unwrap_or((&shown, ""));
    let mut numbers = arguments.trim_end_matches(')').split(',').map(|number| number.trim().parse::<u64>().ok());
    let mut number = || numbers.next().flatten();
    let as_is = |data_type| ColumnType { data_type, reading: Reading::Plain };
    match name.trim() {
        "tinyint" | "smallint" | "int" | "integer" | "bigint" | "long" => as_is(DataType::Integer),
        "decimal" => {
            let precision = number().unwrap_or(10).clamp(1, 38) as u8;
            as_is(DataType::Number { precision, scale: number().unwrap_or(0).min(precision.into()) as u8 })
        }
        "float" | "double" | "real" => as_is(DataType::Float),
        "string" => as_is(DataType::Varchar { length: None }),
        "varchar" | "char" => as_is(DataType::Varchar { length: number() }),
        "boolean" => as_is(DataType::Boolean),
        "binary" => as_is(DataType::Binary { length: None }),
        "date" => as_is(DataType::Date),
        "time" => as_is(DataType::Time { scale: number().unwrap_or(FRACTION_DIGITS.into()).min(9) as u8 }),
        "timestamp_ntz" => as_is(DataType::TimestampNtz { scale: FRACTION_DIGITS }),
        "timestamp" | "timestamp_ltz" => as_is(DataType::TimestampLtz { scale: FRACTION_DIGITS }),
        "variant" => as_is(DataType::Variant),
        "array" => ColumnType { data_type: DataType::Array, reading: Reading::Variant },
        "map" | "struct" => ColumnType { data_type: DataType::Object, reading: Reading::Variant },
        _ => ColumnType { data_type: DataType::Varchar { length: None }, reading: Reading::Text },
    }
}

/// The name in Spark's SQL of the type that values of a type have; `None` where Spark has no such values.
pub(crate) fn spark_type(data_type: &DataType) -> Option<String> {
    Some(match data_type {
        DataType::Integer => "BIGINT".to_owned(),
        DataType::Number { precision, scale } => format!("DECIMAL({precision},{scale})"),
        DataType::Float => "DOUBLE".to_owned(),
        DataType::Varchar { .. } => "STRING".to_owned(),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Binary { .. } => "BINARY".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::TimestampNtz { .. } => "TIMESTAMP_NTZ".to_owned(),
        DataType::TimestampLtz { .. } => "TIMESTAMP".to_owned(),
        DataType::Variant | DataType::Object | DataType::Array => "VARIANT".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_types_have_types_of_the_dialect() {
        for (shown, expected, reading) in [
            ("int", "NUMBER(38,0)", Reading::Plain),
            ("decimal(12,2)", "NUMBER(12,2)", Reading::Plain),
            ("string", "VARCHAR(16777216)", Reading::Plain),
            ("varchar(20)", "VARCHAR(20)", Reading::Plain),
            ("timestamp_ntz", "TIMESTAMP_NTZ(6)", Reading::Plain),
            ("timestamp", "TIMESTAMP_LTZ(6)", Reading::Plain),
            ("array<int>", "ARRAY", Reading::Variant),
            ("struct<a:int,b:string>", "OBJECT", Reading::Variant),
            ("interval day to second", "VARCHAR(16777216)", Reading::Text),
        ] {
            let found = column_type(shown);
            assert_eq!((found.data_type.full_name().as_str(), found.reading), (expected, reading), "{shown}");
        }
    }
}

//! A result's columns as the wire describes them: by the engine's type, and by what the binder knows of them.

use firn_binder::{OutputColumn, TEXT_LENGTH_MAX, Type};
use firn_duckdb_lower::STAGED_DATABASE;
use firn_engine::{WireColumn, WireType};
use firn_sql::command::{DataType, VectorElement};
use tracing::Level;

use super::chunks::ResultColumn;
use super::logical_type::LogicalType;

const VARCHAR_LENGTH_DEFAULT: u64 = 16_777_216;
const BYTES_PER_CHARACTER_MAX: u64 = 4;
const EXPRESSION_TEXT_LENGTH: i64 = 134_217_728;
const BINARY_LENGTH_DEFAULT: u64 = 8_388_608;
const PRECISION_MAX: i64 = 38;
const FRACTION_DIGITS: i64 = 9;

pub(crate) fn wire_column(name: &str, logical_type: &LogicalType, bound: Option<&OutputColumn>) -> WireColumn {
    let column = of_expression(name, logical_type);
    let Some(bound) = bound else { return column };
    let column = match &bound.value.data_type {
        Type::Unknown => column,
        // The engine has 32 bits for what it finds to be NULL while it plans.
        Type::Of(DataType::Number { precision, scale }) if *logical_type == LogicalType::Int32 => {
            WireColumn { precision: Some(i64::from(*precision)), scale: Some(i64::from(*scale)), ..column }
        }
        Type::Null => of_expression(name, &LogicalType::Null),
        Type::Of(data_type) => as_declared(column, data_type),
    };
    let column = WireColumn {
        nullable: bound.value.nullable,
        collation: bound.value.collation.as_deref().map(str::to_owned),
        ..column
    };
    match bound.origin.as_ref().map(|origin| origin.relation.name()) {
        Some(relation) if relation.database() != STAGED_DATABASE => WireColumn {
            database: relation.database().to_owned(),
            schema: relation.schema().to_owned(),
            table: relation.name.clone(),
            ..column
        },
        _ => column,
    }
}

/// What the binder knows of the columns of a result that has so many: nothing if it counts others.
pub(crate) fn described(bound: &[OutputColumn], count: usize) -> &[OutputColumn] {
    if bound.len() == count { bound } else { &[] }
}

/// Logs what the binder knows of a result's columns, for comparisons with the engine. No names are logged: the name of a
/// column may be a literal of the statement.
pub(crate) fn log_bound_types(bound: &[OutputColumn], columns: &[ResultColumn], query_id: &str) {
    if !tracing::enabled!(target: "row_types", Level::TRACE) {
        return;
    }
    let types: Vec<String> = bound.iter().map(|column| column.value.data_type.to_string()).collect();
    let renamed = bound.iter().zip(columns).filter(|(bound, column)| is_renamed(&bound.name, &column.name)).count();
    tracing::trace!(target: "row_types", query_id, types = types.join("\t"), renamed);
}

/// Whether the engine has another name for a column; names that a subquery gives twice it numbers.
fn is_renamed(name: &str, given: &str) -> bool {
    let number = given.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
    let is_numbered = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    !name.is_empty() && name != given && !is_numbered
}

/// The binder's name of a column, or the one that the engine gives it.
pub(crate) fn column_name<'name>(given: &'name str, bound: Option<&'name OutputColumn>) -> &'name str {
    bound.map(|bound| &*bound.name).filter(|name| !name.is_empty()).unwrap_or(given)
}

fn of_expression(name: &str, logical_type: &LogicalType) -> WireColumn {
    let of_type = |wire_type| WireColumn::of_type(name, wire_type);
    let fixed =
        |precision, scale| WireColumn { precision: Some(precision), scale: Some(scale), ..of_type(WireType::Fixed) };
    let temporal = |wire_type| with_fraction(of_type(wire_type), FRACTION_DIGITS);
    match logical_type {
        LogicalType::Boolean => of_type(WireType::Boolean),
        LogicalType::Int8
        | LogicalType::Int16
        | LogicalType::Int32
        | LogicalType::Int64
        | LogicalType::Int128
        | LogicalType::Uint8
        | LogicalType::Uint16
        | LogicalType::Uint32
        | LogicalType::Uint64
        | LogicalType::Uint128 => fixed(PRECISION_MAX, 0),
        LogicalType::Decimal { width, scale } => fixed(i64::from(*width), i64::from(*scale)),
        LogicalType::Float | LogicalType::Double => of_type(WireType::Real),
        LogicalType::Blob => with_lengths(of_type(WireType::Binary), BINARY_LENGTH_DEFAULT, BINARY_LENGTH_DEFAULT),
        LogicalType::Date => of_type(WireType::Date),
        LogicalType::Time | LogicalType::TimeNanoseconds => temporal(WireType::Time),
        LogicalType::Timestamp
        | LogicalType::TimestampSeconds
        | LogicalType::TimestampMilliseconds
        | LogicalType::TimestampNanoseconds => temporal(WireType::TimestampNtz),
        LogicalType::TimestampWithZone => temporal(WireType::TimestampLtz),
        LogicalType::TimestampTz => temporal(WireType::TimestampTz),
        LogicalType::Json | LogicalType::Variant => of_type(WireType::Variant),
        LogicalType::Object | LogicalType::Struct(_) | LogicalType::Map { .. } => of_type(WireType::Object),
        LogicalType::VariantArray | LogicalType::List(_) => of_type(WireType::Array),
        LogicalType::Array { .. } => of_type(WireType::Vector),
        LogicalType::Geography => of_type(WireType::Geography),
        LogicalType::Geometry => of_type(WireType::Geometry),
        LogicalType::Null
        | LogicalType::Varchar
        | LogicalType::Bit
        | LogicalType::Uuid
        | LogicalType::TimeWithOffset
        | LogicalType::Interval
        | LogicalType::Enum { .. }
        | LogicalType::Unreadable(_) => WireColumn {
            length: Some(EXPRESSION_TEXT_LENGTH),
            byte_length: Some(EXPRESSION_TEXT_LENGTH),
            ..of_type(WireType::Text)
        },
    }
}

/// Adds what the engine does not preserve of a declared type. Where the two disagree the engine's type is used, so that
/// the description always fits the cells.
fn as_declared(column: WireColumn, data_type: &DataType) -> WireColumn {
    match (data_type, column.wire_type) {
        (DataType::Number { precision, scale }, WireType::Fixed) if column.scale == Some(i64::from(*scale)) => {
            WireColumn { precision: Some(i64::from(*precision)), ..column }
        }
        // No longer one is known than any text may be.
        (DataType::Varchar { length: Some(TEXT_LENGTH_MAX) }, WireType::Text) => column,
        (DataType::Varchar { length }, WireType::Text) => {
            let length = length.unwrap_or(VARCHAR_LENGTH_DEFAULT);
            let bytes = (length * BYTES_PER_CHARACTER_MAX).min(VARCHAR_LENGTH_DEFAULT * BYTES_PER_CHARACTER_MAX);
            with_lengths(column, length, bytes)
        }
        (DataType::Binary { length }, WireType::Binary) => {
            let length = length.unwrap_or(BINARY_LENGTH_DEFAULT);
            with_lengths(column, length, length)
        }
        (DataType::Time { scale }, WireType::Time)
        | (DataType::TimestampNtz { scale }, WireType::TimestampNtz)
        | (DataType::TimestampLtz { scale }, WireType::TimestampLtz)
        | (DataType::TimestampTz { scale }, WireType::TimestampTz) => with_fraction(column, i64::from(*scale)),
        (DataType::Vector { .. }, WireType::Vector) | (DataType::Structured(_), WireType::Array | WireType::Object) => {
            WireColumn { ext_type_name: Some(data_type.full_name()), ..column }
        }
        _ => column,
    }
}

fn with_lengths(column: WireColumn, length: u64, bytes: u64) -> WireColumn {
    WireColumn { length: i64::try_from(length).ok(), byte_length: i64::try_from(bytes).ok(), ..column }
}

fn with_fraction(column: WireColumn, digits: i64) -> WireColumn {
    WireColumn { precision: Some(0), scale: Some(digits), ..column }
}

/// The column type a query's result becomes when a table or view is made of it.
pub(crate) fn type_of_result(logical_type: &LogicalType) -> DataType {
    match logical_type {
        LogicalType::Boolean => DataType::Boolean,
        LogicalType::Int8
        | LogicalType::Int16
        | LogicalType::Int32
        | LogicalType::Int64
        | LogicalType::Uint8
        | LogicalType::Uint16
        | LogicalType::Uint32 => DataType::Integer,
        LogicalType::Int128 | LogicalType::Uint64 | LogicalType::Uint128 => {
            DataType::Number { precision: 38, scale: 0 }
        }
        LogicalType::Float | LogicalType::Double => DataType::Float,
        LogicalType::Decimal { width, scale } => DataType::Number { precision: *width, scale: *scale },
        LogicalType::Blob => DataType::Binary { length: None },
        LogicalType::Date => DataType::Date,
        LogicalType::Time | LogicalType::TimeNanoseconds | LogicalType::TimeWithOffset => DataType::Time { scale: 9 },
        LogicalType::Timestamp
        | LogicalType::TimestampSeconds
        | LogicalType::TimestampMilliseconds
        | LogicalType::TimestampNanoseconds => DataType::TimestampNtz { scale: 9 },
        LogicalType::TimestampWithZone => DataType::TimestampLtz { scale: 9 },
        LogicalType::Json | LogicalType::Variant => DataType::Variant,
        LogicalType::VariantArray | LogicalType::List(_) => DataType::Array,
        LogicalType::Array { element, length } => {
            let element = match **element {
                LogicalType::Int32 => VectorElement::Integer,
                _ => VectorElement::Float,
            };
            DataType::Vector { element, dimension: u16::try_from(*length).unwrap_or(u16::MAX) }
        }
        LogicalType::TimestampTz => DataType::TimestampTz { scale: 9 },
        LogicalType::Geography => DataType::Geography,
        LogicalType::Geometry => DataType::Geometry,
        LogicalType::Object | LogicalType::Struct(_) | LogicalType::Map { .. } => DataType::Object,
        LogicalType::Varchar
        | LogicalType::Null
        | LogicalType::Bit
        | LogicalType::Uuid
        | LogicalType::Interval
        | LogicalType::Enum { .. }
        | LogicalType::Unreadable(_) => DataType::Varchar { length: None },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use firn_binder::{Origin, ValueType};
    use firn_engine::{ColumnDescription, ObjectDescription, ObjectOptions};
    use firn_sql::ObjectName;
    use firn_sql::command::{ObjectKind, Persistence};

    use super::*;

    fn bound(data_type: DataType) -> OutputColumn {
        let column = ColumnDescription {
            id: 1,
            name: "A".to_owned(),
            data_type: data_type.clone(),
            not_null: true,
            default: None,
            autoincrement: None,
            comment: None,
            collation: Some("en-ci".to_owned()),
        };
        let object = ObjectDescription {
            id: 1,
            name: ObjectName::qualified("D", "S", "T"),
            kind: ObjectKind::Table,
            owner: "R".to_owned(),
            comment: None,
            created_on_ms: 0,
            persistence: Persistence::Permanent,
            columns: vec![column],
            constraints: Vec::new(),
            view_text: None,
            view_query: None,
            sequence: None,
            options: ObjectOptions::default(),
        };
        OutputColumn {
            name: Arc::from("A"),
            value: ValueType { data_type: Type::Of(data_type), nullable: false, collation: Some(Arc::from("en-ci")) },
            origin: Some(Origin { relation: Arc::new(object), column: 0 }),
        }
    }

    /// type, length, byte length, precision, scale
    type Shape = (WireType, Option<i64>, Option<i64>, Option<i64>, Option<i64>);

    fn shape(column: &WireColumn) -> Shape {
        (column.wire_type, column.length, column.byte_length, column.precision, column.scale)
    }

    #[test]
    fn expressions_are_described_by_their_type() {
        for (logical_type, expected) in [
            (LogicalType::Int32, (WireType::Fixed, None, None, Some(38), Some(0))),
            (LogicalType::Int128, (WireType::Fixed, None, None, Some(38), Some(0))),
            (LogicalType::Decimal { width: 12, scale: 2 }, (WireType::Fixed, None, None, Some(12), Some(2))),
            (LogicalType::Double, (WireType::Real, None, None, None, None)),
            (LogicalType::Varchar, (WireType::Text, Some(134_217_728), Some(134_217_728), None, None)),
            (LogicalType::Null, (WireType::Text, Some(134_217_728), Some(134_217_728), None, None)),
            (LogicalType::Blob, (WireType::Binary, Some(8_388_608), Some(8_388_608), None, None)),
            (LogicalType::Date, (WireType::Date, None, None, None, None)),
            (LogicalType::Time, (WireType::Time, None, None, Some(0), Some(9))),
            (LogicalType::Timestamp, (WireType::TimestampNtz, None, None, Some(0), Some(9))),
            (LogicalType::TimestampWithZone, (WireType::TimestampLtz, None, None, Some(0), Some(9))),
            (LogicalType::TimestampTz, (WireType::TimestampTz, None, None, Some(0), Some(9))),
            (LogicalType::Json, (WireType::Variant, None, None, None, None)),
            (LogicalType::Variant, (WireType::Variant, None, None, None, None)),
            (LogicalType::Object, (WireType::Object, None, None, None, None)),
            (LogicalType::VariantArray, (WireType::Array, None, None, None, None)),
            (LogicalType::Geography, (WireType::Geography, None, None, None, None)),
            (LogicalType::Geometry, (WireType::Geometry, None, None, None, None)),
            (LogicalType::List(Box::new(LogicalType::Int8)), (WireType::Array, None, None, None, None)),
            (LogicalType::Struct(Vec::new()), (WireType::Object, None, None, None, None)),
        ] {
            let column = wire_column("A", &logical_type, None);
            assert_eq!(shape(&column), expected, "{logical_type:?}");
            assert_eq!((column.database.as_str(), column.nullable), ("", true));
        }
    }

    #[test]
    fn names_that_the_engine_numbers_are_not_renamed() {
        for (name, given, expected) in
            [("A", "A", false), ("A", "A_1", false), ("A", "A_B", true), ("A", "CAST(A)", true), ("", "A", false)]
        {
            assert_eq!(is_renamed(name, given), expected, "{name} {given}");
        }
    }

    #[test]
    fn columns_of_tables_are_described_as_declared() {
        let text = LogicalType::Varchar;
        for (logical_type, data_type, expected) in [
            (&text, DataType::Varchar { length: Some(10) }, (WireType::Text, Some(10), Some(40), None, None)),
            (
                &text,
                DataType::Varchar { length: None },
                (WireType::Text, Some(16_777_216), Some(67_108_864), None, None),
            ),
            (
                &LogicalType::Blob,
                DataType::Binary { length: Some(3) },
                (WireType::Binary, Some(3), Some(3), None, None),
            ),
            (&LogicalType::Time, DataType::Time { scale: 3 }, (WireType::Time, None, None, Some(0), Some(3))),
            (
                &LogicalType::Timestamp,
                DataType::TimestampNtz { scale: 6 },
                (WireType::TimestampNtz, None, None, Some(0), Some(6)),
            ),
            (&LogicalType::Object, DataType::Object, (WireType::Object, None, None, None, None)),
            (&LogicalType::VariantArray, DataType::Array, (WireType::Array, None, None, None, None)),
            (&LogicalType::Variant, DataType::Variant, (WireType::Variant, None, None, None, None)),
            (&LogicalType::Int64, DataType::Integer, (WireType::Fixed, None, None, Some(38), Some(0))),
            (&LogicalType::Int64, DataType::Varchar { length: None }, (WireType::Fixed, None, None, Some(38), Some(0))),
        ] {
            let column = wire_column("A", logical_type, Some(&bound(data_type.clone())));
            assert_eq!(shape(&column), expected, "{data_type:?}");
            assert_eq!((&*column.database, &*column.schema, &*column.table), ("D", "S", "T"));
            assert!(!column.nullable);
            assert_eq!(column.collation.as_deref(), Some("en-ci"));
        }
    }
}

//! A result's columns as the wire describes them: by the binder's types, as the embedded engine's are.

use firn_binder::{OutputColumn, TEXT_LENGTH_MAX, Type};
use firn_engine::{EngineError, WireColumn, WireType};
use firn_sql::command::DataType;

use crate::lower::refused;

const VARCHAR_LENGTH_DEFAULT: u64 = 16_777_216;
const BYTES_PER_CHARACTER_MAX: u64 = 4;
const BINARY_LENGTH_DEFAULT: u64 = 8_388_608;

pub(crate) fn wire_columns(columns: &[OutputColumn]) -> Result<Vec<WireColumn>, EngineError> {
    columns.iter().map(wire_column).collect()
}

fn wire_column(bound: &OutputColumn) -> Result<WireColumn, EngineError> {
    let of_type = |wire_type| WireColumn::of_type(&bound.name, wire_type);
    let fixed = |precision: u8, scale: u8| WireColumn {
        precision: Some(precision.into()),
        scale: Some(scale.into()),
        ..of_type(WireType::Fixed)
    };
    let timed =
        |wire_type, scale: u8| WireColumn { precision: Some(0), scale: Some(scale.into()), ..of_type(wire_type) };
    let text = |length: u64, bytes: u64| with_lengths(of_type(WireType::Text), length, bytes);
    let unknown = || refused(&format!("result column {} of a type that is not known; a cast gives it one", bound.name));
    let column = match &bound.value.data_type {
        Type::Unknown => return Err(unknown().into()),
        Type::Null => text(TEXT_LENGTH_MAX, TEXT_LENGTH_MAX),
        Type::Of(data_type) => match data_type {
            DataType::Number { precision, scale } => fixed(*precision, *scale),
            DataType::Integer => fixed(38, 0),
            DataType::Float => of_type(WireType::Real),
            DataType::Varchar { length: Some(TEXT_LENGTH_MAX) } => text(TEXT_LENGTH_MAX, TEXT_LENGTH_MAX),
            DataType::Varchar { length } => {
                let length = length.unwrap_or(VARCHAR_LENGTH_DEFAULT);
                let bytes_max = VARCHAR_LENGTH_DEFAULT * BYTES_PER_CHARACTER_MAX;
                text(length, (length * BYTES_PER_CHARACTER_MAX).min(bytes_max))
            }
            DataType::Boolean => of_type(WireType::Boolean),
            DataType::Binary { length } => {
                let length = length.unwrap_or(BINARY_LENGTH_DEFAULT);
                with_lengths(of_type(WireType::Binary), length, length)
            }
            DataType::Date => of_type(WireType::Date),
            DataType::Time { scale } => timed(WireType::Time, *scale),
            DataType::TimestampNtz { scale } => timed(WireType::TimestampNtz, *scale),
            DataType::TimestampLtz { scale } => timed(WireType::TimestampLtz, *scale),
            DataType::Variant => of_type(WireType::Variant),
            DataType::Object => of_type(WireType::Object),
            DataType::Array => of_type(WireType::Array),
            other => return Err(refused(&format!("values of {}", other.full_name())).into()),
        },
    };
    let column = WireColumn {
        nullable: bound.value.nullable,
        collation: bound.value.collation.as_deref().map(str::to_owned),
        ..column
    };
    Ok(match bound.origin.as_ref().map(|origin| origin.relation.name()) {
        Some(relation) => WireColumn {
            database: relation.database().to_owned(),
            schema: relation.schema().to_owned(),
            table: relation.name.clone(),
            ..column
        },
        None => column,
    })
}

fn with_lengths(column: WireColumn, length: u64, bytes: u64) -> WireColumn {
    WireColumn { length: i64::try_from(length).ok(), byte_length: i64::try_from(bytes).ok(), ..column }
}

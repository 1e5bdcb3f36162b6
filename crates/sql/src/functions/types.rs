//! The types that functions return.

use crate::data_types::DataType;

/// The length of a text whose longest value is not known.
pub const TEXT_LENGTH_MAX: u64 = 134_217_728;
pub const PRECISION_MAX: u8 = 38;
pub const FRACTION_DIGITS_MAX: u8 = 9;

pub const ARRAY: DataType = DataType::Array;
pub const BINARY: DataType = DataType::Binary { length: None };
pub const BOOLEAN: DataType = DataType::Boolean;
pub const DATE: DataType = DataType::Date;
pub const FLOAT: DataType = DataType::Float;
pub const GEOGRAPHY: DataType = DataType::Geography;
pub const GEOMETRY: DataType = DataType::Geometry;
pub const INTEGER: DataType = number(PRECISION_MAX, 0);
pub const OBJECT: DataType = DataType::Object;
/// A text of unknown length.
pub const TEXT: DataType = text(TEXT_LENGTH_MAX);
pub const TIME: DataType = DataType::Time { scale: FRACTION_DIGITS_MAX };
pub const TIMESTAMP_LTZ: DataType = DataType::TimestampLtz { scale: FRACTION_DIGITS_MAX };
pub const TIMESTAMP_NTZ: DataType = DataType::TimestampNtz { scale: FRACTION_DIGITS_MAX };
pub const TIMESTAMP_TZ: DataType = DataType::TimestampTz { scale: FRACTION_DIGITS_MAX };
pub const VARIANT: DataType = DataType::Variant;

pub const fn number(precision: u8, scale: u8) -> DataType {
    DataType::Number { precision, scale }
}

pub const fn text(length: u64) -> DataType {
    DataType::Varchar { length: Some(length) }
}

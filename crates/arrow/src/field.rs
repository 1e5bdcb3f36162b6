//! What a column of a result is in Arrow: how its values are stored, and the metadata by which drivers know its type.

use firn_engine::{WireColumn, WireType};

use crate::message::SCALE;

/// The largest precisions of numbers that are stored in so many bits.
const DIGITS_OF_16_BITS: i64 = 4;
const DIGITS_OF_32_BITS: i64 = 9;
const DIGITS_OF_64_BITS: i64 = 18;
/// Times of finer scales do not fit into 32 bits.
const TIME_SCALE_OF_32_BITS: i64 = 4;
/// Instants of finer scales are seconds and nanoseconds.
const INSTANT_SCALE_OF_64_BITS: i64 = 7;
/// As the last one, of instants with an offset.
const ZONED_SCALE_OF_64_BITS: i64 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Boolean,
    Int16,
    Int32,
    Int64,
    /// 128 bits, or 64 where the values of a result are small.
    Decimal,
    Double,
    Text,
    Binary,
    Date,
    /// Seconds and nanoseconds.
    EpochFraction,
    /// Units of the scale, and minutes east of UTC plus 1440.
    EpochZone,
    EpochFractionZone,
}

impl Storage {
    /// Of a column of which nothing is known but its description.
    #[must_use]
    pub fn of(column: &WireColumn) -> Self {
        let scale = column.scale.unwrap_or(9);
        match column.wire_type {
            WireType::Fixed => Self::of_number(column.precision.unwrap_or(38)),
            WireType::Real => Self::Double,
            WireType::Boolean => Self::Boolean,
            WireType::Date => Self::Date,
            WireType::Binary => Self::Binary,
            WireType::Time if scale <= TIME_SCALE_OF_32_BITS => Self::Int32,
            WireType::Time => Self::Int64,
            WireType::TimestampNtz | WireType::TimestampLtz if scale <= INSTANT_SCALE_OF_64_BITS => Self::Int64,
            WireType::TimestampNtz | WireType::TimestampLtz => Self::EpochFraction,
            WireType::TimestampTz if scale <= ZONED_SCALE_OF_64_BITS => Self::EpochZone,
            WireType::TimestampTz => Self::EpochFractionZone,
            WireType::Text
            | WireType::Variant
            | WireType::Object
            | WireType::Array
            | WireType::Vector
            | WireType::Geography
            | WireType::Geometry => Self::Text,
        }
    }

    #[must_use]
    pub fn of_number(precision: i64) -> Self {
        match precision {
            digits if digits <= DIGITS_OF_16_BITS => Self::Int16,
            digits if digits <= DIGITS_OF_32_BITS => Self::Int32,
            digits if digits <= DIGITS_OF_64_BITS => Self::Int64,
            _ => Self::Decimal,
        }
    }

    /// The bytes of a row, without those of texts.
    #[must_use]
    pub fn row_bytes(self) -> usize {
        match self {
            Self::Boolean => 1,
            Self::Int16 => 2,
            Self::Int32 | Self::Date | Self::Text | Self::Binary => 4,
            Self::Int64 | Self::Double => 8,
            Self::EpochFraction | Self::EpochZone => 12,
            Self::Decimal | Self::EpochFractionZone => 16,
        }
    }
}

/// A column of a stream.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub storage: Storage,
    pub logical_type: String,
    pub scale: usize,
    /// The metadata beside the logical type.
    pub notes: Vec<(&'static str, String)>,
}

impl Field {
    #[must_use]
    pub fn new(column: &WireColumn, storage: Storage) -> Self {
        let byte_length = match storage {
            Storage::EpochZone => Some(8),
            Storage::EpochFractionZone => Some(16),
            _ => column.byte_length,
        };
        let note = |name, value: Option<i64>| value.map(|value| (name, value.to_string()));
        let mut notes: Vec<_> = [
            note(SCALE, column.scale),
            note("precision", column.precision),
            note("charLength", column.length),
            note("byteLength", byte_length),
        ]
        .into_iter()
        .flatten()
        .collect();
        notes.push(("nullable", column.nullable.to_string()));
        Self {
            name: column.name.clone(),
            storage,
            logical_type: logical_type(column.wire_type).to_owned(),
            scale: column.scale.unwrap_or(0).clamp(0, 38) as usize,
            notes,
        }
    }
}

/// Of types that not every driver knows, what they are to those: JSON texts.
fn logical_type(wire_type: WireType) -> &'static str {
    match wire_type {
        WireType::Fixed => "FIXED",
        WireType::Real => "REAL",
        WireType::Text => "TEXT",
        WireType::Binary => "BINARY",
        WireType::Boolean => "BOOLEAN",
        WireType::Date => "DATE",
        WireType::Time => "TIME",
        WireType::TimestampNtz => "TIMESTAMP_NTZ",
        WireType::TimestampLtz => "TIMESTAMP_LTZ",
        WireType::TimestampTz => "TIMESTAMP_TZ",
        WireType::Variant => "VARIANT",
        WireType::Object | WireType::Geography | WireType::Geometry => "OBJECT",
        WireType::Array | WireType::Vector => "ARRAY",
    }
}

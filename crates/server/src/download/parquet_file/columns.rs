//! Columns of a result as Parquet has them: which type each gets, and its cells from their texts on the wire.

use std::borrow::Cow;
use std::io;

use firn_values::cells::json_text::compact;
use firn_values::cells::shown::{CellKind, TextKinds};
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::Type;
use serde::Deserialize;

const NANOS_PER_MICRO: i128 = 1_000;
const DECIMAL_BYTES: i32 = 16;

/// A column as the result describes it.
#[derive(Deserialize)]
pub struct WireColumn {
    pub name: String,
    #[serde(rename = "type")]
    kind: String,
    precision: Option<i32>,
    scale: Option<i32>,
}

impl WireColumn {
    /// A column whose cells an output format made texts of is one of texts.
    pub fn take_texts(&mut self, texts: TextKinds) {
        if texts.has(CellKind::of_wire_type(&self.kind)) {
            "text".clone_into(&mut self.kind);
        }
    }
}

pub struct ColumnWriter {
    pub name: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Double,
    Date,
    /// Microseconds since midnight.
    Time,
    /// Microseconds since 1970.
    Timestamp {
        is_utc: bool,
    },
    Decimal {
        precision: i32,
        scale: i32,
    },
    Binary,
    /// As people read the cell.
    Text(CellKind),
}

impl Kind {
    fn of(column: &WireColumn) -> Self {
        match column.kind.as_str() {
            "boolean" => Self::Boolean,
            "real" => Self::Double,
            "date" => Self::Date,
            "time" => Self::Time,
            "timestamp_ntz" => Self::Timestamp { is_utc: false },
            "timestamp_ltz" => Self::Timestamp { is_utc: true },
            "binary" => Self::Binary,
            "fixed" => match (column.precision, column.scale) {
                (Some(precision @ 1..=38), Some(scale)) if (0..=precision).contains(&scale) => {
                    Self::Decimal { precision, scale }
                }
                _ => Self::Text(CellKind::Text),
            },
            kind => Self::Text(CellKind::of_wire_type(kind)),
        }
    }

    fn can_be(self, cell: &str) -> bool {
        match self {
            Self::Boolean => boolean(cell).is_some(),
            Self::Double => double(cell).is_some(),
            Self::Date => cell.parse::<i32>().is_ok(),
            Self::Time | Self::Timestamp { .. } => micros(cell).is_some(),
            Self::Decimal { scale, .. } => unscaled(cell, scale).is_some(),
            Self::Binary => bytes_of_hex(cell).is_some(),
            Self::Text(_) => true,
        }
    }

    fn physical(self) -> PhysicalType {
        match self {
            Self::Boolean => PhysicalType::BOOLEAN,
            Self::Double => PhysicalType::DOUBLE,
            Self::Date | Self::Decimal { precision: ..=9, .. } => PhysicalType::INT32,
            Self::Time | Self::Timestamp { .. } | Self::Decimal { precision: ..=18, .. } => PhysicalType::INT64,
            Self::Decimal { .. } => PhysicalType::FIXED_LEN_BYTE_ARRAY,
            Self::Binary | Self::Text(_) => PhysicalType::BYTE_ARRAY,
        }
    }

    fn logical(self) -> Option<LogicalType> {
        match self {
            Self::Boolean | Self::Double | Self::Binary => None,
            Self::Date => Some(LogicalType::Date),
            Self::Time => Some(LogicalType::time(false, TimeUnit::MICROS)),
            Self::Timestamp { is_utc } => Some(LogicalType::timestamp(is_utc, TimeUnit::MICROS)),
            Self::Decimal { precision, scale } => Some(LogicalType::decimal(scale, precision)),
            Self::Text(_) => Some(LogicalType::String),
        }
    }
}

impl ColumnWriter {
    pub fn new<'a>(name: String, column: &WireColumn, mut cells: impl Iterator<Item = &'a str>) -> Self {
        let kind = Kind::of(column);
        match cells.all(|cell| kind.can_be(cell)) {
            true => Self { name, kind },
            false => Self { name, kind: Kind::Text(CellKind::Text) },
        }
    }

    pub fn field(&self) -> Result<Type, ParquetError> {
        let mut builder = Type::primitive_type_builder(&self.name, self.kind.physical())
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(self.kind.logical());
        if let Kind::Decimal { precision, scale } = self.kind {
            builder = builder.with_precision(precision).with_scale(scale);
        }
        match self.kind.physical() {
            PhysicalType::FIXED_LEN_BYTE_ARRAY => builder.with_length(DECIMAL_BYTES).build(),
            _ => builder.build(),
        }
    }

    pub fn write<'a>(
        &self,
        cells: impl Iterator<Item = Option<&'a str>>,
        count: usize,
        chunk: &mut SerializedColumnWriter<'_>,
    ) -> io::Result<()> {
        let cells = Cells { cells, count, name: &self.name };
        match self.kind {
            Kind::Boolean => cells.write::<BoolType>(chunk, boolean),
            Kind::Double => cells.write::<DoubleType>(chunk, double),
            Kind::Date => cells.write::<Int32Type>(chunk, |cell| cell.parse().ok()),
            Kind::Time | Kind::Timestamp { .. } => cells.write::<Int64Type>(chunk, micros),
            Kind::Decimal { precision: ..=9, scale } => {
                cells.write::<Int32Type>(chunk, |cell| i32::try_from(unscaled(cell, scale)?).ok())
            }
            Kind::Decimal { precision: ..=18, scale } => {
                cells.write::<Int64Type>(chunk, |cell| i64::try_from(unscaled(cell, scale)?).ok())
            }
            Kind::Decimal { scale, .. } => cells.write::<FixedLenByteArrayType>(chunk, |cell| {
                let bytes = unscaled(cell, scale)?.to_be_bytes().to_vec();
                Some(FixedLenByteArray::from(ByteArray::from(bytes)))
            }),
            Kind::Binary => cells.write::<ByteArrayType>(chunk, |cell| Some(ByteArray::from(bytes_of_hex(cell)?))),
            Kind::Text(kind) => cells.write::<ByteArrayType>(chunk, |cell| {
                Some(ByteArray::from(text(cell, kind).into_owned().into_bytes()))
            }),
        }
    }
}

struct Cells<'name, I> {
    cells: I,
    count: usize,
    name: &'name str,
}

impl<'a, I: Iterator<Item = Option<&'a str>>> Cells<'_, I> {
    fn write<T: DataType>(
        self,
        chunk: &mut SerializedColumnWriter<'_>,
        value_of: impl Fn(&str) -> Option<T::T>,
    ) -> io::Result<()> {
        let mut values = Vec::with_capacity(self.count);
        let mut is_there = Vec::with_capacity(self.count);
        for cell in self.cells {
            is_there.push(i16::from(cell.is_some()));
            if let Some(cell) = cell {
                let unlike = || io::Error::other(format!("a cell of column {} is not of its type", self.name));
                values.push(value_of(cell).ok_or_else(unlike)?);
            }
        }
        chunk.typed::<T>().write_batch(&values[..], Some(&is_there), None).map_err(io::Error::other)?;
        Ok(())
    }
}

fn boolean(cell: &str) -> Option<bool> {
    match cell {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn double(cell: &str) -> Option<f64> {
    cell.parse().ok()
}

/// `-12.5` of scale 2 is -1250.
fn unscaled(cell: &str, scale: i32) -> Option<i128> {
    let (sign, digits) = cell.strip_prefix('-').map_or((1, cell), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let scale = usize::try_from(scale).ok()?;
    let is_number = !whole.is_empty() && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !is_number || fraction.len() > scale {
        return None;
    }
    format!("{whole}{fraction:0<scale$}").parse::<i128>().ok().map(|number| sign * number)
}

/// Of seconds with a fraction.
fn nanos(cell: &str) -> Option<i128> {
    unscaled(cell, 9)
}

fn micros(cell: &str) -> Option<i64> {
    let nanos = nanos(cell)?;
    i64::try_from(nanos.div_euclid(NANOS_PER_MICRO)).ok()
}

fn bytes_of_hex(cell: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = cell.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn text(cell: &str, kind: CellKind) -> Cow<'_, str> {
    match kind {
        CellKind::Text => Cow::Borrowed(cell),
        CellKind::SemiStructured => Cow::Owned(String::from_utf8_lossy(&compact(cell)).into_owned()),
        kind => {
            let mut shown = Vec::with_capacity(cell.len() + 16);
            kind.write_shown(cell, &mut shown);
            Cow::Owned(String::from_utf8_lossy(&shown).into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let check = |cell, scale, expected| assert_eq!(unscaled(cell, scale), expected, "{cell}");
        check("12.5", 2, Some(1_250));
        check("-0.05", 2, Some(-5));
        check("99999999999999999999999999999999999999", 0, Some(10_i128.pow(38) - 1));
        check("1.234", 2, None);
        check("1e5", 2, None);
        check("", 2, None);
    }

    #[test]
    fn instants_before_1970_are_rounded_down() {
        assert_eq!(micros("-0.250000000"), Some(-250_000));
        assert_eq!(micros("253402300799.999999000"), Some(253_402_300_799_999_999));
        assert_eq!(micros("2024-01-01"), None);
    }

    #[test]
    fn hexadecimal_is_bytes() {
        assert_eq!(bytes_of_hex("00fF"), Some(vec![0, 255]));
        assert_eq!(bytes_of_hex("0"), None);
        assert_eq!(bytes_of_hex("+f"), None);
    }
}

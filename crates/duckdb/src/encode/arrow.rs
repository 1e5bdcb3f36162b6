//! Rows of a chunk as columns of Arrow: values of the engine that are stored alike are copied, others are computed as their cell
//! of JSON is, so that both say the same.

use std::ops::Range;

use firn_arrow::{EpochParts, Field, Storage, append_text, stored_zone, units};
use firn_engine::{CellFormats, EngineError, WireColumn, WireType};
use firn_functions::columns::{Column, Values, Wide};
use firn_functions::zoned_timestamps::ZonedTimestamp;

use super::cell::CellStyle;
use crate::logical_type::LogicalType;

const MICROSECONDS_PER_SECOND: i64 = 1_000_000;

/// How one column is written; settled once per result.
pub(crate) struct ArrowStyle {
    pub(crate) field: Field,
    style: CellStyle,
}

impl ArrowStyle {
    pub(crate) fn new(column: &WireColumn, logical_type: &LogicalType, formats: &CellFormats) -> Self {
        let storage = match (column.wire_type, logical_type) {
            (WireType::Fixed, logical_type) => storage_of_number(column, logical_type),
            _ => Storage::of(column),
        };
        Self { field: Field::new(column, storage), style: CellStyle::new(column, formats) }
    }

    /// The bytes of a row as far as they are known before it is written; `None` where they are not.
    pub(crate) fn row_bytes(&self, column: &Column<'_>, row: usize) -> Option<usize> {
        let fixed = self.field.storage.row_bytes();
        match (self.field.storage, &column.values) {
            (Storage::Text, Values::Text(values)) | (Storage::Binary, Values::Blob(values)) => {
                let text = if column.is_null(row) { 0 } else { values[row].get().len() };
                Some(fixed + text)
            }
            (Storage::Text | Storage::Binary, _) => None,
            _ => Some(fixed),
        }
    }

    pub(crate) fn append(
        &self,
        column: &Column<'_>,
        rows: Range<usize>,
        scratch: &mut Scratch,
        out: &mut firn_arrow::Column,
    ) -> Result<(), EngineError> {
        let scale = self.field.scale;
        let rows = Rows { column, rows };
        match (self.field.storage, &column.values) {
            (Storage::Boolean, Values::Boolean(values)) => rows.each(out, |out, row| out.push_bit(values[row] != 0)),
            (Storage::Int16, Values::Int16 { values, scale: stored }) if *stored == scale => {
                rows.fixed(out, |row| values[row].to_le_bytes());
            }
            (Storage::Int32, Values::Int32 { values, scale: stored }) if *stored == scale => {
                rows.fixed(out, |row| values[row].to_le_bytes());
            }
            (Storage::Int64, Values::Int64 { values, scale: stored }) if *stored == scale => {
                rows.fixed(out, |row| values[row].to_le_bytes());
            }
            (Storage::Int64, Values::Int32 { values, scale: stored }) if *stored == scale => {
                rows.fixed(out, |row| i64::from(values[row]).to_le_bytes());
            }
            (Storage::Decimal, Values::Int128 { values, scale: stored }) if *stored == scale => {
                rows.each(out, |out, row| out.push_decimal(Wide::signed(values[row])));
            }
            (Storage::Double, Values::Double(values)) => rows.fixed(out, |row| values[row].to_le_bytes()),
            (Storage::Text, Values::Text(values)) | (Storage::Binary, Values::Blob(values)) => {
                rows.each(out, |out, row| out.push_bytes(values[row].get()));
            }
            (Storage::Date, Values::Date(values)) => rows.fixed(out, |row| values[row].to_le_bytes()),
            (_, Values::Time { ticks, per_second } | Values::Timestamp { ticks, per_second }) => {
                return self.append_instants(&rows, ticks, *per_second, scratch, out);
            }
            (_, Values::TimestampWithZone(ticks)) => {
                return self.append_instants(&rows, ticks, MICROSECONDS_PER_SECOND, scratch, out);
            }
            (Storage::EpochZone | Storage::EpochFractionZone, Values::TimestampTz(values)) => {
                rows.each(out, |out, row| {
                    let value = ZonedTimestamp::from_interval(&values[row]);
                    self.push_zoned(value, out);
                })
            }
            _ => return self.append_cells(&rows, scratch, out),
        }
        Ok(())
    }

    fn append_instants(
        &self,
        rows: &Rows<'_>,
        ticks: &[i64],
        per_second: i64,
        scratch: &mut Scratch,
        out: &mut firn_arrow::Column,
    ) -> Result<(), EngineError> {
        let scale = self.field.scale;
        match self.field.storage {
            Storage::Int32 => rows.fixed(out, |row| (units(ticks[row], per_second, scale) as i32).to_le_bytes()),
            Storage::Int64 => rows.fixed(out, |row| units(ticks[row], per_second, scale).to_le_bytes()),
            Storage::EpochFraction => rows.each(out, |out, row| {
                let EpochParts { epoch, fraction } = EpochParts::of_ticks(ticks[row], per_second);
                out.push_epoch_and_fraction(epoch, fraction);
            }),
            _ => return self.append_cells(rows, scratch, out),
        }
        Ok(())
    }

    fn push_zoned(&self, value: ZonedTimestamp, out: &mut firn_arrow::Column) {
        let zone = stored_zone(value.offset_minutes);
        if self.field.storage == Storage::EpochZone {
            let epoch = units(value.microseconds, MICROSECONDS_PER_SECOND, self.field.scale);
            return out.push_epoch_and_zone(epoch, zone);
        }
        let EpochParts { epoch, fraction } = EpochParts::of_ticks(value.microseconds, MICROSECONDS_PER_SECOND);
        out.push_epoch_fraction_and_zone(epoch, fraction, zone);
    }

    /// By way of the cell that JSON would have.
    fn append_cells(
        &self,
        rows: &Rows<'_>,
        scratch: &mut Scratch,
        out: &mut firn_arrow::Column,
    ) -> Result<(), EngineError> {
        for row in rows.rows.clone() {
            if rows.column.is_null(row) {
                out.push_null();
                continue;
            }
            scratch.cell.clear();
            self.style.write(&rows.column.values, row, &mut scratch.nested, &mut scratch.cell);
            // The quotes around the cell, and the comma behind it.
            let inside = scratch.cell.get(1..scratch.cell.len() - 2).unwrap_or_default();
            if self.field.storage == Storage::Text {
                out.push_written(|text| write_unescaped(inside, text));
                continue;
            }
            let cell = str::from_utf8(inside).unwrap_or_default();
            append_text(&self.field, Some(cell), out)
                .map_err(|_| EngineError::Internal(format!("a value of {} is not of its type", self.field.name)))?;
        }
        Ok(())
    }
}

/// Holds one cell at a time.
#[derive(Default)]
pub(crate) struct Scratch {
    nested: Vec<u8>,
    cell: Vec<u8>,
}

/// Rows of a column.
struct Rows<'a> {
    column: &'a Column<'a>,
    rows: Range<usize>,
}

impl Rows<'_> {
    fn each(&self, out: &mut firn_arrow::Column, push: impl Fn(&mut firn_arrow::Column, usize)) {
        for row in self.rows.clone() {
            match self.column.is_null(row) {
                true => out.push_null(),
                false => push(out, row),
            }
        }
    }

    fn fixed<const N: usize>(&self, out: &mut firn_arrow::Column, value: impl Fn(usize) -> [u8; N]) {
        match self.column.may_have_nulls(self.rows.clone()) {
            true => self.each(out, |out, row| out.push_value(value(row))),
            false => out.extend_values(self.rows.clone().map(value)),
        }
    }
}

/// Integers have 64 bits whatever they are computed in, so that programs get one type for all of them.
fn storage_of_number(column: &WireColumn, logical_type: &LogicalType) -> Storage {
    match logical_type {
        LogicalType::Decimal { width, .. } => Storage::of_number((*width).into()),
        LogicalType::Int8
        | LogicalType::Int16
        | LogicalType::Int32
        | LogicalType::Int64
        | LogicalType::Uint8
        | LogicalType::Uint16
        | LogicalType::Uint32 => Storage::Int64,
        LogicalType::Int128 | LogicalType::Uint64 | LogicalType::Uint128 => Storage::Decimal,
        _ => Storage::of(column),
    }
}

/// The text of which `escaped` is the inside of a JSON string.
fn write_unescaped(escaped: &[u8], out: &mut Vec<u8>) {
    let mut rest = escaped;
    while let Some(plain) = rest.iter().position(|byte| *byte == b'\\') {
        out.extend_from_slice(&rest[..plain]);
        let (byte, length) = match &rest[plain + 1..] {
            [b'u', digits @ ..] => (code_of(digits.first_chunk::<4>()), 6),
            [b'n', ..] => (b'\n', 2),
            [b'r', ..] => (b'\r', 2),
            [b't', ..] => (b'\t', 2),
            [b'b', ..] => (0x08, 2),
            [b'f', ..] => (0x0c, 2),
            [other, ..] => (*other, 2),
            [] => return,
        };
        out.push(byte);
        rest = rest.get(plain + length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// Cells escape control characters alone by their numbers.
fn code_of(digits: Option<&[u8; 4]>) -> u8 {
    let text = digits.and_then(|digits| str::from_utf8(digits).ok());
    text.and_then(|text| u8::from_str_radix(text, 16).ok()).unwrap_or(b'?')
}

#[cfg(test)]
mod tests {
    use firn_values::cells::json_text::write_escaped;

    use super::*;

    #[test]
    fn what_was_escaped_comes_back() {
        for text in ["", "plain", "say \"hi\"\\", "\n\r\t\u{8}\u{c}\u{1}\u{1f}", "日本語\n", "\\u0041 as it is"] {
            let (mut escaped, mut unescaped) = (Vec::new(), Vec::new());
            write_escaped(text.as_bytes(), &mut escaped);
            write_unescaped(&escaped, &mut unescaped);
            assert_eq!(String::from_utf8_lossy(&unescaped), text);
        }
    }
}

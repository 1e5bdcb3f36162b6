//! Cells of the contract from Arrow's columns: the same bytes as the embedded engine writes of the same values.

use std::sync::Arc;

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;
use firn_arrow::{ForeignColumn, ForeignType};
use firn_engine::{CellFormats, EngineError, WireColumn, WireType};
use firn_values::cells::binary::write_binary;
use firn_values::cells::json_layout::{strict_json, write_laid_out};
use firn_values::cells::json_text::write_escaped;
use firn_values::cells::moment::{Instant, Moment};
use firn_values::cells::numbers::{write_float, write_integer, write_wide_decimal};
use firn_values::formats::{BinaryFormat, FormatModel, JsonWords};

/// How a column's values are written; settled once per result.
pub(crate) struct CellStyle {
    name: String,
    wire_type: WireType,
    scale: usize,
    model: Option<Arc<FormatModel>>,
    timezone: Tz,
    binary: BinaryFormat,
    json_indent: usize,
    json_words: JsonWords,
}

impl CellStyle {
    pub(crate) fn new(column: &WireColumn, formats: &CellFormats) -> Self {
        let model = match column.wire_type {
            WireType::Date => &formats.date,
            WireType::Time => &formats.time,
            WireType::TimestampNtz => &formats.timestamp_ntz,
            WireType::TimestampLtz => &formats.timestamp_ltz,
            _ => &None,
        };
        Self {
            name: column.name.clone(),
            wire_type: column.wire_type,
            scale: column.scale.unwrap_or(9).clamp(0, 38) as usize,
            model: model.clone(),
            timezone: formats.timezone.unwrap_or(Tz::UTC),
            binary: formats.binary,
            json_indent: formats.json_indent.0.into(),
            json_words: formats.json_words,
        }
    }

    /// Appends the value of a row, which is not NULL, as a JSON string and a comma.
    pub(crate) fn write(&self, column: &ForeignColumn<'_>, row: usize, out: &mut Vec<u8>) -> Result<(), EngineError> {
        out.push(b'"');
        self.write_inside(column, row, out).ok_or_else(|| self.unfit(column))?;
        out.extend_from_slice(b"\",");
        Ok(())
    }

    fn unfit(&self, column: &ForeignColumn<'_>) -> EngineError {
        let (expected, found) = (self.wire_type.as_str(), &column.field.data_type);
        EngineError::Internal(format!("the column {} is {expected} and came as {found:?}", self.name))
    }

    fn write_inside(&self, column: &ForeignColumn<'_>, row: usize, out: &mut Vec<u8>) -> Option<()> {
        match (self.wire_type, &column.field.data_type) {
            (WireType::Fixed, ForeignType::Integer { .. }) => self.write_fixed(column.integer(row), 0, out)?,
            (WireType::Fixed, ForeignType::Decimal { scale }) => self.write_fixed(column.integer(row), *scale, out)?,
            (WireType::Real, ForeignType::Float | ForeignType::Double) => write_float(column.float(row), out),
            (WireType::Real, ForeignType::Integer { .. }) => write_float(column.integer(row) as f64, out),
            (WireType::Text, ForeignType::Text) => write_escaped(column.bytes(row), out),
            (WireType::Binary, ForeignType::Binary) => write_binary(column.bytes(row), self.binary, out),
            (WireType::Boolean, ForeignType::Boolean) => {
                out.extend_from_slice(if column.boolean(row) { b"true" } else { b"false" });
            }
            (WireType::Date, ForeignType::Date) => self.write_date(i64::try_from(column.integer(row)).ok()?, out),
            (WireType::Time, ForeignType::Time { per_second, .. })
            | (WireType::TimestampNtz | WireType::TimestampLtz, ForeignType::Timestamp { per_second, .. }) => {
                self.write_instant(i64::try_from(column.integer(row)).ok()?, *per_second, out);
            }
            (WireType::Variant | WireType::Object | WireType::Array, ForeignType::Text) => {
                self.write_json(column.bytes(row), out);
            }
            _ => return None,
        }
        Some(())
    }

    /// `None` where digits would be lost: the lowered statement has the scale of the column already.
    fn write_fixed(&self, unscaled: i128, scale: i32, out: &mut Vec<u8>) -> Option<()> {
        let scale = usize::try_from(scale).ok()?;
        let power = |digits: usize| 10_i128.checked_pow(u32::try_from(digits).ok()?);
        let unscaled = match self.scale >= scale {
            true => unscaled.checked_mul(power(self.scale - scale)?)?,
            false => {
                let divisor = power(scale - self.scale)?;
                (unscaled % divisor == 0).then_some(unscaled / divisor)?
            }
        };
        write_wide_decimal(unscaled, self.scale, out);
        Some(())
    }

    fn write_date(&self, days: i64, out: &mut Vec<u8>) {
        match &self.model {
            None => write_integer(days, out),
            Some(model) => model.write(&Moment { days, nanosecond_of_day: 0, offset_minutes: None }, out),
        }
    }

    fn write_instant(&self, ticks: i64, per_second: i64, out: &mut Vec<u8>) {
        let instant = Instant::from_ticks(ticks, per_second);
        match &self.model {
            None => instant.write_epoch(self.scale.min(9), out),
            Some(model) if self.wire_type == WireType::TimestampLtz => {
                model.write(&instant.at_offset(offset_seconds(self.timezone, instant)), out);
            }
            Some(model) => model.write(&instant.without_zone(), out),
        }
    }

    fn write_json(&self, json: &[u8], out: &mut Vec<u8>) {
        match self.json_words {
            JsonWords::All => write_laid_out(json, self.json_indent, out),
            JsonWords::Strict => write_laid_out(&strict_json(json), self.json_indent, out),
        }
    }
}

/// Beyond the years a calendar library knows there is no daylight saving; UTC serves.
fn offset_seconds(timezone: Tz, instant: Instant) -> i32 {
    match DateTime::from_timestamp(instant.seconds, 0) {
        Some(utc) => timezone.offset_from_utc_datetime(&utc.naive_utc()).fix().local_minus_utc(),
        None => 0,
    }
}

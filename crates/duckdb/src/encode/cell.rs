//! One cell: a JSON string in the contract's encoding or in the format the request asked for.

use std::sync::Arc;

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;
use firn_engine::{CellFormats, ShapeFormat, WireColumn, WireType};
use firn_functions::columns::{Column, Values};
use firn_functions::zoned_timestamps::ZonedTimestamp;
use firn_values::cells::binary::write_binary;
use firn_values::cells::json_layout::{strict_json, write_laid_out};
use firn_values::cells::json_text::write_escaped;
use firn_values::cells::moment::{Instant, Moment};
use firn_values::cells::numbers::{write_decimal, write_float, write_integer, write_wide_decimal};
use firn_values::formats::{BinaryFormat, FormatModel, JsonWords};
use firn_values::geo::{Model, Shape};
use firn_values::variant::{Variant, xml};

use super::{nested, plain_text};

const MICROSECONDS_PER_SECOND: i64 = 1_000_000;

/// How one column's values are written; settled once per result.
pub(crate) struct CellStyle {
    /// Digits after the point of a time or an instant.
    scale: usize,
    model: Option<Arc<FormatModel>>,
    timezone: Tz,
    binary: BinaryFormat,
    shape: ShapeFormat,
    json: JsonStyle,
}

/// How semi-structured values are written.
#[derive(Clone, Copy)]
struct JsonStyle {
    indent: usize,
    words: JsonWords,
}

impl JsonStyle {
    fn write(self, json: &[u8], out: &mut Vec<u8>) {
        match self.words {
            JsonWords::All => write_laid_out(json, self.indent, out),
            JsonWords::Strict => write_laid_out(&strict_json(json), self.indent, out),
        }
    }
}

impl CellStyle {
    pub(crate) fn new(column: &WireColumn, formats: &CellFormats) -> Self {
        let model = match column.wire_type {
            WireType::Date => &formats.date,
            WireType::Time => &formats.time,
            WireType::TimestampNtz => &formats.timestamp_ntz,
            WireType::TimestampLtz => &formats.timestamp_ltz,
            WireType::TimestampTz => &formats.timestamp_tz,
            _ => &None,
        };
        Self {
            scale: column.scale.unwrap_or(9).clamp(0, 9) as usize,
            model: model.clone(),
            timezone: formats.timezone.unwrap_or(Tz::UTC),
            binary: formats.binary,
            json: JsonStyle { indent: formats.json_indent.0.into(), words: formats.json_words },
            shape: if column.wire_type == WireType::Geography { formats.geography } else { formats.geometry },
        }
    }

    /// Appends the value of a row, which is not NULL, as a JSON string and a comma.
    #[inline]
    pub(crate) fn write(&self, values: &Values<'_>, row: usize, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        out.push(b'"');
        match values {
            Values::Int32 { values, scale } => write_decimal(values[row].into(), *scale, out),
            Values::Int64 { values, scale } => write_decimal(values[row], *scale, out),
            Values::Double(values) => write_float(values[row], out),
            Values::Text(values) => write_escaped(values[row].get(), out),
            Values::Date(values) => self.write_date(values[row], out),
            Values::Timestamp { ticks, per_second } => self.write_timestamp(ticks[row], *per_second, out),
            _ => self.write_uncommon(values, row, scratch, out),
        }
        out.extend_from_slice(b"\",");
    }

    fn write_uncommon(&self, values: &Values<'_>, row: usize, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        match values {
            Values::Boolean(values) => out.extend_from_slice(if values[row] != 0 { b"true" } else { b"false" }),
            Values::Int8(values) => write_integer(values[row], out),
            Values::Int16 { values, scale } => write_decimal(values[row].into(), *scale, out),
            Values::Int128 { values, scale } => write_wide_decimal(values[row].signed(), *scale, out),
            Values::Uint8(values) => write_integer(values[row], out),
            Values::Uint16(values) => write_integer(values[row], out),
            Values::Uint32(values) => write_integer(values[row], out),
            Values::Uint64(values) => write_integer(values[row], out),
            Values::Uint128(values) => write_integer(values[row].unsigned(), out),
            Values::Float(values) => write_float(values[row], out),
            Values::Blob(values) => write_binary(values[row].get(), self.binary, out),
            Values::Json(values) => write_semi_structured(values[row].get(), self.json, out),
            Values::Geography(values) => self.write_shape(Model::Sphere, values[row].get(), out),
            Values::Geometry(values) => self.write_shape(Model::Plane, values[row].get(), out),
            Values::Time { ticks, per_second } => self.write_time(ticks[row], *per_second, out),
            Values::TimestampWithZone(ticks) => self.write_timestamp_ltz(ticks[row], out),
            Values::TimestampTz(values) => self.write_timestamp_tz(ZonedTimestamp::from_interval(&values[row]), out),
            Values::Enum { codes, names } => write_escaped(names[codes.get(row)].as_bytes(), out),
            Values::Array { length, element } => write_vector(element, row * length, *length, out),
            Values::List { .. } | Values::Struct(_) | Values::Map { .. } => {
                scratch.clear();
                nested::write_json(values, row, scratch);
                self.json.write(scratch, out);
            }
            other => plain_text::write(other, row, out),
        }
    }

    fn write_shape(&self, model: Model, encoded: &[u8], out: &mut Vec<u8>) {
        // Stored bytes are always valid.
        let Ok(shape) = Shape::decode(model, encoded) else { return };
        match self.shape {
            ShapeFormat::GeoJson => self.json.write(shape.to_geojson().as_bytes(), out),
            ShapeFormat::Wkt => out.extend_from_slice(shape.to_wkt().as_bytes()),
            ShapeFormat::Ewkt => out.extend_from_slice(shape.to_ewkt().as_bytes()),
            ShapeFormat::Wkb => write_binary(&shape.to_wkb(), BinaryFormat::Hex, out),
            ShapeFormat::Ewkb => write_binary(&shape.to_ewkb(), BinaryFormat::Hex, out),
        }
    }

    fn write_date(&self, days: i32, out: &mut Vec<u8>) {
        if let Some(text) = plain_text::infinity(i64::from(days), i64::from(i32::MAX)) {
            out.extend_from_slice(text);
            return;
        }
        match &self.model {
            None => write_integer(days, out),
            Some(model) => {
                let moment = Moment { days: i64::from(days), nanosecond_of_day: 0, offset_minutes: None };
                model.write(&moment, out);
            }
        }
    }

    fn write_time(&self, ticks: i64, per_second: i64, out: &mut Vec<u8>) {
        let time = Instant::from_ticks(ticks, per_second);
        match &self.model {
            None => time.write_epoch(self.scale, out),
            Some(model) => model.write(&time.without_zone(), out),
        }
    }

    fn write_timestamp(&self, ticks: i64, per_second: i64, out: &mut Vec<u8>) {
        if let Some(text) = plain_text::infinity(ticks, i64::MAX) {
            out.extend_from_slice(text);
            return;
        }
        let instant = Instant::from_ticks(ticks, per_second);
        match &self.model {
            None => instant.write_epoch(self.scale, out),
            Some(model) => model.write(&instant.without_zone(), out),
        }
    }

    fn write_timestamp_ltz(&self, ticks: i64, out: &mut Vec<u8>) {
        let Some(model) = &self.model else { return self.write_timestamp(ticks, MICROSECONDS_PER_SECOND, out) };
        if let Some(text) = plain_text::infinity(ticks, i64::MAX) {
            out.extend_from_slice(text);
            return;
        }
        let instant = Instant::from_ticks(ticks, MICROSECONDS_PER_SECOND);
        model.write(&instant.at_offset(offset_seconds(self.timezone, instant)), out);
    }

    fn write_timestamp_tz(&self, value: ZonedTimestamp, out: &mut Vec<u8>) {
        let instant = Instant::from_ticks(value.microseconds, MICROSECONDS_PER_SECOND);
        match &self.model {
            None => {
                instant.write_epoch(self.scale, out);
                out.push(b' ');
                write_integer(i32::from(value.offset_minutes) + 1440, out);
            }
            Some(model) => model.write(&instant.at_offset(i32::from(value.offset_minutes) * 60), out),
        }
    }
}

/// `[1.000000,2.500000]`; whole numbers have no fraction.
fn write_vector(elements: &Column<'_>, first: usize, length: usize, out: &mut Vec<u8>) {
    out.push(b'[');
    for row in first..first + length {
        if row > first {
            out.push(b',');
        }
        match &elements.values {
            Values::Float(values) => out.extend_from_slice(format!("{:.6}", values[row]).as_bytes()),
            Values::Int32 { values, .. } => write_integer(values[row], out),
            _ => {}
        }
    }
    out.push(b']');
}

/// Elements of XML are shown as such, everything else as JSON.
fn write_semi_structured(stored: &[u8], json: JsonStyle, out: &mut Vec<u8>) {
    const BEGIN_OF_ELEMENT: &[u8] = b"{\"$\":";
    if stored.starts_with(BEGIN_OF_ELEMENT)
        && let Variant::Object(members) = Variant::from_json(&String::from_utf8_lossy(stored))
        && xml::is_element(&members)
    {
        return write_escaped(xml::to_lines(&members).as_bytes(), out);
    }
    json.write(stored, out);
}

/// Beyond the years a calendar library knows there is no daylight saving; UTC serves.
fn offset_seconds(timezone: Tz, instant: Instant) -> i32 {
    match DateTime::from_timestamp(instant.seconds, 0) {
        Some(utc) => timezone.offset_from_utc_datetime(&utc.naive_utc()).fix().local_minus_utc(),
        None => 0,
    }
}

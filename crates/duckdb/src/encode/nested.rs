//! Lists, structs and maps as compact JSON text.

use firn_functions::columns::{Column, Values};
use firn_functions::zoned_timestamps::ZonedTimestamp;
use firn_values::cells::binary::write_hex;
use firn_values::cells::json_text::write_escaped;
use firn_values::cells::moment::{Instant, Moment};
use firn_values::cells::numbers::{write_decimal, write_float, write_integer, write_wide_decimal};
use firn_values::geo::{Model, Shape};

use super::plain_text;

/// One value as text by itself; nested values are JSON.
pub(crate) fn text(column: &Column<'_>, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    let mut text = Vec::new();
    match &column.values {
        Values::Text(values) => text.extend_from_slice(values[row].get()),
        values => write_text(values, row, &mut text),
    }
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Appends one value. A NULL of SQL inside an array is `undefined`, like in the warehouse.
pub(super) fn write_json(values: &Values<'_>, row: usize, out: &mut Vec<u8>) {
    match values {
        Values::Null => out.extend_from_slice(b"null"),
        Values::Boolean(values) => out.extend_from_slice(if values[row] != 0 { b"true" } else { b"false" }),
        Values::Int8(values) => write_integer(values[row], out),
        Values::Int16 { values, scale } => write_decimal(values[row].into(), *scale, out),
        Values::Int32 { values, scale } => write_decimal(values[row].into(), *scale, out),
        Values::Int64 { values, scale } => write_decimal(values[row], *scale, out),
        Values::Int128 { values, scale } => write_wide_decimal(values[row].signed(), *scale, out),
        Values::Uint8(values) => write_integer(values[row], out),
        Values::Uint16(values) => write_integer(values[row], out),
        Values::Uint32(values) => write_integer(values[row], out),
        Values::Uint64(values) => write_integer(values[row], out),
        Values::Uint128(values) => write_integer(values[row].unsigned(), out),
        Values::Float(values) if values[row].is_finite() => write_float(values[row], out),
        Values::Double(values) if values[row].is_finite() => write_float(values[row], out),
        Values::Json(values) => out.extend_from_slice(values[row].get()),
        Values::Geography(values) => write_shape(Model::Sphere, values[row].get(), out),
        Values::Geometry(values) => write_shape(Model::Plane, values[row].get(), out),
        Values::List { entries, element } => {
            let entry = entries[row];
            write_array(element, entry.offset as usize, entry.length as usize, out);
        }
        Values::Array { length, element } => write_array(element, row * length, *length, out),
        Values::Struct(fields) => {
            let pairs = fields.iter().map(|(name, field)| (Key::Name(name), field, row));
            write_object(pairs, out);
        }
        Values::Map { entries, key, value } => {
            let entry = entries[row];
            let rows = entry.offset as usize..(entry.offset + entry.length) as usize;
            write_object(rows.map(|row| (Key::Value(key, row), &**value, row)), out);
        }
        text => {
            out.push(b'"');
            write_text(text, row, out);
            out.push(b'"');
        }
    }
}

/// Stored bytes are always valid.
fn write_shape(model: Model, encoded: &[u8], out: &mut Vec<u8>) {
    if let Ok(shape) = Shape::decode(model, encoded) {
        out.extend_from_slice(shape.to_geojson().as_bytes());
    }
}

fn write_array(element: &Column<'_>, first: usize, length: usize, out: &mut Vec<u8>) {
    out.push(b'[');
    for row in first..first + length {
        if row > first {
            out.push(b',');
        }
        if element.is_null(row) {
            out.extend_from_slice(b"undefined");
        } else {
            write_json(&element.values, row, out);
        }
    }
    out.push(b']');
}

enum Key<'column, 'chunk> {
    Name(&'chunk str),
    Value(&'column Column<'chunk>, usize),
}

fn write_object<'column, 'chunk: 'column>(
    pairs: impl Iterator<Item = (Key<'column, 'chunk>, &'column Column<'chunk>, usize)>,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    for (index, (key, value, row)) in pairs.enumerate() {
        out.extend_from_slice(if index > 0 { b",\"" } else { b"\"" });
        match key {
            Key::Name(name) => write_escaped(name.as_bytes(), out),
            Key::Value(keys, key_row) => write_text(&keys.values, key_row, out),
        }
        out.extend_from_slice(b"\":");
        if value.is_null(row) {
            out.extend_from_slice(b"null");
        } else {
            write_json(&value.values, row, out);
        }
    }
    out.push(b'}');
}

/// The inside of a JSON string: what is text, and what a key has to be.
fn write_text(values: &Values<'_>, row: usize, out: &mut Vec<u8>) {
    match values {
        Values::Text(values) => write_escaped(values[row].get(), out),
        Values::Enum { codes, names } => write_escaped(names[codes.get(row)].as_bytes(), out),
        Values::Blob(values) => write_hex(values[row].get(), out),
        Values::Float(values) => write_float(values[row], out),
        Values::Double(values) => write_float(values[row], out),
        Values::Date(values) => {
            Moment { days: i64::from(values[row]), nanosecond_of_day: 0, offset_minutes: None }.write_date(out);
        }
        Values::Time { ticks, per_second } => {
            Instant::from_ticks(ticks[row], *per_second).without_zone().write_time(out);
        }
        Values::Timestamp { ticks, per_second } => write_date_and_time(ticks[row], *per_second, out),
        Values::TimestampWithZone(ticks) => {
            write_date_and_time(ticks[row], 1_000_000, out);
            out.push(b'Z');
        }
        Values::TimestampTz(values) => {
            out.extend_from_slice(ZonedTimestamp::from_interval(&values[row]).to_text().as_bytes());
        }
        Values::Uuid(_) | Values::Bit(_) | Values::Interval(_) | Values::TimeWithOffset(_) => {
            plain_text::write(values, row, out);
        }
        other => write_json(other, row, out),
    }
}

fn write_date_and_time(ticks: i64, per_second: i64, out: &mut Vec<u8>) {
    let moment = Instant::from_ticks(ticks, per_second).without_zone();
    moment.write_date(out);
    out.push(b' ');
    moment.write_time(out);
}

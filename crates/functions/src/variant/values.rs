//! Values of every type of the engine as semi-structured ones.

use firn_values::cells::binary::write_hex;
use firn_values::cells::moment::{Instant, Moment};
use firn_values::geo::{Model, Shape};
use firn_values::running_call::reserve;
use firn_values::variant::{Number, TypedText, Variant};

use crate::columns::{Column, Values};
use crate::zoned_timestamps::ZonedTimestamp;

/// `None` for NULL.
pub(super) fn variant(column: &Column<'_>, row: usize) -> Option<Variant> {
    if column.is_null(row) {
        return None;
    }
    Some(match &column.values {
        Values::Null => return None,
        Values::Boolean(values) => Variant::Boolean(values[row] != 0),
        Values::Int8(values) => Variant::Number(Number::integer(values[row].into())),
        Values::Int16 { values, scale } => number(values[row].into(), *scale),
        Values::Int32 { values, scale } => number(values[row].into(), *scale),
        Values::Int64 { values, scale } => number(values[row].into(), *scale),
        Values::Int128 { values, scale } => number(values[row].signed(), *scale),
        Values::Uint8(values) => Variant::Number(Number::integer(values[row].into())),
        Values::Uint16(values) => Variant::Number(Number::integer(values[row].into())),
        Values::Uint32(values) => Variant::Number(Number::integer(values[row].into())),
        Values::Uint64(values) => number(values[row].into(), 0),
        Values::Uint128(values) => number(i128::try_from(values[row].unsigned()).unwrap_or(i128::MAX), 0),
        Values::Float(values) => Variant::Double(values[row].into()),
        Values::Double(values) => Variant::Double(values[row]),
        Values::Text(values) => Variant::Text(String::from_utf8_lossy(values[row].get()).into_owned()),
        Values::Json(values) => Variant::from_json(&String::from_utf8_lossy(values[row].get())),
        Values::List { entries, element } => {
            let (first, length) = (entries[row].offset as usize, entries[row].length as usize);
            elements(element, first, length)
        }
        Values::Array { length, element } => elements(element, row * length, *length),
        Values::Struct(fields) => {
            let present = fields.iter().filter_map(|(name, field)| Some(((*name).to_owned(), variant(field, row)?)));
            Variant::Object(present.collect())
        }
        Values::Map { entries, key, value } => {
            let rows = entries[row].offset as usize..(entries[row].offset + entries[row].length) as usize;
            let member = |row| Some((variant(key, row)?.to_text()?, variant(value, row)?));
            Variant::Object(rows.filter_map(member).collect())
        }
        Values::Geography(values) => shape(Model::Sphere, values[row].get())?,
        Values::Geometry(values) => shape(Model::Plane, values[row].get())?,
        other => typed(other, row)?,
    })
}

/// The GeoJSON object.
fn shape(model: Model, encoded: &[u8]) -> Option<Variant> {
    Shape::decode(model, encoded).ok().map(|shape| Variant::from_json(&shape.to_geojson()))
}

fn number(digits: i128, scale: usize) -> Variant {
    Variant::Number(Number::new(digits, scale as u8))
}

fn elements(column: &Column<'_>, first: usize, length: usize) -> Variant {
    reserve(length * size_of::<Variant>());
    Variant::Array((first..first + length).map(|row| variant(column, row).unwrap_or(Variant::Undefined)).collect())
}

fn typed(values: &Values<'_>, row: usize) -> Option<Variant> {
    let mut out = Vec::new();
    let mut in_session_zone = false;
    match values {
        Values::Blob(values) => write_hex(values[row].get(), &mut out),
        Values::Date(values) => {
            Moment { days: i64::from(values[row]), nanosecond_of_day: 0, offset_minutes: None }.write_date(&mut out);
        }
        Values::Time { ticks, per_second } => {
            Instant::from_ticks(ticks[row], *per_second).without_zone().write_time(&mut out);
        }
        Values::Timestamp { ticks, per_second } => {
            let zoned = ZonedTimestamp { microseconds: microseconds(ticks[row], *per_second), offset_minutes: 0 };
            out.extend_from_slice(zoned.to_text().trim_end_matches(" Z").as_bytes());
        }
        Values::TimestampWithZone(ticks) => {
            in_session_zone = true;
            out.extend_from_slice(ZonedTimestamp { microseconds: ticks[row], offset_minutes: 0 }.to_text().as_bytes());
        }
        Values::TimestampTz(values) => {
            out.extend_from_slice(ZonedTimestamp::from_interval(&values[row]).to_text().as_bytes());
        }
        _ => return None,
    }
    let text = String::from_utf8(out).ok()?;
    Some(Variant::Typed(TypedText { text, in_session_zone }))
}

fn microseconds(ticks: i64, per_second: i64) -> i64 {
    if per_second <= 1_000_000 {
        ticks.saturating_mul(1_000_000 / per_second)
    } else {
        ticks.div_euclid(per_second / 1_000_000)
    }
}

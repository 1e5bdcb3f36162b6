//! Cells of a batch in the contract's JSON encoding, by the writers that also write them from the engine's values.

use firn_values::cells::binary::write_hex;
use firn_values::cells::json_text::write_escaped;
use firn_values::cells::moment::Instant;
use firn_values::cells::numbers::{write_decimal, write_float, write_integer, write_wide_decimal};

use crate::bitmap::bit;
use crate::field::Storage;
use crate::stream_reader::{Buffers, ReadColumn};
use crate::time_units::is_infinite;

/// Writes a cell with its quotes, or null. `None` if the batch is damaged.
pub fn write_cell(column: &ReadColumn, buffers: &Buffers<'_>, row: usize, out: &mut Vec<u8>) -> Option<()> {
    if !buffers.validity.is_empty() && !bit(buffers.validity, row) {
        out.extend_from_slice(b"null");
        return Some(());
    }
    out.push(b'"');
    match column.storage {
        Storage::Boolean => out.extend_from_slice(if bit(buffers.values, row) { b"true" } else { b"false" }),
        Storage::Int16 => write_decimal(i16::from_le_bytes(value(buffers.values, row)?).into(), column.scale, out),
        Storage::Int32 => write_number(i32::from_le_bytes(value(buffers.values, row)?).into(), column, out),
        Storage::Int64 => write_number(i64::from_le_bytes(value(buffers.values, row)?), column, out),
        Storage::Decimal => {
            write_wide_decimal(i128::from_le_bytes(value(buffers.values, row)?), column.scale, out);
        }
        Storage::Double => write_float(f64::from_le_bytes(value(buffers.values, row)?), out),
        Storage::Text => write_escaped(bytes(buffers, row)?, out),
        Storage::Binary => write_hex(bytes(buffers, row)?, out),
        Storage::Date => {
            let days = i32::from_le_bytes(value(buffers.values, row)?);
            match days.unsigned_abs() == i32::MAX.unsigned_abs() {
                true => write_infinity(days.into(), out),
                false => write_integer(days, out),
            }
        }
        Storage::EpochFraction => write_instant(buffers, row, column.scale, out)?,
        Storage::EpochZone => {
            write_units(i64::from_le_bytes(value(buffers.values, row)?), column.scale, out);
            write_zone(buffers, row, out)?;
        }
        Storage::EpochFractionZone => {
            write_instant(buffers, row, column.scale, out)?;
            write_zone(buffers, row, out)?;
        }
    }
    out.push(b'"');
    Some(())
}

/// Numbers, and the times and instants that are stored as numbers.
fn write_number(number: i64, column: &ReadColumn, out: &mut Vec<u8>) {
    match column.logical_type.as_str() {
        "FIXED" => write_decimal(number, column.scale, out),
        _ => write_units(number, column.scale, out),
    }
}

fn write_units(units: i64, scale: usize, out: &mut Vec<u8>) {
    match is_infinite(units) {
        true => write_infinity(units, out),
        false => Instant::from_ticks(units, 10_i64.pow(scale.min(9) as u32)).write_epoch(scale, out),
    }
}

fn write_instant(buffers: &Buffers<'_>, row: usize, scale: usize, out: &mut Vec<u8>) -> Option<()> {
    let seconds = i64::from_le_bytes(value(buffers.values, row)?);
    let nanosecond = u32::from_le_bytes(value(buffers.details, row)?);
    match is_infinite(seconds) {
        true => write_infinity(seconds, out),
        false if nanosecond >= 1_000_000_000 => return None,
        false => Instant { seconds, nanosecond }.write_epoch(scale, out),
    }
    Some(())
}

fn write_zone(buffers: &Buffers<'_>, row: usize, out: &mut Vec<u8>) -> Option<()> {
    out.push(b' ');
    write_integer(i32::from_le_bytes(value(buffers.zones, row)?), out);
    Some(())
}

fn write_infinity(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(if value < 0 { b"-infinity" } else { b"infinity" });
}

fn value<const N: usize>(values: &[u8], row: usize) -> Option<[u8; N]> {
    values.as_chunks::<N>().0.get(row).copied()
}

fn bytes<'a>(buffers: &Buffers<'a>, row: usize) -> Option<&'a [u8]> {
    let end = |row| usize::try_from(i32::from_le_bytes(value(buffers.values, row)?)).ok();
    buffers.details.get(end(row)?..end(row + 1)?)
}

//! The contract's cells, as they are in rows that the server makes itself, as values of a column.

use firn_values::cells::moment::Instant;

use crate::column::Column;
use crate::field::{Field, Storage};
use crate::time_units::units;

const NANOSECONDS_PER_SECOND: i64 = 1_000_000_000;

/// A cell that is no value of its column's type.
#[derive(Debug, PartialEq, Eq)]
pub struct NotOfType;

pub fn append_text(field: &Field, cell: Option<&str>, column: &mut Column) -> Result<(), NotOfType> {
    match cell {
        None => column.push_null(),
        Some(cell) => append(field, cell, column).ok_or(NotOfType)?,
    }
    Ok(())
}

fn append(field: &Field, cell: &str, column: &mut Column) -> Option<()> {
    let storage = column.storage();
    match storage {
        Storage::Boolean => column.push_bit(matches!(cell, "true" | "1")),
        Storage::Int16 => column.push_value(i16::try_from(number(field, cell)?).ok()?.to_le_bytes()),
        Storage::Int32 => column.push_value(i32::try_from(number(field, cell)?).ok()?.to_le_bytes()),
        Storage::Int64 => column.push_value(i64::try_from(number(field, cell)?).ok()?.to_le_bytes()),
        Storage::Decimal => column.push_decimal(number(field, cell)?),
        Storage::Double => column.push_value(cell.parse::<f64>().ok()?.to_le_bytes()),
        Storage::Text => column.push_bytes(cell.as_bytes()),
        Storage::Binary => column.push_bytes(&bytes_of_hex(cell)?),
        Storage::Date => column.push_value(cell.parse::<i32>().ok()?.to_le_bytes()),
        Storage::EpochFraction => {
            let instant = Instant::read_epoch(cell)?;
            column.push_epoch_and_fraction(instant.seconds, instant.nanosecond as i32);
        }
        Storage::EpochZone | Storage::EpochFractionZone => {
            let (instant, zone) = cell.split_once(' ')?;
            let (instant, zone) = (Instant::read_epoch(instant)?, zone.parse().ok()?);
            match storage {
                Storage::EpochZone => column.push_epoch_and_zone(units_of(instant, field.scale)?, zone),
                _ => column.push_epoch_fraction_and_zone(instant.seconds, instant.nanosecond as i32, zone),
            }
        }
    }
    Some(())
}

/// The unscaled number, or the units of a time or an instant.
fn number(field: &Field, cell: &str) -> Option<i128> {
    if field.logical_type != "FIXED" {
        return units_of(Instant::read_epoch(cell)?, field.scale).map(i128::from);
    }
    let (whole, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    if fraction.len() > field.scale || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let zeros = 10_i128.checked_pow((field.scale - fraction.len()) as u32)?;
    format!("{whole}{fraction}").parse::<i128>().ok()?.checked_mul(zeros)
}

fn units_of(instant: Instant, scale: usize) -> Option<i64> {
    let whole = instant.seconds.checked_mul(10_i64.pow(scale.min(9) as u32))?;
    whole.checked_add(units(instant.nanosecond.into(), NANOSECONDS_PER_SECOND, scale))
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    bytes.collect::<Option<_>>().filter(|_| rest.is_empty())
}

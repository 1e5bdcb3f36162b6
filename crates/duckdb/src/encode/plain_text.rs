//! Types that the dialect lacks and an expression may still yield: shown as the engine shows them.

use firn_values::cells::binary::write_hex;
use firn_values::cells::digits::write_two_digits;
use firn_values::cells::moment::{Instant, Moment};
use firn_values::cells::numbers::write_integer;

use firn_functions::columns::{Interval, Values};

/// Appends text that needs no escaping in JSON.
pub(super) fn write(values: &Values<'_>, row: usize, out: &mut Vec<u8>) {
    match values {
        Values::Uuid(values) => write_uuid(values[row].unsigned(), out),
        Values::Bit(values) => write_bits(values[row].get(), out),
        Values::Interval(values) => write_interval(&values[row], out),
        Values::TimeWithOffset(values) => write_time_with_offset(values[row], out),
        _ => {}
    }
}

/// The engine's infinite dates and timestamps are the ends of their range, the lowest value excepted.
pub(super) fn infinity(value: i64, largest: i64) -> Option<&'static [u8]> {
    match value {
        _ if value == largest => Some(b"infinity"),
        _ if value == -largest => Some(b"-infinity"),
        _ => None,
    }
}

/// The top bit is stored inverted, so that UUIDs sort as signed integers.
fn write_uuid(stored: u128, out: &mut Vec<u8>) {
    let bytes = (stored ^ 1 << 127).to_be_bytes();
    let start = out.len();
    for group in [0..4, 4..6, 6..8, 8..10, 10..16] {
        if group.start > 0 {
            out.push(b'-');
        }
        write_hex(&bytes[group], out);
    }
    out[start..].make_ascii_lowercase();
}

/// The first byte counts the padding bits at the front of the second.
fn write_bits(stored: &[u8], out: &mut Vec<u8>) {
    let [padding, bytes @ ..] = stored else { return };
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    out.extend(bits.skip(usize::from(*padding)).map(|bit| b'0' + bit));
}

fn write_interval(interval: &Interval, out: &mut Vec<u8>) {
    let start = out.len();
    let parts = [(interval.months / 12, "year"), (interval.months % 12, "month"), (interval.days, "day")];
    for (count, unit) in parts.into_iter().filter(|(count, _)| *count != 0) {
        write_integer(count, out);
        out.push(b' ');
        out.extend_from_slice(unit.as_bytes());
        out.extend_from_slice(if count == 1 { b" " } else { b"s " });
    }
    if interval.micros == 0 && out.len() > start {
        out.pop();
        return;
    }
    if interval.micros < 0 {
        out.push(b'-');
    }
    let micros = interval.micros.unsigned_abs();
    let hours = micros / 3_600_000_000;
    if hours < 10 {
        out.push(b'0');
    }
    write_integer(hours, out);
    let rest = Moment { days: 0, nanosecond_of_day: (micros % 3_600_000_000) as i64 * 1_000, offset_minutes: None };
    let from = out.len();
    rest.write_time(out);
    out.drain(from..from + 2);
}

/// Forty bits of microseconds, then twenty-four that hold the offset counted down from its maximum.
fn write_time_with_offset(stored: u64, out: &mut Vec<u8>) {
    const OFFSET_MAX_SECONDS: i64 = 16 * 3600 - 1;
    let micros = (stored >> 24) as i64;
    let offset = OFFSET_MAX_SECONDS - (stored & 0x00ff_ffff) as i64;
    Instant::from_ticks(micros, 1_000_000).without_zone().write_time(out);
    out.push(if offset < 0 { b'-' } else { b'+' });
    let minutes = (offset.unsigned_abs() / 60) as u32;
    write_two_digits(minutes / 60, out);
    if !minutes.is_multiple_of(60) {
        out.push(b':');
        write_two_digits(minutes % 60, out);
    }
}

//! What functions of texts do with bytes.

use firn_values::running_call::{check_length, work};

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Binary, Integer};

const BYTES_MAX: usize = 67_108_864;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_bytes_piece", &[Binary, Integer, Integer], Binary, |row| Ok(Answer::Bytes(piece(row)))),
    Native::new(c"firn_bytes_right", &[Binary, Integer], Binary, |row| {
        let bytes = row.bytes(0);
        let count = usize::try_from(row.integer(1)).unwrap_or(0).min(bytes.len());
        Ok(Answer::Bytes(bytes[bytes.len() - count..].to_vec()))
    }),
    Native::new(c"firn_bytes_place", &[Binary, Binary, Integer], Integer, |row| Ok(Answer::Integer(place(row)))),
    Native::new(c"firn_bytes_lpad", &[Binary, Integer, Binary], Binary, |row| {
        pad(row, |padding, bytes| [padding, bytes].concat())
    }),
    Native::new(c"firn_bytes_rpad", &[Binary, Integer, Binary], Binary, |row| {
        pad(row, |padding, bytes| [bytes, padding].concat())
    }),
    Native::new(c"firn_bytes_replace", &[Binary, Binary, Binary], Binary, |row| replace(row).map(Answer::Bytes)),
    Native::new(c"firn_bytes_reverse", &[Binary], Binary, |row| {
        Ok(Answer::Bytes(row.bytes(0).iter().rev().copied().collect()))
    }),
];

/// From a place counted from one, or from the end where it is negative.
fn piece(row: &Row<'_>) -> Vec<u8> {
    let bytes = row.bytes(0);
    let length = bytes.len() as i64;
    let start = match row.integer(1) {
        start @ 1.. => start - 1,
        0 => 0,
        start if start >= -length => length + start,
        _ => return Vec::new(),
    };
    let end = start.saturating_add(row.integer(2).max(0)).min(length);
    if start >= end { Vec::new() } else { bytes[start as usize..end as usize].to_vec() }
}

/// Where the first bytes are in the second ones, counted from one; zero for nowhere.
fn place(row: &Row<'_>) -> i64 {
    let (wanted, bytes) = (row.bytes(0), row.bytes(1));
    let skipped = usize::try_from(row.integer(2) - 1).unwrap_or(0);
    let Some(rest) = bytes.get(skipped..) else { return 0 };
    if wanted.is_empty() {
        return skipped as i64 + 1;
    }
    rest.windows(wanted.len())
        .inspect(|_| work(1))
        .position(|window| window == wanted)
        .map_or(0, |place| (skipped + place) as i64 + 1)
}

fn pad(row: &Row<'_>, join: fn(&[u8], &[u8]) -> Vec<u8>) -> Evaluated {
    let bytes = row.bytes(0);
    let length = usize::try_from(row.integer(1)).unwrap_or(0);
    if length > BYTES_MAX {
        return Err(format!("firn:100078:A value of {length} bytes is longer than the {BYTES_MAX} allowed"));
    }
    let missing = length.saturating_sub(bytes.len());
    let padding: Vec<u8> = row.bytes(2).iter().copied().cycle().take(missing).collect();
    Ok(Answer::Bytes(join(&padding, &bytes[..bytes.len().min(length)])))
}

fn replace(row: &Row<'_>) -> Result<Vec<u8>, String> {
    let (mut rest, wanted, other) = (row.bytes(0), row.bytes(1), row.bytes(2));
    let mut out = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        work(1);
        if !wanted.is_empty() && rest.starts_with(wanted) {
            check_length(out.len() + other.len())?;
            out.extend_from_slice(other);
            rest = &rest[wanted.len()..];
        } else {
            out.push(*first);
            rest = after;
        }
    }
    Ok(out)
}

//! Shifts and bits of whole numbers, in 128 bits as the dialect's numbers have them, and of bytes.

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Binary, Integer, Text, Wide};

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_bitshiftleft", &[Wide, Integer], Wide, |row| shift(row, |value, by| value << by)),
    Native::new(c"firn_bitshiftright", &[Wide, Integer], Wide, |row| shift(row, |value, by| value >> by)),
    Native::new(c"firn_getbit", &[Wide, Integer], Integer, |row| match u32::try_from(row.integer(1)) {
        Ok(place) if place < i128::BITS => Ok(Answer::Integer((row.wide(0) >> place & 1) as i64)),
        _ => Err(format!("firn:100048:Invalid bit position {}; positions are from 0 to 127", row.integer(1))),
    }),
    Native::new(c"firn_bytes_and", &[Binary, Binary, Text], Binary, |row| {
        combined_bytes(row, |one, other| one & other)
    }),
    Native::new(c"firn_bytes_or", &[Binary, Binary, Text], Binary, |row| combined_bytes(row, |one, other| one | other)),
    Native::new(c"firn_bytes_xor", &[Binary, Binary, Text], Binary, |row| {
        combined_bytes(row, |one, other| one ^ other)
    }),
    Native::new(c"firn_bytes_not", &[Binary], Binary, |row| {
        Ok(Answer::Bytes(row.bytes(0).iter().map(|byte| !byte).collect()))
    }),
    Native::new(c"firn_bytes_shift_left", &[Binary, Integer], Binary, |row| shift_bytes(row, row.integer(1))),
    Native::new(c"firn_bytes_shift_right", &[Binary, Integer], Binary, |row| {
        shift_bytes(row, row.integer(1).saturating_neg())
    }),
];

fn shift(row: &Row<'_>, shifted: impl FnOnce(i128, u32) -> i128) -> Evaluated {
    match u32::try_from(row.integer(1)) {
        Ok(by) if by < i128::BITS => Ok(Answer::Wide(shifted(row.wide(0), by))),
        _ => Err(format!("firn:100048:Invalid shift by {} bits; use 0 to 127", row.integer(1))),
    }
}

/// Combines two values byte by byte; the shorter one is padded with zeros on the given side.
fn combined_bytes(row: &Row<'_>, joined: impl Fn(u8, u8) -> u8) -> Evaluated {
    let (first, second) = (row.bytes(0), row.bytes(1));
    let length = first.len().max(second.len());
    let fill: fn(&[u8], &[u8]) -> Vec<u8> = match row.text(2).to_ascii_uppercase().as_str() {
        "LEFT" => |zeros, bytes| [zeros, bytes].concat(),
        "RIGHT" => |zeros, bytes| [bytes, zeros].concat(),
        "" if first.len() == second.len() => |_, bytes| bytes.to_vec(),
        "" => {
            return Err(format!(
                "firn:100544:The lengths of two variable-sized fields do not match: first length {}, second length {}",
                first.len(),
                second.len()
            ));
        }
        other => return Err(format!("firn:100048:Invalid side '{other}' to fill; it is 'LEFT' or 'RIGHT'")),
    };
    let filled = |bytes: &[u8]| fill(&vec![0; length - bytes.len()], bytes);
    let pairs = filled(first).into_iter().zip(filled(second));
    Ok(Answer::Bytes(pairs.map(|(one, other)| joined(one, other)).collect()))
}

/// To the left by so many bits, or to the right where it is negative; the length stays.
fn shift_bytes(row: &Row<'_>, left: i64) -> Evaluated {
    if row.integer(1) < 0 {
        return Err(format!("firn:100048:Invalid shift by {} bits", row.integer(1)));
    }
    let bytes = row.bytes(0);
    let bits = bytes.len() as i64 * 8;
    let bit = |place: i64| (0..bits).contains(&place) && bytes[(place / 8) as usize] >> (7 - place % 8) & 1 == 1;
    let byte = |at: usize| {
        (0..8).fold(0_u8, |byte, place| byte << 1 | u8::from(bit((at as i64 * 8 + place).saturating_add(left))))
    };
    Ok(Answer::Bytes((0..bytes.len()).map(byte).collect()))
}

//! Shifts and bits of whole numbers, in 128 bits as the dialect's numbers have them.

use super::{Answer, Kind, Native, Row, Told};
use Kind::{Integer, Wide};

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_bitshiftleft", &[Wide, Integer], Wide, |row| shift(row, |value, by| value << by)),
    Native::new(c"firn_bitshiftright", &[Wide, Integer], Wide, |row| shift(row, |value, by| value >> by)),
    Native::new(c"firn_getbit", &[Wide, Integer], Integer, |row| match u32::try_from(row.integer(1)) {
        Ok(place) if place < i128::BITS => Ok(Answer::Integer((row.wide(0) >> place & 1) as i64)),
        _ => Err(format!("firn:100048:Invalid bit position {}; positions are from 0 to 127", row.integer(1))),
    }),
];

fn shift(row: &Row<'_>, shifted: impl FnOnce(i128, u32) -> i128) -> Told {
    match u32::try_from(row.integer(1)) {
        Ok(by) if by < i128::BITS => Ok(Answer::Wide(shifted(row.wide(0), by))),
        _ => Err(format!("firn:100048:Invalid shift by {} bits; use 0 to 127", row.integer(1))),
    }
}

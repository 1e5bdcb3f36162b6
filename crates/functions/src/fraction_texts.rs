//! Numbers that have no digits before the point, as texts: the dialect writes `0.5` where the engine writes `.5`.

use firn_values::cells::numbers::{write_decimal, write_wide_decimal};

use crate::columns::{Column, Values};
use crate::definition::{Answer, Cast, Kind};

const DIGITS_MAX: usize = 38;
/// The engine's cost of a cast to VARCHAR.
const IMPLICIT_COST: i64 = 149;

pub static CASTS: [Cast; DIGITS_MAX] = {
    let of_one_digit =
        Cast { source: Kind::Fraction(1), target: Kind::Text, implicit_cost: Some(IMPLICIT_COST), run: text };
    let mut casts = [of_one_digit; DIGITS_MAX];
    let mut digits = 1;
    while digits < DIGITS_MAX {
        casts[digits].source = Kind::Fraction(digits as u8 + 1);
        digits += 1;
    }
    casts
};

fn text(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    let column = &columns[0];
    if column.is_null(row) {
        return Ok(Answer::Null);
    }
    let mut out = Vec::with_capacity(DIGITS_MAX + 3);
    match &column.values {
        Values::Int16 { values, scale } => write_decimal(i64::from(values[row]), *scale, &mut out),
        Values::Int32 { values, scale } => write_decimal(i64::from(values[row]), *scale, &mut out),
        Values::Int64 { values, scale } => write_decimal(values[row], *scale, &mut out),
        Values::Int128 { values, scale } => write_wide_decimal(values[row].signed(), *scale, &mut out),
        _ => return Ok(Answer::Null),
    }
    Ok(Answer::Text(String::from_utf8_lossy(&out).into_owned()))
}

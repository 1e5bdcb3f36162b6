//! Exact remainders of numbers whose scales differ so much that no type of the engine holds both: it would divide them
//! in floating point. `firn_remainder` takes numbers of any scale and answers with the text of a number.

use firn_values::cells::numbers::write_wide_decimal;

use crate::columns::{Column, Values};
use crate::definition::{Answer, Definition, Kind};
use crate::quotients::times_ten;

pub const DEFINITIONS: &[Definition] =
    &[Definition::new(c"firn_remainder", &[Kind::Any, Kind::Any], Kind::Text, |columns, row| {
        let (Some(dividend), Some(divisor)) = (exact(&columns[0], row), exact(&columns[1], row)) else {
            return Ok(Answer::Null);
        };
        let (digits, scale) = remainder(dividend, divisor)?;
        let mut out = Vec::new();
        write_wide_decimal(digits, scale, &mut out);
        Ok(Answer::Text(String::from_utf8_lossy(&out).into_owned()))
    })];

/// The digits of an exact number, and how many of them stand behind the point.
fn exact(column: &Column<'_>, row: usize) -> Option<(i128, usize)> {
    if column.is_null(row) {
        return None;
    }
    match &column.values {
        Values::Int16 { values, scale } => Some((values[row].into(), *scale)),
        Values::Int32 { values, scale } => Some((values[row].into(), *scale)),
        Values::Int64 { values, scale } => Some((values[row].into(), *scale)),
        Values::Int128 { values, scale } => Some((values[row].signed(), *scale)),
        _ => None,
    }
}

/// With the sign of the dividend and the larger of both scales.
fn remainder(dividend: (i128, usize), divisor: (i128, usize)) -> Result<(i128, usize), String> {
    let (whole, by) = (dividend.0.unsigned_abs(), divisor.0.unsigned_abs());
    if by == 0 {
        return Err("firn:100051:Division by zero".to_owned());
    }
    let rest = match dividend.1.checked_sub(divisor.1) {
        // A divisor past all numbers leaves the dividend as it is.
        Some(shift) => by.checked_mul(10_u128.pow(shift as u32)).map_or(whole, |by| whole % by),
        None => (dividend.1..divisor.1).fold(whole % by, |rest, _| times_ten(rest, by).1),
    };
    let rest = rest as i128;
    Ok((if dividend.0 < 0 { -rest } else { rest }, dividend.1.max(divisor.1)))
}

#[cfg(test)]
mod tests {
    use super::remainder;

    #[test]
    fn remainders_are_exact() {
        let nines = 10_i128.pow(38) - 1;
        assert_eq!(remainder((7, 0), (75, 2)), Ok((25, 2)));
        assert_eq!(remainder((-7, 0), (75, 2)), Ok((-25, 2)));
        assert_eq!(remainder((125, 2), (-7, 0)), Ok((125, 2)));
        assert_eq!(remainder((nines, 0), (7, 2)), Ok((2, 2)));
        assert_eq!(remainder((nines, 0), (nines - 1, 38)), Ok((2, 38)));
        assert_eq!(remainder((nines, 20), (nines, 0)), Ok((nines, 20)));
        assert_eq!(remainder((1, 0), (0, 2)), Err("firn:100051:Division by zero".to_owned()));
    }
}

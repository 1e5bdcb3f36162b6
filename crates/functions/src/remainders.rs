//! Exact remainders of numbers whose scales differ so much that no type of the engine holds both: it would divide them
//! in floating point. `firn_remainder` takes numbers of any scale and answers with the text of a number. So does
//! `firn_product`, for products with more digits after the point than any type of the engine has, and `firn_quotient`,
//! for operands with more than those have that a function is registered for.

use firn_values::cells::numbers::write_wide_decimal;

use crate::columns::{Column, Values};
use crate::definition::{Answer, Definition, Kind};
use crate::quotients::{LIMIT, Scales, TOO_LARGE, divide, quotient_scale, times_ten};

pub const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_product", &[Kind::Any, Kind::Any], Kind::Text, |columns, row| {
        computed(&columns[0], &columns[1], row, product)
    }),
    Definition::new(c"firn_quotient", &[Kind::Any, Kind::Any], Kind::Text, |columns, row| {
        computed(&columns[0], &columns[1], row, quotient)
    }),
    Definition::new(c"firn_remainder", &[Kind::Any, Kind::Any], Kind::Text, |columns, row| {
        computed(&columns[0], &columns[1], row, remainder)
    }),
];

/// The digits of an exact number, and how many of them stand behind the point.
type Exact = (i128, usize);

fn computed(
    left: &Column<'_>,
    right: &Column<'_>,
    row: usize,
    operation: fn(Exact, Exact) -> Result<Exact, String>,
) -> Result<Answer<'static>, String> {
    let (Some(left), Some(right)) = (exact(left, row), exact(right, row)) else { return Ok(Answer::Null) };
    let (digits, scale) = operation(left, right)?;
    let mut out = Vec::new();
    write_wide_decimal(digits, scale, &mut out);
    Ok(Answer::Text(String::from_utf8_lossy(&out).into_owned()))
}

/// With the scale of a quotient.
fn quotient(dividend: Exact, divisor: Exact) -> Result<Exact, String> {
    let scale = |(_, scale): Exact| u8::try_from(scale).map_err(|_| TOO_LARGE.to_owned());
    let scales = Scales { dividend: scale(dividend)?, divisor: scale(divisor)? };
    Ok((divide(dividend.0, divisor.0, scales)?, usize::from(quotient_scale(scales.dividend))))
}

/// With the larger of both scales, half rounded away from zero.
fn product(left: Exact, right: Exact) -> Result<Exact, String> {
    let scale = left.1.max(right.1);
    let divisor = 10_u128.pow(left.1.min(right.1) as u32);
    let (one, other) = (left.0.unsigned_abs(), right.0.unsigned_abs());
    // One factor is a multiple of the divisor and a rest: neither of its products with the other one has more digits
    // than the result.
    let (whole, rest) = (one / divisor, one % divisor);
    let of_whole = whole.checked_mul(other);
    let (mut of_rest, mut left_over) = (0_u128, 0_u128);
    for digit in other.to_string().bytes() {
        let (mut carried, mut part) = times_ten(left_over, divisor);
        for _ in b'0'..digit {
            match part.checked_sub(divisor - rest) {
                Some(over) => {
                    part = over;
                    carried += 1;
                }
                None => part += rest,
            }
        }
        left_over = part;
        of_rest = of_rest.checked_mul(10).and_then(|digits| digits.checked_add(carried)).ok_or(TOO_LARGE)?;
    }
    of_rest += u128::from(left_over >= divisor - left_over);
    let digits = of_whole.and_then(|digits| digits.checked_add(of_rest)).filter(|digits| *digits < LIMIT);
    let digits = digits.ok_or(TOO_LARGE)? as i128;
    Ok((if (left.0 < 0) == (right.0 < 0) { digits } else { -digits }, scale))
}

fn exact(column: &Column<'_>, row: usize) -> Option<Exact> {
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
fn remainder(dividend: Exact, divisor: Exact) -> Result<Exact, String> {
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
    use super::{LIMIT, TOO_LARGE, product, remainder};

    #[test]
    fn products_are_exact() {
        let half = 5 * 10_i128.pow(19);
        assert_eq!(product((half, 20), (half, 20)), Ok((25 * 10_i128.pow(18), 20)));
        assert_eq!(product((-half, 20), (half, 20)), Ok((-25 * 10_i128.pow(18), 20)));
        assert_eq!(product((1, 20), (half, 20)), Ok((1, 20)));
        assert_eq!(product((1, 20), (half - 1, 20)), Ok((0, 20)));
        assert_eq!(product((12, 2), (10_i128.pow(37), 37)), Ok((12 * 10_i128.pow(35), 37)));
        let nines = LIMIT as i128 - 1;
        assert_eq!(product((nines, 38), (nines, 38)), Ok((nines - 1, 38)));
        assert_eq!(product((nines, 20), (nines, 20)), Err(TOO_LARGE.to_owned()));
    }

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

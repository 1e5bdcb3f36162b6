//! Exact division of decimals, which the engine does in floating point. For every pair of scales there
//! is a function `firn_quotient_<dividend>_<divisor>` with the scale the dialect gives the quotient.

use crate::columns::{Column, Values};

/// Operands of a larger scale are divided by `firn_quotient`, which takes numbers of any scale.
pub const SCALE_MAX: u8 = 18;
/// The scale that products and quotients do not grow past.
pub const GROWTH_MAX: u8 = 12;
pub const WIDTH: u8 = 38;
pub(crate) const LIMIT: u128 = 10_u128.pow(WIDTH as u32);
pub(crate) const TOO_LARGE: &str = "firn:100046:Number out of representable range: type FIXED[SB16](38,0){nullable}";

/// The scale of a quotient: six digits more than the dividend, but not past twelve because of that.
pub fn quotient_scale(dividend_scale: u8) -> u8 {
    dividend_scale.max((dividend_scale + 6).min(GROWTH_MAX))
}

pub fn function_name(dividend_scale: u8, divisor_scale: u8) -> String {
    format!("firn_quotient_{dividend_scale}_{divisor_scale}")
}

/// The scale of what a function of such a name returns.
pub fn scale_of(function: &str) -> Option<u8> {
    let scales = function.strip_prefix("firn_quotient_")?;
    scales.split('_').next()?.parse().ok().map(quotient_scale)
}

/// The scales of the operands.
#[derive(Clone, Copy)]
pub struct Scales {
    pub dividend: u8,
    pub divisor: u8,
}

/// NULL where an operand is.
pub fn divide_row(
    dividends: &Column<'_>,
    divisors: &Column<'_>,
    row: usize,
    scales: Scales,
) -> Result<Option<i128>, String> {
    let (Values::Int128 { values: dividend, .. }, Values::Int128 { values: divisor, .. }) =
        (&dividends.values, &divisors.values)
    else {
        return Ok(None);
    };
    if dividends.is_null(row) || divisors.is_null(row) {
        return Ok(None);
    }
    divide(dividend[row].signed(), divisor[row].signed(), scales).map(Some).map_err(str::to_owned)
}

/// The quotient with its decimal point moved, half rounded away from zero.
pub(crate) fn divide(dividend: i128, divisor: i128, scales: Scales) -> Result<i128, &'static str> {
    if divisor == 0 {
        return Err("firn:100051:Division by zero");
    }
    let shift = u32::from(quotient_scale(scales.dividend) - scales.dividend + scales.divisor);
    let negative = (dividend < 0) != (divisor < 0);
    let (whole, rest) =
        (dividend.unsigned_abs() / divisor.unsigned_abs(), dividend.unsigned_abs() % divisor.unsigned_abs());
    let shifted = match whole {
        0 => Some(0),
        _ => 10_u128.checked_pow(shift).and_then(|power| whole.checked_mul(power)),
    };
    let fraction = fraction(rest, divisor.unsigned_abs(), shift);
    let quotient = shifted.zip(fraction).and_then(|(shifted, fraction)| shifted.checked_add(fraction));
    let quotient = quotient.filter(|quotient| *quotient < LIMIT).ok_or(TOO_LARGE)? as i128;
    Ok(if negative { -quotient } else { quotient })
}

/// The first `digits` digits of `rest / divisor`, the last one rounded; `None` if they are too many. One digit at a time
/// where the product would not fit.
fn fraction(rest: u128, divisor: u128, digits: u32) -> Option<u128> {
    if let Some(shifted) = 10_u128.checked_pow(digits).and_then(|power| rest.checked_mul(power)) {
        let (quotient, left) = (shifted / divisor, shifted % divisor);
        return Some(quotient + u128::from(left >= divisor - left));
    }
    let (mut quotient, mut rest) = (0_u128, rest);
    for _ in 0..digits {
        let (digit, left) = times_ten(rest, divisor);
        quotient = quotient.checked_mul(10)?.checked_add(digit)?;
        rest = left;
    }
    quotient.checked_add(u128::from(rest >= divisor - rest))
}

/// `rest * 10 / divisor` and what is left, for `rest < divisor`, without a product that overflows.
pub fn times_ten(rest: u128, divisor: u128) -> (u128, u128) {
    let (mut digit, mut left) = (0, 0);
    for _ in 0..10 {
        if left >= divisor - rest {
            left -= divisor - rest;
            digit += 1;
        } else {
            left += rest;
        }
    }
    (digit, left)
}

#[cfg(test)]
mod tests {
    use super::{Scales, TOO_LARGE, divide};

    fn check(dividend: (i128, u8), divisor: (i128, u8), expected: Result<i128, &str>) {
        let scales = Scales { dividend: dividend.1, divisor: divisor.1 };
        assert_eq!(divide(dividend.0, divisor.0, scales), expected, "{dividend:?} / {divisor:?}");
    }

    #[test]
    fn quotients_are_exact() {
        check((7, 0), (2, 0), Ok(3_500_000));
        check((1, 0), (3, 0), Ok(333_333));
        check((2, 0), (3, 0), Ok(666_667));
        check((-1, 0), (2_000_000, 0), Ok(-1));
        check((1, 0), (2_000_001, 0), Ok(0));
        check((150, 2), (3, 0), Ok(50_000_000));
        check((1, 0), (25, 2), Ok(4_000_000));
        let large = 10_i128.pow(37);
        check((large - 1, 0), (large, 0), Ok(1_000_000));
        check((large / 3, 12), (large, 12), Ok(333_333_333_333));
        check((large, 0), (1, 0), Err(TOO_LARGE));
        check((1, 0), (0, 0), Err("firn:100051:Division by zero"));
        let half = 5 * 10_i128.pow(19);
        check((half, 20), (4, 0), Ok(125 * 10_i128.pow(17)));
        check((half, 20), (half, 20), Ok(10_i128.pow(20)));
        check((1, 0), (3 * 10_i128.pow(37), 38), Ok(3_333_333));
        check((1, 0), (1, 38), Err(TOO_LARGE));
    }
}

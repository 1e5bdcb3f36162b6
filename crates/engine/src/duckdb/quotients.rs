//! Exact division of decimals, which the engine does in floating point. For every pair of scales there
//! is a function `firn_quotient_<dividend>_<divisor>` with the scale the dialect gives the quotient.

use std::ffi::{CString, c_void};

use libduckdb_sys as ffi;

use super::logical_type::LogicalType;
use super::own_functions::{Answer, Output};
use super::vectors::{Column, Values};
use crate::EngineError;

/// Operands of a larger scale are divided in floating point.
pub(crate) const SCALE_MAX: u8 = 18;
/// The scale that products and quotients do not grow past.
pub(crate) const GROWTH_MAX: u8 = 12;
const WIDTH: u8 = 38;
const LIMIT: u128 = 10_u128.pow(WIDTH as u32);

/// The scale of a quotient: six digits more than the dividend, but not past twelve because of that.
pub(crate) fn quotient_scale(dividend_scale: u8) -> u8 {
    dividend_scale.max((dividend_scale + 6).min(GROWTH_MAX))
}

pub(crate) fn function_name(dividend_scale: u8, divisor_scale: u8) -> String {
    format!("firn_quotient_{dividend_scale}_{divisor_scale}")
}

#[derive(Clone, Copy)]
struct Scales {
    dividend: u8,
    divisor: u8,
}

/// Makes the functions known to the whole instance that `connection` belongs to.
pub(super) fn register(connection: ffi::duckdb_connection) -> Result<(), EngineError> {
    for dividend in 0..=SCALE_MAX {
        for divisor in 0..=SCALE_MAX {
            register_one(connection, Scales { dividend, divisor })?;
        }
    }
    Ok(())
}

fn register_one(connection: ffi::duckdb_connection, scales: Scales) -> Result<(), EngineError> {
    let name = function_name(scales.dividend, scales.divisor);
    let refused = || EngineError::Internal(format!("the engine refuses the function {name}"));
    let c_name = CString::new(name.as_str()).map_err(|_| refused())?;
    // SAFETY: the connection is open; every object made here is destroyed here; the engine gives the
    // scales back to `drop_scales`.
    let state = unsafe {
        let mut function = ffi::duckdb_create_scalar_function();
        ffi::duckdb_scalar_function_set_name(function, c_name.as_ptr());
        for scale in [scales.dividend, scales.divisor] {
            let mut parameter = ffi::duckdb_create_decimal_type(WIDTH, scale);
            ffi::duckdb_scalar_function_add_parameter(function, parameter);
            ffi::duckdb_destroy_logical_type(&mut parameter);
        }
        let mut quotient = ffi::duckdb_create_decimal_type(WIDTH, quotient_scale(scales.dividend));
        ffi::duckdb_scalar_function_set_return_type(function, quotient);
        ffi::duckdb_destroy_logical_type(&mut quotient);
        let extra = Box::into_raw(Box::new(scales)).cast();
        ffi::duckdb_scalar_function_set_extra_info(function, extra, Some(drop_scales));
        ffi::duckdb_scalar_function_set_function(function, Some(run));
        let state = ffi::duckdb_register_scalar_function(connection, function);
        ffi::duckdb_destroy_scalar_function(&mut function);
        state
    };
    if state == ffi::DuckDBSuccess { Ok(()) } else { Err(refused()) }
}

unsafe extern "C" fn drop_scales(extra: *mut c_void) {
    // SAFETY: `register_one` made the pointer from a `Box`, and the engine gives it back once.
    drop(unsafe { Box::from_raw(extra.cast::<Scales>()) });
}

unsafe extern "C" fn run(info: ffi::duckdb_function_info, input: ffi::duckdb_data_chunk, output: ffi::duckdb_vector) {
    // SAFETY: the extra information is the `Scales` given at registration; the input has two decimals
    // of 128 bits, flattened, and lives for the call; so has the output room for as many.
    unsafe {
        let scales = *ffi::duckdb_scalar_function_get_extra_info(info).cast::<Scales>();
        let rows = ffi::duckdb_data_chunk_get_size(input) as usize;
        let dividend_type = LogicalType::Decimal { width: WIDTH, scale: scales.dividend };
        let divisor_type = LogicalType::Decimal { width: WIDTH, scale: scales.divisor };
        let dividends = Column::read(ffi::duckdb_data_chunk_get_vector(input, 0), &dividend_type, rows);
        let divisors = Column::read(ffi::duckdb_data_chunk_get_vector(input, 1), &divisor_type, rows);
        for row in 0..rows {
            let quotient = divide_row(&dividends, &divisors, row, scales);
            let told = quotient.map(|value| value.map_or(Answer::Null, Answer::Wide)).map_err(str::to_owned);
            if !Output(output).tell(info, row, told) {
                return;
            }
        }
    }
}

fn divide_row(
    dividends: &Column<'_>,
    divisors: &Column<'_>,
    row: usize,
    scales: Scales,
) -> Result<Option<i128>, &'static str> {
    let (Values::Int128 { values: dividend, .. }, Values::Int128 { values: divisor, .. }) =
        (&dividends.values, &divisors.values)
    else {
        return Ok(None);
    };
    if dividends.is_null(row) || divisors.is_null(row) {
        return Ok(None);
    }
    divide(dividend[row].signed(), divisor[row].signed(), scales).map(Some)
}

/// The quotient with its decimal point moved, half rounded away from zero.
fn divide(dividend: i128, divisor: i128, scales: Scales) -> Result<i128, &'static str> {
    const TOO_LARGE: &str = "firn:100046:Number out of representable range: type FIXED[SB16](38,0){nullable}";
    if divisor == 0 {
        return Err("firn:100051:Division by zero");
    }
    let shift = u32::from(quotient_scale(scales.dividend) - scales.dividend + scales.divisor);
    let negative = (dividend < 0) != (divisor < 0);
    let (whole, rest) =
        (dividend.unsigned_abs() / divisor.unsigned_abs(), dividend.unsigned_abs() % divisor.unsigned_abs());
    let mut quotient = whole.checked_mul(10_u128.pow(shift)).ok_or(TOO_LARGE)?;
    quotient = quotient.checked_add(fraction(rest, divisor.unsigned_abs(), shift)).ok_or(TOO_LARGE)?;
    if quotient >= LIMIT {
        return Err(TOO_LARGE);
    }
    let quotient = quotient as i128;
    Ok(if negative { -quotient } else { quotient })
}

/// The first `digits` digits of `rest / divisor`, the last one rounded. One digit at a time where the
/// product would not fit.
fn fraction(rest: u128, divisor: u128, digits: u32) -> u128 {
    if let Some(shifted) = rest.checked_mul(10_u128.pow(digits)) {
        let (quotient, left) = (shifted / divisor, shifted % divisor);
        return quotient + u128::from(left >= divisor - left);
    }
    let (mut quotient, mut rest) = (0, rest);
    for _ in 0..digits {
        let (digit, left) = times_ten(rest, divisor);
        quotient = quotient * 10 + digit;
        rest = left;
    }
    quotient + u128::from(rest >= divisor - rest)
}

/// `rest * 10 / divisor` and what is left, for `rest < divisor`, without a product that overflows.
pub(super) fn times_ten(rest: u128, divisor: u128) -> (u128, u128) {
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
    use super::{Scales, divide};

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
        check(
            (large, 0),
            (1, 0),
            Err("firn:100046:Number out of representable range: type FIXED[SB16](38,0){nullable}"),
        );
        check((1, 0), (0, 0), Err("firn:100051:Division by zero"));
    }
}

//! The digits an exact number may have, and how large an approximate one may be. More would silently become an
//! approximation, or infinite.

use crate::Failure;

const DIGITS_MAX: usize = 38;

pub(crate) fn check_digits(text: &str) -> Result<(), Failure> {
    let is_exact = !text.contains(['e', 'E']);
    let digits = text.trim_start_matches(['-', '+', '0']).bytes().filter(u8::is_ascii_digit).count();
    if is_exact && digits > DIGITS_MAX {
        let message =
            format!("Numeric value '{text}' is out of range: an exact number has at most {DIGITS_MAX} digits");
        return Err(Failure::new("100046", "22003", message));
    }
    if !is_exact && text.parse::<f64>().is_ok_and(f64::is_infinite) {
        let message = format!("Numeric value '{text}' is out of range: a FLOAT is smaller than 1.8e308");
        return Err(Failure::new("100046", "22003", message));
    }
    Ok(())
}

/// `1.5e2` is the exact number 150; `None` for a number without an exponent, and for one whose digits are too many.
pub(crate) fn without_exponent(text: &str) -> Option<String> {
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i32 = exponent.trim_start_matches('+').parse().ok()?;
    let digits = format!("{whole}{fraction}");
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let exact = match usize::try_from(scale) {
        Err(_) if scale < -(DIGITS_MAX as i32) => return None,
        Err(_) => format!("{digits}{}", "0".repeat(scale.unsigned_abs() as usize)),
        Ok(0) => digits,
        Ok(scale) if scale >= DIGITS_MAX => return None,
        Ok(scale) => {
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            format!("{whole}.{fraction}")
        }
    };
    check_digits(&exact).is_ok().then_some(exact)
}

#[cfg(test)]
mod tests {
    use super::without_exponent;

    #[test]
    fn exponents_move_the_point() {
        for (text, expected) in [
            ("1e10", Some("10000000000")),
            ("1.5e2", Some("150")),
            ("1.234E+2", Some("123.4")),
            ("15e-03", Some("0.015")),
            (".5e1", Some("5")),
            ("1.50e0", Some("1.50")),
            ("1e37", Some("10000000000000000000000000000000000000")),
            ("1e38", None),
            ("1e300", None),
            ("1e-40", None),
            ("12.5", None),
        ] {
            assert_eq!(without_exponent(text).as_deref(), expected, "{text}");
        }
    }
}

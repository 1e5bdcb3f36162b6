//! The digits an exact number may have. More would silently become an approximation.

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
    Ok(())
}

//! Integers, decimals and floating-point numbers as plain text.

use super::digits::pair;

/// Appends any integer.
#[inline]
pub fn write_integer<I: itoa::Integer>(value: I, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends an unscaled decimal with its point applied: 5 of scale 2 is `0.05`.
#[inline]
pub fn write_decimal(unscaled: i64, scale: usize, out: &mut Vec<u8>) {
    if unscaled < 0 {
        out.push(b'-');
    }
    write_unsigned_decimal(unscaled.unsigned_abs(), scale, out);
}

/// As `write_decimal`, for decimals of more than 18 digits, most of which hold smaller numbers.
pub fn write_wide_decimal(unscaled: i128, scale: usize, out: &mut Vec<u8>) {
    if unscaled < 0 {
        out.push(b'-');
    }
    let magnitude = unscaled.unsigned_abs();
    if scale <= U64_SCALE_MAX
        && let Ok(small) = u64::try_from(magnitude)
    {
        return write_unsigned_decimal(small, scale, out);
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(magnitude).as_bytes();
    let zeros = (scale + 1).saturating_sub(digits.len());
    let start = out.len();
    out.resize(start + zeros, b'0');
    out.extend_from_slice(digits);
    if scale > 0 {
        out.insert(out.len() - scale, b'.');
    }
}

const U64_SCALE_MAX: usize = 18;
/// The digits of the largest number, a leading zero and the point.
const U64_TEXT_MAX: usize = 24;

/// Writes from the last digit to the first into a buffer of fixed size: copying that is cheaper than
/// copying as many bytes as there turn out to be.
#[inline]
fn write_unsigned_decimal(unscaled: u64, scale: usize, out: &mut Vec<u8>) {
    let digits = (unscaled.checked_ilog10().unwrap_or(0) as usize + 1).max(scale + 1);
    let length = digits + usize::from(scale > 0);
    let mut text = [0; U64_TEXT_MAX];
    let mut rest = unscaled;
    let mut end = length;
    if scale > 0 {
        rest = fill_digits(&mut text[..end], rest, scale);
        end -= scale + 1;
        text[end] = b'.';
    }
    fill_digits(&mut text[..end], rest, end);
    let start = out.len();
    out.extend_from_slice(&text);
    out.truncate(start + length);
}

/// Fills the last `count` bytes of `text` with the last digits of `value`; returns those before them.
#[inline]
fn fill_digits(text: &mut [u8], mut value: u64, count: usize) -> u64 {
    let mut end = text.len();
    let start = end - count;
    while end - start >= 2 {
        text[end - 2..end].copy_from_slice(&pair((value % 100) as u32));
        value /= 100;
        end -= 2;
    }
    if end > start {
        text[start] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    value
}

/// Appends the shortest text that reads back as the same number: `1.5`, `2`, `1e+20`, `2.5e-07`,
/// `NaN`, `inf`, `-inf`.
#[inline]
pub fn write_float<F: ryu::Float + Into<f64>>(value: F, out: &mut Vec<u8>) {
    let wide: f64 = value.into();
    if !wide.is_finite() {
        let text = match () {
            () if wide.is_nan() => "NaN",
            () if wide > 0.0 => "inf",
            () => "-inf",
        };
        out.extend_from_slice(text.as_bytes());
        return;
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(value).as_bytes();
    if let [whole @ .., b'.', b'0'] = text {
        out.extend_from_slice(whole);
        return;
    }
    let plain = (1e-5..1e16).contains(&wide.abs());
    match text.iter().rposition(|&byte| byte == b'e').filter(|_| !plain) {
        Some(at) => write_exponent(&text[..at], &text[at + 1..], out),
        None => out.extend_from_slice(text),
    }
}

/// The exponent always has a sign and at least two digits.
fn write_exponent(mantissa: &[u8], exponent: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(mantissa);
    let (sign, digits) = match exponent {
        [b'-', digits @ ..] => (b'-', digits),
        digits => (b'+', digits),
    };
    out.extend_from_slice(&[b'e', sign]);
    if digits.len() < 2 {
        out.push(b'0');
    }
    out.extend_from_slice(digits);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn decimals_have_their_point() {
        for (unscaled, scale, expected) in [
            (0_i128, 0, "0"),
            (0, 2, "0.00"),
            (-5, 2, "-0.05"),
            (5, 1, "0.5"),
            (1_234_567_891, 2, "12345678.91"),
            (-100, 2, "-1.00"),
            (99, 2, "0.99"),
            (100, 2, "1.00"),
            (7, 0, "7"),
            (10, 0, "10"),
            (i128::from(i64::MIN), 0, "-9223372036854775808"),
            (i128::from(i64::MAX), 18, "9.223372036854775807"),
            (1, 18, "0.000000000000000001"),
            (i128::from(u64::MAX), 18, "18.446744073709551615"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
            (-12_345_678_901_234_567_890_123_456_789_012_345_678, 37, "-1.2345678901234567890123456789012345678"),
            (1, 38, "0.00000000000000000000000000000000000001"),
        ] {
            assert_eq!(text(|out| write_wide_decimal(unscaled, scale, out)), expected);
            if let Ok(unscaled) = i64::try_from(unscaled)
                && scale <= 18
            {
                assert_eq!(text(|out| write_decimal(unscaled, scale, out)), expected);
            }
        }
    }

    #[test]
    fn floats_are_the_shortest_exact_text() {
        for (value, expected) in [
            (1.5, "1.5"),
            (2.0, "2"),
            (-0.05, "-0.05"),
            (0.1, "0.1"),
            (1e15, "1000000000000000"),
            (1e20, "1e+20"),
            (-1.25e300, "-1.25e+300"),
            (2.5e-7, "2.5e-07"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(|out| write_float(value, out)), expected);
        }
        assert_eq!(text(|out| write_float(0.1_f32, out)), "0.1");
    }
}

//! Integers, decimals and floating-point numbers as plain text.

/// Appends any integer.
#[inline]
pub(crate) fn write_integer<I: itoa::Integer>(value: I, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends an unscaled decimal with its point applied: 5 of scale 2 is `0.05`.
#[inline]
pub(crate) fn write_decimal<I: itoa::Integer>(unscaled: I, scale: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let mut digits = buffer.format(unscaled).as_bytes();
    if scale == 0 {
        out.extend_from_slice(digits);
        return;
    }
    if let [b'-', rest @ ..] = digits {
        out.push(b'-');
        digits = rest;
    }
    if digits.len() > scale {
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(fraction);
        return;
    }
    out.extend_from_slice(b"0.");
    for _ in digits.len()..scale {
        out.push(b'0');
    }
    out.extend_from_slice(digits);
}

/// Appends the shortest text that reads back as the same number: `1.5`, `2`, `1e+20`, `2.5e-07`,
/// `NaN`, `inf`, `-inf`.
#[inline]
pub(crate) fn write_float<F: ryu::Float + Into<f64>>(value: F, out: &mut Vec<u8>) {
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
    match text.iter().rposition(|&byte| byte == b'e') {
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
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
            (-12_345_678_901_234_567_890_123_456_789_012_345_678, 37, "-1.2345678901234567890123456789012345678"),
            (1, 38, "0.00000000000000000000000000000000000001"),
        ] {
            assert_eq!(text(|out| write_decimal(unscaled, scale, out)), expected);
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

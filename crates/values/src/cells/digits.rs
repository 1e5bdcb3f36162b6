//! Decimal digits of fixed width.

const PAIRS: [u8; 200] = digit_pairs();

const fn digit_pairs() -> [u8; 200] {
    let mut pairs = [b'0'; 200];
    let mut number = 0;
    while number < 100 {
        pairs[2 * number] += (number / 10) as u8;
        pairs[2 * number + 1] += (number % 10) as u8;
        number += 1;
    }
    pairs
}

/// The two digits of a number below 100.
#[inline]
pub fn pair(value: u32) -> [u8; 2] {
    let start = 2 * (value % 100) as usize;
    [PAIRS[start], PAIRS[start + 1]]
}

/// Appends a number below 100 as two digits.
#[inline]
pub fn write_two_digits(value: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&pair(value));
}

/// Appends a number with leading zeros up to `width` digits.
pub fn write_padded(value: u64, width: usize, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value).as_bytes();
    for _ in digits.len()..width {
        out.push(b'0');
    }
    out.extend_from_slice(digits);
}

/// Appends the first `digits` of the nine digits of a nanosecond.
pub fn write_fraction(nanosecond: u32, digits: usize, out: &mut Vec<u8>) {
    let (seconds_tenths, rest) = (nanosecond / 100_000_000, nanosecond % 100_000_000);
    let mut nine = [0; 9];
    nine[0] = b'0' + seconds_tenths as u8;
    nine[1..3].copy_from_slice(&pair(rest / 1_000_000));
    nine[3..5].copy_from_slice(&pair(rest / 10_000));
    nine[5..7].copy_from_slice(&pair(rest / 100));
    nine[7..9].copy_from_slice(&pair(rest));
    out.extend_from_slice(&nine[..digits.min(9)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_keep_their_width() {
        let mut out = Vec::new();
        write_two_digits(7, &mut out);
        write_padded(42, 4, &mut out);
        write_padded(12_345, 4, &mut out);
        write_fraction(123_456_789, 9, &mut out);
        write_fraction(6_007_008, 5, &mut out);
        write_fraction(5, 0, &mut out);
        assert_eq!(out, b"0700421234512345678900600");
    }
}

//! Binary values as text.

use super::json_text::write_escaped;
use crate::formats::BinaryFormat;

/// Appends bytes in the given format, escaped for a JSON string.
pub fn write_binary(bytes: &[u8], format: BinaryFormat, out: &mut Vec<u8>) {
    match format {
        BinaryFormat::Hex => write_hex(bytes, out),
        BinaryFormat::Base64 => write_base64(bytes, out),
        BinaryFormat::Utf8 => write_escaped(String::from_utf8_lossy(bytes).as_bytes(), out),
    }
}

/// Appends two upper-case digits per byte.
pub fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.reserve(2 * bytes.len());
    for byte in bytes {
        out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = |position: usize| match position <= group.len() {
            true => DIGITS[(bits >> (18 - 6 * position) & 63) as usize],
            false => b'=',
        };
        out.extend_from_slice(&[digit(0), digit(1), digit(2), digit(3)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_has_its_text() {
        for (bytes, format, expected) in [
            (&b"\xde\xad\xbe\xef"[..], BinaryFormat::Hex, "DEADBEEF"),
            (b"", BinaryFormat::Hex, ""),
            (b"", BinaryFormat::Base64, ""),
            (b"f", BinaryFormat::Base64, "Zg=="),
            (b"fo", BinaryFormat::Base64, "Zm8="),
            (b"foo", BinaryFormat::Base64, "Zm9v"),
            (b"\xff\xfe\xfd\xfc", BinaryFormat::Base64, "//79/A=="),
            (b"h\"i", BinaryFormat::Utf8, "h\\\"i"),
            (b"\xff", BinaryFormat::Utf8, "\u{fffd}"),
        ] {
            let mut out = Vec::new();
            write_binary(bytes, format, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}

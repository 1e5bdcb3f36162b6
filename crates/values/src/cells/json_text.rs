//! Text inside a JSON string.

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends UTF-8 text with what JSON forbids in a string escaped.
#[inline]
pub fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let plain = plain_prefix_length(rest);
        out.extend_from_slice(&rest[..plain]);
        let Some(&special) = rest.get(plain) else { return };
        write_special(special, out);
        rest = &rest[plain + 1..];
    }
}

/// JSON without the white space between its tokens.
pub fn compact(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut is_inside_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        if !is_inside_text && byte.is_ascii_whitespace() {
            continue;
        }
        out.push(byte);
        is_inside_text ^= byte == b'"' && !is_escaped;
        is_escaped = is_inside_text && byte == b'\\' && !is_escaped;
    }
    out
}

/// Appends the escape of one byte that may not stand in a JSON string.
pub fn write_special(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// How many bytes may be copied as they are. Eight are looked at together: a byte below 0x20, or one
/// that is zero after taking away the quote or the backslash, sets its high bit in the sum. Bytes
/// above 0x7f never match.
#[inline]
pub fn plain_prefix_length(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut length = 0;
    let (words, tail) = text.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (ONES * b'"' as u64);
        let backslash = word ^ (ONES * b'\\' as u64);
        let found = (word.wrapping_sub(ONES * 0x20) | quote.wrapping_sub(ONES) | backslash.wrapping_sub(ONES)) & !word;
        if found & HIGHS != 0 {
            break;
        }
        length += 8;
    }
    if length < words.len() * 8 {
        return length + words[length / 8].iter().position(|&byte| is_special(byte)).unwrap_or(8);
    }
    length + tail.iter().position(|&byte| is_special(byte)).unwrap_or(tail.len())
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut out = Vec::new();
        write_escaped(text.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn special_bytes_are_escaped() {
        check("", "");
        check("héllo wörld, a longer text", "héllo wörld, a longer text");
        check("say \"hi\"", "say \\\"hi\\\"");
        check("a\\b\nc\rd\te\u{8}f\u{c}g\u{1}h\u{1f}", "a\\\\b\\nc\\rd\\te\\bf\\fg\\u0001h\\u001f");
        check("\u{7f}\u{80}日本語", "\u{7f}\u{80}日本語");
    }

    #[test]
    fn every_byte_is_judged_alike_wherever_it_stands() {
        for byte in 0..=255_u8 {
            for position in 0..24 {
                let mut text = [b'a'; 24];
                text[position] = byte;
                let expected = if is_special(byte) { position } else { 24 };
                assert_eq!(plain_prefix_length(&text), expected, "{byte:#x} at {position}");
            }
        }
    }
}

//! Semi-structured values: JSON text laid out with some spaces per level, written straight into the
//! JSON string of a cell. The text is read once, byte by byte; no tree of values is built.

use std::borrow::Cow;

use super::json_text::{plain_prefix_length, write_special};

/// Appends valid JSON text, laid out and escaped; on one line and without spaces if there is no indent.
pub fn write_laid_out(json: &[u8], indent: usize, out: &mut Vec<u8>) {
    let mut depth = 0;
    let mut rest = json;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'{' | b'[' => {
                out.push(byte);
                rest = rest.trim_ascii_start();
                match rest.split_first() {
                    Some((&closing @ (b'}' | b']'), after)) => {
                        out.push(closing);
                        rest = after;
                    }
                    _ => {
                        depth += 1;
                        write_line_break(depth, indent, out);
                    }
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                write_line_break(depth, indent, out);
                out.push(byte);
            }
            b',' => {
                out.push(b',');
                write_line_break(depth, indent, out);
            }
            b':' if indent == 0 => out.push(b':'),
            b':' => out.extend_from_slice(b": "),
            b'"' => rest = write_string(rest, out),
            other => out.push(other),
        }
    }
}

/// Words that stand in semi-structured values and that JSON does not have.
const NOT_IN_JSON: [&[u8]; 4] = [b"undefined", b"NaN", b"Infinity", b"-Infinity"];

/// The value with null in the place of what JSON does not have.
pub fn strict_json(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut taken, mut place) = (0, 0);
    while let Some(&byte) = json.get(place) {
        if byte == b'"' {
            place = end_of_string(json, place);
            continue;
        }
        match NOT_IN_JSON.iter().find(|word| json[place..].starts_with(word)) {
            Some(word) => {
                out.extend_from_slice(&json[taken..place]);
                out.extend_from_slice(b"null");
                place += word.len();
                taken = place;
            }
            None => place += 1,
        }
    }
    if taken == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(&json[taken..]);
    Cow::Owned(out)
}

/// The place behind the string that begins there.
fn end_of_string(json: &[u8], begin: usize) -> usize {
    let mut place = begin + 1;
    while let Some(&byte) = json.get(place) {
        match byte {
            b'"' => return place + 1,
            b'\\' => place += 2,
            _ => place += 1,
        }
    }
    json.len()
}

fn write_line_break(depth: usize, indent: usize, out: &mut Vec<u8>) {
    const SPACES: &[u8; 64] = &[b' '; 64];
    if indent == 0 {
        return;
    }
    out.extend_from_slice(b"\\n");
    let mut width = indent * depth;
    while width > 0 {
        let piece = width.min(SPACES.len());
        out.extend_from_slice(&SPACES[..piece]);
        width -= piece;
    }
}

/// Writes a string whose opening quote has been read; returns what follows its closing quote.
fn write_string<'json>(after_quote: &'json [u8], out: &mut Vec<u8>) -> &'json [u8] {
    out.extend_from_slice(b"\\\"");
    let mut rest = after_quote;
    loop {
        let plain = plain_prefix_length(rest);
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        match rest {
            [] => return rest,
            [b'"', after @ ..] => {
                out.extend_from_slice(b"\\\"");
                return after;
            }
            [b'\\', b'u', after @ ..] => rest = write_unicode_escape(after, out),
            [b'\\', b'/', after @ ..] => {
                out.push(b'/');
                rest = after;
            }
            [b'\\', escaped, after @ ..] => {
                out.extend_from_slice(b"\\\\");
                if matches!(escaped, b'"' | b'\\') {
                    out.push(b'\\');
                }
                out.push(*escaped);
                rest = after;
            }
            [control, after @ ..] => {
                write_special(*control, out);
                rest = after;
            }
        }
    }
}

/// `after` begins with the four digits of a `\u` escape. Characters that may stand for themselves in
/// JSON do; the rest keep their escape.
fn write_unicode_escape<'json>(after: &'json [u8], out: &mut Vec<u8>) -> &'json [u8] {
    let Some(first) = code_unit(after) else {
        out.extend_from_slice(b"\\\\u");
        return after;
    };
    let (decoded, length) = match after.get(4..6) {
        Some(b"\\u") if (0xd800..0xdc00).contains(&first) => {
            let second = code_unit(&after[6..]).unwrap_or_default();
            (char::decode_utf16([first, second]).next().and_then(Result::ok), 10)
        }
        _ => (char::from_u32(u32::from(first)), 4),
    };
    match decoded {
        Some(character) if character >= ' ' && character != '"' && character != '\\' => {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            &after[length..]
        }
        _ => {
            out.extend_from_slice(b"\\\\u");
            out.extend_from_slice(&after[..4]);
            &after[4..]
        }
    }
}

fn code_unit(digits: &[u8]) -> Option<u16> {
    let text = std::str::from_utf8(digits.get(..4)?).ok()?;
    u16::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn check(json: &str, expected: &str) {
        let mut out = b"\"".to_vec();
        write_laid_out(json.as_bytes(), 2, &mut out);
        out.push(b'"');
        let cell: String = serde_json::from_slice(&out).unwrap();
        assert_eq!(cell, expected);
    }

    #[test]
    fn values_are_laid_out() {
        check("null", "null");
        check(" 1.5 ", "1.5");
        check("\"abc\"", "\"abc\"");
        check("[]", "[]");
        check("{ }", "{}");
        check("[1,2]", "[\n  1,\n  2\n]");
        check("{\"a\":1,\"b\":[true,{}]}", "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    {}\n  ]\n}");
        check("[ [ ] , [\n1 ] ]", "[\n  [],\n  [\n    1\n  ]\n]");
        check("[undefined]", "[\n  undefined\n]");
    }

    #[test]
    fn strings_stay_valid_json() {
        check(r#""a,b:{c}[d]""#, r#""a,b:{c}[d]""#);
        check(r#""q\"b\\n\n""#, r#""q\"b\\n\n""#);
        check(r#""\u00e9\/""#, "\"é/\"");
        check(r#""\ud83d\ude00""#, "\"😀\"");
        check(r#""\u0022\u005c\u0001\ud83d""#, r#""\u0022\u005c\u0001\ud83d""#);
        check("\"日本\"", "\"日本\"");
    }

    #[test]
    fn words_that_json_does_not_have_become_null() {
        let cases = [
            ("[1,undefined,-Infinity]", "[1,null,null]"),
            (
                r#"{"undefined":NaN,"a\"NaN":"Infinity","b":Infinity}"#,
                r#"{"undefined":null,"a\"NaN":"Infinity","b":null}"#,
            ),
            ("undefined", "null"),
            (r#"{"a":-1}"#, r#"{"a":-1}"#),
            ("\"unclosed\\", "\"unclosed\\"),
        ];
        for (json, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&strict_json(json.as_bytes())), expected);
        }
    }

    #[test]
    fn without_an_indent_all_is_on_one_line() {
        let mut out = Vec::new();
        write_laid_out(br#"{ "a" : [1, 2], "b c": {} }"#, 0, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), r#"{\"a\":[1,2],\"b c\":{}}"#);
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let json = "[".repeat(10_000) + &"]".repeat(10_000);
        let mut out = Vec::new();
        write_laid_out(json.as_bytes(), 2, &mut out);
        assert!(out.len() > 20_000);
    }
}

//! Reads JSON text: what is stored, and what people write, which is more lenient than JSON in that an
//! element of an array may be missing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{MEMBERS_BYTES, NODE_BYTES, Number, TypedText, Variant};
use crate::running_call::reserve;

const DEPTH_MAX: usize = 500;
const DIGITS_MAX: usize = 38;

/// What a key that comes twice means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    Refused,
    LastWins,
}

/// Reads text that people wrote. The error says what is wrong and where, as the dialect does.
pub fn parse(text: &str, duplicates: Duplicates) -> Result<Variant, String> {
    let mut reader = Reader { text, place: 0, duplicates, origin: Origin::Written };
    reader.whole()
}

impl Variant {
    /// Reads text that was stored; what cannot be read is taken for a string.
    pub fn from_json(text: &str) -> Self {
        let mut reader = Reader { text, place: 0, duplicates: Duplicates::LastWins, origin: Origin::Stored };
        reader.whole().unwrap_or_else(|_| Self::Text(text.to_owned()))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Written,
    Stored,
}

struct Reader<'text> {
    text: &'text str,
    place: usize,
    duplicates: Duplicates,
    origin: Origin,
}

impl Reader<'_> {
    fn whole(&mut self) -> Result<Variant, String> {
        let value = self.value(0)?;
        self.skip_space();
        if self.place < self.text.len() { Err(self.wrong("extra characters")) } else { Ok(value) }
    }

    fn value(&mut self, depth: usize) -> Result<Variant, String> {
        if depth > DEPTH_MAX {
            return Err(self.wrong("nested too deeply"));
        }
        reserve(NODE_BYTES);
        self.skip_space();
        match self.peek() {
            None => Err(self.wrong("unexpected end of data")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.keyword(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Variant, String> {
        self.place += 1;
        let mut members = BTreeMap::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Variant::Object(members));
        }
        reserve(MEMBERS_BYTES);
        loop {
            self.skip_space();
            let key = match self.peek() {
                Some(b'"') => self.plain_string()?,
                Some(b'}') if !members.is_empty() => {
                    self.place += 1;
                    return Ok(Variant::Object(members));
                }
                Some(_) => self.bare_key().ok_or_else(|| self.wrong("missing key in object"))?,
                None => return Err(self.wrong("incomplete object value")),
            };
            self.skip_space();
            if !self.take(b':') {
                return Err(self.wrong("missing colon"));
            }
            let member = self.value(depth + 1)?;
            match members.entry(key) {
                Entry::Occupied(entry) if self.duplicates == Duplicates::Refused => {
                    let message = format!("duplicate object attribute \"{}\"", entry.key());
                    return Err(self.wrong(&message));
                }
                Entry::Occupied(mut entry) => {
                    entry.insert(member);
                }
                Entry::Vacant(entry) => {
                    entry.insert(member);
                }
            }
            self.skip_space();
            if self.take(b'}') {
                return Ok(Variant::Object(members));
            }
            if !self.take(b',') {
                return Err(self.wrong("missing comma"));
            }
        }
    }

    /// A key without quotes: a word before a colon.
    fn bare_key(&mut self) -> Option<String> {
        let rest = &self.text[self.place..];
        let length = rest.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$'))?;
        let key = &rest[..length];
        if key.is_empty()
            || key.starts_with(|letter: char| letter.is_numeric())
            || !rest[length..].trim_start().starts_with(':')
        {
            return None;
        }
        self.place += length;
        Some(key.to_owned())
    }

    fn array(&mut self, depth: usize) -> Result<Variant, String> {
        self.place += 1;
        let mut elements = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Variant::Array(elements));
        }
        loop {
            self.skip_space();
            match self.peek() {
                Some(b',' | b']') => {
                    reserve(NODE_BYTES);
                    elements.push(Variant::Undefined);
                }
                _ => elements.push(self.value(depth + 1)?),
            }
            self.skip_space();
            if self.take(b']') {
                return Ok(Variant::Array(elements));
            }
            if !self.take(b',') {
                return Err(self.wrong("missing comma"));
            }
        }
    }

    fn string(&mut self) -> Result<Variant, String> {
        let start = self.place + 1;
        let text = self.plain_string()?;
        let raw = &self.text[start..];
        if self.origin == Origin::Stored && raw.starts_with("\\u00") && !text.starts_with(char::is_control) {
            let in_session_zone = raw.get(6..).is_some_and(|rest| rest.starts_with("\\u00"));
            return Ok(Variant::Typed(TypedText { text, in_session_zone }));
        }
        Ok(Variant::Text(text))
    }

    fn plain_string(&mut self) -> Result<String, String> {
        self.place += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text.as_bytes()[self.place..];
            let Some(plain) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
                return Err(self.wrong("unfinished string"));
            };
            reserve(plain);
            text.push_str(&self.text[self.place..self.place + plain]);
            self.place += plain + 1;
            if rest[plain] == b'"' {
                return Ok(text);
            }
            self.escape(&mut text)?;
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), String> {
        let Some(escaped) = self.peek() else { return Err(self.wrong("unfinished string")) };
        self.place += 1;
        text.push(match escaped {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode_escape()?,
            _ => return Err(self.wrong("invalid escape sequence in string")),
        });
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<char, String> {
        let first = self.code_unit()?;
        if (0xd800..0xdc00).contains(&first) && self.text[self.place..].starts_with("\\u") {
            self.place += 2;
            let second = self.code_unit()?;
            return Ok(char::decode_utf16([first, second]).next().and_then(Result::ok).unwrap_or('\u{fffd}'));
        }
        Ok(char::from_u32(u32::from(first)).unwrap_or('\u{fffd}'))
    }

    fn code_unit(&mut self) -> Result<u16, String> {
        let digits = self.text.get(self.place..self.place + 4);
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.place += 4;
        unit.ok_or_else(|| self.wrong("invalid escape sequence in string"))
    }

    fn number(&mut self) -> Result<Variant, String> {
        let rest = &self.text[self.place..];
        if let Some(word) = rest.strip_prefix('-').filter(|word| word.starts_with(['I', 'i'])) {
            let length = word.bytes().take_while(u8::is_ascii_alphabetic).count();
            self.place += 1 + length;
            return Ok(Variant::Double(f64::NEG_INFINITY));
        }
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let literal = &rest[..rest.bytes().take_while(|byte| is_part(byte)).count()];
        let number = read_number(literal).ok_or_else(|| self.wrong("invalid number"))?;
        self.place += literal.len();
        Ok(number)
    }

    fn keyword(&mut self) -> Result<Variant, String> {
        let rest = &self.text[self.place..];
        let length = rest.find(|character: char| !character.is_alphanumeric()).unwrap_or(rest.len());
        let word = &rest[..length];
        let value = match word {
            "null" => Variant::Null,
            "true" => Variant::Boolean(true),
            "false" => Variant::Boolean(false),
            "undefined" => Variant::Undefined,
            "NaN" => Variant::Double(f64::NAN),
            "Infinity" => Variant::Double(f64::INFINITY),
            "" => return Err(self.wrong(&format!("unexpected character \"{}\"", &rest.chars().next().unwrap_or(' ')))),
            word if word.eq_ignore_ascii_case("null") => Variant::Null,
            word if word.eq_ignore_ascii_case("true") => Variant::Boolean(true),
            word if word.eq_ignore_ascii_case("false") => Variant::Boolean(false),
            word => return Err(self.wrong(&format!("unknown keyword \"{word}\""))),
        };
        self.place += length;
        Ok(value)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.place += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.place += 1;
        }
    }

    fn wrong(&self, what: &str) -> String {
        format!("{what}, pos {}", self.place.min(self.text.len()) + 1)
    }
}

/// An exact number while it has few enough digits and no exponent, else a floating-point one.
pub(super) fn read_number(literal: &str) -> Option<Variant> {
    let (sign, unsigned) = literal.strip_prefix('-').map_or((1, literal), |rest| (-1, rest));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || unsigned.ends_with('.') {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{}{fraction}", whole.trim_start_matches('0'));
    if is_digits(whole) && is_digits(fraction) && digits.len() <= DIGITS_MAX {
        let magnitude: i128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        return Some(Variant::Number(Number::new(sign * magnitude, fraction.len() as u8)));
    }
    literal.parse().ok().map(Variant::Double)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, stored: &str) {
        let read = parse(written, Duplicates::Refused).map(|value| value.to_json());
        assert_eq!(read.as_deref(), Ok(stored), "{written}");
        assert_eq!(Variant::from_json(stored).to_json(), stored, "read again");
    }

    #[test]
    fn values_have_one_form() {
        check(" null ", "null");
        check("-17", "-17");
        check("123.120", "123.12");
        check("1.0", "1");
        check("1.912e2", "1.912000000000000e+02");
        check("12345678901234567890123456789012345678", "12345678901234567890123456789012345678");
        check("123456789012345678901234567890123456789", "1.234567890123457e+38");
        check("[-1, 12, 289, 2188, false,]", "[-1,12,289,2188,false,undefined]");
        check("[1,,2]", "[1,undefined,2]");
        check(r#"{ "y" : false, "x" : "abc", "z": [ ] }"#, r#"{"x":"abc","y":false,"z":[]}"#);
        check(r#""\u00e9\/\n\ud83d\ude00""#, "\"é/\\n😀\"");
        check(r#""\u0032020-01-01""#, r#""2020-01-01""#);
        check("NaN", "NaN");
    }

    #[test]
    fn malformed_json_is_reported_with_its_position() {
        for (text, error) in [
            ("{bad", "missing key in object, pos 2"),
            ("bad", "unknown keyword \"bad\", pos 1"),
            ("[1 2]", "missing comma, pos 4"),
            ("\"x", "unfinished string, pos 2"),
            ("{\"a\":1,\"a\":2}", "duplicate object attribute \"a\", pos 13"),
            ("1 2", "extra characters, pos 3"),
            ("1.", "invalid number, pos 1"),
            ("{\"a\"", "missing colon, pos 5"),
        ] {
            assert_eq!(parse(text, Duplicates::Refused), Err(error.to_owned()), "{text}");
        }
        assert!(parse(&"[".repeat(10_000), Duplicates::Refused).is_err());
    }

    #[test]
    fn values_of_other_types_keep_their_type() {
        for (text, in_session_zone, name) in [
            ("2020-01-01", false, "DATE"),
            ("10:11:12", false, "TIME"),
            ("2020-01-01 10:11:12.000", false, "TIMESTAMP_NTZ"),
            ("2020-01-01 10:11:12.000 +0200", false, "TIMESTAMP_TZ"),
            ("2020-01-01 10:11:12.000 Z", true, "TIMESTAMP_LTZ"),
            ("ABCD", false, "BINARY"),
        ] {
            let value = Variant::Typed(TypedText { text: text.to_owned(), in_session_zone });
            assert_eq!(Variant::from_json(&value.to_json()), value);
            assert_eq!(value.type_name(), name);
        }
    }
}

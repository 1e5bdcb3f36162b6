//! The template of a statement: its text with integer and string literals, and placeholders of bound ones, replaced by marks.
//! Statements with the same template differ in values only and share a cached plan.

use std::ops::Range;

use crate::bindings::{BindingValue, Bindings};
use crate::source::{is_line_comment, without_comments_before};

/// Statements longer than this are rarely repeated.
const TEXT_BYTES_MAX: usize = 4096;
const VALUES_MAX: usize = 8;
/// Any whole number of so many digits is a 64-bit integer.
const DIGITS_MAX: usize = 18;
const LONGEST_TEXT: usize = 256;

/// Stand for values in a template; a text that has them itself has no template.
const NUMBER_MARK: char = '\u{1}';
const TEXT_MARK: char = '\u{2}';
/// Before the mark of a value that is bound: a column without an alias is named by the placeholder, not by the value.
const BOUND_MARK: char = '\u{3}';

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Where the statement is in the text, without the comments, blanks and semicolon around it.
    pub statement: Range<usize>,
    /// The text with marks in the places of the values. A number's mark contains its number of digits.
    pub text: String,
    /// In the order of the text.
    pub values: Vec<TemplateValue>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TemplateValue {
    /// The digits, as written.
    Integer(String),
    /// What stands between the quotes.
    Text(String),
}

impl TemplateValue {
    /// Another value of the same kind and length.
    pub fn neighbour(&self) -> Self {
        match self {
            Self::Integer(digits) => Self::Integer(next_in_place(digits, b'0'..=b'9')),
            Self::Text(text) => Self::Text(next_in_place(text, b'a'..=b'z')),
        }
    }
}

/// The template of a text that is plain to read; `None` for one with comments inside, variables, escapes, values of other
/// types bound, or anything else that could make a value look like something else.
pub fn template(request: &str, bindings: &Bindings) -> Option<Template> {
    let text = without_comments_before(request);
    let start = request.len() - text.len();
    if text.len() > TEXT_BYTES_MAX || text.contains([NUMBER_MARK, TEXT_MARK, BOUND_MARK]) {
        return None;
    }
    let template = String::with_capacity(text.len());
    let mut reader = Reader { text, at: 0, template, values: Vec::new(), bindings, placeholders: 0 };
    while let Some(byte) = reader.peek(0) {
        if reader.is_at_end() {
            break;
        }
        reader.read_token(byte)?;
    }
    let Reader { at, mut template, values, .. } = reader;
    template.truncate(template.trim_end().len());
    let statement = start..start + text[..at].trim_end().len();
    (values.len() <= VALUES_MAX).then_some(Template { statement, text: template, values })
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
    template: String,
    values: Vec<TemplateValue>,
    bindings: &'text Bindings,
    /// How many were read.
    placeholders: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Whether nothing but a semicolon and comments follows.
    fn is_at_end(&self) -> bool {
        let rest = &self.text[self.at..];
        (rest.starts_with(';') || rest.starts_with("/*") || is_line_comment(rest)) && is_blank(rest)
    }

    fn read_token(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'0'..=b'9' => self.read_number(),
            b'\'' => self.read_text()?,
            b'"' => self.copy_until_after(b'"')?,
            b'-' if self.peek(1) == Some(b'-') => return None,
            b'/' if matches!(self.peek(1), Some(b'/' | b'*')) => return None,
            b':' if self.peek(1) == Some(b':') => self.copy(2),
            b'?' => self.read_placeholder()?,
            b':' | b'$' | b'@' | b'#' | b'\\' | b'`' | b'{' | b';' => return None,
            _ if is_word(byte) => self.copy(self.word_length()),
            _ => self.copy(1),
        }
        Some(())
    }

    /// A number with a point or an exponent stays in the template.
    fn read_number(&mut self) {
        let length = self.number_length();
        let after_point = self.at > 0 && self.text.as_bytes()[self.at - 1] == b'.';
        let text = self.text;
        let digits = &text[self.at..self.at + length];
        if !is_plain_integer(digits) || after_point || length > DIGITS_MAX {
            return self.copy(length);
        }
        self.push_integer(digits);
        self.at += length;
    }

    fn read_text(&mut self) -> Option<()> {
        let text = self.text;
        let rest = &text[self.at + 1..];
        let length = rest.find(['\'', '\\'])?;
        let is_plain = rest.as_bytes()[length] == b'\'' && rest.as_bytes().get(length + 1) != Some(&b'\'');
        if !is_plain || length > LONGEST_TEXT {
            return None;
        }
        self.push_text(&rest[..length]);
        self.at += length + 2;
        Some(())
    }

    fn read_placeholder(&mut self) -> Option<()> {
        self.placeholders += 1;
        let binding = self.bindings.get(&self.placeholders.to_string())?;
        let BindingValue::One(Some(value)) = &binding.value else { return None };
        self.template.push(BOUND_MARK);
        match binding.type_name.to_ascii_uppercase().as_str() {
            "FIXED" if is_plain_integer(value) && value.len() <= DIGITS_MAX => self.push_integer(value),
            "TEXT" if value.len() <= LONGEST_TEXT => self.push_text(value),
            _ => return None,
        }
        self.at += 1;
        // `?1` is another placeholder.
        (!self.peek(0).is_some_and(is_word)).then_some(())
    }

    fn push_integer(&mut self, digits: &str) {
        self.values.push(TemplateValue::Integer(digits.to_owned()));
        self.template.push(NUMBER_MARK);
        self.template.push(char::from(b'a' + digits.len() as u8));
    }

    fn push_text(&mut self, text: &str) {
        self.values.push(TemplateValue::Text(text.to_owned()));
        self.template.push(TEXT_MARK);
    }

    fn copy_until_after(&mut self, end: u8) -> Option<()> {
        let length = self.text.as_bytes()[self.at + 1..].iter().position(|byte| *byte == end)?;
        self.copy(length + 2);
        Some(())
    }

    /// Copies whole characters: what is looked for at the ends is always ASCII.
    fn copy(&mut self, bytes: usize) {
        self.template.push_str(&self.text[self.at..self.at + bytes]);
        self.at += bytes;
    }

    fn word_length(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
    }

    fn number_length(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        rest.iter().position(|byte| !is_word(*byte) && *byte != b'.').unwrap_or(rest.len())
    }
}

fn is_plain_integer(digits: &str) -> bool {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number && (digits.len() == 1 || !digits.starts_with('0'))
}

/// Whether the text has nothing but blanks, comments and at most one semicolon.
fn is_blank(text: &str) -> bool {
    let before = without_comments_before(text);
    let rest = without_comments_before(before.strip_prefix(';').unwrap_or(before));
    rest.is_empty() || is_line_comment(rest) && !rest.contains('\n')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The text with its last character of the range replaced by a neighbour, or with one added if there is none.
fn next_in_place(text: &str, range: std::ops::RangeInclusive<u8>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    match bytes.iter().rposition(|byte| range.contains(byte)) {
        Some(last) => bytes[last] = if bytes[last] == *range.end() { *range.end() - 1 } else { bytes[last] + 1 },
        None => bytes.push(*range.start()),
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::expect_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::bindings::Binding;

    fn values(text: &str) -> Vec<String> {
        values_with(text, &[])
    }

    /// With values bound by position, each with its type.
    fn values_with(text: &str, bound: &[(&str, &str)]) -> Vec<String> {
        let bindings = bindings(bound);
        let Some(template) = template(text, &bindings) else { return vec!["none".to_owned()] };
        let shown = |value: &TemplateValue| match value {
            TemplateValue::Integer(digits) => digits.clone(),
            TemplateValue::Text(text) => format!("'{text}'"),
        };
        template.values.iter().map(shown).collect()
    }

    fn bindings(bound: &[(&str, &str)]) -> Bindings {
        let binding = |(place, (type_name, value)): (usize, &(&str, &str))| {
            let value = BindingValue::One((*value != "NULL").then(|| (*value).to_owned()));
            ((place + 1).to_string(), Binding { type_name: (*type_name).to_owned(), value })
        };
        bound.iter().enumerate().map(binding).collect()
    }

    #[test]
    fn values_are_taken_out() {
        assert_eq!(values("SELECT a1, 12 FROM t_2 WHERE x = 'é7' AND \"5\" < 0"), ["12", "'é7'", "0"]);
        assert_eq!(values("select 1.5, .5, 1e5, 007, 5.x, v[3]"), ["3"]);
        assert_eq!(values("select 1234567890123456789"), [""; 0]);
        assert_eq!(values("select -7"), ["7"]);
        assert_eq!(values("select ''"), ["''"]);
    }

    #[test]
    fn texts_that_are_not_plain_have_no_template() {
        for text in [
            "select 'it''s'",
            "select 'a\\'b'",
            "select 1 -- 2\n + 3",
            "select /* 3 */ 1",
            "select 1 // 2\n, 4",
            "select 1 /* 2 */ + 3",
            "select 1 /* 2",
            "select $1",
            "select ?",
            "select :1",
            "select v:a",
            "select $$a$$",
            "select 1; select 2",
            "select 1;;",
            "select 'open",
            "select \"open",
            "@s/5",
        ] {
            assert_eq!(values(text), ["none"], "{text}");
        }
        assert_eq!(values("select a::number(5)"), ["5"]);
    }

    #[test]
    fn comments_and_a_semicolon_around_the_statement_are_no_part_of_it() {
        let plain = template("select 12", &Bindings::default()).expect("a template");
        for text in [
            " -- by 7\nselect 12",
            "/* {\"id\": 8} */ // '\n select 12",
            "select 12 ;",
            "select 12 -- 9",
            "select 12\r\n; /* it's 9 */ -- 10\n",
        ] {
            let found = template(text, &Bindings::default()).expect("a template");
            assert_eq!((&found.text, &found.values), (&plain.text, &plain.values), "{text}");
            assert_eq!(&text[found.statement], "select 12");
        }
    }

    #[test]
    fn values_that_are_bound_are_taken_out() {
        assert_eq!(
            values_with("select a from t where a = ? and b <> ? limit 3", &[("FIXED", "7"), ("text", "it's")]),
            ["7", "'it's'", "3"]
        );
        for (text, bound) in [
            ("select ?, ?", &[("FIXED", "1")][..]),
            ("select ?", &[("FIXED", "-1")]),
            ("select ?", &[("FIXED", "1.5")]),
            ("select ?", &[("FIXED", "01")]),
            ("select ?", &[("FIXED", "")]),
            ("select ?", &[("FIXED", "NULL")]),
            ("select ?", &[("DATE", "0")]),
            ("select ?1", &[("FIXED", "1")]),
        ] {
            assert_eq!(values_with(text, bound), ["none"], "{text} {bound:?}");
        }
    }

    #[test]
    fn one_template_has_values_of_the_same_kind_and_length() {
        let none = Bindings::default();
        let text = |text| template(text, &none).map(|template| template.text);
        assert_eq!(text("select 12 + 'a'"), text("select 99 + 'bcd'"));
        assert_ne!(text("select 12"), text("select 123"));
        assert_ne!(text("select 1"), text("select '1'"));
        assert_ne!(text("select 1 from a"), text("select 1 from b"));
        let bound = bindings(&[("FIXED", "1")]);
        let bound = template("select ?", &bound).map(|template| template.text);
        assert_ne!(text("select 1"), bound, "their columns have other names");
    }

    #[test]
    fn a_neighbour_differs_and_is_as_long() {
        let integer = |text: &str| TemplateValue::Integer(text.to_owned());
        assert_eq!(integer("9").neighbour(), integer("8"));
        assert_eq!(integer("0").neighbour(), integer("1"));
        assert_eq!(integer("19").neighbour(), integer("18"));
        assert_eq!(TemplateValue::Text("az1".to_owned()).neighbour(), TemplateValue::Text("ay1".to_owned()));
        assert_ne!(TemplateValue::Text(String::new()).neighbour(), TemplateValue::Text(String::new()));
        assert_ne!(TemplateValue::Text("É".to_owned()).neighbour(), TemplateValue::Text("É".to_owned()));
    }
}

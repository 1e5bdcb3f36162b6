//! The template of a statement: its text with integer and string literals replaced by marks. Statements with the same
//! template differ in values only and share a cached plan.

/// Statements longer than this are rarely repeated.
const TEXT_BYTES_MAX: usize = 4096;
const VALUES_MAX: usize = 8;
/// Any whole number of so many digits is a 64-bit integer.
const DIGITS_MAX: usize = 18;
const LONGEST_TEXT: usize = 256;

/// Stand for values in a template; a text that has them itself has no template.
const NUMBER_MARK: char = '\u{1}';
const TEXT_MARK: char = '\u{2}';

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
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

/// The template of a text that is plain to read; `None` for one with comments, variables, bindings, escapes or
/// anything else that could make a value look like something else.
pub fn template(text: &str) -> Option<Template> {
    if text.len() > TEXT_BYTES_MAX || text.contains([NUMBER_MARK, TEXT_MARK]) {
        return None;
    }
    let mut reader = Reader { text, at: 0, template: String::with_capacity(text.len()), values: Vec::new() };
    while let Some(byte) = reader.peek(0) {
        reader.read_token(byte)?;
    }
    (reader.values.len() <= VALUES_MAX).then_some(Template { text: reader.template, values: reader.values })
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
    template: String,
    values: Vec<TemplateValue>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn read_token(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'0'..=b'9' => self.read_number(),
            b'\'' => self.read_text()?,
            b'"' => self.copy_until_after(b'"')?,
            b'-' if self.peek(1) == Some(b'-') => return None,
            b'/' if matches!(self.peek(1), Some(b'/' | b'*')) => return None,
            b':' if self.peek(1) == Some(b':') => self.copy(2),
            b':' | b'$' | b'?' | b'@' | b'#' | b'\\' | b'`' | b'{' | b';' => return None,
            _ if is_word(byte) => self.copy(self.word_length()),
            _ => self.copy(1),
        }
        Some(())
    }

    /// A number with a point or an exponent stays in the template.
    fn read_number(&mut self) {
        let length = self.number_length();
        let after_point = self.at > 0 && self.text.as_bytes()[self.at - 1] == b'.';
        let digits = &self.text[self.at..self.at + length];
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (length == 1 || !digits.starts_with('0'));
        if !is_plain || after_point || length > DIGITS_MAX {
            return self.copy(length);
        }
        self.values.push(TemplateValue::Integer(digits.to_owned()));
        self.template.push(NUMBER_MARK);
        self.template.push(char::from(b'a' + length as u8));
        self.at += length;
    }

    fn read_text(&mut self) -> Option<()> {
        let rest = &self.text[self.at + 1..];
        let length = rest.find(['\'', '\\'])?;
        let is_plain = rest.as_bytes()[length] == b'\'' && rest.as_bytes().get(length + 1) != Some(&b'\'');
        if !is_plain || length > LONGEST_TEXT {
            return None;
        }
        self.values.push(TemplateValue::Text(rest[..length].to_owned()));
        self.template.push(TEXT_MARK);
        self.at += length + 2;
        Some(())
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
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let Some(template) = template(text) else { return vec!["none".to_owned()] };
        let shown = |value: &TemplateValue| match value {
            TemplateValue::Integer(digits) => digits.clone(),
            TemplateValue::Text(text) => format!("'{text}'"),
        };
        template.values.iter().map(shown).collect()
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
            "select 1 -- 2",
            "select /* 3 */ 1",
            "select 1 // 2",
            "select $1",
            "select ?",
            "select :1",
            "select v:a",
            "select $$a$$",
            "select 1;",
            "select 'open",
            "select \"open",
            "@s/5",
        ] {
            assert_eq!(values(text), ["none"], "{text}");
        }
        assert_eq!(values("select a::number(5)"), ["5"]);
    }

    #[test]
    fn one_template_has_values_of_the_same_kind_and_length() {
        let text = |text| template(text).map(|template| template.text);
        assert_eq!(text("select 12 + 'a'"), text("select 99 + 'bcd'"));
        assert_ne!(text("select 12"), text("select 123"));
        assert_ne!(text("select 1"), text("select '1'"));
        assert_ne!(text("select 1 from a"), text("select 1 from b"));
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

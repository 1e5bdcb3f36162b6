//! Structured types: `MAP(VARCHAR, INT)`, `ARRAY(FLOAT NOT NULL)`, `OBJECT(a INT, b VARCHAR)`.

use std::fmt;

use sqlparser::tokenizer::Token;

use crate::Failure;
use crate::command::DataType;
use crate::parse::data_type_of_text;
use crate::script::SourceStatement;
use crate::tokens::{is_word, tokenize};

const DEPTH_MAX: usize = 20;
/// What the names of fields begin with in a word.
const HIDDEN: &str = "FIRN__FIELD_";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuredType {
    Plain(DataType),
    Array(Box<Part>),
    Map { key: DataType, value: Box<Part> },
    Object(Vec<(String, Part)>),
}

/// What is inside of a structured type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: StructuredType,
    /// NOT NULL.
    pub is_required: bool,
}

impl fmt::Display for StructuredType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(data_type) => formatter.write_str(&data_type.full_name()),
            Self::Array(element) => write!(formatter, "ARRAY({element})"),
            Self::Map { key, value } => write!(formatter, "MAP({}, {value})", key.full_name()),
            Self::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, part)| format!("{} {part}", shown_identifier(name))).collect();
                write!(formatter, "OBJECT({})", fields.join(", "))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.kind, self.suffix())
    }
}

impl Part {
    fn suffix(&self) -> &'static str {
        if self.is_required { " NOT NULL" } else { "" }
    }

    fn word(&self) -> String {
        format!("{}{}", self.kind.word(), self.suffix())
    }
}

impl StructuredType {
    /// The type as one word of the syntax tree, in which names of fields survive that words are folded to upper case.
    pub fn word(&self) -> String {
        match self {
            Self::Plain(DataType::Varchar { length: None }) => "VARCHAR".to_owned(),
            Self::Plain(data_type) => data_type.full_name(),
            Self::Array(element) => format!("ARRAY({})", element.word()),
            Self::Map { key: DataType::Varchar { .. }, value } => format!("MAP(VARCHAR,{})", value.word()),
            Self::Map { key, value } => format!("MAP({},{})", key.full_name(), value.word()),
            Self::Object(fields) => {
                let digits = |name: &str| name.bytes().map(|byte| format!("{byte:02X}")).collect::<String>();
                let fields: Vec<String> =
                    fields.iter().map(|(name, part)| format!("{HIDDEN}{} {}", digits(name), part.word())).collect();
                format!("OBJECT({})", fields.join(","))
            }
        }
    }

    pub fn outermost(&self) -> &'static str {
        match self {
            Self::Array(_) => "ARRAY",
            Self::Map { .. } => "MAP",
            Self::Object(_) | Self::Plain(_) => "OBJECT",
        }
    }

    /// What is found under a key, or at a place if there is none.
    pub fn part(&self, key: Option<&str>) -> Option<&StructuredType> {
        match (self, key) {
            (Self::Array(part), None) | (Self::Map { value: part, .. }, _) => Some(&part.kind),
            (Self::Object(fields), Some(key)) => {
                fields.iter().find(|(name, _)| name == key).map(|(_, part)| &part.kind)
            }
            _ => None,
        }
    }
}

fn shown_identifier(name: &str) -> String {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The name of a field in a word.
fn shown_name(hidden: &str) -> Option<String> {
    let digits = hidden.strip_prefix(HIDDEN)?;
    let byte = |place| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Reads a type, also as `word` writes it.
pub fn structured_type_of_text(text: &str) -> Result<StructuredType, Failure> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let tokens: Vec<Token> = tokenize(&source)?.into_iter().map(|token| token.token).collect();
    read(&tokens)
        .filter(|(_, length)| tokens[*length..].iter().all(is_space))
        .map(|(found, _)| found)
        .ok_or_else(refused)
}

fn refused() -> Failure {
    Failure::unsupported("this structured type; use MAP(VARCHAR, …), ARRAY(…) and OBJECT(…)")
}

/// The structured type the tokens begin with and how many of them it takes.
pub(crate) fn read(tokens: &[Token]) -> Option<(StructuredType, usize)> {
    let mut place = Place { tokens, next: 0 };
    let found = place.structured(0)?;
    Some((found, place.next))
}

fn is_space(token: &Token) -> bool {
    matches!(token, Token::Whitespace(_) | Token::EOF)
}

struct Place<'tokens> {
    tokens: &'tokens [Token],
    next: usize,
}

impl<'tokens> Place<'tokens> {
    fn peek(&mut self) -> Option<&'tokens Token> {
        while self.tokens.get(self.next).is_some_and(is_space) {
            self.next += 1;
        }
        self.tokens.get(self.next)
    }

    fn take(&mut self) -> Option<&'tokens Token> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }

    fn eat(&mut self, wanted: &Token) -> bool {
        let found = self.peek() == Some(wanted);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &Token) -> Option<()> {
        self.eat(wanted).then_some(())
    }

    fn structured(&mut self, depth: usize) -> Option<StructuredType> {
        if depth > DEPTH_MAX {
            return None;
        }
        let start = self.next;
        let Token::Word(word) = self.take()? else { return None };
        let name = word.value.to_ascii_uppercase();
        if word.quote_style.is_some()
            || !matches!(name.as_str(), "MAP" | "ARRAY" | "OBJECT")
            || !self.eat(&Token::LParen)
        {
            self.next = start;
            return self.plain();
        }
        let found = match name.as_str() {
            "ARRAY" => StructuredType::Array(Box::new(self.part(depth)?)),
            "MAP" => {
                let key = self.key()?;
                self.expect(&Token::Comma)?;
                StructuredType::Map { key, value: Box::new(self.part(depth)?) }
            }
            _ => self.fields(depth)?,
        };
        self.expect(&Token::RParen)?;
        Some(found)
    }

    fn fields(&mut self, depth: usize) -> Option<StructuredType> {
        let mut fields = Vec::new();
        loop {
            let Token::Word(name) = self.take()? else { return None };
            let name = shown_name(&name.value).unwrap_or_else(|| name.value.clone());
            fields.push((name, self.part(depth)?));
            if !self.eat(&Token::Comma) {
                return Some(StructuredType::Object(fields));
            }
        }
    }

    /// Texts and whole numbers.
    fn key(&mut self) -> Option<DataType> {
        match self.plain()? {
            StructuredType::Plain(
                key @ (DataType::Varchar { .. } | DataType::Integer | DataType::Number { scale: 0, .. }),
            ) => Some(key),
            _ => None,
        }
    }

    fn part(&mut self, depth: usize) -> Option<Part> {
        let kind = self.structured(depth + 1)?;
        let is_required = self.eat_word("NOT");
        if is_required && !self.eat_word("NULL") {
            return None;
        }
        Some(Part { kind, is_required })
    }

    fn eat_word(&mut self, wanted: &str) -> bool {
        let found = self.peek().is_some_and(|token| is_word(token, wanted));
        self.next += usize::from(found);
        found
    }

    fn plain(&mut self) -> Option<StructuredType> {
        let Token::Word(word) = self.take()? else { return None };
        let mut text = word.value.clone();
        if self.eat(&Token::LParen) {
            let mut arguments = Vec::new();
            loop {
                let Token::Number(number, false) = self.take()? else { return None };
                arguments.push(number.clone());
                if !self.eat(&Token::Comma) {
                    break;
                }
            }
            self.expect(&Token::RParen)?;
            text = format!("{text}({})", arguments.join(","));
        }
        let data_type = data_type_of_text(&text).ok()?;
        let is_kept = !matches!(
            data_type,
            DataType::Geography | DataType::Geometry | DataType::Vector { .. } | DataType::Structured(_)
        );
        is_kept.then_some(StructuredType::Plain(data_type))
    }
}

#[cfg(test)]
mod tests {
    use super::structured_type_of_text;

    #[test]
    fn types_are_written_as_they_are_read() {
        for (text, expected) in [
            ("map(varchar, int)", Some("MAP(VARCHAR(16777216), NUMBER(38,0))")),
            ("map(int, varchar not null)", Some("MAP(NUMBER(38,0), VARCHAR(16777216) NOT NULL)")),
            ("ARRAY( NUMBER(10,2) )", Some("ARRAY(NUMBER(10,2))")),
            ("array(int not null)", Some("ARRAY(NUMBER(38,0) NOT NULL)")),
            ("object(a int, \"B c\" array(date))", Some("OBJECT(a NUMBER(38,0), \"B c\" ARRAY(DATE))")),
            ("map(float, int)", None),
            ("array(int not)", None),
            ("array(int) x", None),
            ("map(varchar, geography)", None),
        ] {
            let found = structured_type_of_text(text).ok().map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
            if let Ok(found) = structured_type_of_text(text) {
                let read = structured_type_of_text(&found.word().to_uppercase());
                assert_eq!(read.map(|read| read.to_string()), Ok(found.to_string()));
            }
        }
    }
}

//! Structured types, which casts may name: `MAP(VARCHAR, INT)`, `ARRAY(FLOAT)`, `OBJECT(a INT, b VARCHAR)`.

use std::fmt;

use sqlparser::tokenizer::Token;

use crate::Failure;
use crate::command::DataType;
use crate::parse::data_type_of_text;
use crate::script::SourceStatement;
use crate::tokens::{is_word, tokenize};

const DEPTH_MAX: usize = 20;
const HIDDEN: &str = "FIELD_";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructuredType {
    Plain(DataType),
    Array(Box<StructuredType>),
    /// From texts to values of the type.
    Map(Box<StructuredType>),
    Object(Vec<(String, StructuredType)>),
}

impl fmt::Display for StructuredType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(DataType::Varchar { length: None }) => formatter.write_str("VARCHAR"),
            Self::Plain(data_type) => formatter.write_str(&data_type.full_name()),
            Self::Array(element) => write!(formatter, "ARRAY({element})"),
            Self::Map(value) => write!(formatter, "MAP(VARCHAR,{value})"),
            Self::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, kind)| format!("\"{}\" {kind}", name.replace('"', "\"\""))).collect();
                write!(formatter, "OBJECT({})", fields.join(","))
            }
        }
    }
}

impl StructuredType {
    /// The type as one word of the syntax tree, in which names of fields survive that words are folded to upper case.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::Plain(_) => self.to_string(),
            Self::Array(element) => format!("ARRAY({})", element.word()),
            Self::Map(value) => format!("MAP(VARCHAR,{})", value.word()),
            Self::Object(fields) => {
                let digits = |name: &str| name.bytes().map(|byte| format!("{byte:02X}")).collect::<String>();
                let fields: Vec<String> =
                    fields.iter().map(|(name, kind)| format!("{HIDDEN}{} {}", digits(name), kind.word())).collect();
                format!("OBJECT({})", fields.join(","))
            }
        }
    }
}

/// The name of a field in a word.
fn shown_name(hidden: &str) -> Option<String> {
    let digits = hidden.strip_prefix(HIDDEN)?;
    let byte = |place| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    String::from_utf8(bytes?).ok()
}

/// Reads what `word` wrote.
pub fn structured_type_of_word(word: &str) -> Result<StructuredType, Failure> {
    let mut found = structured_type_of_text(word)?;
    show_names(&mut found);
    Ok(found)
}

fn show_names(kind: &mut StructuredType) {
    match kind {
        StructuredType::Plain(_) => {}
        StructuredType::Array(inside) | StructuredType::Map(inside) => show_names(inside),
        StructuredType::Object(fields) => {
            for (name, kind) in fields {
                if let Some(shown) = shown_name(name) {
                    *name = shown;
                }
                show_names(kind);
            }
        }
    }
}

pub fn structured_type_of_text(text: &str) -> Result<StructuredType, Failure> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let tokens: Vec<Token> = tokenize(&source)?.into_iter().map(|token| token.token).collect();
    read(&tokens)
        .filter(|(_, length)| tokens[*length..].iter().all(is_space))
        .map(|(found, _)| found)
        .ok_or_else(refused)
}

fn refused() -> Failure {
    Failure::unsupported("this structured type; use MAP(VARCHAR, …), ARRAY(…) and OBJECT(…) of plain types")
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
                let key = self.plain()?;
                if !matches!(key, StructuredType::Plain(DataType::Varchar { .. })) {
                    return None;
                }
                self.expect(&Token::Comma)?;
                StructuredType::Map(Box::new(self.part(depth)?))
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
            fields.push((name.value.clone(), self.part(depth)?));
            if !self.eat(&Token::Comma) {
                return Some(StructuredType::Object(fields));
            }
        }
    }

    /// A type inside of another. That it may not be NULL is not kept, so it is refused.
    fn part(&mut self, depth: usize) -> Option<StructuredType> {
        let found = self.structured(depth + 1)?;
        if self.peek().is_some_and(|token| is_word(token, "NOT")) { None } else { Some(found) }
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
        let is_kept = matches!(
            data_type,
            DataType::Varchar { .. }
                | DataType::Number { .. }
                | DataType::Integer
                | DataType::Float
                | DataType::Boolean
                | DataType::Variant
                | DataType::Object
                | DataType::Array
        );
        is_kept.then_some(StructuredType::Plain(data_type))
    }
}

#[cfg(test)]
mod tests {
    use super::{structured_type_of_text, structured_type_of_word};

    #[test]
    fn types_are_written_as_they_are_read() {
        for (text, expected) in [
            ("map(varchar, int)", Some("MAP(VARCHAR,NUMBER(38,0))")),
            ("ARRAY( NUMBER(10,2) )", Some("ARRAY(NUMBER(10,2))")),
            ("object(a int, \"B c\" array(float))", Some("OBJECT(\"a\" NUMBER(38,0),\"B c\" ARRAY(FLOAT))")),
            ("map(int, int)", None),
            ("array(int not null)", None),
            ("array(int) x", None),
            ("map(varchar, date)", None),
        ] {
            let found = structured_type_of_text(text).ok().map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
            if let Ok(found) = structured_type_of_text(text) {
                let read = structured_type_of_word(&found.word().to_uppercase());
                assert_eq!(read.map(|read| read.to_string()), Ok(found.to_string()));
            }
        }
    }
}

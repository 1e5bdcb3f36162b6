//! Reads structured types from tokens.

use sqlparser::tokenizer::Token;

use super::data_types::data_type_of_text;
use crate::Failure;
use crate::data_types::{DataType, Part, StructuredType, field_name};
use crate::source::SourceStatement;
use crate::tokens::{is_word, tokenize};

const DEPTH_MAX: usize = 20;

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
            let name = field_name(&name.value).unwrap_or_else(|| name.value.clone());
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
        let is_element_type = !matches!(
            data_type,
            DataType::Geography | DataType::Geometry | DataType::Vector { .. } | DataType::Structured(_)
        );
        is_element_type.then_some(StructuredType::Plain(data_type))
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

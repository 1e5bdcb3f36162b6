//! Declarations: of DECLARE sections, and of LET.

use sqlparser::tokenizer::Token;

use super::reader::BlockReader;
use super::{Declaration, DeclaredKind, Fragment, Source};
use crate::Failure;
use crate::data_types::DataType;
use crate::reader::data_type_of_text;
use crate::tokens::is_word;

impl BlockReader<'_> {
    pub(super) fn declarations(&mut self) -> Result<Vec<Declaration>, Failure> {
        let mut declarations = Vec::new();
        while !self.at("BEGIN") {
            declarations.push(self.declaration()?);
        }
        Ok(declarations)
    }

    /// One declaration and its semicolon.
    pub(super) fn declaration(&mut self) -> Result<Declaration, Failure> {
        let name = self.identifier()?;
        let kind = if self.eat("CURSOR") {
            self.expect("FOR")?;
            DeclaredKind::Cursor(self.source()?)
        } else if self.eat("RESULTSET") {
            let source = if self.eat_assignment() { Some(self.source()?) } else { None };
            DeclaredKind::ResultSet(source)
        } else if self.eat("EXCEPTION") {
            self.exception()?
        } else if self.eat("PROCEDURE") {
            let kind = self.procedure(&name)?;
            return Ok(Declaration { name, kind });
        } else {
            self.variable()?
        };
        self.expect_token(&Token::SemiColon)?;
        Ok(Declaration { name, kind })
    }

    pub(super) fn eat_assignment(&mut self) -> bool {
        if self.eat("DEFAULT") || self.eat_token(&Token::Assignment) {
            return true;
        }
        false
    }

    fn variable(&mut self) -> Result<DeclaredKind, Failure> {
        let data_type = self.optional_type()?;
        let value =
            if self.eat_assignment() { Some(self.fragment_until(|token| *token == Token::SemiColon)?) } else { None };
        if data_type.is_none() && value.is_none() {
            return Err(self.unexpected());
        }
        Ok(DeclaredKind::Variable { data_type, value })
    }

    fn optional_type(&mut self) -> Result<Option<DataType>, Failure> {
        let is_end = |token: &Token| matches!(token, Token::Assignment | Token::SemiColon) || is_word(token, "DEFAULT");
        if is_end(self.peek()) {
            return Ok(None);
        }
        let Fragment { text, .. } = self.fragment_until(is_end)?;
        data_type_of_text(&text).map(Some)
    }

    /// A query, with or without brackets, or the name of a result set.
    fn source(&mut self) -> Result<Source, Failure> {
        if let (Token::Word(_), Token::SemiColon) = (self.peek(), self.peek_nth(1)) {
            return Ok(Source::ResultSet(self.identifier()?));
        }
        self.eat_async();
        if *self.peek() != Token::LParen {
            return Ok(Source::Statement(self.fragment_until(|token| *token == Token::SemiColon)?));
        }
        self.statement_in_brackets().map(Source::Statement)
    }

    /// `ASYNC (…)` may run beside what follows; here it has run before that.
    pub(super) fn eat_async(&mut self) {
        if *self.peek_nth(1) == Token::LParen {
            self.eat("ASYNC");
        }
    }

    pub(super) fn statement_in_brackets(&mut self) -> Result<Fragment, Failure> {
        self.expect_token(&Token::LParen)?;
        let fragment = self.fragment_until(|_| false)?;
        self.expect_token(&Token::RParen)?;
        Ok(fragment)
    }

    /// `EXCEPTION (-20001, 'message')`.
    fn exception(&mut self) -> Result<DeclaredKind, Failure> {
        let (mut code, mut message) = (-20_000, String::new());
        if self.eat_token(&Token::LParen) {
            let negative = self.eat_token(&Token::Minus);
            let Token::Number(digits, _) = self.peek() else { return Err(self.unexpected()) };
            let number: i64 = digits.parse().map_err(|_| self.unexpected())?;
            code = if negative { -number } else { number };
            self.advance();
            if self.eat_token(&Token::Comma) {
                message = self.string()?;
            }
            self.expect_token(&Token::RParen)?;
            if !(-20_999..=-20_000).contains(&code) {
                return Err(Failure::invalid_value("exception number", &code.to_string(), "use -20000 to -20999"));
            }
        }
        Ok(DeclaredKind::Exception { code, message })
    }
}

//! The steps of a block.

use sqlparser::tokenizer::Token;

use super::reader::BlockReader;
use super::{Action, Argument, Assigned, Block, CalledName, Fragment, Returned, Special, Step};
use crate::Failure;
use crate::names::ObjectName;
use crate::tokens::is_word;

impl BlockReader<'_> {
    pub(super) fn step(&mut self) -> Result<Step, Failure> {
        let (line, position) = self.place();
        let action = match self.peek() {
            Token::Word(word) if word.quote_style.is_none() => self.action(&word.value.to_ascii_uppercase())?,
            Token::Word(_) if *self.peek_nth(1) == Token::Assignment => self.assignment()?,
            Token::LParen => Action::Statement(self.fragment_to_semicolon()?),
            _ => return Err(self.unexpected()),
        };
        Ok(Step { line, position, action })
    }

    fn action(&mut self, word: &str) -> Result<Action, Failure> {
        if *self.peek_nth(1) == Token::Assignment {
            return self.assignment();
        }
        match word {
            "LET" => {
                self.advance();
                self.declaration().map(Action::Declare)
            }
            "IF" => self.if_step(),
            "CASE" => self.case_step(),
            "FOR" => self.for_loop(),
            "WHILE" => self.while_loop(),
            "LOOP" => self.plain_loop(),
            "REPEAT" => self.repeat_loop(),
            "BREAK" | "EXIT" => self.jump().map(Action::Break),
            "CONTINUE" | "ITERATE" => self.jump().map(Action::Continue),
            "RETURN" => self.return_step(),
            "RAISE" => self.jump().map(Action::Raise),
            "OPEN" => self.open(),
            "FETCH" => self.fetch(),
            "CLOSE" => {
                self.advance();
                let cursor = self.identifier()?;
                self.expect_token(&Token::SemiColon)?;
                Ok(Action::Close(cursor))
            }
            "NULL" => {
                self.advance();
                self.expect_token(&Token::SemiColon)?;
                Ok(Action::Nothing)
            }
            "DECLARE" => self.nested(),
            "BEGIN" if begins_block(self.peek_nth(1)) => self.nested(),
            "ASYNC" if *self.peek_nth(1) == Token::LParen => {
                self.eat_async();
                let statement = self.statement_in_brackets()?;
                self.expect_token(&Token::SemiColon)?;
                Ok(Action::Statement(statement))
            }
            "AWAIT" => {
                self.advance();
                self.identifier()?;
                self.expect_token(&Token::SemiColon)?;
                Ok(Action::Nothing)
            }
            "ASYNC" | "CANCEL" => Err(Failure::unsupported(&format!("{word} in a block"))),
            _ => self.fragment_to_semicolon().map(Action::Statement),
        }
    }

    fn nested(&mut self) -> Result<Action, Failure> {
        let block: Block = self.block()?;
        Ok(Action::Nested(block))
    }

    fn assignment(&mut self) -> Result<Action, Failure> {
        let name = self.identifier()?;
        self.expect_token(&Token::Assignment)?;
        self.eat_async();
        let is_statement = *self.peek() == Token::LParen
            && ["SELECT", "WITH", "EXECUTE", "CALL", "SHOW", "DESCRIBE", "DESC"]
                .iter()
                .any(|word| self.at_nth(1, word));
        let value = if is_statement && self.ends_after_brackets() {
            Assigned::Query(self.statement_in_brackets()?)
        } else {
            Assigned::Expression(self.fragment_until(|token| *token == Token::SemiColon)?)
        };
        self.expect_token(&Token::SemiColon)?;
        Ok(Action::Assign { name, value })
    }

    /// Whether the bracket that opens here closes right before a semicolon.
    fn ends_after_brackets(&self) -> bool {
        let mut depth = 0_usize;
        for distance in 0.. {
            match self.peek_nth(distance) {
                Token::LParen => depth += 1,
                Token::RParen if depth == 1 => return *self.peek_nth(distance + 1) == Token::SemiColon,
                Token::RParen => depth -= 1,
                Token::EOF => return false,
                _ => {}
            }
        }
        false
    }

    fn if_step(&mut self) -> Result<Action, Failure> {
        self.expect("IF")?;
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            let condition = self.fragment_until_word("THEN")?;
            branches.push((condition, self.steps(&["ELSEIF", "ELSE", "END"])?));
            if self.eat("ELSEIF") {
                continue;
            }
            if self.eat("ELSE") {
                otherwise = self.steps(&["END"])?;
            }
            break;
        }
        self.expect("END")?;
        self.expect("IF")?;
        self.expect_token(&Token::SemiColon)?;
        Ok(Action::If { branches, otherwise })
    }

    fn case_step(&mut self) -> Result<Action, Failure> {
        self.expect("CASE")?;
        let operand = if self.at("WHEN") { None } else { Some(self.fragment_until(|token| is_word(token, "WHEN"))?) };
        let mut branches = Vec::new();
        while self.eat("WHEN") {
            let condition = self.fragment_until_word("THEN")?;
            branches.push((condition, self.steps(&["WHEN", "ELSE", "END"])?));
        }
        let otherwise = if self.eat("ELSE") { Some(self.steps(&["END"])?) } else { None };
        self.expect("END")?;
        self.eat("CASE");
        self.expect_token(&Token::SemiColon)?;
        Ok(Action::Case { operand, branches, otherwise })
    }

    /// BREAK, CONTINUE and RAISE, each with or without a name.
    fn jump(&mut self) -> Result<Option<String>, Failure> {
        self.advance();
        let name = if *self.peek() == Token::SemiColon { None } else { Some(self.identifier()?) };
        self.expect_token(&Token::SemiColon)?;
        Ok(name)
    }

    fn return_step(&mut self) -> Result<Action, Failure> {
        self.expect("RETURN")?;
        if self.eat_token(&Token::SemiColon) {
            return Ok(Action::Return(Returned::Nothing));
        }
        if self.at("TABLE") && *self.peek_nth(1) == Token::LParen {
            self.advance();
            let inside: Fragment = self.statement_in_brackets()?;
            self.expect_token(&Token::SemiColon)?;
            let of_cursor = cursor_of(&inside.text);
            if let Some(cursor) = of_cursor {
                return Ok(Action::Return(Returned::ResultSet(cursor)));
            }
            let is_name = inside.text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            return Ok(Action::Return(match is_name {
                true => Returned::ResultSet(inside.text.to_uppercase()),
                false => Returned::Query(inside),
            }));
        }
        self.fragment_to_semicolon().map(|value| Action::Return(Returned::Expression(value)))
    }

    /// `EXECUTE IMMEDIATE text [USING (a, b)]`.
    pub(super) fn execute_immediate(&mut self) -> Result<Special, Failure> {
        self.expect("EXECUTE")?;
        if !self.at("IMMEDIATE") {
            let what = self.identifier()?;
            return Err(Failure::unsupported(&format!("EXECUTE {what}")));
        }
        self.advance();
        if self.eat("FROM") {
            return self.execute_file();
        }
        let text = self.fragment_until(|token| is_word(token, "USING"))?;
        let using = if self.eat("USING") { self.fragments_in_brackets()? } else { Vec::new() };
        self.expect_end()?;
        Ok(Special::ExecuteImmediate { text, using })
    }

    /// After `EXECUTE IMMEDIATE FROM`: a place on a stage, quoted or not. What makes a template of the file is refused.
    fn execute_file(&mut self) -> Result<Special, Failure> {
        let place = match self.peek() {
            Token::SingleQuotedString(_) => self.string()?,
            _ => self.fragment_until(|token| ["USING", "DRY_RUN"].iter().any(|word| is_word(token, word)))?.text,
        };
        if self.at("USING") || self.at("DRY_RUN") {
            return Err(Failure::unsupported("EXECUTE IMMEDIATE FROM a template"));
        }
        self.expect_end()?;
        Ok(Special::ExecuteFile(place.trim().to_owned()))
    }

    /// `CALL p(a, name => b) [INTO :x]`.
    pub(super) fn call(&mut self) -> Result<Special, Failure> {
        self.expect("CALL")?;
        let name = self.called_name()?;
        if let (Token::ExclamationMark, Token::Word(method)) = (self.peek(), self.peek_nth(1)) {
            return Err(Failure::method(&method.value));
        }
        self.expect_token(&Token::LParen)?;
        let mut arguments = Vec::new();
        while !self.eat_token(&Token::RParen) {
            let named = *self.peek_nth(1) == Token::RArrow;
            let name = if named { Some(self.identifier()?) } else { None };
            self.eat_token(&Token::RArrow);
            let value = self.fragment_until(|token| *token == Token::Comma)?;
            self.eat_token(&Token::Comma);
            arguments.push(Argument { name, value });
        }
        let into = if self.eat("INTO") {
            self.eat_token(&Token::Colon);
            Some(self.identifier()?)
        } else {
            None
        };
        self.expect_end()?;
        Ok(Special::Call { name, arguments, into })
    }

    /// `db.schema.p`, or `IDENTIFIER(text)`.
    fn called_name(&mut self) -> Result<CalledName, Failure> {
        if self.at("IDENTIFIER") && *self.peek_nth(1) == Token::LParen {
            self.advance();
            return self.statement_in_brackets().map(CalledName::Computed);
        }
        let mut parts = vec![self.identifier()?];
        while self.eat_token(&Token::Period) {
            parts.push(self.identifier()?);
        }
        ObjectName::of_parts(parts).map(CalledName::Written).ok_or_else(|| self.unexpected())
    }

    fn open(&mut self) -> Result<Action, Failure> {
        self.expect("OPEN")?;
        let cursor = self.identifier()?;
        let using = if self.eat("USING") { self.fragments_in_brackets()? } else { Vec::new() };
        self.expect_token(&Token::SemiColon)?;
        Ok(Action::Open { cursor, using })
    }

    fn fetch(&mut self) -> Result<Action, Failure> {
        self.expect("FETCH")?;
        let cursor = self.identifier()?;
        self.expect("INTO")?;
        let mut into = Vec::new();
        loop {
            self.eat_token(&Token::Colon);
            into.push(self.identifier()?);
            if !self.eat_token(&Token::Comma) {
                break;
            }
        }
        self.expect_token(&Token::SemiColon)?;
        Ok(Action::Fetch { cursor, into })
    }
}

/// `RESULTSET_FROM_CURSOR(c)`.
fn cursor_of(text: &str) -> Option<String> {
    const NAME: &str = "RESULTSET_FROM_CURSOR";
    let start = text.get(..NAME.len()).filter(|start| start.eq_ignore_ascii_case(NAME))?;
    let cursor = text[start.len()..].trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    Some(cursor.to_uppercase())
}

fn begins_block(after_begin: &Token) -> bool {
    *after_begin != Token::SemiColon && !["WORK", "TRANSACTION", "NAME"].iter().any(|word| is_word(after_begin, word))
}

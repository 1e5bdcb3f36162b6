//! Reads a block token by token. Every failure names the token where reading stopped.

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::{AfterHandler, Block, Fragment, Handler, Step};
use crate::Failure;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::is_word;

/// Blocks and loops inside of each other.
const DEPTH_MAX: usize = 50;

pub(super) struct BlockReader<'a> {
    tokens: Vec<TokenWithSpan>,
    next: usize,
    map: SourceMap<'a>,
    depth: usize,
}

impl<'a> BlockReader<'a> {
    pub fn new(tokens: Vec<TokenWithSpan>, source: &'a SourceStatement) -> Self {
        let tokens = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        Self { tokens, next: 0, map: SourceMap::new(source), depth: 0 }
    }

    pub fn block(&mut self) -> Result<Block, Failure> {
        self.enter()?;
        let declarations = if self.eat("DECLARE") { self.declarations()? } else { Vec::new() };
        self.expect("BEGIN")?;
        let steps = self.steps(&["EXCEPTION", "END"])?;
        let handlers = if self.eat("EXCEPTION") { self.handlers()? } else { Vec::new() };
        self.expect("END")?;
        self.eat_token(&Token::SemiColon);
        self.depth -= 1;
        Ok(Block { carries_statement: false, declarations, steps, handlers })
    }

    /// One step alone, whose semicolon may be missing.
    pub fn only_step(&mut self) -> Result<Step, Failure> {
        if let Some(last) = self.tokens.last().filter(|last| last.token != Token::SemiColon) {
            let end = TokenWithSpan { token: Token::SemiColon, span: last.span };
            self.tokens.push(end);
        }
        let step = self.step()?;
        while self.eat_token(&Token::SemiColon) {}
        self.expect_end()?;
        Ok(step)
    }

    /// Steps up to one of these words, which is left to the caller.
    pub fn steps(&mut self, ends: &[&str]) -> Result<Vec<Step>, Failure> {
        self.enter()?;
        let mut steps = Vec::new();
        loop {
            // A semicolon alone is a step that does nothing.
            while self.eat_token(&Token::SemiColon) {}
            if ends.iter().any(|end| self.at(end)) {
                break;
            }
            steps.push(self.step()?);
        }
        self.depth -= 1;
        Ok(steps)
    }

    fn enter(&mut self) -> Result<(), Failure> {
        self.depth += 1;
        match self.depth > DEPTH_MAX {
            true => Err(Failure::new(
                "000603",
                "54001",
                format!("SQL compilation error: blocks nest deeper than {DEPTH_MAX}."),
            )),
            false => Ok(()),
        }
    }

    fn handlers(&mut self) -> Result<Vec<Handler>, Failure> {
        let mut handlers = Vec::new();
        while self.eat("WHEN") {
            let mut names = vec![self.identifier()?];
            while self.eat("OR") {
                names.push(self.identifier()?);
            }
            let then = match self.eat("CONTINUE") {
                true => AfterHandler::Continue,
                false => AfterHandler::Exit,
            };
            self.eat("EXIT");
            self.expect("THEN")?;
            handlers.push(Handler { names, steps: self.steps(&["WHEN", "END"])?, then });
        }
        Ok(handlers)
    }

    pub fn peek(&self) -> &Token {
        self.peek_nth(0)
    }

    pub fn peek_nth(&self, distance: usize) -> &Token {
        self.tokens.get(self.next + distance).map_or(&Token::EOF, |token| &token.token)
    }

    pub fn advance(&mut self) {
        self.next += 1;
    }

    pub fn at(&self, word: &str) -> bool {
        is_word(self.peek(), word)
    }

    pub fn at_nth(&self, distance: usize, word: &str) -> bool {
        is_word(self.peek_nth(distance), word)
    }

    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.at(word);
        self.next += usize::from(found);
        found
    }

    pub fn expect(&mut self, word: &str) -> Result<(), Failure> {
        if self.eat(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        self.next += usize::from(found);
        found
    }

    pub fn expect_token(&mut self, token: &Token) -> Result<(), Failure> {
        if self.eat_token(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub fn expect_end(&self) -> Result<(), Failure> {
        if *self.peek() == Token::EOF { Ok(()) } else { Err(self.unexpected()) }
    }

    pub fn identifier(&mut self) -> Result<String, Failure> {
        let name = match self.peek() {
            Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
            Token::Word(word) => word.value.clone(),
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(name)
    }

    pub fn string(&mut self) -> Result<String, Failure> {
        let text = match self.peek() {
            Token::SingleQuotedString(text) => text.clone(),
            Token::DollarQuotedString(text) => text.value.clone(),
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(text)
    }

    pub fn unexpected(&self) -> Failure {
        let place = self.tokens.get(self.next).or(self.tokens.last()).map(|token| token.span.start);
        self.map.syntax_error(place.unwrap_or(Location { line: 0, column: 0 }))
    }

    /// The number of the next token.
    pub fn next_place(&self) -> usize {
        self.next
    }

    /// The text from the token of this number up to the one before the next.
    pub fn text_since(&self, first: usize) -> &str {
        match (self.tokens.get(first), self.tokens.get(self.next.wrapping_sub(1))) {
            (Some(start), Some(end)) => self.map.slice(start.span.start, end.span.end),
            _ => "",
        }
    }

    /// Where the next token stands: line from 1, position from 0.
    pub fn place(&self) -> (u64, u64) {
        self.tokens.get(self.next).map_or((0, 0), |token| self.map.in_request(token.span.start))
    }

    /// The tokens up to where `is_end` says so outside of brackets and CASE expressions, as a text. The
    /// end itself is left.
    pub fn fragment_until(&mut self, is_end: impl Fn(&Token) -> bool) -> Result<Fragment, Failure> {
        let first = self.next;
        let (mut brackets, mut cases) = (0_usize, 0_usize);
        loop {
            let token = self.peek();
            if *token == Token::EOF || (brackets == 0 && cases == 0 && is_end(token)) {
                break;
            }
            match token {
                Token::LParen | Token::LBracket | Token::LBrace => brackets += 1,
                Token::RParen | Token::RBracket | Token::RBrace if brackets == 0 => break,
                Token::RParen | Token::RBracket | Token::RBrace => brackets -= 1,
                token if is_word(token, "CASE") => cases += 1,
                token if is_word(token, "END") && cases > 0 => cases -= 1,
                _ => {}
            }
            self.advance();
        }
        let (Some(start), Some(end)) = (self.tokens.get(first), self.tokens.get(self.next.wrapping_sub(1))) else {
            return Err(self.unexpected());
        };
        if self.next == first {
            return Err(self.unexpected());
        }
        let (line, position) = self.map.in_request(start.span.start);
        Ok(Fragment { text: self.map.slice(start.span.start, end.span.end).to_owned(), line, position })
    }

    /// Up to the semicolon, which is taken.
    pub fn fragment_to_semicolon(&mut self) -> Result<Fragment, Failure> {
        let fragment = self.fragment_until(|token| *token == Token::SemiColon)?;
        self.expect_token(&Token::SemiColon)?;
        Ok(fragment)
    }

    pub fn fragment_until_word(&mut self, word: &str) -> Result<Fragment, Failure> {
        let fragment = self.fragment_until(|token| is_word(token, word))?;
        self.expect(word)?;
        Ok(fragment)
    }

    /// `(a, b)` as texts.
    pub fn fragments_in_brackets(&mut self) -> Result<Vec<Fragment>, Failure> {
        self.expect_token(&Token::LParen)?;
        let mut fragments = Vec::new();
        while !self.eat_token(&Token::RParen) {
            fragments.push(self.fragment_until(|token| *token == Token::Comma)?);
            self.eat_token(&Token::Comma);
        }
        Ok(fragments)
    }
}

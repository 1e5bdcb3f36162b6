//! Reads a statement word by word. Every failure names the token where reading stopped, in the
//! request's own coordinates.

mod data_types;
mod names;
mod structured_types;

pub(crate) use data_types::read as read_type;
pub use data_types::{data_type_of_text, declared_type};
pub(crate) use names::{name_from_tree, name_parts_of};
pub(crate) use structured_types::read as read_structured_type;
pub use structured_types::structured_type_of_text;

use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use crate::dialect::DIALECT;
use crate::reserved_words::is_reserved;
use crate::session_rules::TimestampMapping;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::is_word;
use crate::{Failure, ast};

pub(crate) struct Reader<'a> {
    parser: Parser<'a>,
    source: &'a SourceStatement,
    nesting_depth_max: usize,
    /// What a TIMESTAMP is.
    pub timestamps: TimestampMapping,
}

impl<'a> Reader<'a> {
    pub fn new(tokens: Vec<TokenWithSpan>, source: &'a SourceStatement, nesting_depth_max: usize) -> Self {
        let timestamps = TimestampMapping::default();
        Self { parser: parser_of(tokens, nesting_depth_max), source, nesting_depth_max, timestamps }
    }

    /// The tokens it was made of.
    pub fn into_tokens(self) -> Vec<TokenWithSpan> {
        self.parser.into_tokens()
    }

    /// Takes the tokens of a clause out: those from `start` to before `end`, counted from here.
    pub fn take(&mut self, start: usize, end: usize) -> Self {
        let depth = self.nesting_depth_max;
        let mut rest: Vec<TokenWithSpan> = Vec::new();
        let mut taken = Vec::new();
        for place in 0.. {
            let token = self.parser.next_token();
            let is_end = token.token == Token::EOF;
            if is_end {
                taken.push(token.clone());
            }
            if (start..end).contains(&place) {
                taken.push(token)
            } else {
                rest.push(token)
            }
            if is_end {
                break;
            }
        }
        self.parser = parser_of(rest, depth);
        Self {
            parser: parser_of(taken, depth),
            source: self.source,
            nesting_depth_max: depth,
            timestamps: self.timestamps,
        }
    }

    /// The text of the statement, without what is before it.
    pub fn source_text(&self) -> &'a str {
        self.source.code()
    }

    /// The text from here to the end, which is read over.
    pub fn rest_text(&mut self) -> String {
        let start = SourceMap::new(self.source).offset(self.place());
        while !self.at_end() {
            self.advance();
        }
        self.source.text.get(start..).unwrap_or_default().to_owned()
    }

    /// The text from a place that was read over to here.
    pub fn text_since(&self, start: Location) -> String {
        let map = SourceMap::new(self.source);
        let text = match self.at_end() {
            true => self.source.text.get(map.offset(start)..).unwrap_or_default(),
            false => map.slice(start, self.place()),
        };
        text.trim().to_owned()
    }

    pub fn peek(&self) -> &Token {
        self.peek_nth(0)
    }

    pub fn peek_nth(&self, distance: usize) -> &Token {
        &self.parser.peek_nth_token_ref(distance).token
    }

    /// Looks at each token from here on until `look` gives something: that, and how many tokens are before it. The reader stays
    /// where it is. `peek_nth` counts from here every time.
    pub fn look_ahead<T>(&mut self, mut look: impl FnMut(&Self) -> Option<T>) -> Option<(usize, T)> {
        let mut passed = 0;
        let mut found = None;
        while *self.peek() != Token::EOF {
            found = look(self);
            if found.is_some() {
                break;
            }
            self.advance();
            passed += 1;
        }
        (0..passed).for_each(|_| self.parser.prev_token());
        found.map(|found| (passed, found))
    }

    pub fn advance(&mut self) {
        self.parser.advance_token();
    }

    /// Whether the next tokens are these words, given with one space between them.
    pub fn at(&self, words: &str) -> bool {
        self.at_nth(0, words)
    }

    pub fn at_nth(&self, distance: usize, words: &str) -> bool {
        words.split(' ').enumerate().all(|(index, word)| is_word(self.peek_nth(distance + index), word))
    }

    pub fn eat(&mut self, words: &str) -> bool {
        let found = self.at(words);
        if found {
            words.split(' ').for_each(|_| self.advance());
        }
        found
    }

    /// Eats the first of the alternatives that is there.
    pub fn eat_one_of<'w>(&mut self, alternatives: &[&'w str]) -> Option<&'w str> {
        alternatives.iter().copied().find(|words| self.eat(words))
    }

    pub fn expect(&mut self, words: &str) -> Result<(), Failure> {
        for word in words.split(' ') {
            if !self.eat(word) {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    pub fn at_token(&self, token: &Token) -> bool {
        self.peek() == token
    }

    pub fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.at_token(token);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect_token(&mut self, token: &Token) -> Result<(), Failure> {
        if self.eat_token(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub fn at_end(&self) -> bool {
        self.at_token(&Token::EOF)
    }

    pub fn expect_end(&self) -> Result<(), Failure> {
        if self.at_end() { Ok(()) } else { Err(self.unexpected()) }
    }

    /// The next word in upper case, if an unquoted word comes next.
    pub fn word(&self) -> Option<String> {
        self.nth_word(0)
    }

    pub fn nth_word(&self, distance: usize) -> Option<String> {
        match self.peek_nth(distance) {
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
            _ => None,
        }
    }

    /// Whether a word comes next that names something only in quotes.
    pub fn at_reserved_word(&self) -> bool {
        self.word().is_some_and(|word| is_reserved(&word))
    }

    /// Where the next token begins, for a later error.
    pub fn place(&self) -> Location {
        self.parser.peek_token_ref().span.start
    }

    pub fn unexpected(&self) -> Failure {
        self.unexpected_at(self.place())
    }

    pub fn unexpected_at(&self, place: Location) -> Failure {
        SourceMap::new(self.source).syntax_error(place)
    }

    pub fn query(&mut self) -> Result<Box<ast::Query>, Failure> {
        self.parser.parse_query().map_err(|error| self.failure_of(error))
    }

    pub fn expression(&mut self) -> Result<ast::Expr, Failure> {
        self.parser.parse_expr().map_err(|error| self.failure_of(error))
    }

    pub fn statement(&mut self) -> Result<ast::Statement, Failure> {
        self.parser.parse_statement().map_err(|error| self.failure_of(error))
    }

    /// Reads an expression that ends where `is_end` says so, outside of brackets. The parser alone
    /// would read on into clauses that look like operators.
    pub fn expression_until(&mut self, is_end: impl Fn(&Self) -> bool) -> Result<ast::Expr, Failure> {
        let mut tokens = Vec::new();
        let mut depth = 0_usize;
        while !self.at_end() && (depth > 0 || !is_end(self)) {
            match self.peek() {
                Token::LParen => depth += 1,
                Token::RParen if depth == 0 => break,
                Token::RParen => depth -= 1,
                _ => {}
            }
            tokens.push(self.parser.next_token());
        }
        let end = self.parser.peek_token_ref().span;
        tokens.push(TokenWithSpan { token: Token::EOF, span: end });
        let parser = parser_of(tokens, self.nesting_depth_max);
        let mut part = Reader { parser, source: self.source, nesting_depth_max: 0, timestamps: self.timestamps };
        let expression = part.expression()?;
        part.expect_end()?;
        Ok(expression)
    }

    fn failure_of(&self, error: ParserError) -> Failure {
        match error {
            ParserError::RecursionLimitExceeded => Failure::limit_exceeded("nesting depth", self.nesting_depth_max),
            ParserError::ParserError(message) | ParserError::TokenizerError(message) => {
                self.unexpected_at(location_in(&message).unwrap_or(self.place()))
            }
        }
    }
}

/// The parser counts several steps for one level of the text's nesting.
fn parser_of<'a>(tokens: Vec<TokenWithSpan>, nesting_depth_max: usize) -> Parser<'a> {
    Parser::new(&DIALECT).with_recursion_limit(nesting_depth_max * 6 + 50).with_tokens_with_locations(tokens)
}

/// The parser reports the location in its message only: `… at Line: 1, Column: 8`.
fn location_in(message: &str) -> Option<Location> {
    let (_, place) = message.rsplit_once(" at Line: ")?;
    let (line, column) = place.split_once(", Column: ")?;
    Some(Location { line: line.trim().parse().ok()?, column: column.trim().parse().ok()? })
}

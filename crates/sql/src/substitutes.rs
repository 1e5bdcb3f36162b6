//! Values that have to be substituted before a text is parsed: session variables everywhere, bound values as names of
//! objects.

use std::collections::BTreeMap;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Word};

use crate::Failure;
use crate::bindings::{Bindings, bound_literal, bound_text};
use crate::constants::Constant;
use crate::normalize_tokens::called_identifiers;
use crate::session_rules::SessionRules;
use crate::stage_tokens::PLACES as STAGE_PLACES;
use crate::tokens::{is_keyword, is_word, variable_name};

/// Session variables by their names in upper case.
pub type Variables = BTreeMap<String, Constant>;

/// Without variables, their names stay in the text, and the statement has to be parsed again.
#[derive(Clone, Copy, Default)]
pub struct Substitutes<'a> {
    pub variables: Option<&'a Variables>,
    pub bindings: Option<&'a Bindings>,
    pub rules: SessionRules,
}

pub(crate) struct Prepared {
    pub tokens: Vec<TokenWithSpan>,
    /// Names of session variables are left among the tokens.
    pub has_variables: bool,
}

impl Substitutes<'_> {
    /// Makes the tokens ready for the parser, which alone would lose some of them: `?` becomes `?1`,
    /// `?2` and so on in the order of the text, and `LIMIT :n` becomes one token, since the parser
    /// takes LIMIT before a colon for a name.
    pub(crate) fn prepare(&self, tokens: Vec<TokenWithSpan>) -> Result<Prepared, Failure> {
        if is_ready(&tokens) {
            return Ok(Prepared { tokens, has_variables: false });
        }
        let mut preparation = Preparation {
            substitutes: *self,
            prepared: Prepared { tokens: Vec::with_capacity(tokens.len()), has_variables: false },
            question_marks: 0,
            values: ValuePlace::Elsewhere,
            is_about_files: begins_with(&tokens, &ABOUT_FILES),
            after_limit: false,
            names: NamePlace::Elsewhere,
            after_comma: false,
            values_in_list: false,
            pattern: PatternPlace::Elsewhere,
        };
        let block_start = stored_block_start(&tokens);
        let mut tokens = tokens.into_iter();
        tokens.by_ref().take(block_start).try_for_each(|token| preparation.take(token))?;
        let mut prepared = preparation.prepared;
        prepared.tokens.extend(tokens);
        prepared.tokens = called_identifiers(prepared.tokens);
        if preparation.values_in_list {
            prepared.tokens = with_brackets_around_values(prepared.tokens);
        }
        Ok(prepared)
    }
}

/// Where the block of a procedure begins that is created without quotes around it. It is stored as it is written, and what it
/// names is there when it runs.
fn stored_block_start(tokens: &[TokenWithSpan]) -> usize {
    let mut words = tokens.iter().take_while(|token| !matches!(token.token, Token::LParen));
    let opens_block = |pair: &[TokenWithSpan]| {
        is_keyword(&pair[0].token, Keyword::AS) && ["BEGIN", "DECLARE"].iter().any(|word| is_word(&pair[1].token, word))
    };
    let is_created = begins_with(tokens, &["CREATE"]) && words.any(|word| is_word(&word.token, "PROCEDURE"));
    let found = is_created.then(|| tokens.windows(2).position(opens_block)).flatten();
    found.map_or(tokens.len(), |place| place + 1)
}

/// Whether nothing among the tokens is changed, as in most statements.
fn is_ready(tokens: &[TokenWithSpan]) -> bool {
    tokens.iter().all(|token| !matches!(token.token, Token::Placeholder(_)))
        && tokens.windows(2).all(|pair| match (&pair[0].token, &pair[1].token) {
            (Token::LParen, Token::Colon) => false,
            (before, Token::Colon) => !is_keyword(before, Keyword::LIMIT) && !is_keyword(before, Keyword::OFFSET),
            (Token::Comma, next) => !is_keyword(next, Keyword::VALUES),
            _ => true,
        })
}

/// Whether the next value is the name of an object: `IDENTIFIER(?)`, `TABLE(?)`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamePlace {
    Elsewhere,
    AfterWord,
    Inside,
}

/// Inside the PATTERN of a MATCH_RECOGNIZE, where `?` and `$` are operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatternPlace {
    Elsewhere,
    AfterWord,
    Inside(usize),
}

/// Commands whose options, and whose stages, may be bound.
const ABOUT_FILES: [&str; 7] = ["COPY", "CREATE", "ALTER", "LIST", "LS", "REMOVE", "RM"];

/// Whether the next value is a text that is read before the tree is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValuePlace {
    Elsewhere,
    /// `name => ?`
    Argument,
    /// `OPTION = ?`
    Option,
    /// `FROM ?`, `LIST ?`
    Stage,
}

struct Preparation<'a> {
    substitutes: Substitutes<'a>,
    prepared: Prepared,
    question_marks: usize,
    values: ValuePlace,
    is_about_files: bool,
    after_limit: bool,
    names: NamePlace,
    after_comma: bool,
    values_in_list: bool,
    pattern: PatternPlace,
}

impl Preparation<'_> {
    fn take(&mut self, mut token: TokenWithSpan) -> Result<(), Failure> {
        let names_object = self.names == NamePlace::Inside;
        let value_place = self.values;
        if let Token::Number(name, _) | Token::Word(Word { value: name, .. }) = &token.token
            && (self.after_limit || names_object)
            && let Some(colon) = self.prepared.tokens.pop_if(|last| last.token == Token::Colon)
        {
            let name = Token::Placeholder(format!(":{name}"));
            token = TokenWithSpan { token: name, span: colon.span.union(&token.span) };
        }
        self.note_place(&token.token);
        if matches!(self.pattern, PatternPlace::Inside(_)) {
            self.prepared.tokens.push(token);
            return Ok(());
        }
        if let Token::Placeholder(name) = &mut token.token {
            if name == "?" {
                self.question_marks += 1;
                *name = format!("?{}", self.question_marks);
            }
            let name = name.clone();
            if let Some(literal) = self.literal(&name, value_place) {
                token.token = literal;
                self.prepared.tokens.push(token);
                return Ok(());
            }
            return self.placeholder(&name, token, names_object);
        }
        self.prepared.tokens.push(token);
        Ok(())
    }

    /// What is bound to a placeholder, where a value is read as it is written.
    fn literal(&self, name: &str, place: ValuePlace) -> Option<Token> {
        let bindings = self.substitutes.bindings.filter(|_| variable_name(name).is_none())?;
        let (type_name, text) = bound_literal(bindings, name)?;
        match (place, type_name.to_ascii_uppercase().as_str()) {
            (ValuePlace::Argument, "TEXT") => Some(Token::SingleQuotedString(text)),
            (ValuePlace::Option, "TEXT") if self.is_about_files => Some(Token::SingleQuotedString(text)),
            (ValuePlace::Option, "FIXED") if self.is_about_files => Some(Token::Number(text, false)),
            (ValuePlace::Option, "BOOLEAN") if self.is_about_files => Some(plain_word(text)),
            (ValuePlace::Stage, "TEXT") if self.is_about_files && text.starts_with('@') => Some(plain_word(text)),
            _ => None,
        }
    }

    fn placeholder(&mut self, name: &str, mut token: TokenWithSpan, names_object: bool) -> Result<(), Failure> {
        match (variable_name(name), self.substitutes.variables, self.substitutes.bindings) {
            (Some(variable), Some(variables), _) => {
                let constant = variables.get(&variable).ok_or_else(|| unknown_variable(&variable, token.span.start))?;
                self.prepared.tokens.extend(constant.tokens(&token, self.substitutes.rules.inputs));
                return Ok(());
            }
            (Some(variable), None, _) => {
                self.prepared.has_variables = true;
                if names_object {
                    token.token = Token::SingleQuotedString(format!("\"${variable}\""));
                }
            }
            (None, _, Some(bindings)) if names_object => {
                token.token = Token::SingleQuotedString(bound_text(bindings, name)?);
            }
            (None, _, _) => {}
        }
        self.prepared.tokens.push(token);
        Ok(())
    }

    fn note_place(&mut self, token: &Token) {
        if matches!(token, Token::Whitespace(_) | Token::Colon) {
            return;
        }
        self.values_in_list |= self.after_comma && is_keyword(token, Keyword::VALUES);
        self.after_comma = matches!(token, Token::Comma);
        self.pattern = match (self.pattern, token) {
            (PatternPlace::AfterWord, Token::LParen) => PatternPlace::Inside(1),
            (PatternPlace::Inside(depth), Token::LParen) => PatternPlace::Inside(depth + 1),
            (PatternPlace::Inside(1), Token::RParen) => PatternPlace::Elsewhere,
            (PatternPlace::Inside(depth), Token::RParen) => PatternPlace::Inside(depth - 1),
            (PatternPlace::Inside(depth), _) => PatternPlace::Inside(depth),
            (_, word) if is_keyword(word, Keyword::PATTERN) => PatternPlace::AfterWord,
            _ => PatternPlace::Elsewhere,
        };
        self.values = match token {
            Token::RArrow => ValuePlace::Argument,
            Token::Eq => ValuePlace::Option,
            word if STAGE_PLACES.iter().any(|place| is_word(word, place)) => ValuePlace::Stage,
            _ => ValuePlace::Elsewhere,
        };
        self.after_limit = is_keyword(token, Keyword::LIMIT) || is_keyword(token, Keyword::OFFSET);
        self.names = match self.names {
            NamePlace::AfterWord if matches!(token, Token::LParen) => NamePlace::Inside,
            _ if is_keyword(token, Keyword::TABLE) || is_word(token, "IDENTIFIER") => NamePlace::AfterWord,
            _ => NamePlace::Elsewhere,
        };
    }
}

fn begins_with(tokens: &[TokenWithSpan], words: &[&str]) -> bool {
    let first = tokens.iter().find(|token| !matches!(token.token, Token::Whitespace(_)));
    first.is_some_and(|first| words.iter().any(|word| is_word(&first.token, word)))
}

fn plain_word(value: String) -> Token {
    Token::Word(Word { value, quote_style: None, keyword: Keyword::NoKeyword })
}

/// After a comma the parser takes `VALUES (1), (2)` for the end of a list, not for a relation.
fn with_brackets_around_values(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_code = |token: &TokenWithSpan| !matches!(token.token, Token::Whitespace(_));
    let next_code = |from: usize| (from..tokens.len()).find(|&index| is_code(&tokens[index]));
    let bracket = |token, place: &TokenWithSpan| TokenWithSpan { token, span: place.span };
    let mut bracketed = Vec::with_capacity(tokens.len() + 2);
    let mut closings = Vec::new();
    let mut previous = None;
    for (index, token) in tokens.iter().enumerate() {
        let opens = is_word(&token.token, "VALUES")
            && previous == Some(&Token::Comma)
            && next_code(index + 1).is_some_and(|next| tokens[next].token == Token::LParen);
        if opens {
            bracketed.push(bracket(Token::LParen, token));
            closings.push(end_of_rows(&tokens, index + 1));
        }
        bracketed.push(token.clone());
        if closings.last() == Some(&index) {
            closings.pop();
            bracketed.push(bracket(Token::RParen, token));
        }
        if is_code(token) {
            previous = Some(&token.token);
        }
    }
    bracketed
}

/// The last bracket of `(1), (2)`.
fn end_of_rows(tokens: &[TokenWithSpan], start: usize) -> usize {
    let (mut depth, mut end, mut after_comma) = (0_usize, start, true);
    for (index, token) in tokens.iter().enumerate().skip(start) {
        match &token.token {
            Token::Whitespace(_) => {}
            Token::LParen if depth > 0 || after_comma => depth += 1,
            Token::RParen if depth == 1 => (depth, end, after_comma) = (0, index, false),
            Token::RParen if depth > 1 => depth -= 1,
            Token::Comma if depth == 0 => after_comma = true,
            _ if depth == 0 => break,
            _ => {}
        }
    }
    end
}

fn unknown_variable(name: &str, place: Location) -> Failure {
    let (line, position) = (place.line, place.column.saturating_sub(1));
    Failure::new(
        "000904",
        "42000",
        format!(
            "SQL compilation error: error line {line} at position {position}\n\
             Session variable '${name}' does not exist; SET makes it."
        ),
    )
}

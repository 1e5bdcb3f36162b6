//! Tokens of a text.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use crate::dialect::DIALECT;
use crate::indentation::Unindented;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::{Failure, escapes};

/// Room for the tokens of all but long texts, which would otherwise be copied as they become more.
const TOKENS_EXPECTED_MAX: usize = 4_096;

pub(crate) fn tokenize(source: &SourceStatement) -> Result<Vec<TokenWithSpan>, Failure> {
    let mut tokens = Vec::with_capacity(TOKENS_EXPECTED_MAX.min(source.text.len() / 2));
    let unindented = Unindented::of(&source.text);
    Tokenizer::new(&DIALECT, &unindented.text).tokenize_with_location_into_buf(&mut tokens).map_err(|mut error| {
        unindented.shift(&mut error.location);
        SourceMap::new(source).syntax_error(error.location)
    })?;
    unindented.shift_all(&mut tokens);
    escapes::read(&mut tokens, source);
    Ok(tokens)
}

/// Whether the token is the given unquoted word, in any letter case.
pub(crate) fn is_word(token: &Token, expected: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(expected))
}

/// Whether the token is the given keyword, unquoted.
pub(crate) fn is_keyword(token: &Token, expected: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.keyword == expected)
}

pub(crate) fn is_space(token: &TokenWithSpan) -> bool {
    matches!(token.token, Token::Whitespace(_))
}

/// The next token from `place` on that is no space.
pub(crate) fn next_code(tokens: &[TokenWithSpan], place: usize) -> Option<usize> {
    (place..tokens.len()).find(|place| !is_space(&tokens[*place]))
}

/// The bracket that closes the one at `open`.
pub(crate) fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    (open..tokens.len()).find(|place| {
        match tokens[*place].token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// `$x` names a variable, `$1` a column.
pub(crate) fn variable_name(placeholder: &str) -> Option<String> {
    let name = placeholder.strip_prefix('$')?;
    name.starts_with(|first: char| first.is_alphabetic() || first == '_').then(|| name.to_uppercase())
}

/// Whether a placeholder names a session variable that has no value yet.
pub(crate) fn is_variable(placeholder: &str) -> bool {
    variable_name(placeholder).is_some()
}

/// The call that makes a semantic view, a command of its own.
pub(crate) const SEMANTIC_VIEW_FROM_YAML: &str = "SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML";

/// A call that is a command of its own and no procedure's.
pub(crate) fn is_system_call(tokens: &[TokenWithSpan]) -> bool {
    let code = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_)));
    let mut words = code.take(2).map(|token| &token.token);
    words.next().is_some_and(|word| is_word(word, "CALL"))
        && words.next().is_some_and(|word| is_word(word, SEMANTIC_VIEW_FROM_YAML))
}

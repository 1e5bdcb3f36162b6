//! Makes one word of each stage location among a statement's tokens, where the parser alone would take
//! its path apart, and names of the columns `$1`, `$2` of staged files.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::is_word;

/// `@stage/path` and, behind FROM, INTO, JOIN, LIST and REMOVE, `'@stage/path'` become the unquoted word
/// `@stage/path`, which no other text can become; beside one, `$1` becomes the quoted name `"$1"`.
pub(crate) fn prepare(tokens: Vec<TokenWithSpan>, source: &SourceStatement) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| begins_here(&token.token)) {
        return tokens;
    }
    let map = SourceMap::new(source);
    let mut prepared: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    let mut follows_place = false;
    let mut follows_path = false;
    while let Some(mut token) = tokens.next() {
        match &token.token {
            // `value:@key` is no stage, and not a path either: the parser refuses it.
            Token::AtSign if !follows_path => {
                let start = token.span.start;
                // In a block whitespace tokens are removed already; adjacent tokens have adjoining spans.
                let mut end = token.span.end;
                while let Some(next) = tokens.next_if(|next| next.span.start == end && !ends_location(&next.token)) {
                    end = next.span.end;
                    token.span = token.span.union(&next.span);
                }
                token.token = word(map.slice(start, token.span.end), None);
            }
            Token::SingleQuotedString(text) if follows_place && text.starts_with('@') => {
                token.token = word(text, None);
            }
            Token::Placeholder(name) if is_column(name) => token.token = word(name, Some('"')),
            _ => {}
        }
        if !matches!(token.token, Token::Whitespace(_)) {
            follows_place = PLACES.iter().any(|place| is_word(&token.token, place));
            follows_path = matches!(token.token, Token::Colon | Token::Period | Token::DoubleColon);
        }
        prepared.push(token);
    }
    prepared
}

/// Words that a stage may follow.
pub(crate) const PLACES: [&str; 7] = ["FROM", "INTO", "JOIN", "LIST", "LS", "REMOVE", "RM"];

fn begins_here(token: &Token) -> bool {
    match token {
        Token::AtSign => true,
        Token::SingleQuotedString(text) => text.starts_with('@'),
        _ => false,
    }
}

fn ends_location(token: &Token) -> bool {
    matches!(token, Token::Whitespace(_) | Token::LParen | Token::RParen | Token::Comma | Token::SemiColon | Token::EOF)
}

fn is_column(placeholder: &str) -> bool {
    placeholder.strip_prefix('$').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn word(value: &str, quote_style: Option<char>) -> Token {
    Token::Word(Word { value: value.to_owned(), quote_style, keyword: Keyword::NoKeyword })
}

//! Finds where a block ends among the tokens of a request, so that the semicolons inside of it separate
//! its steps and not the request's statements.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::tokens::is_word;

/// The request's statements as ranges of tokens, without the semicolons between them.
pub(crate) fn statements(tokens: &[TokenWithSpan]) -> Vec<&[TokenWithSpan]> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let end = end_of_statement(&tokens[start..]).map_or(tokens.len(), |length| start + length);
        found.push(&tokens[start..end]);
        start = end + 1;
    }
    found
}

/// `DECLARE …` and `BEGIN …`, but for `BEGIN`, `BEGIN WORK`, `BEGIN TRANSACTION` and `BEGIN NAME x`.
pub(crate) fn begins_block(tokens: &[TokenWithSpan]) -> bool {
    let mut code = tokens.iter().map(|token| &token.token).filter(|token| is_code(token));
    match code.next() {
        Some(first) if is_word(first, "DECLARE") => true,
        Some(first) if is_word(first, "BEGIN") => opens_block(code),
        _ => false,
    }
}

/// Steps of a block that are no statements of their own.
const STEPS: [&str; 8] = ["CASE", "FOR", "IF", "LET", "LOOP", "REPEAT", "RETURN", "WHILE"];

/// Whether BEGIN opens a block and not a transaction: no semicolon follows at once, or a scripting step follows it.
fn opens_block<'tokens>(after_begin: impl Iterator<Item = &'tokens Token>) -> bool {
    let mut after_begin = after_begin.peekable();
    let mut is_behind_semicolon = false;
    while after_begin.next_if(|token| **token == Token::SemiColon).is_some() {
        is_behind_semicolon = true;
    }
    match after_begin.next() {
        None | Some(Token::EOF | Token::LongArrow) => false,
        Some(next) if is_behind_semicolon => STEPS.iter().any(|word| is_word(next, word)),
        Some(next) => !["WORK", "TRANSACTION", "NAME"].iter().any(|word| is_word(next, word)),
    }
}

fn is_code(token: &Token) -> bool {
    !matches!(token, Token::Whitespace(_))
}

/// A block itself, or a routine whose body is one.
pub(super) fn holds_block(tokens: &[TokenWithSpan]) -> bool {
    begins_block(tokens) || is_routine_with_block(tokens)
}

/// The place of the semicolon that ends the first statement.
fn end_of_statement(tokens: &[TokenWithSpan]) -> Option<usize> {
    if !holds_block(tokens) {
        return tokens.iter().position(|token| token.token == Token::SemiColon);
    }
    let (mut depth, mut begun) = (0_usize, false);
    // Procedures that the block declares: each of them ends like a block.
    let mut procedures = 0_usize;
    let declares =
        tokens.iter().find(|token| is_code(&token.token)).is_some_and(|first| is_word(&first.token, "DECLARE"));
    let mut places = tokens.iter().enumerate().filter(|(_, token)| is_code(&token.token)).peekable();
    while let Some((place, token)) = places.next() {
        let next = places.peek().map(|(_, token)| &token.token);
        if is_word(&token.token, "CASE") {
            depth += 1;
        } else if is_word(&token.token, "BEGIN")
            && opens_block(tokens[place + 1..].iter().map(|token| &token.token).filter(|token| is_code(token)))
        {
            depth += 1;
            begun = true;
        } else if is_word(&token.token, "END") {
            let closes_step = ["IF", "FOR", "WHILE", "LOOP", "REPEAT"];
            if next.is_some_and(|next| is_word(next, "CASE")) {
                places.next();
                depth = depth.saturating_sub(1);
            } else if !next.is_some_and(|next| closes_step.iter().any(|word| is_word(next, word))) {
                depth = depth.saturating_sub(1);
            }
        } else if declares && depth == 0 && !begun && is_word(&token.token, "PROCEDURE") {
            procedures += 1;
        } else if token.token == Token::SemiColon && begun && depth == 0 {
            if procedures == 0 {
                return Some(place);
            }
            procedures -= 1;
            begun = false;
        }
    }
    None
}

/// `CREATE PROCEDURE … AS BEGIN … END`.
fn is_routine_with_block(tokens: &[TokenWithSpan]) -> bool {
    let mut code = tokens.iter().map(|token| &token.token).filter(|token| is_code(token));
    if !code.next().is_some_and(|first| is_word(first, "CREATE")) {
        return false;
    }
    let code: Vec<&Token> = code.collect();
    let is_routine = code.iter().take(6).any(|word| is_word(word, "PROCEDURE") || is_word(word, "FUNCTION"));
    let until_semicolon = code.iter().position(|token| **token == Token::SemiColon).unwrap_or(code.len());
    is_routine
        && code[..until_semicolon]
            .windows(2)
            .any(|pair| is_word(pair[0], "AS") && (is_word(pair[1], "BEGIN") || is_word(pair[1], "DECLARE")))
}

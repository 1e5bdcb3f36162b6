//! MATCH_RECOGNIZE in tokens that the parser knows: `FINAL f(…)` is `FINAL__F(…)`, SKIP TO a symbol is SKIP TO LAST,
//! rows left out are in brackets of their own, as the parser takes a brace behind a symbol for a quantifier, and a
//! subquery is the argument of a function, as the parser knows the clause behind names only.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::tokens::is_word;

/// The function whose argument is a subquery that rows are matched of.
pub(crate) const SUBQUERY: &str = "__MATCHED";

pub(crate) fn prepare(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_code = |token: &TokenWithSpan| !matches!(token.token, Token::Whitespace(_));
    let mut tokens: Vec<TokenWithSpan> = tokens.into_iter().filter(is_code).collect();
    name_subqueries(&mut tokens);
    let mut made: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let extent = ["FINAL", "RUNNING"].into_iter().find(|extent| is_word(&token.token, extent));
        if let (Some(extent), Some(function)) = (extent, called(&tokens, index + 1)) {
            let token = Token::make_word(&format!("{extent}__{function}"), None);
            made.push(TokenWithSpan { token, ..tokens[index + 1] });
            index += 2;
            continue;
        }
        take(&tokens, index, &mut made);
        index += 1;
    }
    made
}

/// The name in upper case of what is called here.
fn called(tokens: &[TokenWithSpan], index: usize) -> Option<String> {
    match (&tokens.get(index)?.token, &tokens.get(index + 1)?.token) {
        (Token::Word(name), Token::LParen) => Some(name.value.to_ascii_uppercase()),
        _ => None,
    }
}

fn take(tokens: &[TokenWithSpan], index: usize, made: &mut Vec<TokenWithSpan>) {
    let span = tokens[index].span;
    let at = |token: Token| TokenWithSpan { token, span };
    let token = &tokens[index].token;
    if called(tokens, index).as_deref() == Some("PERMUTE") {
        made.push(at(Token::make_word("PERMUTE", None)));
        return;
    }
    let follows = |token: &Token| tokens.get(index + 1).is_some_and(|next| next.token == *token);
    if *token == Token::LBrace && follows(&Token::Minus) {
        made.push(at(Token::LParen));
    }
    let closes = *token == Token::RBrace && made.last().is_some_and(|last| last.token == Token::Minus);
    let skips = is_word(token, "TO") && made.last().is_some_and(|last| is_word(&last.token, "SKIP"));
    made.push(tokens[index].clone());
    if closes {
        made.push(at(Token::RParen));
    }
    let named = |word: &str| tokens.get(index + 1).is_some_and(|next| is_word(&next.token, word));
    if skips && !["NEXT", "FIRST", "LAST"].into_iter().any(named) {
        made.push(at(Token::make_word("LAST", None)));
    }
}

fn name_subqueries(tokens: &mut Vec<TokenWithSpan>) {
    let mut index = 0;
    while index < tokens.len() {
        if is_word(&tokens[index].token, "MATCH_RECOGNIZE")
            && let Some((open, close)) = subquery_before(tokens, index)
        {
            let at = |token: Token, place: usize| TokenWithSpan { token, span: tokens[place].span };
            let end = at(Token::RParen, close);
            let begin = [at(Token::make_word(SUBQUERY, Some('"')), open), at(Token::LParen, open)];
            tokens.insert(close + 1, end);
            tokens.splice(open..open, begin);
            index += 3;
        }
        index += 1;
    }
}

/// The brackets of `(SELECT …) [[AS] alias]` that ends before this place.
fn subquery_before(tokens: &[TokenWithSpan], place: usize) -> Option<(usize, usize)> {
    let is_close = |place: &usize| tokens[*place].token == Token::RParen;
    let close = (place.saturating_sub(3)..place).rev().find(is_close)?;
    let words_only = tokens[close + 1..place].iter().all(|token| matches!(token.token, Token::Word(_)));
    let mut depth = 0_usize;
    let open = (0..=close).rev().find(|place| {
        match tokens[*place].token {
            Token::RParen => depth += 1,
            Token::LParen => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let inside = tokens[open + 1..].iter().map(|token| &token.token).find(|token| **token != Token::LParen)?;
    let is_query = ["SELECT", "WITH", "VALUES"].iter().any(|word| is_word(inside, word));
    let before = open.checked_sub(1).map(|before| &tokens[before].token)?;
    let is_source = *before == Token::Comma || ["FROM", "JOIN", "LATERAL"].iter().any(|word| is_word(before, word));
    (words_only && is_query && is_source).then_some((open, close))
}

//! Prepares the placeholders among a statement's tokens, where the parser alone would lose them.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::tokens::is_word;

/// `?` becomes `?1`, `?2` and so on in the order of the text, which the tree does not keep; and
/// `LIMIT :n` becomes one token, since the parser takes LIMIT before a colon for a name.
pub(crate) fn prepare(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut prepared: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut count = 0;
    let mut after_limit = false;
    for mut token in tokens {
        if let (Token::Number(name, _), true) | (Token::Word(sqlparser::tokenizer::Word { value: name, .. }), true) =
            (&token.token, after_limit && prepared.last().is_some_and(|last| last.token == Token::Colon))
        {
            let name = Token::Placeholder(format!(":{name}"));
            if let Some(colon) = prepared.pop() {
                token = TokenWithSpan { token: name, span: colon.span.union(&token.span) };
            }
        }
        if token.token == Token::Placeholder("?".to_owned()) {
            count += 1;
            token.token = Token::Placeholder(format!("?{count}"));
        }
        if !matches!(token.token, Token::Whitespace(_) | Token::Colon) {
            after_limit = is_word(&token.token, "LIMIT") || is_word(&token.token, "OFFSET");
        }
        prepared.push(token);
    }
    prepared
}

//! What a text says of the values that are to be bound to it, before it is parsed.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::question_marks;
use crate::source::SourceStatement;
use crate::tokens::tokenize;

/// The keys of the values that a text wants: those of its `?` by their position, and the numbers behind colons.
pub fn bound_keys(text: &str) -> Vec<String> {
    let numbered = tokens_of(text).windows(2).filter_map(number_behind_colon).collect::<Vec<_>>();
    let mut keys: Vec<usize> = (1..=question_marks(text)).chain(numbered).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| key.to_string()).collect()
}

/// Whether arrays may be bound, each of whose values makes a row of an INSERT.
pub fn takes_rows(text: &str) -> bool {
    let tokens = tokens_of(text);
    let mut words = tokens.iter().filter_map(|token| match &token.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_uppercase()),
        _ => None,
    });
    if words.next().as_deref() != Some("INSERT") {
        return false;
    }
    let words: Vec<String> = words.collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    has("VALUES") && !has("SELECT") || has("SELECT") && !has("FROM")
}

fn tokens_of(text: &str) -> Vec<TokenWithSpan> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    // A text that has no tokens fails when it is parsed.
    let tokens = tokenize(&source).unwrap_or_default();
    tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect()
}

fn number_behind_colon(pair: &[TokenWithSpan]) -> Option<usize> {
    match pair {
        [TokenWithSpan { token: Token::Placeholder(name), .. }, ..] => name.strip_prefix(':')?.parse().ok(),
        [TokenWithSpan { token: Token::Colon, .. }, TokenWithSpan { token: Token::Number(number, _), .. }] => {
            number.parse().ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{bound_keys, takes_rows};

    #[test]
    fn the_keys_of_a_text() {
        let check = |text: &str, expected: &[&str]| assert_eq!(bound_keys(text), expected, "{text}");
        check("insert into t values (?, ?)", &["1", "2"]);
        check("insert into t values (:2, :1)", &["1", "2"]);
        check("select :1, :1, ':2' -- :3", &["1"]);
        check("select v:a from t", &[]);
    }

    #[test]
    fn arrays_make_rows_of_inserts_alone() {
        for text in ["insert into t values (?, ?)", "INSERT INTO t (a) SELECT PARSE_JSON(?)"] {
            assert!(takes_rows(text), "{text}");
        }
        for text in ["update t set a = ?", "insert into t select ? from u", "select ?", "delete from t where a = ?"] {
            assert!(!takes_rows(text), "{text}");
        }
    }
}

//! A FROM that ends in a comma or has no relation at all. The parser takes the comma, which the dialect allows at the end
//! of the select list only, and takes the word that begins the next clause for the name of a relation.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::Failure;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::is_word;

/// Words that no relation is called, and that begin what may follow FROM.
const CLAUSES: [&str; 11] =
    ["CONNECT", "GROUP", "HAVING", "INTERSECT", "MINUS", "ORDER", "QUALIFY", "SELECT", "START", "UNION", "WHERE"];

pub(crate) fn refuse(tokens: &[TokenWithSpan], source: &SourceStatement) -> Result<(), Failure> {
    if !has_missing_relation(tokens) {
        return Ok(());
    }
    let mut code = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).peekable();
    // For every open bracket, whether a list of relations is being read in it.
    let mut in_from = vec![false];
    let mut before: Option<&TokenWithSpan> = None;
    while let Some(token) = code.next() {
        let ends = ends_from(&token.token, code.peek().map(|after| &after.token));
        let follows = |expected: fn(&Token) -> bool| before.is_some_and(|before| expected(&before.token));
        let is_missing = ends && follows(|before| *before == Token::Comma)
            || begins_clause(&token.token) && follows(|before| is_word(before, "FROM"));
        if is_missing && in_from.last() == Some(&true) {
            return Err(SourceMap::new(source).syntax_error(token.span.start));
        }
        match &token.token {
            Token::LParen => in_from.push(false),
            Token::RParen if in_from.len() > 1 => drop(in_from.pop()),
            word if is_word(word, "FROM") && !follows(|before| is_word(before, "DISTINCT")) => {
                set_last(&mut in_from, true);
            }
            _ if ends => set_last(&mut in_from, false),
            _ => {}
        }
        before = Some(token);
    }
    match before {
        Some(last) if last.token == Token::Comma && in_from == [true] => {
            Err(SourceMap::new(source).syntax_error(last.span.end))
        }
        _ => Ok(()),
    }
}

/// Whether any list may end in a comma, or have nothing in it; most statements have none.
fn has_missing_relation(tokens: &[TokenWithSpan]) -> bool {
    let (mut after_comma, mut after_from) = (false, false);
    for token in tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))) {
        if after_comma && may_end_from(&token.token) || after_from && begins_clause(&token.token) {
            return true;
        }
        after_comma = token.token == Token::Comma;
        after_from = is_word(&token.token, "FROM");
    }
    after_comma
}

/// A word that names nothing, neither a relation nor a column in `EXTRACT(DAY FROM …)`.
fn begins_clause(token: &Token) -> bool {
    ["FROM", "GROUP", "HAVING", "INTERSECT", "ORDER", "QUALIFY", "SELECT", "UNION", "WHERE"]
        .iter()
        .any(|clause| is_word(token, clause))
}

fn may_end_from(token: &Token) -> bool {
    matches!(token, Token::RParen | Token::EOF)
        || is_word(token, "LIMIT")
        || CLAUSES.iter().any(|clause| is_word(token, clause))
}

/// LIMIT may be the name of a relation, too.
fn ends_from(token: &Token, after: Option<&Token>) -> bool {
    let is_name = is_word(token, "LIMIT") && !matches!(after, Some(Token::Number(..) | Token::SingleQuotedString(_)));
    may_end_from(token) && !is_name
}

fn set_last(in_from: &mut [bool], value: bool) {
    if let Some(last) = in_from.last_mut() {
        *last = value;
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::parse;

    #[test]
    fn only_the_select_list_may_end_in_a_comma() {
        for text in [
            "select a, from t",
            "select a is distinct from b, from t",
            "select extract(year from a), from t, u where a = 1",
            "select 1 from t, (select 2, from u) v",
            "select extract(day from start) from t",
            "select 1 from \"FROM\" where true",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "select a from t,",
            "select a from t, where a = 1",
            "select a from t, limit 1",
            "select 1 from (select a from t,)",
            "select a from t, group by a",
            "select a from t, union select 1",
            "select * from where",
            "select * from select",
            "select 1 from from t",
            "select 1 from (select a from group by a)",
        ] {
            assert_eq!(parse(text).map_err(|failure| failure.code).err(), Some("001003"), "{text}");
        }
    }
}

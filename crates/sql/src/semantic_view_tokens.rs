//! What SEMANTIC_VIEW() has and the parser does not know: names for its items, and the order of its clauses. While it is
//! still tokens, each item becomes a call of `ITEM` with the item's number, the item, and its name where it has one.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Value};
use crate::tokens::{closing, is_word, next_code};

/// A name that can be read again where it was printed.
pub const ITEM: &str = "SEMANTIC_VIEW$ITEM";

const CLAUSES: [&str; 4] = ["DIMENSIONS", "METRICS", "FACTS", "WHERE"];
/// Words after which a word is no name of an item.
const OPERATORS: [&str; 17] = [
    "AND", "OR", "NOT", "IS", "LIKE", "ILIKE", "RLIKE", "IN", "THEN", "ELSE", "WHEN", "CASE", "BETWEEN", "INTERVAL",
    "DISTINCT", "COLLATE", "ESCAPE",
];
/// Words that end an expression.
const ENDINGS: [&str; 4] = ["END", "NULL", "TRUE", "FALSE"];

/// An item of a clause: what is asked for, and how its column is to be named.
pub struct ViewQueryItem<'e> {
    /// Its place among all items of the call.
    pub number: usize,
    pub asked: Asked<'e>,
    pub alias: Option<&'e Ident>,
}

pub enum Asked<'e> {
    Expr(&'e Expr),
    /// `t.*`.
    AllOf(String),
}

/// An item of a parsed SEMANTIC_VIEW(); nothing where it is none.
pub fn item_of(expr: &Expr) -> Option<ViewQueryItem<'_>> {
    let Expr::Function(Function { name, args: FunctionArguments::List(list), .. }) = expr else { return None };
    if name.to_string() != ITEM {
        return None;
    }
    let mut arguments = list.args.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(argument) => Some(argument),
        _ => None,
    });
    let number = match arguments.next()? {
        FunctionArgExpr::Expr(Expr::Value(value)) => match &value.value {
            Value::Number(number, _) => number.to_string().parse().ok()?,
            _ => return None,
        },
        _ => return None,
    };
    let asked = match arguments.next()? {
        FunctionArgExpr::Expr(expr) => Asked::Expr(expr),
        FunctionArgExpr::QualifiedWildcard(table) => Asked::AllOf(table.to_string()),
        _ => return None,
    };
    let alias = match arguments.next() {
        Some(FunctionArgExpr::Expr(Expr::Identifier(alias))) => Some(alias),
        _ => None,
    };
    Some(ViewQueryItem { number, asked, alias })
}

pub(crate) fn prepare(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut place = 0;
    while place < tokens.len() {
        if is_word(&tokens[place].token, "SEMANTIC_VIEW")
            && let Some(open) = next_code(&tokens, place + 1)
            && tokens[open].token == Token::LParen
            && let Some(close) = closing(&tokens, open)
        {
            let inside = numbered(&tokens[open + 1..close]);
            tokens.splice(open + 1..close, inside);
        }
        place += 1;
    }
    tokens
}

/// What stands between the brackets, with every item numbered.
fn numbered(tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
    let mut out = Vec::new();
    let mut item: Vec<TokenWithSpan> = Vec::new();
    let mut in_items = false;
    let mut number = 0;
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate() {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_part_of_name = || {
            let next = next_code(tokens, place + 1);
            follows_period(&item) || next.is_some_and(|next| tokens[next].token == Token::Period)
        };
        let clause = CLAUSES.iter().find(|word| depth == 0 && is_word(&token.token, word) && !is_part_of_name());
        let ends_item = depth == 0 && in_items && token.token == Token::Comma;
        if clause.is_some() || ends_item {
            finish(&mut item, in_items, &mut number, &mut out);
        }
        if let Some(clause) = clause {
            in_items = *clause != "WHERE";
            out.push(token.clone());
        } else if ends_item {
            out.push(token.clone());
        } else {
            item.push(token.clone());
        }
    }
    finish(&mut item, in_items, &mut number, &mut out);
    out
}

fn follows_period(before: &[TokenWithSpan]) -> bool {
    last_code(before, before.len()).is_some_and(|place| before[place].token == Token::Period)
}

fn last_code(tokens: &[TokenWithSpan], end: usize) -> Option<usize> {
    (0..end).rev().find(|place| !matches!(tokens[*place].token, Token::Whitespace(_)))
}

fn finish(item: &mut Vec<TokenWithSpan>, is_item: bool, number: &mut usize, out: &mut Vec<TokenWithSpan>) {
    let tokens = std::mem::take(item);
    let (Some(first), Some(last)) = (next_code(&tokens, 0), last_code(&tokens, tokens.len())) else {
        out.extend(tokens);
        return;
    };
    if !is_item {
        out.extend(tokens);
        return;
    }
    let span = tokens[first].span;
    let at_item = |token| TokenWithSpan { token, span };
    let name = Word { value: ITEM.to_owned(), quote_style: None, keyword: Keyword::NoKeyword };
    out.extend([Token::Word(name), Token::LParen, Token::Number(number.to_string(), false), Token::Comma].map(at_item));
    *number += 1;
    match alias_from(&tokens, last) {
        Some(end) => {
            out.extend_from_slice(&tokens[..end]);
            out.push(TokenWithSpan { token: Token::Comma, span: tokens[last].span });
            out.push(tokens[last].clone());
        }
        None => out.extend_from_slice(&tokens[..=last]),
    }
    out.push(TokenWithSpan { token: Token::RParen, span: tokens[last].span });
    out.push(TokenWithSpan {
        token: Token::Whitespace(sqlparser::tokenizer::Whitespace::Space),
        span: tokens[last].span,
    });
}

/// Where the expression before an item's name ends; nothing where the item has no name.
fn alias_from(tokens: &[TokenWithSpan], last: usize) -> Option<usize> {
    let Token::Word(name) = &tokens[last].token else { return None };
    let before = last_code(tokens, last)?;
    if is_word(&tokens[before].token, "AS") {
        return Some(before);
    }
    let is_ending = name.quote_style.is_none() && ENDINGS.iter().any(|word| name.value.eq_ignore_ascii_case(word));
    let follows_value = match &tokens[before].token {
        Token::Word(word) => {
            word.quote_style.is_some() || !OPERATORS.iter().any(|operator| word.value.eq_ignore_ascii_case(operator))
        }
        Token::RParen | Token::RBracket | Token::Number(..) | Token::SingleQuotedString(_) => true,
        _ => false,
    };
    (follows_value && !is_ending).then_some(last)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::SourceStatement;
    use crate::tokens::tokenize;

    fn check(text: &str, expected: &str) {
        let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
        let tokens = prepare(tokenize(&source).unwrap());
        let printed: String = tokens.iter().map(|token| token.token.to_string()).collect();
        assert_eq!(printed.trim().replace(ITEM, "#"), expected, "{text}");
    }

    #[test]
    fn items_are_numbered_and_named() {
        check(
            "SEMANTIC_VIEW(v METRICS a, t.b AS c DIMENSIONS f(x) y WHERE a = 1)",
            "SEMANTIC_VIEW(v METRICS#(0, a) ,#(1, t.b ,c) DIMENSIONS#(2, f(x) ,y) WHERE a = 1)",
        );
        check(
            "SEMANTIC_VIEW(v FACTS CASE WHEN a THEN b END, cast(a as int), t.metrics, t.*)",
            "SEMANTIC_VIEW(v FACTS#(0, CASE WHEN a THEN b END) ,#(1, cast(a as int)) ,#(2, t.metrics) ,#(3, t.*) )",
        );
        check("select semantic_view from t", "select semantic_view from t");
    }
}

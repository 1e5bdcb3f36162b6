//! Where a name among the tokens of a block may refer to a variable.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Words that never end an expression: what follows a colon after one of them is a variable.
const BEFORE_A_VALUE: [&str; 44] = [
    "ALL",
    "AND",
    "ANY",
    "AS",
    "AT",
    "BETWEEN",
    "BY",
    "CASE",
    "DEFAULT",
    "DISTINCT",
    "ELSE",
    "ESCAPE",
    "EXISTS",
    "FETCH",
    "FIRST",
    "FROM",
    "HAVING",
    "ILIKE",
    "IN",
    "INTO",
    "IS",
    "LIKE",
    "LIMIT",
    "NEXT",
    "NOT",
    "OFFSET",
    "ON",
    "OR",
    "OVERWRITE",
    "QUALIFY",
    "REGEXP",
    "RETURN",
    "RLIKE",
    "SELECT",
    "SET",
    "THEN",
    "TO",
    "TOP",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
    "COMMENT",
];

pub(crate) fn name(token: &TokenWithSpan) -> Option<String> {
    match &token.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
        Token::Word(word) => Some(word.value.clone()),
        _ => None,
    }
}

pub(crate) fn after_dot(after: Option<&Token>) -> bool {
    matches!(after, Some(Token::Period | Token::Colon | Token::DoubleColon))
}

/// Whether a colon after this token begins a variable's name, and not a path into a value.
pub(crate) fn takes_value(after: Option<&Token>) -> bool {
    match after {
        None => true,
        Some(Token::Word(word)) => {
            word.quote_style.is_none() && BEFORE_A_VALUE.iter().any(|known| word.value.eq_ignore_ascii_case(known))
        }
        Some(token) => !matches!(
            token,
            Token::RParen
                | Token::RBracket
                | Token::RBrace
                | Token::Number(..)
                | Token::SingleQuotedString(_)
                | Token::DollarQuotedString(_)
                | Token::Placeholder(_)
        ),
    }
}

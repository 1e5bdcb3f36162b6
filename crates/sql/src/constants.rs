//! Values of session variables and of variables of blocks. A constant replaces its name among the tokens, before anything
//! is parsed.

use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::Failure;
use crate::ast::Expr;
use crate::bindings::calendar;
use crate::build::cast_canonical;
use crate::data_types::{DataType, type_in_tree};
use crate::dialect::DIALECT;
use crate::session_rules::InputFormatsUse;
use crate::source::SourceStatement;
use crate::tokens::tokenize;

/// A value of a type; `None` is NULL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    pub data_type: DataType,
    /// As it would be written in a literal of the type.
    pub text: Option<String>,
}

const NANOSECONDS_IN_SECOND: i128 = 1_000_000_000;
const NANOSECONDS_IN_MINUTE: i128 = 60 * NANOSECONDS_IN_SECOND;
/// What the wire adds to an offset in minutes to keep it positive.
const OFFSET_SHIFT: i128 = 1_440;

impl Constant {
    pub fn null(data_type: DataType) -> Self {
        Self { data_type, text: None }
    }

    pub fn integer(value: i64) -> Self {
        Self { data_type: DataType::Integer, text: Some(value.to_string()) }
    }

    pub fn varchar(text: impl Into<String>) -> Self {
        Self { data_type: DataType::Varchar { length: None }, text: Some(text.into()) }
    }

    pub fn boolean(value: bool) -> Self {
        Self { data_type: DataType::Boolean, text: Some(value.to_string()) }
    }

    /// From a cell in the contract's own encoding. `None` when it is no value of the type.
    pub fn from_cell(data_type: DataType, cell: Option<&str>) -> Option<Self> {
        let Some(cell) = cell else { return Some(Self::null(data_type)) };
        let text = match &data_type {
            DataType::Date => calendar::date_of_any_year(cell.parse().ok()?)?,
            DataType::Time { .. } => calendar::time(i64::try_from(nanoseconds(cell)?).ok()?),
            DataType::TimestampNtz { .. } => calendar::timestamp_of_any_year(nanoseconds(cell)?)?,
            DataType::TimestampLtz { .. } => format!("{}+00:00", calendar::timestamp_of_any_year(nanoseconds(cell)?)?),
            DataType::TimestampTz { .. } => {
                let (instant, shifted) = cell.split_once(' ')?;
                let offset = shifted.parse::<i128>().ok()? - OFFSET_SHIFT;
                let local = calendar::timestamp_of_any_year(nanoseconds(instant)? + offset * NANOSECONDS_IN_MINUTE)?;
                let sign = if offset < 0 { '-' } else { '+' };
                format!("{local} {sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
            }
            _ => cell.to_owned(),
        };
        Some(Self { data_type, text: Some(text) })
    }

    /// The expression that gives the value.
    pub fn expression(&self) -> Result<Expr, Failure> {
        let place = TokenWithSpan::wrap(Token::EOF);
        let mut tokens = self.tokens(&place, InputFormatsUse::Usual);
        tokens.push(place);
        let mut parser = Parser::new(&DIALECT).with_tokens_with_locations(tokens);
        let parsed = parser.parse_expr().map_err(|error| Failure::new("000603", "XX000", error.to_string()))?;
        Ok(match parsed {
            Expr::Cast { expr, data_type, .. } if matches!(*expr, Expr::Value(_)) => cast_canonical(*expr, data_type),
            other => other,
        })
    }

    /// The expression that gives the value, as tokens in the place of another one.
    pub(crate) fn tokens(&self, place: &TokenWithSpan, inputs: InputFormatsUse) -> Vec<TokenWithSpan> {
        let tokens = match (&self.data_type, &self.text) {
            // The engine takes a NULL of no type for a number.
            (DataType::Number { .. } | DataType::Integer, None) => vec![word("NULL")],
            (_, None) => self.cast(vec![word("NULL")]),
            (DataType::Number { .. } | DataType::Integer, Some(text)) => number(text),
            (DataType::Varchar { .. }, Some(text)) => vec![string(text)],
            (DataType::Boolean, Some(text)) => vec![word(text)],
            (DataType::Binary { .. }, Some(text)) => call("TO_BINARY", [string(text), Token::Comma, string("HEX")]),
            (DataType::Variant, Some(text)) => call("PARSE_JSON", [string(text)]),
            (DataType::Object | DataType::Array | DataType::Vector { .. } | DataType::Structured(_), Some(text)) => {
                self.cast(call("PARSE_JSON", [string(text)]))
            }
            (_, Some(text)) => match (inputs, self.reader(text)) {
                (InputFormatsUse::OfSession, Some((function, model))) => {
                    self.cast(call(function, [string(text), Token::Comma, string(&model)]))
                }
                _ => self.cast(vec![string(text)]),
            },
        };
        tokens.into_iter().map(|token| TokenWithSpan { token, span: place.span }).collect()
    }

    /// What reads the text of a date or a time by its own form.
    fn reader(&self, text: &str) -> Option<(&'static str, String)> {
        let fraction = if text.contains('.') { ".FF9" } else { "" };
        let moment = format!("YYYY-MM-DD HH24:MI:SS{fraction}");
        Some(match self.data_type {
            DataType::Date => ("TO_DATE", "YYYY-MM-DD".to_owned()),
            DataType::Time { .. } => ("TO_TIME", format!("HH24:MI:SS{fraction}")),
            DataType::TimestampNtz { .. } => ("TO_TIMESTAMP_NTZ", moment),
            DataType::TimestampLtz { .. } => ("TO_TIMESTAMP_LTZ", format!("{moment}TZH:TZM")),
            DataType::TimestampTz { .. } => ("TO_TIMESTAMP_TZ", format!("{moment} TZH:TZM")),
            _ => return None,
        })
    }

    fn cast(&self, value: Vec<Token>) -> Vec<Token> {
        let source = SourceStatement { text: type_in_tree(&self.data_type).to_string(), line: 1, position: 0 };
        let type_tokens = tokenize(&source).unwrap_or_default().into_iter().map(|token| token.token);
        let type_tokens = type_tokens.filter(|token| !matches!(token, Token::Whitespace(_) | Token::EOF));
        call("CAST", value.into_iter().chain([word("AS")]).chain(type_tokens))
    }
}

/// Seconds with up to nine digits behind the point.
fn nanoseconds(cell: &str) -> Option<i128> {
    let (negative, digits) = match cell.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, cell),
    };
    let (seconds, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let count: i128 =
        seconds.parse::<i128>().ok()? * NANOSECONDS_IN_SECOND + format!("{fraction:0<9}").parse::<i128>().ok()?;
    Some(if negative { -count } else { count })
}

fn word(text: &str) -> Token {
    Token::make_word(text, None)
}

fn string(text: &str) -> Token {
    Token::SingleQuotedString(text.to_owned())
}

/// A negative number is in brackets, so that no sign before it makes a comment.
fn number(text: &str) -> Vec<Token> {
    match text.strip_prefix('-') {
        Some(digits) => vec![Token::LParen, Token::Minus, Token::Number(digits.to_owned(), false), Token::RParen],
        None => vec![Token::Number(text.to_owned(), false)],
    }
}

fn call(name: &str, arguments: impl IntoIterator<Item = Token>) -> Vec<Token> {
    [word(name), Token::LParen].into_iter().chain(arguments).chain([Token::RParen]).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    fn check(data_type: DataType, cell: &str, expected: &str) {
        let constant = Constant::from_cell(data_type, Some(cell)).unwrap();
        let place = TokenWithSpan::wrap(Token::EOF);
        let words: Vec<_> =
            constant.tokens(&place, InputFormatsUse::Usual).into_iter().map(|token| token.token.to_string()).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn cells_become_expressions() {
        check(DataType::Integer, "12", "12");
        check(DataType::Number { precision: 10, scale: 2 }, "-1.50", "( - 1.50 )");
        check(DataType::Varchar { length: None }, "it's", "'it's'");
        check(DataType::Boolean, "true", "true");
        check(DataType::Float, "1.5", "CAST ( '1.5' AS DOUBLE )");
        check(DataType::Date, "-1", "CAST ( '1969-12-31' AS DATE )");
        check(DataType::Time { scale: 9 }, "45296.500000000", "CAST ( '12:34:56.500000' AS TIME ( 9 ) )");
        check(
            DataType::TimestampNtz { scale: 9 },
            "-0.500000000",
            "CAST ( '1969-12-31 23:59:59.500000' AS TIMESTAMP_NTZ ( 9 ) )",
        );
        check(
            DataType::TimestampTz { scale: 9 },
            "0.000000000 1500",
            "CAST ( '1970-01-01 01:00:00 +01:00' AS TIMESTAMP_TZ ( 9 ) )",
        );
        check(DataType::Variant, "{\"a\":1}", "PARSE_JSON ( '{\"a\":1}' )");
        check(DataType::Binary { length: None }, "AB", "TO_BINARY ( 'AB' , 'HEX' )");
    }
}

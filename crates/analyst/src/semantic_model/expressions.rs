//! Whether a text is one expression, or one query, and nothing more.

use firn_sql::ast::Expr;
use firn_sql::{
    Command, Failure, ParseLimits, SourceStatement, check_expression_text, expression_of_text, parse_statement,
    split_script,
};

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 256 << 10, statements_max: 1, nesting_depth_max: 60 };

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpressionProblem {
    /// The text is not one expression.
    Malformed(String),
    /// It is one, and this server does not run it.
    Refused(String),
}

pub fn check_expression(text: &str) -> Result<(), ExpressionProblem> {
    check_expression_text(text, &LIMITS).map_err(|failure| match failure.code {
        "000002" => ExpressionProblem::Refused(plain(&failure.message)),
        _ => ExpressionProblem::Malformed(plain(&failure.message)),
    })
}

/// One query that reads: SELECT, WITH or VALUES.
pub fn check_query(text: &str) -> Result<(), String> {
    parse_query(text).map(drop)
}

/// A text that is one query: the text without what surrounds it, and its tree.
pub(crate) fn parse_query(text: &str) -> Result<(String, Command), String> {
    let stated = |failure: Failure| plain(&failure.message);
    let sources = split_script(text, &LIMITS).map_err(stated)?;
    let [source] = sources.as_slice() else { return Err("one query is expected".to_owned()) };
    let source = SourceStatement { line: 1, position: 0, ..source.clone() };
    let statement = parse_statement(&source, &LIMITS).map_err(stated)?;
    match statement.command {
        query @ Command::Query(_) => Ok((source.text, query)),
        _ => Err("it is not a query".to_owned()),
    }
}

/// The tree of a text that is one expression.
pub(crate) fn parse_expression(text: &str) -> Option<Expr> {
    expression_of_text(text, &LIMITS).ok()
}

fn plain(message: &str) -> String {
    message.strip_prefix("SQL compilation error:").unwrap_or(message).trim().replace('\n', " ")
}

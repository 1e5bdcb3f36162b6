//! Reads SQL of our own making back into a syntax tree: templates, and the queries of stored views.

use firn_sql::Failure;
use firn_sql::ast::{Query, Statement};
use sqlparser::dialect::SnowflakeDialect;
use sqlparser::parser::Parser;

pub(crate) fn query(sql: &str) -> Result<Query, Failure> {
    let statements = Parser::parse_sql(&SnowflakeDialect, sql).map_err(|error| unreadable(&error.to_string()))?;
    match statements.into_iter().next() {
        Some(Statement::Query(query)) => Ok(*query),
        _ => Err(unreadable("it is not a query")),
    }
}

fn unreadable(reason: &str) -> Failure {
    Failure::new("000603", "XX000", format!("SQL execution error: a stored query cannot be read again: {reason}"))
}

pub(crate) fn expression(sql: &str) -> Result<firn_sql::ast::Expr, Failure> {
    let mut parser =
        Parser::new(&SnowflakeDialect).try_with_sql(sql).map_err(|error| unreadable(&error.to_string()))?;
    parser.parse_expr().map_err(|error| unreadable(&error.to_string()))
}

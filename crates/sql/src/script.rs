//! From a request's text to its statements.

use crate::{Failure, Statement};

#[derive(Clone, Debug)]
pub struct ParseLimits {
    pub text_bytes_max: usize,
    pub statements_max: usize,
    pub nesting_depth_max: usize,
}

/// One statement's text and where it begins in the request: lines from 1, positions from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStatement {
    pub text: String,
    pub line: u64,
    pub position: u64,
}

pub fn split_script(text: &str, limits: &ParseLimits) -> Result<Vec<SourceStatement>, Failure> {
    let _ = limits;
    Ok(vec![SourceStatement { text: text.to_owned(), line: 1, position: 0 }])
}

/// Parses and classifies one statement, and names the unnamed columns of its queries.
pub fn parse_statement(source: &SourceStatement, limits: &ParseLimits) -> Result<Statement, Failure> {
    let _ = limits;
    Err(Failure::unsupported(&source.text))
}

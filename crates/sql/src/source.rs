//! The text of statements, before anything of it is read.

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

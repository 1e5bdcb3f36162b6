//! What the tests of this crate share.

use crate::script::{parse_statement, split_script};
use crate::source::ParseLimits;
use crate::{Failure, Statement};

pub const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 1 << 20, statements_max: 10, nesting_depth_max: 50 };

/// Parses the first statement of a text.
pub fn parse(text: &str) -> Result<Statement, Failure> {
    let sources = split_script(text, &LIMITS)?;
    parse_statement(&sources[0], &LIMITS)
}

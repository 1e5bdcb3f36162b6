//! Limits what is written once and becomes many copies in the tree: the left side of `LIKE ANY` and of an IN list of rows.
//! Copies of copies would grow with every level of nesting.

use crate::ast::Expr;
use crate::{Failure, expression_growth};

/// The expressions in all copies of one side.
const COPIED_MAX: usize = 100_000;

/// Fails if so many copies of the expression are too large together.
pub(super) fn check(expr: &Expr, copies: usize) -> Result<(), Failure> {
    if expression_growth::count(expr, COPIED_MAX).saturating_mul(copies) <= COPIED_MAX {
        return Ok(());
    }
    Err(Failure::limit_exceeded("number of expressions that are compared with the elements of a list", COPIED_MAX))
}

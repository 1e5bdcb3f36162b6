//! Limits what is written once and becomes many copies in the tree: the left side of `LIKE ANY` and of an IN list of rows.
//! Copies of copies would grow with every level of nesting.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Visit, Visitor};

/// The expressions in all copies of one side.
const COPIED_MAX: usize = 100_000;

/// Fails if so many copies of the expression are too large together.
pub(super) fn check(expr: &Expr, copies: usize) -> Result<(), Failure> {
    let mut counted = Counted(0);
    // The visitor never breaks.
    let _ = expr.visit(&mut counted);
    if counted.0.saturating_mul(copies) <= COPIED_MAX {
        return Ok(());
    }
    Err(Failure::limit_exceeded("number of expressions that are compared with the elements of a list", COPIED_MAX))
}

struct Counted(usize);

impl Visitor for Counted {
    type Break = ();

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

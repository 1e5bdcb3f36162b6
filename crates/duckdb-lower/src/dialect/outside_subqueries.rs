//! Rewrites of the expressions of one select: those in its subqueries and lambdas have other scopes.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Query, VisitorMut};
use firn_sql::tree::Walk;

/// Calls `rewrite` for every expression outside of subqueries and lambdas, after its parts, until one fails.
pub(super) fn try_rewrite<Error>(
    node: &mut impl Walk,
    mut rewrite: impl FnMut(&mut Expr) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut outcome = Ok(());
    let mut rewrite = |expr: &mut Expr| {
        outcome = rewrite(expr);
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    // That it broke says the outcome.
    let _ = node.rewrite(&mut OutsideSubqueries { rewrite: &mut rewrite, inner_scopes: 0 });
    outcome
}

/// Calls `rewrite` for every expression outside of subqueries and lambdas, after its parts.
pub(super) fn rewrite(node: &mut impl Walk, mut rewrite: impl FnMut(&mut Expr)) {
    let mut rewrite = |expr: &mut Expr| {
        rewrite(expr);
        ControlFlow::Continue(())
    };
    // It never breaks.
    let _ = node.rewrite(&mut OutsideSubqueries { rewrite: &mut rewrite, inner_scopes: 0 });
}

struct OutsideSubqueries<'a> {
    rewrite: &'a mut dyn FnMut(&mut Expr) -> ControlFlow<()>,
    /// The subqueries and lambdas around the expression.
    inner_scopes: usize,
}

impl VisitorMut for OutsideSubqueries<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.inner_scopes += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.inner_scopes -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.inner_scopes += usize::from(matches!(expr, Expr::Lambda(_)));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        self.inner_scopes -= usize::from(matches!(expr, Expr::Lambda(_)));
        match self.inner_scopes {
            0 => (self.rewrite)(expr),
            _ => ControlFlow::Continue(()),
        }
    }
}

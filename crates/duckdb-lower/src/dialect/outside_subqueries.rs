//! Rewrites of the expressions of one select: those in its subqueries and lambdas have other scopes.

use std::convert::Infallible;
use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Query, VisitMut, VisitorMut};

/// Calls `rewrite` for every expression outside of subqueries and lambdas, after its parts, until one fails.
pub(super) fn try_rewrite<Error>(
    node: &mut impl VisitMut,
    rewrite: impl FnMut(&mut Expr) -> Result<(), Error>,
) -> Result<(), Error> {
    match node.visit(&mut OutsideSubqueries { rewrite, inner_scopes: 0 }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// Calls `rewrite` for every expression outside of subqueries and lambdas, after its parts.
pub(super) fn rewrite(node: &mut impl VisitMut, mut rewrite: impl FnMut(&mut Expr)) {
    let Ok(()) = try_rewrite(node, |expr| {
        rewrite(expr);
        Ok::<(), Infallible>(())
    });
}

struct OutsideSubqueries<Rewrite> {
    rewrite: Rewrite,
    /// The subqueries and lambdas around the expression.
    inner_scopes: usize,
}

impl<Error, Rewrite: FnMut(&mut Expr) -> Result<(), Error>> VisitorMut for OutsideSubqueries<Rewrite> {
    type Break = Error;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.inner_scopes += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.inner_scopes -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.inner_scopes += usize::from(matches!(expr, Expr::Lambda(_)));
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        self.inner_scopes -= usize::from(matches!(expr, Expr::Lambda(_)));
        if self.inner_scopes > 0 {
            return ControlFlow::Continue(());
        }
        match (self.rewrite)(expr) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

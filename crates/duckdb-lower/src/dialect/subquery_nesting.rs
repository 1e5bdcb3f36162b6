//! Limits how deep scalar subqueries nest. The engine binds a subquery twice, and four times if it aggregates, so that planning
//! takes exponential time in the nesting depth; neither a cancel nor a time limit ends the planning.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, SelectItem, SetExpr, Visitor};
use firn_sql::call_search::first_call;

use super::overload_lambdas::is_aggregate;

/// How many times the engine may double its work: some tenths of a second.
const DOUBLINGS_MAX: usize = 18;

#[derive(Default)]
pub(super) struct SubqueryNesting {
    doublings: usize,
}

impl Visitor for SubqueryNesting {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.doublings += doublings(expr);
        match self.doublings > DOUBLINGS_MAX {
            true => {
                let what = "depth of nested subqueries, in which those with aggregates count twice,";
                ControlFlow::Break(Failure::limit_exceeded(what, DOUBLINGS_MAX))
            }
            false => ControlFlow::Continue(()),
        }
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.doublings -= doublings(expr);
        ControlFlow::Continue(())
    }
}

fn doublings(expr: &Expr) -> usize {
    match expr {
        Expr::Subquery(query) => 1 + usize::from(aggregates(query)),
        Expr::Exists { .. } => 1,
        _ => 0,
    }
}

/// Whether the query has an aggregate in its select list.
fn aggregates(query: &Query) -> bool {
    let SetExpr::Select(select) = &*query.body else { return false };
    select.projection.iter().any(|item| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
            first_call(expr, |function| function.over.is_none() && is_aggregate(function)).is_some()
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use firn_sql::tree::{Tree, outcome};

    use super::SubqueryNesting;
    use firn_sql::print;

    fn is_allowed(nested: impl Fn(&str) -> String, depth: usize) -> bool {
        let text = (0..depth).fold("7".to_owned(), |inside, _| nested(&inside));
        let expr = print::read_expression(&text);
        expr.is_ok_and(|expr| outcome(expr.walk(&mut SubqueryNesting::default())).is_ok())
    }

    /// An unoptimised parser needs more stack than a test has.
    const STACK_BYTES: usize = 64 << 20;

    #[test]
    fn nesting_is_limited_by_what_the_engine_repeats() {
        let plain = |inside: &str| format!("(SELECT {inside})");
        let aggregating = |inside: &str| format!("(SELECT max(x) FROM (SELECT {inside} AS x))");
        let beside = |inside: &str| format!("abs({inside}) + (SELECT 1)");
        let limits = move || {
            let plain = [18, 19].map(|depth| is_allowed(plain, depth));
            let aggregating = [9, 10].map(|depth| is_allowed(aggregating, depth));
            (plain, aggregating, is_allowed(beside, 20))
        };
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(limits);
        let found = thread.ok().and_then(|thread| thread.join().ok());
        assert_eq!(found, Some(([true, false], [true, false], true)));
    }
}

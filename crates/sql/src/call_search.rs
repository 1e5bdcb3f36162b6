//! The search for a call in an expression.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Function, Query, Visitor};
use crate::tree::Tree;

/// The first such call of an expression, outside of subqueries.
pub fn first_call(expr: &Expr, is_wanted: fn(&Function) -> bool) -> Option<Function> {
    let mut search = CallSearch { is_wanted, found: None, queries: 0 };
    // The visitor never breaks.
    let _ = expr.walk(&mut search);
    search.found
}

struct CallSearch {
    is_wanted: fn(&Function) -> bool,
    found: Option<Function>,
    queries: usize,
}

impl Visitor for CallSearch {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr
            && self.queries == 0
            && (self.is_wanted)(function)
        {
            self.found.get_or_insert_with(|| function.clone());
        }
        ControlFlow::Continue(())
    }
}

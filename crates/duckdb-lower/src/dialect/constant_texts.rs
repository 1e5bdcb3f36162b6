//! Texts joined with a constant that is computed: where the engine finds it to be NULL, it takes the whole for a number.

use std::ops::ControlFlow;

use firn_sql::ast::{BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Query, Visitor};
use firn_sql::tree::Walk;

use super::build::{call_name, cast, null};

/// Whether an expression joins values of which one is a constant, but no literal.
pub(super) fn joins_computed_constant(expr: &Expr) -> bool {
    let is_computed = |value: &Expr| !is_literal(value) && is_constant(value);
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => is_computed(left) || is_computed(right),
        Expr::Function(function) if matches!(call_name(function), Some("CONCAT" | "CONCAT_WS")) => {
            let FunctionArguments::List(list) = &function.args else { return false };
            list.args.iter().any(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => is_computed(value),
                _ => false,
            })
        }
        _ => false,
    }
}

pub(super) fn as_text(expr: &mut Expr) {
    *expr = cast(std::mem::replace(expr, null()), "VARCHAR");
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inside) => is_literal(inside),
        Expr::Value(_) => true,
        _ => false,
    }
}

/// Whether an expression is the same for every row.
pub(super) fn is_constant(expr: &Expr) -> bool {
    expr.inspect(&mut ReferenceSearch).is_continue()
}

struct ReferenceSearch;

impl Visitor for ReferenceSearch {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn a_constant_may_be_null() {
        check(
            "SELECT 'a' || IFF(FALSE, 'b', NULL)",
            "SELECT CAST('a' || firn_textual(CASE WHEN false THEN 'b' ELSE NULL END) AS VARCHAR)",
        );
        check("SELECT 'a' || 'b'", "SELECT 'a' || 'b'");
    }
}

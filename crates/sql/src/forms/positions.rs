//! `$1`: a column by its place. It is admitted where one relation stands alone in FROM, so that the
//! place can mean one column only.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Ident, Query, Select, SelectItem, Value, Visitor};
use crate::tree::Tree;

pub(super) fn check(select: &Select) -> Result<(), Failure> {
    let alone = matches!(select.from.as_slice(), [table] if table.joins.is_empty());
    if alone {
        return Ok(());
    }
    let mut search = Search { found: None, depth: 0 };
    for item in &select.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            // The visitor never breaks.
            let _ = expr.walk(&mut search);
        }
    }
    if let Some(selection) = &select.selection {
        let _ = selection.walk(&mut search);
    }
    match search.found {
        Some(name) => Err(Failure::unsupported(&format!("{name} where FROM has not one relation"))),
        None => Ok(()),
    }
}

/// `$1`, not `$x`.
pub(super) fn is_position(placeholder: &str) -> bool {
    placeholder.strip_prefix('$').is_some_and(|place| {
        place.starts_with(|first: char| ('1'..='9').contains(&first))
            && place.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// The last part of `t.$1`.
pub(super) fn is_place(name: &Ident) -> bool {
    name.quote_style.is_none() && is_position(&name.value)
}

/// Subqueries have a FROM of their own.
struct Search {
    found: Option<String>,
    depth: usize,
}

impl Visitor for Search {
    type Break = Failure;

    fn pre_visit_query(&mut self, _query: &Query) -> ControlFlow<Failure> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &Query) -> ControlFlow<Failure> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if self.depth == 0
            && let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &value.value
            && is_position(name)
        {
            self.found = Some(name.clone());
        }
        ControlFlow::Continue(())
    }
}

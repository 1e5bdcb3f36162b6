//! Expressions in messages, as the dialect writes them: columns with their relations, and quotes only where they are
//! needed.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, Ident, OrderBySort, VisitorMut, WindowType};
use firn_sql::names::display_identifier;
use firn_sql::tree::Tree;

use crate::bound::Relation;

type RelationOf<'a> = dyn Fn(&[Ident]) -> Option<&'a Relation> + 'a;

pub(crate) fn display<'a>(mut expr: Expr, relation_of: &'a RelationOf<'a>) -> String {
    // The visitor never breaks.
    let _ = expr.walk_mut(&mut Qualification(relation_of));
    expr.to_string()
}

struct Qualification<'a>(&'a RelationOf<'a>);

impl VisitorMut for Qualification<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let parts = match expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(parts) => parts.as_slice(),
            Expr::Function(function) => {
                write_default_order(function);
                return ControlFlow::Continue(());
            }
            _ => return ControlFlow::Continue(()),
        };
        // Names that a rewrite has put in are none of the user's.
        let is_written = |name: &&str| !name.is_empty() && !name.starts_with("__");
        let relation = (self.0)(parts).map(|relation| relation.name.as_str()).filter(is_written);
        let parts = relation.into_iter().chain(parts.last().map(|last| last.value.as_str()));
        *expr = Expr::CompoundIdentifier(parts.map(|part| Ident::new(display_identifier(part))).collect());
        ControlFlow::Continue(())
    }
}

/// The keys of a window with the place of NULLs that they have by default.
fn write_default_order(function: &mut Function) {
    let Some(WindowType::WindowSpec(window)) = &mut function.over else { return };
    for key in &mut window.order_by {
        let sort = key.options.sort.get_or_insert(OrderBySort::Asc);
        key.options.nulls_first.get_or_insert(*sort == OrderBySort::Desc);
    }
}

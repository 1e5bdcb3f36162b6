//! `DUAL`, the table of one row that needs no declaration. Its only column is DUMMY.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Ident, Select, SelectItem, TableFactor, TableWithJoins, Visitor};
use crate::query_parts::{derived, skeleton};
use crate::tree::Tree;

pub(crate) const NAME: &str = "DUAL";

pub(crate) fn is_dual(factor: &TableFactor) -> bool {
    match factor {
        TableFactor::Table { name, args: None, sample: None, .. } => {
            matches!(name.0.as_slice(), [part] if part.as_ident().is_some_and(is_called_dual))
        }
        _ => false,
    }
}

/// `"dual"` is another name.
fn is_called_dual(name: &Ident) -> bool {
    match name.quote_style {
        None => name.value.eq_ignore_ascii_case(NAME),
        Some(_) => name.value == NAME,
    }
}

/// Replaces a reference to DUAL by a query of one row.
pub(crate) fn expand(factor: &mut TableFactor) -> Result<(), Failure> {
    let one_row = one_row(Ident::with_quote('"', NAME))?;
    let TableFactor::Table { alias, .. } = std::mem::replace(factor, one_row) else { return Ok(()) };
    if let (TableFactor::Derived { alias: named, .. }, Some(alias)) = (factor, alias) {
        *named = Some(alias);
    }
    Ok(())
}

pub(crate) fn one_row(name: Ident) -> Result<TableFactor, Failure> {
    Ok(derived(skeleton("SELECT 'X' AS \"DUMMY\"")?, name))
}

/// A select from DUAL alone that names no column needs no FROM.
pub(crate) fn drop_unread(select: &mut Select) {
    let reads_dual =
        matches!(select.from.as_slice(), [TableWithJoins { relation, joins }] if joins.is_empty() && is_dual(relation));
    if reads_dual && select.selection.is_none() && select.projection.iter().all(names_no_column) {
        select.from.clear();
    }
}

fn names_no_column(item: &SelectItem) -> bool {
    let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { return false };
    let mut search = ColumnSearch { found: false };
    // The visitor never breaks.
    let _ = expr.walk(&mut search);
    !search.found
}

struct ColumnSearch {
    found: bool,
}

impl Visitor for ColumnSearch {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.found |= matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        ControlFlow::Continue(())
    }
}

//! Conditions on the rows of a list. The engine would check one before it joins the rows to what they belong to, and
//! the rows would come out of that join in another order; a condition that also asks for the list is checked behind it.

use std::ops::ControlFlow;

use firn_sql::ast::{BinaryOperator, Expr, Ident, Query, TableAlias, Visit, Visitor};

use super::is_there;
use crate::duckdb::dialect::build::{case, null};

/// The columns of a list, as they are called without others given.
pub(super) const COLUMNS: [&str; 6] = ["SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS"];

/// A list and what its rows are called.
pub(super) struct List {
    relation: Ident,
    column: Ident,
    rows: String,
    columns: Vec<String>,
}

impl List {
    pub(super) fn new(relation: &Ident, column: &Ident, rows: &TableAlias) -> Self {
        let columns = if rows.columns.is_empty() {
            COLUMNS.map(str::to_owned).to_vec()
        } else {
            rows.columns.iter().map(|column| column.name.value.clone()).collect()
        };
        Self { relation: relation.clone(), column: column.clone(), rows: rows.name.value.clone(), columns }
    }

    /// Whether an expression has names of the rows' columns, and no other ones.
    fn is_all_of(&self, expr: &Expr) -> bool {
        let mut finder = Finder { list: self, found: false };
        expr.visit(&mut finder).is_continue() && finder.found
    }
}

pub(super) fn keep_behind(condition: &mut Expr, lists: &[List]) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            keep_behind(left, lists);
            keep_behind(right, lists);
        }
        Expr::Nested(inside) => keep_behind(inside, lists),
        other => {
            if let Some(list) = lists.iter().find(|list| list.is_all_of(other)) {
                let condition = std::mem::replace(other, null());
                *other = case(vec![(is_there(&list.relation, &list.column), condition)], None);
            }
        }
    }
}

struct Finder<'list> {
    list: &'list List,
    found: bool,
}

impl Visitor for Finder<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let is_of_rows = match expr {
            Expr::Identifier(name) => self.list.columns.contains(&name.value),
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [rows, column] => rows.value == self.list.rows && self.list.columns.contains(&column.value),
                _ => false,
            },
            _ => return ControlFlow::Continue(()),
        };
        self.found |= is_of_rows;
        if is_of_rows { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

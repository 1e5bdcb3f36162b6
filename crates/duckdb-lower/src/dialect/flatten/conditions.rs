//! Conditions on the rows of a list. The engine would evaluate one before it joins the rows to their table, and that join
//! would change the order of rows; a condition that also references the list is evaluated after the join.

use std::ops::ControlFlow;

use firn_sql::ast::{BinaryOperator, Expr, Ident, Query, TableAlias, Visitor};
use firn_sql::tree::Walk;

use super::expanded::is_there;
use crate::dialect::build::{case, null};

/// The columns of a list, as they are called without others given.
pub(super) const COLUMNS: [&str; 6] = ["SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS"];

/// Those of the functions that split texts.
const COLUMNS_OF_PIECES: [&str; 3] = ["SEQ", "INDEX", "VALUE"];

/// A list and what its rows are called.
pub(super) struct List {
    pub(super) relation: Ident,
    pub(super) column: Ident,
    pub(super) rows: Rows,
}

pub(super) struct Rows {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) elements: Elements,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Elements {
    Values,
    /// Of a text.
    Pieces,
}

impl Rows {
    pub(super) fn new(alias: &TableAlias, elements: Elements) -> Self {
        let renamed = alias.columns.iter().map(|column| column.name.value.clone());
        let others = elements.columns().iter().skip(alias.columns.len()).map(|&name| name.to_owned());
        let columns = renamed.chain(others).collect();
        Self { name: alias.name.value.clone(), columns, elements }
    }

    /// Which of the columns an expression is.
    pub(super) fn place_of(&self, expr: &Expr) -> Option<usize> {
        let name = match expr {
            Expr::Identifier(name) => name,
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [rows, column] if rows.value == self.name => column,
                _ => return None,
            },
            _ => return None,
        };
        self.columns.iter().position(|column| *column == name.value)
    }
}

impl List {
    /// A value of its rows that also references the list, so that it is computed after the join.
    pub(super) fn behind(&self, value: Expr) -> Expr {
        case(vec![(is_there(&self.relation, &self.column), value)], None)
    }

    /// Whether an expression has names of the rows' columns, and no other ones.
    fn is_all_of(&self, expr: &Expr) -> bool {
        let mut finder = Finder { list: self, found: false };
        expr.inspect(&mut finder).is_continue() && finder.found
    }
}

impl Elements {
    /// What the columns of the rows are called without other names given.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Values => &COLUMNS,
            Self::Pieces => &COLUMNS_OF_PIECES,
        }
    }
}

pub(super) fn evaluate_after_join(condition: &mut Expr, lists: &[List]) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            evaluate_after_join(left, lists);
            evaluate_after_join(right, lists);
        }
        Expr::Nested(inside) => evaluate_after_join(inside, lists),
        other => {
            if let Some(list) = lists.iter().find(|list| list.is_all_of(other)) {
                let condition = std::mem::replace(other, null());
                *other = list.behind(condition);
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
        if !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
            return ControlFlow::Continue(());
        }
        let is_of_rows = self.list.rows.place_of(expr).is_some();
        self.found |= is_of_rows;
        if is_of_rows { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

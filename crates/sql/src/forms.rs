//! Admits only those forms of the syntax tree that the dialect has and firn offers, and spells each
//! in one way, so that whoever reads the tree later meets few cases and no surprises:
//!
//! - long chains of ANDs, ORs and set operations are balanced trees, which print the same;
//! - TOP and FETCH are LIMIT, MINUS is EXCEPT, `LIKE ANY` is a chain of ORs;
//! - EXTRACT, CEIL, FLOOR, POSITION, SUBSTRING, TRIM and literals of objects, arrays, dates and
//!   bytes are calls or casts; function names are in upper case and unquoted;
//! - date parts are string literals of their canonical names;
//! - types are those of `type_in_tree`.

mod chains;
mod expressions;
mod functions;
mod queries;
mod table_sources;

use std::ops::ControlFlow;

use crate::ast::{Expr, Query, Select, Statement as DmlStatement, TableFactor, VisitorMut};
use crate::tree::outcome;
use crate::{Failure, Statement};

pub(crate) fn admit(statement: &mut Statement) -> Result<(), Failure> {
    outcome(statement.command.visit_tree_mut(&mut Admission))
}

struct Admission;

impl VisitorMut for Admission {
    type Break = Failure;

    fn pre_visit_statement(&mut self, statement: &mut DmlStatement) -> ControlFlow<Failure> {
        flow(table_sources::admit_statement(statement))
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        flow(chains::balance_set_operations(&mut query.body).and_then(|()| queries::admit_query(query)))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        chains::balance_condition(expr);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        flow(queries::admit_select(select))
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        flow(table_sources::admit(factor))
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        flow(expressions::admit(expr))
    }
}

fn flow(result: Result<(), Failure>) -> ControlFlow<Failure> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => ControlFlow::Break(failure),
    }
}

/// Refuses a clause by name if it is there.
fn refuse(present: bool, clause: &str) -> Result<(), Failure> {
    if present { Err(Failure::unsupported(clause)) } else { Ok(()) }
}

#[cfg(test)]
mod tests;

//! Admits only syntax that the dialect has and firn supports, and rewrites it to a canonical form, so that later passes
//! have few cases to handle:
//!
//! - `||` binds like + and -, where the library lets it bind like *;
//! - long chains of ANDs, ORs and set operations are balanced trees, which print the same;
//! - TOP and FETCH are LIMIT, MINUS is EXCEPT, `LIKE ANY` is a chain of ORs;
//! - PIVOT, CONNECT BY, MATCH_RECOGNIZE, ASOF JOIN and `(+)` are subqueries and left joins; functions in FROM are
//!   `LATERAL f(…)`, with positional arguments;
//! - EXTRACT, CEIL, FLOOR, POSITION, SUBSTRING, TRIM and literals of objects, arrays, dates and
//!   bytes are calls or casts; function names are in upper case and unquoted;
//! - date parts are string literals of their canonical names;
//! - types are those of `type_in_tree`.

mod asof_joins;
mod chains;
mod concatenations;
mod expressions;
mod function_names;
mod functions;
mod getnextval;
mod group_by_all;
mod hierarchies;
mod hierarchy_joins;
mod hierarchy_orders;
mod history;
mod infer_schema;
mod literal_types;
mod match_expressions;
mod match_measures;
mod match_patterns;
mod match_recognize;
mod odbc_escapes;
mod outer_conditions;
mod outer_marks;
pub(crate) mod pivots;
mod positions;
mod queries;
mod refusals;
mod repetitions;
mod row_comparisons;
mod row_counts;
mod samples;
pub(crate) mod table_functions;
mod table_sources;
mod volatile_aliases;
mod wildcards;

use std::ops::ControlFlow;

pub(crate) use infer_schema::staged_factor;
use positions::Places;

use crate::ast::{Expr, Query, Select, Statement as DmlStatement, TableFactor, VisitorMut};
use crate::command::Command;
use crate::expression_growth::ExpressionGrowth;
use crate::tree::outcome;
use crate::{Failure, Statement};

pub(crate) fn admit(statement: &mut Statement) -> Result<(), Failure> {
    if let Command::Query(query) = &mut statement.command {
        queries::name_values(query)?;
    }
    let mut admission = Admission::default();
    outcome(statement.command.visit_tree_mut(&mut admission))?;
    statement.needs_lookup = admission.needs_lookup;
    Ok(())
}

#[derive(Default)]
struct Admission {
    needs_lookup: bool,
    places: Places,
    growth: ExpressionGrowth,
}

impl VisitorMut for Admission {
    type Break = Failure;

    fn pre_visit_statement(&mut self, statement: &mut DmlStatement) -> ControlFlow<Failure> {
        flow(table_sources::admit_statement(statement))
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        self.places.enter(query);
        let rewritten = hierarchy_orders::rewrite(query);
        let rewritten = rewritten.and_then(|()| chains::balance_set_operations(&mut query.body));
        flow(rewritten.and_then(|()| queries::admit_query(query)))
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.places.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        self.growth.enter();
        chains::balance_condition(expr);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        flow(queries::admit_select(select))
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        flow(queries::finish_select(select))
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        flow(pivots::rewrite(factor).and_then(|()| match_recognize::rewrite(factor)))
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let admitted = table_sources::admit(factor);
        self.needs_lookup |= pivots::is_dynamic(factor) || table_functions::is_looked_up(factor);
        flow(admitted)
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        self.places.resolve(expr);
        flow(expressions::admit(expr).and_then(|()| self.growth.leave(expr)))
    }
}

/// Balances long chains of operators, outermost first.
pub(crate) fn balance_chains(command: &mut Command) -> Result<(), Failure> {
    outcome(command.visit_tree_mut(&mut Balance))
}

struct Balance;

impl VisitorMut for Balance {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        flow(chains::balance_set_operations(&mut query.body))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        chains::balance_condition(expr);
        ControlFlow::Continue(())
    }
}

fn flow(result: Result<(), Failure>) -> ControlFlow<Failure> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => ControlFlow::Break(failure),
    }
}

#[cfg(test)]
mod tests;

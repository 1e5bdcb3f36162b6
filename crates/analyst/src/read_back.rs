//! SQL that somebody else wrote, read back into a typed query: what a reading of the interpreter can say of itself (its
//! words, what it leaves out) is then known of that SQL too. Only what a typed query can stand for is read; for everything
//! else there is no query.

mod clauses;
mod conditions;
mod expressions;
mod relations;
#[cfg(test)]
mod tests;

use firn_sql::{Command, ast};

use crate::interpretation::query::{Expr, Query, SetOperation};
use crate::links::model_index::ModelIndex;
use crate::semantic_model::expressions::{parse_expression, parse_query};
use expressions::Scope;
use relations::Relations;

/// The typed query of a query over the logical tables of a model.
#[must_use]
pub fn read_back(index: &ModelIndex, sql: &str) -> Option<Query> {
    let (_, Command::Query(tree)) = parse_query(sql).ok()? else { return None };
    query(index, &tree)
}

/// The expression of a metric of the model that is computed of aggregates, each over a table that it names; `None` where it
/// is anything else.
#[must_use]
pub fn composed_aggregates(index: &ModelIndex, expression: &str) -> Option<Expr> {
    let tree = parse_expression(expression)?;
    let scope = Scope { index, relations: Relations::named_in(index, expression), shown: Vec::new() };
    scope.computed_of(&tree)
}

fn query(index: &ModelIndex, query: &ast::Query) -> Option<Query> {
    if query.with.is_some() || query.fetch.is_some() {
        return None;
    }
    match query.body.as_ref() {
        ast::SetExpr::Select(select) => {
            clauses::select(index, select, query.order_by.as_ref(), query.limit_clause.as_ref())
        }
        body => (query.order_by.is_none() && query.limit_clause.is_none()).then(|| set_expression(index, body))?,
    }
}

fn set_expression(index: &ModelIndex, body: &ast::SetExpr) -> Option<Query> {
    match body {
        ast::SetExpr::Select(select) => clauses::select(index, select, None, None),
        ast::SetExpr::Query(inner) => query(index, inner),
        ast::SetExpr::SetOperation { op, set_quantifier, left, right } => {
            let is_distinct = matches!(set_quantifier, ast::SetQuantifier::None | ast::SetQuantifier::Distinct);
            let operation = match op {
                ast::SetOperator::Union => SetOperation::Union,
                ast::SetOperator::Except | ast::SetOperator::Minus => SetOperation::Except,
                ast::SetOperator::Intersect => SetOperation::Intersect,
            };
            let left = set_expression(index, left)?;
            let right = set_expression(index, right)?;
            (is_distinct && left.combined.is_none())
                .then(|| Query { combined: Some((operation, Box::new(right))), ..left })
        }
        _ => None,
    }
}

//! An alias of the select list in the condition of a join: `SELECT a.x AS k … JOIN b ON k = b.x`. The engine knows no
//! aliases there, so the alias is replaced by its expression. A column of that name takes precedence.

use firn_binder::QueryScopes;
use firn_engine::EngineError;
use firn_sql::ast::{Expr, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, TableWithJoins};
use firn_sql::join_constraints::{join_constraint, join_constraint_mut};
use firn_sql::tree::Walk;

use super::kinds::branches_of;
use super::lateral_aliases::{Meanings, Names};

pub(super) fn applies_to(query: &Query) -> bool {
    let mut selects = Vec::new();
    branches_of(&query.body, &mut selects);
    selects.into_iter().any(names_alias)
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    rewrite_body(&mut query.body, scopes)
}

fn rewrite_body(body: &mut SetExpr, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    match body {
        SetExpr::Select(select) if names_alias(select) => rewrite_select(select, scopes),
        SetExpr::SetOperation { left, right, .. } => {
            rewrite_body(left, scopes)?;
            rewrite_body(right, scopes)
        }
        _ => Ok(()),
    }
}

fn rewrite_select(select: &mut Select, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    let relations = scopes.relations(&select.from)?;
    if relations.iter().any(|relation| relation.columns.is_none()) {
        return Ok(());
    }
    let is_column = |name: &str| relations.iter().any(|relation| relation.has(name));
    let mut meant = Meanings::default();
    for item in &select.projection {
        if let SelectItem::ExprWithAlias { expr, alias } = item
            && !is_column(&alias.value)
        {
            meant.learn(&alias.value, expr);
        }
    }
    for table in &mut select.from {
        join_conditions_mut(table).for_each(|condition| meant.put_into(condition));
    }
    Ok(())
}

fn names_alias(select: &Select) -> bool {
    if select.from.iter().all(|table| table.joins.is_empty()) {
        return false;
    }
    let aliases = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.as_str()),
        _ => None,
    });
    let mut names = Names(aliases.collect());
    let conditions = select.from.iter().flat_map(|table| &table.joins).filter_map(|join| on(&join.join_operator));
    !names.0.is_empty() && conditions.into_iter().any(|condition| condition.inspect(&mut names).is_break())
}

pub(super) fn join_conditions_mut(table: &mut TableWithJoins) -> impl Iterator<Item = &mut Expr> {
    table.joins.iter_mut().filter_map(|join| match join_constraint_mut(&mut join.join_operator) {
        Some(JoinConstraint::On(condition)) => Some(condition),
        _ => None,
    })
}

fn on(join: &JoinOperator) -> Option<&Expr> {
    match join_constraint(join) {
        Some(JoinConstraint::On(condition)) => Some(condition),
        _ => None,
    }
}

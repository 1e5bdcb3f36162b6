//! The clauses of one SELECT.

use firn_sql::ast::{
    Distinct, Expr as Ast, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, LimitClause, OrderBy,
    OrderByKind, OrderBySort, Select, SelectItem, SelectItemQualifiedWildcardKind,
};

use super::expressions::{Scope, number_of};
use super::relations::Relations;
use crate::interpretation::query::{Direction, Expr, Query};
use crate::links::model_index::ModelIndex;

pub(super) fn select(
    index: &ModelIndex,
    select: &Select,
    order: Option<&OrderBy>,
    limit: Option<&LimitClause>,
) -> Option<Query> {
    let has_more = select.qualify.is_some()
        || select.top.is_some()
        || select.exclude.is_some()
        || !select.connect_by.is_empty()
        || !select.lateral_views.is_empty()
        || !select.named_window.is_empty();
    let distinct = match select.distinct {
        None | Some(Distinct::All) => false,
        Some(Distinct::Distinct) => true,
        Some(Distinct::On(_)) => return None,
    };
    if has_more {
        return None;
    }
    let relations = Relations::of(index, &select.from)?;
    let mut scope = Scope { index, relations, shown: Vec::new() };
    let mut query = Query { distinct, joined: scope.relations.tables(), ..Query::default() };
    for item in &select.projection {
        show(&mut scope, &mut query, item)?;
    }
    if let Some(selection) = &select.selection {
        query.conditions = scope.conditions(selection)?;
    }
    group(&scope, &mut query, &select.group_by)?;
    if let Some(having) = &select.having {
        query.having = scope.conditions(having)?;
    }
    if let Some(order) = order {
        query.order = ordered(&scope, &query, order)?;
    }
    if let Some(limit) = limit {
        query.limit = Some(limited(limit)?);
    }
    Some(query)
}

fn show(scope: &mut Scope<'_>, query: &mut Query, item: &SelectItem) -> Option<()> {
    let (tree, alias) = match item {
        SelectItem::UnnamedExpr(tree) => (tree, None),
        SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
        SelectItem::Wildcard(_) => {
            query.select.push(Expr::Everything(scope.relations.only()?));
            return Some(());
        }
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
            let table = scope.relations.table_called(name.0.last()?.as_ident()?)?;
            query.select.push(Expr::Everything(table));
            return Some(());
        }
        _ => return None,
    };
    let (tree, decimals) = without_round(tree);
    if let Some(decimals) = decimals {
        if query.decimals.is_some_and(|other| other != decimals) {
            return None;
        }
        query.decimals = Some(decimals);
    }
    let expr = scope.expression(tree)?;
    if let Some(alias) = alias {
        scope.shown.push((alias.value.clone(), expr.clone()));
    }
    query.select.push(expr);
    Some(())
}

/// `ROUND(x, 2)`: the expression and its decimals.
fn without_round(tree: &Ast) -> (&Ast, Option<u32>) {
    let Ast::Function(call) = tree else { return (tree, None) };
    let FunctionArguments::List(list) = &call.args else { return (tree, None) };
    let is_round = call.name.to_string().eq_ignore_ascii_case("ROUND");
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] if is_round => (inner, Some(0)),
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)), FunctionArg::Unnamed(FunctionArgExpr::Expr(decimals))]
            if is_round =>
        {
            match number_of(decimals) {
                Some(decimals) if (0.0..=12.0).contains(&decimals) => (inner, Some(decimals as u32)),
                _ => (tree, None),
            }
        }
        _ => (tree, None),
    }
}

fn group(scope: &Scope<'_>, query: &mut Query, clause: &GroupByExpr) -> Option<()> {
    let GroupByExpr::Expressions(trees, modifiers) = clause else { return Some(()) };
    if !modifiers.is_empty() {
        return None;
    }
    let is_aggregated = query.select.iter().any(Expr::is_aggregate);
    for tree in trees {
        let expr = by_place_or_name(scope, query, tree)?;
        if !query.select.contains(&expr) {
            query.group.push(expr);
        }
    }
    // Groups without an aggregate are the different rows.
    if !trees.is_empty() && !is_aggregated && query.group.is_empty() {
        query.distinct = true;
    }
    Some(())
}

fn ordered(scope: &Scope<'_>, query: &Query, order: &OrderBy) -> Option<Vec<(Expr, Direction)>> {
    let OrderByKind::Expressions(trees) = &order.kind else { return None };
    let one = |tree: &firn_sql::ast::OrderByExpr| {
        let direction = match tree.options.sort {
            None | Some(OrderBySort::Asc) => Direction::Ascending,
            Some(OrderBySort::Desc) => Direction::Descending,
            Some(_) => return None,
        };
        Some((by_place_or_name(scope, query, &tree.expr)?, direction))
    };
    trees.iter().map(one).collect()
}

/// `2`, an alias, or an expression.
fn by_place_or_name(scope: &Scope<'_>, query: &Query, tree: &Ast) -> Option<Expr> {
    match number_of(tree) {
        Some(place) => query.select.get((place as usize).checked_sub(1)?).cloned(),
        None => scope.expression(without_round(tree).0),
    }
}

fn limited(clause: &LimitClause) -> Option<u64> {
    match clause {
        LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by } if limit_by.is_empty() => {
            number_of(limit).map(|limit| limit as u64)
        }
        _ => None,
    }
}

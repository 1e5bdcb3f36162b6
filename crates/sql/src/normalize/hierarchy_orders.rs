//! ORDER BY beside CONNECT BY: PRIOR, CONNECT_BY_ROOT and SYS_CONNECT_BY_PATH, and the columns of a join that are not
//! shown, become columns of the query below, where they have a meaning, and the query around it is ordered by those.

use std::ops::ControlFlow;

use super::hierarchies::is_called;
use crate::Failure;
use crate::ast::{
    ExcludeSelectItem, Expr, Ident, ObjectName, OrderBy, OrderByKind, Query, SelectItem, SetExpr, TableWithJoins,
    Visitor, WildcardAdditionalOptions,
};
use crate::clause_tokens::{PRIOR, ROOT};
use crate::query_parts::{derived, same_name, select_of, skeleton};
use crate::tree::Walk;

pub(super) fn rewrite(query: &mut Query) -> Result<(), Failure> {
    let (SetExpr::Select(select), Some(OrderBy { kind: OrderByKind::Expressions(keys), .. })) =
        (query.body.as_mut(), &mut query.order_by)
    else {
        return Ok(());
    };
    if select.connect_by.is_empty() || select.distinct.is_some() {
        return Ok(());
    }
    let shown: Vec<Option<Ident>> = select.projection.iter().map(name_of).collect();
    let is_shown = |expr: &Expr| match expr {
        Expr::Value(_) => true,
        Expr::Identifier(name) => shown.iter().flatten().any(|shown| same_name(shown, name)),
        _ => false,
    };
    let is_join = select.from.iter().any(|table| !table.joins.is_empty());
    let is_hidden = |expr: &Expr| !is_shown(expr) && (is_join || expr.inspect(&mut Search).is_break());
    let mut hidden = Vec::new();
    for key in keys.iter_mut().filter(|key| is_hidden(&key.expr)) {
        let name = Ident::with_quote('"', format!("__KEY{}", hidden.len() + 1));
        let expr = std::mem::replace(&mut key.expr, Expr::Identifier(name.clone()));
        select.projection.push(SelectItem::ExprWithAlias { expr, alias: name.clone() });
        hidden.push(name);
    }
    if hidden.is_empty() { Ok(()) } else { show_without(query, shown, hidden) }
}

/// Breaks at what only a hierarchy has.
struct Search;

impl Visitor for Search {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let is_of_hierarchy = match expr {
            Expr::Prior(_) | Expr::Prefixed { .. } => true,
            Expr::Function(function) => {
                let is_path = function.name.to_string().eq_ignore_ascii_case("SYS_CONNECT_BY_PATH");
                is_path || is_called(function, PRIOR) || is_called(function, ROOT)
            }
            _ => false,
        };
        if is_of_hierarchy { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn name_of(item: &SelectItem) -> Option<Ident> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().cloned(),
        _ => None,
    }
}

/// The query becomes the one that shows all columns of it but the hidden ones.
fn show_without(query: &mut Query, shown: Vec<Option<Ident>>, hidden: Vec<Ident>) -> Result<(), Failure> {
    let mut around = skeleton("SELECT 1")?;
    std::mem::swap(&mut around.body, &mut query.body);
    let relation = derived(around, Ident::with_quote('"', "__ORDERED"));
    let Some(select) = select_of(query) else { return Ok(()) };
    select.projection = all_but(shown, hidden);
    select.from = vec![TableWithJoins { relation, joins: Vec::new() }];
    Ok(())
}

fn all_but(shown: Vec<Option<Ident>>, hidden: Vec<Ident>) -> Vec<SelectItem> {
    match shown.into_iter().collect::<Option<Vec<Ident>>>() {
        Some(names) => names.into_iter().map(|name| SelectItem::UnnamedExpr(Expr::Identifier(name))).collect(),
        None => {
            let excluded = hidden.into_iter().map(ObjectName::from).collect();
            let opt_exclude = Some(ExcludeSelectItem::Multiple(excluded));
            vec![SelectItem::Wildcard(WildcardAdditionalOptions { opt_exclude, ..Default::default() })]
        }
    }
}

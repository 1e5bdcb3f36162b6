//! References to the alias of a volatile expression in the same select: `RANDOM() AS r, r + 1 AS s FROM t`. Volatile
//! expressions, and the columns that the select reads, move into a subquery, so that each is evaluated once per row. Where
//! that could change the result, the select is not rewritten and the engine refuses it.

use std::ops::ControlFlow;

use firn_binder::QueryScopes;
use firn_engine::EngineError;
use firn_sql::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, Visitor,
    VisitorMut,
};
use firn_sql::functions::{is_aggregate, is_volatile};
use firn_sql::print;
use firn_sql::tree::Walk;

use super::build::{call_name, derived_table, nested, quoted};
use super::join_constraints::merges_columns;
use super::overload_lambdas::is_place;
use super::set_branches::shown_value;
use super::set_columns::spell_out;

/// Whether a select has a volatile expression with an alias.
pub(super) fn applies_to(query: &Query) -> bool {
    let is_volatile =
        |item: &SelectItem| matches!(item, SelectItem::ExprWithAlias { expr, .. } if Found::in_expr(expr).is_volatile);
    match &*query.body {
        SetExpr::Select(select) => {
            let may_name_alias = select.projection.len() > 1 || select.selection.is_some() || select.qualify.is_some();
            may_name_alias && select.projection.iter().any(is_volatile)
        }
        _ => false,
    }
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    if let SetExpr::Select(select) = &mut *query.body {
        while (Pass { scopes }).move_below(select, query.order_by.as_mut())? {}
    }
    Ok(())
}

/// What an expression is made of.
#[derive(Default)]
struct Found {
    is_volatile: bool,
    has_window: bool,
    /// Subqueries and lambdas, in which names may refer to something else than columns of FROM and aliases.
    is_opaque: bool,
    names: Vec<String>,
}

impl Found {
    fn in_expr(expr: &Expr) -> Self {
        let mut found = Self::default();
        // The visitor never breaks.
        let _ = expr.inspect(&mut found);
        found
    }
}

impl Visitor for Found {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.is_opaque = true;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => {
                self.is_opaque |= is_place(name);
                self.names.push(name.value.clone());
            }
            Expr::Lambda(_) => self.is_opaque = true,
            Expr::Function(function) => {
                let name = call_name(function).unwrap_or_default();
                self.is_volatile |= is_volatile(name);
                self.has_window |= function.over.is_some();
                self.is_opaque |= function.over.is_none() && is_aggregate(name);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

struct Pass<'scopes, 'lookup> {
    scopes: &'scopes QueryScopes<'lookup>,
}

impl Pass<'_, '_> {
    /// Whether a volatile value was moved into a subquery.
    fn move_below(&self, select: &mut Select, order_by: Option<&mut OrderBy>) -> Result<bool, EngineError> {
        let no_groups = matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
        let relations = self.scopes.relations(&select.from)?;
        if !no_groups || select.having.is_some() || relations.iter().any(|relation| relation.columns.is_none()) {
            return Ok(false);
        }
        let is_column = |name: &str| relations.iter().any(|relation| relation.has(name));
        let aliases: Vec<String> =
            select.projection.iter().filter_map(alias_of).filter(|name| !is_column(name)).collect();
        let parts = Parts { aliases, items: select.projection.iter().map(found_in).collect() };
        let clauses: Vec<Found> =
            [&select.selection, &select.qualify].into_iter().flatten().map(Found::in_expr).collect();
        let Some(volatile) = parts.volatile_and_named(&select.projection, &clauses) else { return Ok(false) };
        // Rows are filtered before a window is computed over them.
        if select.selection.as_ref().is_some_and(|condition| parts.names_window(&select.projection, condition)) {
            return Ok(false);
        }
        let is_opaque = |expr: &Expr| Found::in_expr(expr).is_opaque;
        if order_by.as_ref().is_some_and(|order_by| orders_of(order_by).any(is_opaque)) {
            return Ok(false);
        }
        let mut projection = select.projection.clone();
        if !merges_columns(&select.from) {
            spell_out(&mut projection, &relations);
        }
        let stars = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
        if projection.iter().any(stars) {
            return Ok(false);
        }
        select.projection = projection;
        let had_window = has_window(select);
        self.rebuild(select, order_by, &parts.aliases, &volatile)?;
        if had_window && !has_window(select) {
            filter_by_qualify(select);
        }
        Ok(true)
    }

    fn rebuild(
        &self,
        select: &mut Select,
        order_by: Option<&mut OrderBy>,
        aliases: &[String],
        volatile: &[String],
    ) -> Result<(), EngineError> {
        let mut lifted = Lifted { aliases, volatile: Vec::new(), below: Vec::new() };
        let mut below_items = Vec::new();
        for item in &mut select.projection {
            let alias = alias_of(item);
            let Some(expr) = shown_value(item) else { continue };
            match alias.filter(|alias| volatile.contains(alias)) {
                Some(alias) => {
                    let name = quoted(&format!("firn volatile {}", below_items.len() + 1));
                    let value = std::mem::replace(expr, Expr::Identifier(name.clone()));
                    below_items.push(SelectItem::ExprWithAlias { expr: value, alias: name.clone() });
                    lifted.volatile.push((alias, name));
                }
                None => lifted.lift(expr),
            }
        }
        let names_alias =
            |condition: &mut Expr| Found::in_expr(condition).names.iter().any(|name| aliases.contains(name));
        let condition = select.selection.take_if(|condition| !names_alias(condition));
        [&mut select.selection, &mut select.qualify].into_iter().flatten().for_each(|clause| lifted.lift(clause));
        if let Some(OrderBy { kind: OrderByKind::Expressions(keys), .. }) = order_by {
            let shown: Vec<String> = select.projection.iter().filter_map(alias_of).collect();
            let is_shown = |expr: &Expr| matches!(expr, Expr::Identifier(name) if shown.contains(&name.value));
            keys.iter_mut().filter(|key| !is_shown(&key.expr)).for_each(|key| lifted.lift(&mut key.expr));
        }
        let named = lifted.below.into_iter().map(|(expr, alias)| SelectItem::ExprWithAlias { expr, alias });
        below_items.extend(named);
        let mut below = print::read_query("SELECT 1")?;
        if let SetExpr::Select(inner) = &mut *below.body {
            inner.projection = below_items;
            inner.from = std::mem::take(&mut select.from);
            inner.selection = condition;
        }
        select.from = vec![derived_table(below, "firn volatile")];
        Ok(())
    }
}

fn has_window(select: &Select) -> bool {
    let in_qualify = select.qualify.as_ref().is_some_and(|condition| Found::in_expr(condition).has_window);
    in_qualify || select.projection.iter().any(|item| found_in(item).has_window)
}

/// The windows are columns of the subquery now.
fn filter_by_qualify(select: &mut Select) {
    let Some(condition) = select.qualify.take() else { return };
    select.selection = Some(match select.selection.take() {
        Some(first) => Expr::BinaryOp {
            left: Box::new(nested(first)),
            op: BinaryOperator::And,
            right: Box::new(nested(condition)),
        },
        None => condition,
    });
}

fn orders_of(order_by: &OrderBy) -> impl Iterator<Item = &Expr> {
    let keys = match &order_by.kind {
        OrderByKind::Expressions(keys) => keys.as_slice(),
        OrderByKind::All(_) => &[],
    };
    keys.iter().map(|key| &key.expr)
}

fn alias_of(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        _ => None,
    }
}

fn found_in(item: &SelectItem) -> Found {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Found::in_expr(expr),
        _ => Found::default(),
    }
}

/// The aliases of a select that are no columns, and what its items are made of.
struct Parts {
    aliases: Vec<String>,
    items: Vec<Found>,
}

impl Parts {
    /// Whether a condition names a value that is computed with a window.
    fn names_window(&self, projection: &[SelectItem], condition: &Expr) -> bool {
        let windows = projection.iter().zip(&self.items).filter(|(_, found)| found.has_window);
        let windows: Vec<String> = windows.filter_map(|(item, _)| alias_of(item)).collect();
        Found::in_expr(condition).names.iter().any(|name| windows.contains(name) && self.aliases.contains(name))
    }

    /// The aliases of volatile values that name no other alias, if any of them is named again.
    fn volatile_and_named(&self, projection: &[SelectItem], clauses: &[Found]) -> Option<Vec<String>> {
        if self.items.iter().chain(clauses).any(|found| found.is_opaque) {
            return None;
        }
        let is_alone = |found: &Found| !found.names.iter().any(|name| self.aliases.contains(name));
        let volatile = projection.iter().zip(&self.items).filter(|(_, found)| found.is_volatile && is_alone(found));
        let volatile: Vec<String> =
            volatile.filter_map(|(item, _)| alias_of(item)).filter(|alias| self.aliases.contains(alias)).collect();
        let names = self.items.iter().chain(clauses).flat_map(|found| &found.names);
        names.into_iter().any(|name| volatile.contains(name)).then_some(volatile)
    }
}

/// Replaces columns of FROM and volatile expressions by columns of the subquery.
struct Lifted<'a> {
    aliases: &'a [String],
    volatile: Vec<(String, Ident)>,
    below: Vec<(Expr, Ident)>,
}

impl Lifted<'_> {
    fn lift(&mut self, expr: &mut Expr) {
        // The visitor never breaks.
        let _ = expr.rewrite(self);
    }

    /// The column of the subquery for a name; `None` for other aliases, which are not its columns.
    fn name_below(&mut self, expr: &Expr) -> Option<Ident> {
        match expr {
            Expr::Identifier(name) if self.aliases.contains(&name.value) => {
                self.volatile.iter().find(|(alias, _)| *alias == name.value).map(|(_, name)| name.clone())
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                if let Some((_, name)) = self.below.iter().find(|(column, _)| column == expr) {
                    return Some(name.clone());
                }
                let name = quoted(&format!("firn column {}", self.below.len() + 1));
                self.below.push((expr.clone(), name.clone()));
                Some(name)
            }
            _ => None,
        }
    }
}

impl VisitorMut for Lifted<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(name) = self.name_below(expr) {
            *expr = Expr::Identifier(name);
        }
        ControlFlow::Continue(())
    }
}

//! Lateral aliases that the engine does not support: in an aggregate, in a key of GROUP BY, and aliases of expressions
//! with subqueries. The expression of the alias replaces the reference. A column of that name takes precedence.

use std::ops::ControlFlow;

use firn_binder::QueryScopes;
use firn_engine::EngineError;
use firn_sql::ast::{
    Expr, Function, GroupByExpr, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, Value, Visitor, VisitorMut,
};
use firn_sql::functions::{is_aggregate, is_volatile};
use firn_sql::tree::Walk;

use super::build::{call_name, nested};
use super::kinds::branches_of;
use super::outside_subqueries;
use super::select_items::shown_value;

/// Whether a select may name an alias of its own in an expression.
pub(super) fn applies_to(query: &Query) -> bool {
    let mut selects = Vec::new();
    branches_of(&query.body, &mut selects);
    selects.into_iter().filter(|select| groups(select) || asks(select)).any(|select| names_aliases(select, query))
}

fn names_aliases(select: &Select, query: &Query) -> bool {
    let aliases = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.as_str()),
        _ => None,
    });
    let mut names = Names(aliases.collect());
    let conditions = select.selection.iter().chain(&select.having).chain(&select.qualify);
    let items = select.projection.iter().filter_map(shown_value).chain(conditions);
    let keys = match &select.group_by {
        GroupByExpr::Expressions(keys, _) => keys.as_slice(),
        GroupByExpr::All(_) => &[],
    };
    let order = match &query.order_by {
        Some(OrderBy { kind: OrderByKind::Expressions(order), .. }) => order.as_slice(),
        _ => &[],
    };
    let sorted = keys.iter().chain(order.iter().map(|order| &order.expr));
    let sorted = sorted.filter(|expr| !matches!(expr, Expr::Identifier(_)));
    items.chain(sorted).any(|expr| expr.inspect(&mut names).is_break())
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    Pass { scopes }.body(&mut query.body, query.order_by.as_mut())
}

/// Breaks at one of these names.
pub(super) struct Names<'names>(pub(super) Vec<&'names str>);

impl Visitor for Names<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) if self.0.contains(&name.value.as_str()) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

struct Pass<'scopes, 'lookup> {
    scopes: &'scopes QueryScopes<'lookup>,
}

impl Pass<'_, '_> {
    fn body(&self, body: &mut SetExpr, order_by: Option<&mut OrderBy>) -> Result<(), EngineError> {
        match body {
            SetExpr::Select(select) if groups(select) || asks(select) => self.select(select, order_by),
            SetExpr::SetOperation { left, right, .. } => {
                self.body(left, None)?;
                self.body(right, None)
            }
            _ => Ok(()),
        }
    }

    fn select(&self, select: &mut Select, order_by: Option<&mut OrderBy>) -> Result<(), EngineError> {
        let relations = self.scopes.relations(&select.from)?;
        if relations.iter().any(|relation| relation.columns.is_none()) {
            return Ok(());
        }
        let is_column = |name: &str| relations.iter().any(|relation| relation.has(name));
        put_queries(select, is_column);
        if groups(select) {
            put_into_groups(select, order_by, is_column);
        }
        Ok(())
    }
}

/// Replaces references to aliases of expressions with subqueries.
fn put_queries(select: &mut Select, is_column: impl Fn(&str) -> bool) {
    let mut asked = Meanings::default();
    for item in &mut select.projection {
        match item {
            SelectItem::UnnamedExpr(expr) => asked.put_into(expr),
            SelectItem::ExprWithAlias { expr, alias } => {
                asked.put_into(expr);
                if !is_column(&alias.value) {
                    asked.learn_query(&alias.value, expr);
                }
            }
            _ => {}
        }
    }
    let conditions = [&mut select.selection, &mut select.having, &mut select.qualify];
    conditions.into_iter().flatten().for_each(|condition| asked.put_into(condition));
}

fn put_into_groups(select: &mut Select, order_by: Option<&mut OrderBy>, is_column: impl Fn(&str) -> bool) {
    let keys = Keys::of(&select.group_by);
    let mut meant = Meanings::default();
    for (place, item) in (1_usize..).zip(&mut select.projection) {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(&*alias)),
            _ => continue,
        };
        match keys.has(place, alias.map(|alias| alias.value.as_str())) {
            true => meant.put_into(expr),
            false => meant.put_into_aggregates(expr),
        }
        if let Some(alias) = alias.filter(|alias| !is_column(&alias.value)) {
            meant.learn(&alias.value, expr);
        }
    }
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        keys.iter_mut().filter(|key| !matches!(key, Expr::Identifier(_))).for_each(|key| meant.put_into(key));
    }
    let conditions = [&mut select.having, &mut select.qualify];
    conditions.into_iter().flatten().for_each(|condition| meant.put_into_aggregates(condition));
    if let Some(OrderBy { kind: OrderByKind::Expressions(keys), .. }) = order_by {
        keys.iter_mut().for_each(|key| meant.put_into_aggregates(&mut key.expr));
    }
}

/// Whether an aliased expression has a subquery.
fn asks(select: &Select) -> bool {
    select.projection.iter().any(|item| match item {
        SelectItem::ExprWithAlias { expr, .. } => Queries::in_expr(expr).count > 0,
        _ => false,
    })
}

/// Whether a select has aliases, and aggregates or groups that may name them.
fn groups(select: &Select) -> bool {
    let has_keys = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
    };
    let is_aliased = |item: &SelectItem| matches!(item, SelectItem::ExprWithAlias { .. });
    let aggregates = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr.inspect(&mut Search).is_break(),
        _ => false,
    };
    select.projection.iter().any(is_aliased) && (has_keys || select.projection.iter().any(aggregates))
}

/// Breaks at an aggregate.
struct Search;

impl Visitor for Search {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) if makes_one_of_many(function) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

pub(super) fn makes_one_of_many(function: &Function) -> bool {
    function.over.is_none() && call_name(function).is_some_and(is_aggregate)
}

/// The items that GROUP BY names by their places or aliases.
enum Keys {
    All,
    Some { places: Vec<usize>, names: Vec<String> },
}

impl Keys {
    fn of(group_by: &GroupByExpr) -> Self {
        let GroupByExpr::Expressions(keys, _) = group_by else { return Self::All };
        let place = |key: &Expr| match key {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => digits.parse().ok(),
                _ => None,
            },
            _ => None,
        };
        let name = |key: &Expr| match key {
            Expr::Identifier(name) => Some(name.value.clone()),
            _ => None,
        };
        Self::Some { places: keys.iter().filter_map(place).collect(), names: keys.iter().filter_map(name).collect() }
    }

    fn has(&self, place: usize, name: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Some { places, names } => {
                places.contains(&place) || name.is_some_and(|name| names.iter().any(|key| key == name))
            }
        }
    }
}

/// The expressions of the aliases so far.
#[derive(Default)]
pub(super) struct Meanings(Vec<(String, Expr)>);

impl Meanings {
    /// An aggregate or volatile expression cannot be duplicated.
    pub(super) fn learn(&mut self, alias: &str, expr: &Expr) {
        let mut meaning = expr.clone();
        self.put_into(&mut meaning);
        if meaning.inspect(&mut Unrepeatable).is_continue() {
            self.0.push((alias.to_owned(), nested(meaning)));
        }
    }

    /// As `learn`, for expressions with subqueries; each alias may double them, so long chains are not rewritten.
    fn learn_query(&mut self, alias: &str, expr: &Expr) {
        const QUERIES_MAX: usize = 50;
        let queries = Queries::in_expr(expr);
        if (1..=QUERIES_MAX).contains(&queries.count) && !queries.is_volatile {
            self.0.push((alias.to_owned(), nested(expr.clone())));
        }
    }

    pub(super) fn put_into(&self, expr: &mut Expr) {
        if self.0.is_empty() {
            return;
        }
        outside_subqueries::rewrite(expr, |expr| {
            if let Expr::Identifier(name) = expr
                && let Some((_, meaning)) = self.0.iter().find(|(alias, _)| *alias == name.value)
            {
                *expr = meaning.clone();
            }
        });
    }

    fn put_into_aggregates(&self, expr: &mut Expr) {
        if !self.0.is_empty() {
            // The visitor never breaks.
            let _ = expr.rewrite(&mut InAggregates { meant: self, queries: 0 });
        }
    }
}

/// How many subqueries an expression has, and whether it is volatile.
#[derive(Default)]
struct Queries {
    count: usize,
    is_volatile: bool,
}

impl Queries {
    fn in_expr(expr: &Expr) -> Self {
        let mut found = Self::default();
        // The visitor never breaks.
        let _ = expr.inspect(&mut found);
        found
    }
}

impl Visitor for Queries {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.count += 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        self.is_volatile |= matches!(expr, Expr::Function(function) if call_name(function).is_some_and(is_volatile));
        ControlFlow::Continue(())
    }
}

/// Breaks at an aggregate, a window function, a subquery and a volatile function.
struct Unrepeatable;

impl Visitor for Unrepeatable {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let is_volatile_call = call_name(function).is_some_and(is_volatile);
        match is_volatile_call || function.over.is_some() || makes_one_of_many(function) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

struct InAggregates<'meant> {
    meant: &'meant Meanings,
    queries: usize,
}

impl VisitorMut for InAggregates<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.queries == 0 && matches!(expr, Expr::Function(function) if makes_one_of_many(function)) {
            self.meant.put_into(expr);
        }
        ControlFlow::Continue(())
    }
}

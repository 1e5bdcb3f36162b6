//! Chains of lateral aliases in one select: `1 AS a, a + a AS b, b + b AS c`. The engine inlines the expression at every
//! reference of the alias, so that planning time doubles with each step. Where it would be too much, the first steps
//! become columns of a derived table that the later ones refer to.

use firn_binder::{QueryScopes, SelectRelation};
use firn_engine::EngineError;
use firn_sql::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, TableFactor,
};
use firn_sql::{Failure, print};

use super::build::{boolean, call, case, derived_table, null, number, quoted};
use super::join_constraints::merges_columns;
use super::kinds::branches_of;
use super::set_columns::spell_out;

mod found;
mod group_keys;
mod lifted;

use found::{COPIES_OF_MANY_MAX, Found, Items, alias_of, value_of};
use lifted::{AliasPlaces, Cut, Lifted};

/// How many derived tables a select becomes at most.
const LEVELS_MAX: usize = 40;
/// The derived table of steps over the rows of FROM.
const STEPS: &str = "firn steps";
/// The derived table of steps over groups.
const GROUPS: &str = "firn groups";

pub(super) fn applies_to(query: &Query) -> bool {
    let mut selects = Vec::new();
    branches_of(&query.body, &mut selects);
    selects.into_iter().any(|select| Items::of(&select.projection, &|_| false).is_long())
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    rewrite_body(&mut query.body, query.order_by.as_mut(), scopes)
}

fn rewrite_body(
    body: &mut SetExpr,
    mut order_by: Option<&mut OrderBy>,
    scopes: &QueryScopes<'_>,
) -> Result<(), EngineError> {
    match body {
        SetExpr::Select(select) => {
            Items::of(&select.projection, &|_| false).check_references(LEVELS_MAX * COPIES_OF_MANY_MAX)?;
            for level in 0..LEVELS_MAX {
                if !split(select, order_by.as_deref_mut(), scopes, level)? {
                    break;
                }
            }
            Items::of(&select.projection, &|_| false).check_bounds()
        }
        SetExpr::SetOperation { left, right, .. } => {
            rewrite_body(left, None, scopes)?;
            rewrite_body(right, None, scopes)
        }
        _ => Ok(()),
    }
}

/// Moves the steps that are short enough into a derived table, if there is one that is too long.
fn split(
    select: &mut Select,
    order_by: Option<&mut OrderBy>,
    scopes: &QueryScopes<'_>,
    level: usize,
) -> Result<bool, EngineError> {
    if !Items::of(&select.projection, &|_| false).is_long() || !select.named_window.is_empty() {
        return Ok(false);
    }
    let relations = scopes.relations(&select.from)?;
    if relations.iter().any(|relation| relation.columns.is_none()) {
        return Ok(false);
    }
    let mut projection = select.projection.clone();
    if !merges_columns(&select.from) {
        spell_out(&mut projection, &relations);
    }
    let is_column = |name: &str| relations.iter().any(|relation| relation.has(name));
    let items = Items::of(&projection, &is_column);
    if !items.is_long() || items.is_ambiguous {
        return Ok(false);
    }
    let needed = items.needed_by_aggregates([].iter());
    let keys = select.group_by.clone();
    group_keys::extend(select, &projection, &items, &needed);
    let Some(plan) = Plan::of(select, order_by.as_deref(), &items) else {
        select.group_by = keys;
        return Ok(false);
    };
    select.projection = projection;
    plan.rebuild(select, order_by, &relations, level)?;
    Ok(true)
}

/// Where a select is cut in two.
struct Plan<'items> {
    items: &'items Items,
    cut: Cut,
    /// Of each item, whether the derived table computes it.
    below: Vec<bool>,
    /// Whether WHERE references no alias, so that it is evaluated in the derived table.
    filters_below: bool,
    /// Whether HAVING references a step that is too long, so that it becomes a filter over the rows of the derived table,
    /// which are the groups.
    filters_groups: bool,
}

impl<'items> Plan<'items> {
    /// `None` where an expression that would have to name the derived table's columns holds a query, or where an item is
    /// needed both before and after its rows are grouped.
    fn of(select: &Select, order_by: Option<&OrderBy>, items: &'items Items) -> Option<Self> {
        let found = |expr: &Expr| Found::in_expr(expr, items);
        let filter = select.selection.as_ref().map(found).unwrap_or_default();
        let above: Vec<Found> =
            select.qualify.iter().chain(order_by.into_iter().flat_map(keys_of)).map(found).collect();
        let having = select.having.as_ref().map(found).unwrap_or_default();
        let cut = if !is_grouped(select, items) {
            Cut::Rows
        } else if inside_groups(select, items, above.iter().chain([&having]), &filter) {
            Cut::BeforeGroups
        } else {
            Cut::AfterGroups
        };
        let filters_below = filter.aliases.is_empty() || cut == Cut::AfterGroups;
        let filters_groups = cut == Cut::AfterGroups && items.any_long(&having.aliases);
        let keys = group_keys(&select.group_by);
        let is_key = |place: usize| match &select.group_by {
            GroupByExpr::All(_) => true,
            GroupByExpr::Expressions(..) => keys.iter().any(|key| items.place_of_key(key) == Some(place)),
        };
        let seeds = above.iter().chain([&having]).flat_map(|found| &found.in_aggregates).chain(&filter.aliases);
        let in_keys: Vec<usize> = keys.iter().flat_map(|key| found(key).aliases).collect();
        let needed = items.needed_by_aggregates(seeds.chain(&in_keys));
        // Such an item is constant within a group because of its expression; as a column it would have to be a group key.
        let is_split = |place: usize| needed[place] && !items.list[place].aggregates && !is_key(place);
        if cut == Cut::BeforeGroups && (0..items.list.len()).any(is_split) {
            return None;
        }
        let is_below = |place: usize| {
            let item = &items.list[place];
            match cut {
                _ if items.is_long_at(place) => false,
                Cut::Rows => filters_below || !item.windows,
                Cut::BeforeGroups => !item.aggregates && !item.windows && is_key(place),
                // A window function sees the groups that HAVING leaves.
                Cut::AfterGroups => !filters_groups || !item.windows,
            }
        };
        let below: Vec<bool> = (0..items.list.len()).map(is_below).collect();
        let lifted = items.list.iter().zip(&below).filter(|(_, is_below)| !**is_below).map(|(item, _)| item.asks);
        let asks = lifted.chain(above.iter().map(|found| found.asks)).any(|asks| asks)
            || (!filters_below && filter.asks)
            || (cut == Cut::BeforeGroups && (having.asks || keys.iter().any(|key| found(key).asks)))
            || (filters_groups && having.asks);
        (!asks && below.contains(&true)).then_some(Self { items, cut, below, filters_below, filters_groups })
    }

    fn rebuild(
        &self,
        select: &mut Select,
        order_by: Option<&mut OrderBy>,
        relations: &[SelectRelation],
        level: usize,
    ) -> Result<(), EngineError> {
        let name = |place: usize| quoted(&format!("firn step {level} {place}"));
        let aliases = self.items.list.iter().enumerate().filter(|(place, _)| self.below[*place]);
        let aliases = aliases.filter_map(|(place, item)| Some((item.alias.clone()?, name(place)))).collect();
        let mut lifted = Lifted::new(relations, aliases, self.cut, self.items.list.len(), level);
        let mut steps = Vec::new();
        for (place, item) in select.projection.iter_mut().enumerate() {
            let Some(expr) = super::set_branches::shown_value(item) else { continue };
            if self.below[place] {
                let mut value = std::mem::replace(expr, Expr::Identifier(name(place)));
                lifted.rename(&mut value);
                steps.push(SelectItem::ExprWithAlias { expr: value, alias: name(place) });
            } else {
                lifted.lift(expr, AliasPlaces::of(self.cut));
            }
        }
        let mut below = print::read_query("SELECT 1")?;
        let SetExpr::Select(inner) = &mut *below.body else { return Ok(()) };
        inner.from = std::mem::take(&mut select.from);
        match self.cut {
            Cut::AfterGroups => self.move_groups(select, inner, &lifted, name),
            Cut::Rows | Cut::BeforeGroups => self.lift_groups(select, &mut lifted),
        }
        if self.filters_below {
            inner.selection = select.selection.take();
            inner.selection.iter_mut().for_each(|filter| lifted.rename(filter));
        } else {
            select.selection.iter_mut().for_each(|filter| lifted.lift(filter, AliasPlaces::Anywhere));
        }
        if self.filters_groups {
            select.selection = select.having.take();
            select.selection.iter_mut().for_each(|filter| lifted.lift(filter, AliasPlaces::Anywhere));
        }
        select.qualify.iter_mut().for_each(|qualify| lifted.lift(qualify, AliasPlaces::of(self.cut)));
        if let Some(OrderBy { kind: OrderByKind::Expressions(keys), .. }) = order_by {
            let shown: Vec<&Ident> = select.projection.iter().filter_map(alias_of).collect();
            let is_shown = |expr: &Expr| matches!(expr, Expr::Identifier(name) if shown.iter().any(|shown| shown.value == name.value));
            let keys = keys.iter_mut().filter(|key| !is_shown(&key.expr));
            keys.for_each(|key| lifted.lift(&mut key.expr, AliasPlaces::of(self.cut)));
        }
        inner.projection = steps;
        inner.projection.extend(lifted.columns());
        // A filter over groups would be pushed into them like any other.
        let name = if self.cut == Cut::AfterGroups && !self.filters_groups { GROUPS } else { STEPS };
        select.from = vec![derived_table(below, name)];
        Ok(())
    }

    /// The derived table groups the rows; its keys name its own columns.
    fn move_groups(&self, select: &mut Select, inner: &mut Select, lifted: &Lifted<'_>, name: impl Fn(usize) -> Ident) {
        let none = GroupByExpr::Expressions(Vec::new(), Vec::new());
        inner.group_by = std::mem::replace(&mut select.group_by, none);
        if let GroupByExpr::Expressions(keys, _) = &mut inner.group_by {
            for key in keys {
                match self.items.place_of_key(key) {
                    Some(place) => *key = Expr::Identifier(name(place)),
                    None => lifted.rename(key),
                }
            }
        }
        inner.having = match self.filters_groups {
            // Without keys it is HAVING that makes one group of all rows.
            true => Some(boolean(true)),
            false => select.having.take(),
        };
        inner.having.iter_mut().for_each(|having| lifted.rename(having));
    }

    /// A key that is the alias or the place of an item stays so.
    fn lift_groups(&self, select: &mut Select, lifted: &mut Lifted<'_>) {
        if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
            let keys = keys.iter_mut().filter(|key| self.items.place_of_key(key).is_none());
            keys.for_each(|key| lifted.lift(key, AliasPlaces::Anywhere));
        }
        select.having.iter_mut().for_each(|having| lifted.lift(having, AliasPlaces::Aggregates));
    }
}

fn keys_of(order_by: &OrderBy) -> impl Iterator<Item = &Expr> {
    let keys = match &order_by.kind {
        OrderByKind::Expressions(keys) => keys.as_slice(),
        OrderByKind::All(_) => &[],
    };
    keys.iter().map(|key| &key.expr)
}

fn group_keys(group_by: &GroupByExpr) -> &[Expr] {
    match group_by {
        GroupByExpr::Expressions(keys, _) => keys,
        GroupByExpr::All(_) => &[],
    }
}

fn is_grouped(select: &Select, items: &Items) -> bool {
    matches!(select.group_by, GroupByExpr::All(_))
        || !group_keys(&select.group_by).is_empty()
        || select.having.is_some()
        || items.list.iter().any(|item| item.aggregates)
}

/// Whether a step that is too long is needed before the rows can be grouped.
fn inside_groups<'found>(
    select: &Select,
    items: &Items,
    clauses: impl Iterator<Item = &'found Found>,
    filter: &Found,
) -> bool {
    let in_keys = match &select.group_by {
        GroupByExpr::All(_) => {
            (0..items.list.len()).any(|place| items.is_long_at(place) && !items.list[place].aggregates)
        }
        GroupByExpr::Expressions(keys, _) => keys.iter().any(|key| match items.place_of_key(key) {
            Some(place) => items.is_long_at(place),
            None => items.any_long(&Found::in_expr(key, items).aliases),
        }),
    };
    let in_aggregates = |found: &Found| items.any_long(&found.in_aggregates);
    in_keys
        || items.any_long(&filter.aliases)
        || items.list.iter().any(|item| items.any_long(&item.in_aggregates))
        || clauses.into_iter().any(in_aggregates)
}

/// The optimizer pushes a filter into a derived table by inlining the table's expressions, which undoes the rewrite. It
/// does not push filters through volatile expressions, so the columns are wrapped in one.
pub(super) fn hold_steps(table: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::Derived { subquery, alias: Some(alias), .. } = table else { return Ok(()) };
    if alias.name.value != STEPS {
        return Ok(());
    }
    let SetExpr::Select(select) = &*subquery.body else { return Ok(()) };
    let is_plain = |expr: &Expr| matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_));
    let held = select.projection.iter().filter_map(|item| {
        let (alias, expr) = value_of(item)?;
        let alias = alias?.clone();
        let column = Expr::Identifier(alias.clone());
        let expr = if is_plain(expr) { column } else { held(column) };
        Some(SelectItem::ExprWithAlias { expr, alias })
    });
    let held: Vec<SelectItem> = held.collect();
    let steps = std::mem::replace(&mut **subquery, print::read_query("SELECT 1")?);
    if let SetExpr::Select(select) = &mut *subquery.body {
        select.projection = held;
        select.from = vec![derived_table(steps, "firn held steps")];
    }
    Ok(())
}

fn held(column: Expr) -> Expr {
    let never = Expr::BinaryOp {
        left: Box::new(call("random", Vec::new())),
        op: BinaryOperator::Lt,
        right: Box::new(number(0)),
    };
    call("coalesce", vec![column, case(vec![(never, null())], None)])
}

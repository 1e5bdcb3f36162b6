//! A select with groups: every column of its select list is a key or is aggregated.

use std::mem::{Discriminant, discriminant};
use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, GroupByExpr, Ident, Query, Select, SelectItem, Value, Visitor};
use firn_sql::call_search::first_call;
use firn_sql::tree::Tree;
use firn_sql::tree::each_expr;

use super::Binder;
use super::clauses::{aggregates, expr_of, reference};
use crate::bound::Reference;
use crate::error::BindError;
use crate::scope::Columns;

/// What a row of a group has one value of.
enum Key {
    Column(Reference),
    /// The one column of a USING or NATURAL join; the columns of both its sides are as good.
    JoinColumn(String),
    /// An expression as the dialect writes it, and the columns in it. The same key may be written in another way, so
    /// that only the engine knows whether one of these columns has one value per group.
    Computed(Discriminant<Expr>, String, Vec<Reference>),
}

impl Binder<'_> {
    pub(super) fn check_groups(&mut self, select: &Select) {
        let GroupByExpr::Expressions(written, _) = &select.group_by else { return };
        let outputs = || select.projection.iter().filter_map(expr_of);
        let is_grouped = !written.is_empty();
        let has_groups = is_grouped || select.having.is_some();
        if !has_groups && outputs().all(|expr| first_call(expr, aggregates).is_none()) {
            return;
        }
        let mut keys = Vec::new();
        written.iter().for_each(|key| self.add_keys(key, &select.projection, &mut keys));
        for expr in outputs() {
            if let Some(column) = self.first_ungrouped(expr, &keys) {
                let expr = self.shown(name_of(&column));
                let error = match is_grouped {
                    true => BindError::ungrouped(&column, expr),
                    false => BindError::GroupKey { expr },
                };
                self.bound.errors.push(error);
            }
        }
        if let Some(column) = select.having.as_ref().and_then(|having| self.first_ungrouped(having, &keys)) {
            let expr = self.shown(name_of(&column));
            self.bound.errors.push(BindError::GroupKey { expr });
        }
    }

    /// A key of GROUP BY that is a number names an item of the select list.
    pub(super) fn check_key_positions(&mut self, keys: &[Expr], items: &[SelectItem]) {
        if items.iter().all(|item| expr_of(item).is_some()) {
            let wrong = keys.iter().filter_map(|key| Some((key, position_beyond(key, items.len())?)));
            self.bound.errors.extend(wrong.map(|(key, position)| BindError::group_position(key, position)));
        }
    }

    /// So does one of ORDER BY.
    pub(super) fn check_order_position(&mut self, key: &Expr, outputs: &Columns) {
        if let Columns::List(columns) = outputs
            && let Some(position) = position_beyond(key, columns.len())
        {
            self.bound.errors.push(BindError::order_position(key, position));
        }
    }

    /// QUALIFY filters by window functions, its own or those of the select list.
    pub(super) fn check_qualify(&mut self, select: &Select) {
        let Some(condition) = &select.qualify else { return };
        let mut exprs = select.projection.iter().filter_map(expr_of).chain([condition]);
        if exprs.all(|expr| first_call(expr, |function| function.over.is_some()).is_none()) {
            self.bound.errors.push(BindError::QualifyWithoutWindow);
        }
    }

    fn add_keys(&self, key: &Expr, items: &[SelectItem], keys: &mut Vec<Key>) {
        match key {
            Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                sets.iter().flatten().for_each(|key| self.add_keys(key, items, keys));
            }
            Expr::Tuple(parts) => parts.iter().for_each(|key| self.add_keys(key, items, keys)),
            Expr::Nested(inside) => self.add_keys(inside, items, keys),
            _ => {
                keys.push(self.key(key));
                keys.extend(self.item_of(key, items).map(|item| self.key(item)));
            }
        }
    }

    fn key(&self, expr: &Expr) -> Key {
        match self.column_of(expr) {
            Some((name, Reference::JoinColumn)) => Key::JoinColumn(name.value.clone()),
            Some((_, reference)) => Key::Column(reference),
            None => {
                let mut columns = Vec::new();
                let _ = each_expr(expr, &mut |part| {
                    columns.extend(self.column_of(part).map(|(_, column)| column));
                    ControlFlow::<()>::Continue(())
                });
                Key::Computed(discriminant(expr), self.shown(expr.clone()), columns)
            }
        }
    }

    /// The column of this select's relations that an expression is, with its name.
    fn column_of<'expr>(&self, expr: &'expr Expr) -> Option<(&'expr Ident, Reference)> {
        let name = match expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(parts) => parts,
            _ => return None,
        };
        let found = reference(self.scopes.last()?, name)?;
        matches!(found, Reference::Column { .. } | Reference::JoinColumn).then_some((name.last()?, found))
    }

    fn first_ungrouped(&self, expr: &Expr, keys: &[Key]) -> Option<Vec<Ident>> {
        let mut search = UngroupedColumn { binder: self, keys, covered: 0, found: None };
        // The visitor never breaks.
        let _ = expr.walk(&mut search);
        search.found
    }

    fn is_key(&self, expr: &Expr, keys: &[Key]) -> bool {
        if let Some((name, found)) = self.column_of(expr) {
            return keys.iter().any(|key| match key {
                Key::Column(column) => *column == found,
                Key::JoinColumn(column) => *column == name.value,
                Key::Computed(_, _, columns) => columns.contains(&found),
            });
        }
        let computed = keys.iter().filter_map(|key| match key {
            Key::Computed(variant, text, _) => Some((variant, text)),
            _ => None,
        });
        computed.into_iter().any(|(variant, text)| *variant == discriminant(expr) && *text == self.shown(expr.clone()))
    }
}

fn name_of(column: &[Ident]) -> Expr {
    Expr::CompoundIdentifier(column.to_vec())
}

/// The number of a key that stands for an item, if there is no such item.
fn position_beyond(key: &Expr, items: usize) -> Option<String> {
    let Expr::Value(value) = key else { return None };
    let Value::Number(digits, _) = &value.value else { return None };
    let position: usize = digits.parse().ok()?;
    (position == 0 || position > items).then(|| digits.clone())
}

/// Looks for a column outside of keys, aggregates and subqueries.
struct UngroupedColumn<'a, 'schemas> {
    binder: &'a Binder<'schemas>,
    keys: &'a [Key],
    /// How many expressions and queries around this one have one value per group.
    covered: usize,
    found: Option<Vec<Ident>>,
}

impl UngroupedColumn<'_, '_> {
    fn is_covered(&self, expr: &Expr) -> bool {
        let has_own_names = match expr {
            Expr::Function(function) => aggregates(function),
            Expr::Lambda(_) => true,
            _ => false,
        };
        has_own_names || self.binder.is_key(expr, self.keys)
    }
}

impl Visitor for UngroupedColumn<'_, '_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.covered += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.covered -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if self.covered > 0 || self.is_covered(expr) {
            self.covered += 1;
        } else if let Some((_, Reference::Column { .. })) = self.binder.column_of(expr) {
            let name = match expr {
                Expr::CompoundIdentifier(parts) => parts.clone(),
                Expr::Identifier(name) => vec![name.clone()],
                _ => Vec::new(),
            };
            self.found.get_or_insert(name);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<Failure> {
        self.covered = self.covered.saturating_sub(1);
        ControlFlow::Continue(())
    }
}

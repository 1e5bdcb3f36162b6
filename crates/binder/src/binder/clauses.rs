//! Aggregates and window functions in clauses that do not allow them.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Function, Ident, ObjectNamePart, SelectItem, Value};
use firn_sql::call_search::first_call;
use firn_sql::functions::is_aggregate;
use firn_sql::tree::each_expr;

use super::Binder;
use crate::bound::Reference;
use crate::display::display;
use crate::error::BindError;
use crate::schema::SchemaError;
use crate::scope::{Resolved, Scope};

/// The clause of a select that is being bound, as far as it matters for what may be called in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clause {
    /// The select list, QUALIFY, ORDER BY, or none at all.
    #[default]
    Outputs,
    Where,
    GroupBy,
    Having,
}

/// The position of a call: its clause, and the number of enclosing aggregates of the same select.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallPlace {
    clause: Clause,
    aggregates: usize,
}

impl Binder<'_> {
    pub(super) fn in_clause<'expr>(
        &mut self,
        clause: Clause,
        exprs: impl IntoIterator<Item = &'expr Expr>,
    ) -> Result<(), SchemaError> {
        self.place.clause = clause;
        let bound = self.expressions(exprs);
        self.place.clause = Clause::Outputs;
        bound
    }

    /// Records an error about the position of a call.
    pub(super) fn enter_call(&mut self, function: &Function) {
        let error = if function.over.is_some() {
            let is_placed = self.place.clause == Clause::Outputs;
            (!is_placed).then(|| BindError::MisplacedWindow { expr: self.shown_call(function) })
        } else if aggregates(function) {
            self.place.aggregates += 1;
            match self.place.clause {
                Clause::Where => Some(BindError::AggregateInWhere { expr: self.shown_call(function) }),
                Clause::GroupBy => Some(BindError::GroupKey { expr: self.shown_call(function) }),
                _ if self.place.aggregates > 1 => {
                    // `leave_call` adds the outer one.
                    Some(BindError::NestedAggregate { inner: self.shown_call(function), outer: String::new() })
                }
                Clause::Outputs | Clause::Having => None,
            }
        } else {
            None
        };
        self.bound.errors.extend(error);
    }

    pub(super) fn leave_call(&mut self, function: &Function) {
        if function.over.is_some() || !aggregates(function) {
            return;
        }
        self.place.aggregates -= 1;
        if self.bound.errors.iter().any(is_without_outer) {
            let shown = self.shown_call(function);
            for error in self.bound.errors.iter_mut().rev() {
                if let BindError::NestedAggregate { inner, outer } = error
                    && outer.is_empty()
                    && *inner != shown
                {
                    outer.clone_from(&shown);
                }
            }
        }
    }

    /// An alias in WHERE is the expression that it names.
    pub(super) fn check_filter_aliases(&mut self, filter: &Expr, items: &[SelectItem]) {
        let mut found = None;
        let _ = each_expr(filter, &mut |expr| {
            let item = if matches!(expr, Expr::Identifier(_)) { self.item_of(expr, items) } else { None };
            let error = item.and_then(|item| {
                let window = first_call(item, |function| function.over.is_some());
                let window = window.map(|call| BindError::MisplacedWindow { expr: self.shown_call(&call) });
                let aggregate = || first_call(item, aggregates);
                window.or_else(|| aggregate().map(|call| BindError::AggregateInWhere { expr: self.shown_call(&call) }))
            });
            found = found.take().or(error);
            ControlFlow::<()>::Continue(())
        });
        self.bound.errors.extend(found);
    }

    /// A key that is an item of the select list is none if the item is computed from the groups.
    pub(super) fn check_group_keys(&mut self, keys: &[Expr], items: &[SelectItem]) {
        for key in keys {
            let aggregate = self.item_of(key, items).and_then(|item| first_call(item, aggregates));
            if let Some(aggregate) = aggregate {
                let expr = self.shown_call(&aggregate);
                self.bound.errors.push(BindError::GroupKey { expr });
            }
        }
    }

    /// The item of the select list that a key of GROUP BY names by its place, or by an alias that no column has.
    pub(super) fn item_of<'items>(&self, key: &Expr, items: &'items [SelectItem]) -> Option<&'items Expr> {
        match key {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => expr_of(items.get(digits.parse::<usize>().ok()?.checked_sub(1)?)?),
                _ => None,
            },
            Expr::Identifier(name) => {
                let scope = self.scopes.last()?;
                if !matches!(reference(scope, std::slice::from_ref(name)), Some(Reference::Alias)) {
                    return None;
                }
                items.iter().find_map(|item| match item {
                    SelectItem::ExprWithAlias { expr, alias } if alias.value == name.value => Some(expr),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    fn shown_call(&self, function: &Function) -> String {
        self.shown(Expr::Function(function.clone()))
    }

    pub(super) fn shown(&self, expr: Expr) -> String {
        display(expr, &|name| match reference(self.scopes.last()?, name)? {
            Reference::Column { relation, .. } => self.bound.relation(relation),
            _ => None,
        })
    }
}

pub(super) fn reference(scope: &Scope, name: &[Ident]) -> Option<Reference> {
    match scope.resolve(name) {
        Resolved::Column(node) => node.reference,
        _ => None,
    }
}

pub(super) fn expr_of(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

fn is_without_outer(error: &BindError) -> bool {
    matches!(error, BindError::NestedAggregate { outer, .. } if outer.is_empty())
}

pub(super) fn aggregates(function: &Function) -> bool {
    let name = match function.name.0.as_slice() {
        [ObjectNamePart::Identifier(name)] => name.value.as_str(),
        _ => return false,
    };
    function.over.is_none() && is_aggregate(name)
}

//! `$1`: a column by its position. It is admitted where FROM has a single relation, so that it is unambiguous, and as
//! `t.$1` where `t` is a subquery that names its columns.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Ident, Query, Select, SelectItem, SetExpr, TableFactor, Value, Visitor};
use crate::query_parts::{is_place, is_position, name_of, same_name};
use crate::tree::Tree;

/// The subqueries in the FROM clauses of the enclosing queries that have several relations, with the names of their
/// columns, innermost query last.
#[derive(Default)]
pub(super) struct Places(Vec<Vec<(Ident, Vec<Ident>)>>);

impl Places {
    pub(super) fn enter(&mut self, query: &Query) {
        self.0.push(match query.body.as_ref() {
            SetExpr::Select(select) if !stands_alone(select) => named_subqueries(select),
            _ => Vec::new(),
        });
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// Gives `t.$1` the name of its column, if that is known.
    pub(super) fn resolve(&self, expr: &mut Expr) {
        let Expr::CompoundIdentifier(parts) = expr else { return };
        let [relation, place] = parts.as_mut_slice() else { return };
        if !is_place(place) {
            return;
        }
        let known = self.0.iter().rev().flatten().find(|(name, _)| same_name(name, relation));
        let number = place.value[1..].parse::<usize>().unwrap_or_default();
        if let Some(column) = known.and_then(|(_, columns)| columns.get(number.checked_sub(1)?)) {
            *place = column.clone();
        }
    }
}

fn stands_alone(select: &Select) -> bool {
    matches!(select.from.as_slice(), [table] if table.joins.is_empty())
}

fn named_subqueries(select: &Select) -> Vec<(Ident, Vec<Ident>)> {
    let tables = select
        .from
        .iter()
        .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
    tables.filter_map(|table| Some((name_of(table)?, columns_of(table)?))).collect()
}

fn columns_of(table: &TableFactor) -> Option<Vec<Ident>> {
    let TableFactor::Derived { subquery, alias, .. } = table else { return None };
    let renamed = alias.iter().flat_map(|alias| &alias.columns).map(|column| column.name.clone());
    let renamed: Vec<Ident> = renamed.collect();
    if !renamed.is_empty() {
        return Some(renamed);
    }
    match subquery.body.as_ref() {
        SetExpr::Values(values) => {
            let count = values.rows.first()?.content.len();
            Some((1..=count).map(|place| Ident::with_quote('"', format!("COLUMN{place}"))).collect())
        }
        SetExpr::Select(select) => select.projection.iter().map(shown_name).collect(),
        _ => None,
    }
}

fn shown_name(item: &SelectItem) -> Option<Ident> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) if !is_place(name) => Some(name.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
            parts.last().filter(|name| !is_place(name)).cloned()
        }
        _ => None,
    }
}

pub(super) fn check(select: &Select) -> Result<(), Failure> {
    if stands_alone(select) {
        return Ok(());
    }
    let mut search = Search { found: None, depth: 0 };
    for item in &select.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            // The visitor never breaks.
            let _ = expr.walk(&mut search);
        }
    }
    if let Some(selection) = &select.selection {
        let _ = selection.walk(&mut search);
    }
    match search.found {
        Some(name) => Err(Failure::unsupported(&format!("{name} where FROM has not one relation"))),
        None => Ok(()),
    }
}

/// Subqueries have a FROM of their own.
struct Search {
    found: Option<String>,
    depth: usize,
}

impl Visitor for Search {
    type Break = Failure;

    fn pre_visit_query(&mut self, _query: &Query) -> ControlFlow<Failure> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _query: &Query) -> ControlFlow<Failure> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if self.depth == 0
            && let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &value.value
            && is_position(name)
        {
            self.found = Some(name.clone());
        }
        ControlFlow::Continue(())
    }
}

//! Volatile select items and items computed from their aliases: `UNIFORM(…) AS qty, qty * 2 AS price`. The volatile item
//! is moved into a subquery, so that it is evaluated once per row. A select is rewritten only if its FROM has no columns
//! that the alias could be resolved to, such as GENERATOR.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::table_functions::is_generator;
use crate::Failure;
use crate::ast::{Expr, GroupByExpr, Ident, Query, Select, SelectItem, TableWithJoins, Visitor};
use crate::functions::is_volatile;
use crate::naming::is_next_value;
use crate::query_parts::{derived, folded_name, select_of, skeleton};
use crate::tree::Tree;

/// Each is a subquery inside of the next one.
const LAYERS_MAX: usize = 100;

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    let Some(layers) = layers_of(select) else { return Ok(()) };
    let last = layers.iter().copied().max().unwrap_or(0);
    if last > LAYERS_MAX {
        return Err(Failure::limit_exceeded("number of volatile items that are computed from each other", LAYERS_MAX));
    }
    let items: Vec<(usize, SelectItem)> = layers.into_iter().zip(select.projection.drain(..)).collect();
    let mut from = std::mem::take(&mut select.from);
    for layer in 0..last {
        let mut query: Box<Query> = skeleton("SELECT 1")?;
        if let Some(inner) = select_of(&mut query) {
            inner.projection = up_to(&items, layer);
            inner.from = from;
        }
        let relation = derived(query, Ident::with_quote('"', format!("VOLATILE{layer}")));
        from = vec![TableWithJoins { relation, joins: Vec::new() }];
    }
    select.projection = up_to(&items, last);
    select.from = from;
    Ok(())
}

/// The items of the layers up to this one; those of lower layers are columns of the subquery.
fn up_to(items: &[(usize, SelectItem)], layer: usize) -> Vec<SelectItem> {
    let shown = items.iter().filter(|(of, _)| *of <= layer);
    let column = |(of, item): &(usize, SelectItem)| match item {
        SelectItem::ExprWithAlias { alias, .. } if *of < layer => {
            SelectItem::ExprWithAlias { expr: Expr::Identifier(alias.clone()), alias: alias.clone() }
        }
        other => other.clone(),
    };
    shown.map(column).collect()
}

/// How many subqueries each item is above; `None` if no subquery is needed or the select cannot be rewritten.
fn layers_of(select: &Select) -> Option<Vec<usize>> {
    let no_groups = matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let is_plain = no_groups && select.distinct.is_none() && select.having.is_none() && select.qualify.is_none();
    if !is_plain || !select.from.iter().all(|table| table.joins.is_empty() && is_generator(&table.relation)) {
        return None;
    }
    // The first item of a name is the one that it refers to.
    let mut known: HashMap<String, (bool, usize)> = HashMap::new();
    let mut layers = Vec::with_capacity(select.projection.len());
    for item in &select.projection {
        let SelectItem::ExprWithAlias { expr, alias } = item else { return None };
        let mut found = Found::default();
        // The visitor never breaks.
        let _ = expr.walk(&mut found);
        let mut layer = 0;
        for name in &found.names {
            if let Some((is_volatile, below)) = known.get(&folded_name(name)) {
                layer = layer.max(below + usize::from(*is_volatile));
            } else {
                found.reads_columns = true;
            }
        }
        if layer > 0 && found.reads_columns {
            return None;
        }
        known.entry(folded_name(alias)).or_insert((found.is_volatile, layer));
        layers.push(layer);
    }
    layers.iter().any(|layer| *layer > 0).then_some(layers)
}

#[derive(Default)]
struct Found {
    is_volatile: bool,
    reads_columns: bool,
    names: Vec<Ident>,
}

impl Visitor for Found {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.reads_columns = true;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Identifier(name) => self.names.push(name.clone()),
            Expr::CompoundIdentifier(parts) if is_next_value(parts) => self.is_volatile = true,
            Expr::CompoundIdentifier(_) => self.reads_columns = true,
            Expr::Function(function) => self.is_volatile |= is_volatile(&function.name.to_string()),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

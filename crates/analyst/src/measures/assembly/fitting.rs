//! Whether the parts of a query about a measure can be joined without summing a row up twice.

use crate::interpretation::contradict;
use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::{ModelIndex, TableId};
use crate::measures::frame::Measure;
use crate::sql_generation::join_paths::{Step, path};
use crate::sql_generation::{multiplies_measures, needed_tables};

/// Whether every part can be joined with the measure in one way, and no row is summed up twice.
pub fn fits(index: &ModelIndex, query: &Query, measures: &[Measure]) -> bool {
    if contradict(&query.conditions) || multiplies_measures(index, query) {
        return false;
    }
    let mut owners = Vec::new();
    let is_quotient = |expr: &&Expr| matches!(expr, Expr::Ratio(..) | Expr::Percentage(..));
    let shown = query.select.iter().chain(query.order.iter().map(|(expr, _)| expr)).find(is_quotient);
    shown.into_iter().for_each(|quotient| owners_of(index, quotient, &mut owners));
    let is_composed = shown.is_some();
    needed_tables(index, query).into_iter().all(|table| {
        if is_composed && owners.len() > 1 {
            // Each side is summed up by itself, so that what groups and restricts must belong to both.
            return owners.contains(&table) || owners.iter().all(|owner| is_single_way(index, *owner, table));
        }
        measures.iter().any(|measure| match measure.expr {
            Expr::CountRows(_) => is_one_way(index, measure.owner, table),
            _ => is_single_way(index, measure.owner, table),
        })
    })
}

/// The tables whose rows the sides of a measure sum up.
fn owners_of(index: &ModelIndex, expr: &Expr, owners: &mut Vec<TableId>) {
    match expr {
        Expr::Ratio(first, second) | Expr::Percentage(first, second) => {
            owners_of(index, first, owners);
            owners_of(index, second, owners);
        }
        other => owners.extend(other.owner(index).filter(|owner| !owners.contains(owner))),
    }
}

/// Whether one way of joins leads from a table to another, and shows no row of the first twice.
fn is_single_way(index: &ModelIndex, from: TableId, to: TableId) -> bool {
    let multiplies = |step: &Step| step.multiplies(index);
    is_one_way(index, from, to) && path(index, from, to).is_some_and(|steps| !steps.iter().any(multiplies))
}

fn is_one_way(index: &ModelIndex, from: TableId, to: TableId) -> bool {
    let between = |left: TableId, right: TableId| {
        index.joins.iter().filter(|join| (join.left, join.right) == (left, right)).count()
    };
    let is_only = |step: &Step| between(step.from, step.to) + between(step.to, step.from) == 1;
    path(index, from, to).is_some_and(|steps| steps.iter().all(is_only))
}

//! Neighbours of a query over groups that show a group by other columns of its rows.

use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::{ColumnId, ModelIndex};

pub(super) fn groups(index: &ModelIndex, query: &Query, found: &mut Vec<Query>) {
    let is_measured = query.select.iter().any(Expr::is_aggregate) || !query.having.is_empty();
    let plain: Vec<ColumnId> = query.select.iter().filter_map(plain_column).collect();
    if !is_measured || plain.is_empty() || query.combined.is_some() || query.summary.is_some() {
        return;
    }
    by_key_or_label(index, query, &plain, found);
}

fn plain_column(expr: &Expr) -> Option<ColumnId> {
    match expr {
        Expr::Column(column) => Some(*column),
        _ => None,
    }
}

/// `how many sellers does each shop have`: the shop by its key, by the reference to it, or by its name.
fn by_key_or_label(index: &ModelIndex, query: &Query, plain: &[ColumnId], found: &mut Vec<Query>) {
    let [column] = plain else { return };
    let table = index.columns[*column].table;
    let label = index.label(table);
    let mut shown: Vec<Vec<ColumnId>> = Vec::new();
    if label.contains(column) && index.tables[table].key.len() == 1 {
        shown.push(index.tables[table].key.clone());
    }
    if index.is_key(*column) && !label.contains(column) {
        shown.push(label);
    }
    if let Some(referred) = index.referred_table(*column) {
        shown.push(index.label(referred));
    }
    for columns in shown.into_iter().filter(|columns| !columns.is_empty() && !columns.contains(column)) {
        found.push(shown_by(query, *column, &columns));
    }
}

/// The query with other columns in the place of one, sorted by them where it was sorted by it.
fn shown_by(query: &Query, column: ColumnId, columns: &[ColumnId]) -> Query {
    let is_it = |expr: &Expr| plain_column(expr) == Some(column);
    let mut other = query.clone();
    let place = other.select.iter().position(is_it).unwrap_or_default();
    other.select.splice(place..=place, columns.iter().map(|column| Expr::Column(*column)));
    for (by, _) in other.order.iter_mut().filter(|(by, _)| is_it(by)) {
        *by = Expr::Column(columns[0]);
    }
    other
}

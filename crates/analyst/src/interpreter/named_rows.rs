//! Shows what rows are called where a query shows only the key that refers to them: the owner of a pet is a name to whoever
//! asks, not the number of a row.

use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::{ColumnId, DataKind, JoinEdge, ModelIndex, TableId};
use crate::question::words::Word;

/// Words that ask for the key itself.
const KEY_WORDS: [&str; 7] = ["id", "ids", "identifier", "identifiers", "key", "keys", "number"];

/// Puts names in the place of keys, unless the question asks for keys.
pub(super) fn show_names(index: &ModelIndex, words: &[Word], query: &mut Query) {
    let asks_for_keys = words.iter().any(|word| KEY_WORDS.contains(&word.lower.as_str()));
    if asks_for_keys || query.summary.is_some() || query.combined.is_some() || !query.limit_within.is_empty() {
        return;
    }
    let is_grouped = is_grouped(query);
    let mut select = Vec::new();
    let mut identities = Vec::new();
    for expr in &query.select {
        match name_of(index, expr) {
            Some((reference, label)) => {
                let names = label.iter().map(|column| Expr::Referred(reference, *column));
                select.extend(names.filter(|name| !query.select.contains(name)));
                identities.push(expr.clone());
            }
            None => select.push(expr.clone()),
        }
    }
    if identities.is_empty() || select.is_empty() {
        return;
    }
    let is_all = identities.len() == query.select.len();
    query.select = select;
    // Many rows may refer to one.
    query.distinct |= is_all && !is_grouped && query.order.is_empty() && query.limit.is_none();
    if query.distinct {
        query.order.retain(|(expr, _)| !identities.contains(expr));
    }
    // Two people of one name stay two groups.
    if is_grouped {
        query.distinct = false;
        identities.retain(|identity| !query.group.contains(identity));
        query.group.extend(identities);
    }
}

fn is_grouped(query: &Query) -> bool {
    let is_ordered = query.order.iter().any(|(expr, _)| expr.is_aggregate());
    query.select.iter().any(Expr::is_aggregate) || !query.having.is_empty() || is_ordered || !query.group.is_empty()
}

/// The reference that leads to the row that a key stands for, and the columns that name the row.
fn name_of(index: &ModelIndex, expr: &Expr) -> Option<(ColumnId, Vec<ColumnId>)> {
    let Expr::Column(column) = expr else { return None };
    let entry = &index.columns[*column];
    if entry.data != DataKind::Number {
        return None;
    }
    if let Some(join) = joins_of(index, entry.table).find(|join| is_along(index, join, *column)) {
        return named(index, join.right).map(|label| (*column, label)).or_else(|| embodied(index, join.right));
    }
    let is_key = index.tables[entry.table].key == [*column] && index.row_name(entry.table) == [*column];
    if is_key { embodied(index, entry.table) } else { None }
}

fn joins_of(index: &ModelIndex, table: TableId) -> impl Iterator<Item = &JoinEdge> {
    index.joins.iter().filter(move |join| join.left == table && join.columns.len() == 1)
}

fn is_along(index: &ModelIndex, join: &JoinEdge, column: ColumnId) -> bool {
    join.columns.iter().all(|(left, _)| left.eq_ignore_ascii_case(&index.columns[column].name))
}

/// The columns that name the rows of a table; `None` where only a key does.
fn named(index: &ModelIndex, table: TableId) -> Option<Vec<ColumnId>> {
    let label = index.label(table);
    (!label.is_empty() && label != index.tables[table].key).then_some(label)
}

/// Rows without a name that are somebody: each refers to another row of its own that has a name, as a vet does to a person.
fn embodied(index: &ModelIndex, table: TableId) -> Option<(ColumnId, Vec<ColumnId>)> {
    if index.row_name(table) != index.tables[table].key {
        return None;
    }
    let mut found = joins_of(index, table).filter(|join| join.right != table).filter_map(|join| {
        let (left, _) = join.columns.first()?;
        let reference = index.column_named(table, left)?;
        let is_own = index.columns[reference].unique && !index.tables[table].key.contains(&reference);
        is_own.then(|| named(index, join.right)).flatten().map(|label| (reference, label))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

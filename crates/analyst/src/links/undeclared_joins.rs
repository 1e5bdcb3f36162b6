//! Joins that a model does not declare: where nothing connects two tables, columns of the same name and type do, if the
//! values of one are found among those of the other. One of them has to be unique: a column that repeats in both tables
//! would multiply the rows of each.

use std::collections::BTreeSet;

use super::model_index::{ColumnId, ColumnKind, JoinEdge, ModelIndex, TableId};
use crate::evidence::Evidence;

/// Names that columns of unrelated tables share.
const GENERAL: &[&str] = &[
    "name",
    "description",
    "detail",
    "date",
    "type",
    "status",
    "year",
    "comment",
    "note",
    "amount",
    "price",
    "total",
    "count",
    "number",
    "title",
    "age",
    "gender",
    "sex",
    "phone",
    "email",
    "address",
    "rank",
    "score",
    "rating",
];

/// The share of the values of one column that must be among those of the other.
const CONTAINED_MIN: f64 = 0.7;
/// More tables than this are curated, or not worth the pairs.
const TABLES_MAX: usize = 40;

/// One join for each pair of tables that nothing connects and a column does.
pub(super) fn undeclared_joins(index: &ModelIndex, evidence: &dyn Evidence) -> Vec<JoinEdge> {
    let count = index.tables.len();
    if !(2..=TABLES_MAX).contains(&count) {
        return Vec::new();
    }
    let mut found: Vec<JoinEdge> = Vec::new();
    for first in 0..count {
        for second in first + 1..count {
            let known: Vec<JoinEdge> = index.joins.iter().chain(&found).cloned().collect();
            if is_connected(&known, count, first, second) {
                continue;
            }
            found.extend(join_between(index, evidence, first, second));
        }
    }
    found
}

fn is_connected(joins: &[JoinEdge], count: usize, first: TableId, second: TableId) -> bool {
    let mut reached: BTreeSet<TableId> = BTreeSet::from([first]);
    for _ in 0..count {
        let next = joins.iter().flat_map(|join| [(join.left, join.right), (join.right, join.left)]);
        let more: Vec<TableId> = next.filter(|(from, _)| reached.contains(from)).map(|(_, to)| to).collect();
        reached.extend(more);
    }
    reached.contains(&second)
}

/// The table whose column repeats refers to the one whose column does not.
fn join_between(index: &ModelIndex, evidence: &dyn Evidence, first: TableId, second: TableId) -> Option<JoinEdge> {
    let pairs = index.tables[first]
        .columns
        .iter()
        .flat_map(|left| index.tables[second].columns.iter().map(move |right| (*left, *right)));
    let is_unique = |column: ColumnId| index.columns[column].unique || index.is_key(column);
    let is_keyed = |left: ColumnId, right: ColumnId| is_unique(left) || is_unique(right);
    let mut pairs = pairs.filter(|(left, right)| is_same(index, *left, *right) && is_keyed(*left, *right));
    let (left, right) = pairs.find(|(left, right)| {
        shares_values(index, evidence, *left, *right) || shares_values(index, evidence, *right, *left)
    })?;
    let (left, right) = if is_unique(left) && !is_unique(right) { (right, left) } else { (left, right) };
    let (own, other) = (&index.columns[left], &index.columns[right]);
    Some(JoinEdge {
        name: String::new(),
        left: own.table,
        right: other.table,
        columns: vec![(own.name.clone(), other.name.clone())],
        one_to_one: false,
        is_left_outer: false,
        has_gaps: true,
    })
}

fn is_same(index: &ModelIndex, left: ColumnId, right: ColumnId) -> bool {
    let (own, other) = (&index.columns[left], &index.columns[right]);
    let is_value = |kind: ColumnKind| !matches!(kind, ColumnKind::Metric | ColumnKind::Filter | ColumnKind::Time);
    is_value(own.kind)
        && is_value(other.kind)
        && own.data == other.data
        && own.name.eq_ignore_ascii_case(&other.name)
        && !own.words.iter().all(|word| GENERAL.contains(&word.as_str()) || word == "id")
}

fn shares_values(index: &ModelIndex, evidence: &dyn Evidence, left: ColumnId, right: ColumnId) -> bool {
    let values = |column: ColumnId| {
        let entry = &index.columns[column];
        evidence.values(&index.tables[entry.table].name, &entry.name)
    };
    let theirs: BTreeSet<String> = values(right).into_iter().collect();
    let own = values(left);
    if own.is_empty() || theirs.is_empty() {
        return false;
    }
    let contained = own.iter().filter(|value| theirs.contains(*value)).count();
    contained as f64 / own.len() as f64 >= CONTAINED_MIN
}

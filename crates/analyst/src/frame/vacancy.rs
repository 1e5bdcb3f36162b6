//! Rows that others take up for a while: a kennel is empty, a flat is let, as its stays or leases tell.

use chrono::NaiveDate;

use super::states::{State, Stated, end_of_filter};
use super::validity::valid_within;
use crate::interpretation::query::{Condition, Expr, Query};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::question::words::Word;

const VACANT: [&str; 6] = ["empty", "vacant", "unoccupied", "free", "available", "idle"];
const OCCUPIED: [&str; 2] = ["occupied", "rented"];
/// Behind the word, or before it, they say what it says anyway.
const NOW: [&str; 6] = ["right now", "now", "today", "at the moment", "at present", "currently"];

/// The states of this kind at a word, and how many words each takes.
pub(super) fn vacancy_at(words: &[Word], at: usize) -> Vec<(State, usize)> {
    let before = now_at(words, at);
    let place = at + before;
    let Some(word) = words.get(place).map(|word| word.lower.as_str()) else { return Vec::new() };
    let behind = now_at(words, place + 1);
    // `let` alone is another verb.
    let is_let = word == "let" && before + behind > 0;
    let state = match word {
        _ if VACANT.contains(&word) => State::Vacant,
        _ if OCCUPIED.contains(&word) || is_let => State::Occupied,
        _ => return Vec::new(),
    };
    vec![(state, before + 1 + behind)]
}

/// How many words say that it is now.
fn now_at(words: &[Word], at: usize) -> usize {
    let is_at = |phrase: &&&str| {
        let mut parts = phrase.split(' ').enumerate();
        parts.all(|(offset, part)| words.get(at + offset).is_some_and(|word| word.lower == part))
    };
    NOW.iter().find(is_at).map_or(0, |phrase| phrase.split(' ').count())
}

/// Rows of a table that some row of the only table that takes them up refers to today.
pub(super) fn occupied(index: &ModelIndex, table: TableId, today: NaiveDate) -> Option<Condition> {
    let [key] = index.tables[table].key.as_slice() else { return None };
    let mut occupants = index.joins.iter().filter_map(|join| {
        let [(left, _)] = join.columns.as_slice() else { return None };
        let reference = index.column_named(join.left, left)?;
        let is_other = join.right == table && join.left != table;
        let current = is_other.then(|| current(index, join.left, today)).flatten()?;
        Some((reference, current))
    });
    let (reference, current) = occupants.next()?;
    if occupants.next().is_some() {
        return None;
    }
    let query = Query { select: vec![Expr::Column(reference)], conditions: vec![current], ..Query::default() };
    Some(Condition::In(*key, Box::new(query)))
}

/// Rows that have begun and not ended: by the model's own filter, else by their days.
fn current(index: &ModelIndex, table: TableId, today: NaiveDate) -> Option<Condition> {
    let is_lasting = |column: &ColumnId| end_of_filter(index, *column).is_some();
    let filter = index.tables[table].columns.iter().copied().find(is_lasting);
    filter.map(Condition::Named).or_else(|| valid_within(index, table, Stated::from(State::Valid), today))
}

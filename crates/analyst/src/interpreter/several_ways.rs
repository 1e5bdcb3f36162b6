//! Rows that a measure's own rows refer to in several ways of the same length, none of which the question names: the shop
//! where something was picked up, or the one that owns it.

use super::repeated_rows::measured_table;
use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::{ModelIndex, TableId};
use crate::question::lemma::stem;
use crate::question::words::Word;
use crate::sql_generation::join_paths::Step;
use crate::sql_generation::needed_tables;

/// The doubt about which of the ways is meant.
pub(super) fn ways_in_words(index: &ModelIndex, words: &[Word], query: &Query) -> Option<String> {
    let (target, ways) = several_ways(index, words, query)?;
    let named: Vec<String> = ways.iter().filter_map(|way| way_in_words(index, way)).collect();
    let rows = index.tables[target].words.join(" ");
    Some(format!("There are several ways to the {rows}, and the question does not say which: {}.", named.join(", ")))
}

/// The table that a measure reaches in several ways, and these.
pub(super) fn several_ways(index: &ModelIndex, words: &[Word], query: &Query) -> Option<(TableId, Vec<Vec<Step>>)> {
    if !index.is_curated() || !query.avoided.is_empty() {
        return None;
    }
    let owner =
        query.select.iter().filter(|expr: &&Expr| expr.is_aggregate()).find_map(|expr| measured_table(index, expr))?;
    let tables = needed_tables(index, query);
    tables.iter().filter(|table| **table != owner).find_map(|target| {
        let mut ways = shortest_references(index, owner, *target);
        if ways.iter().any(|way| passes(way, &tables, *target)) {
            ways.retain(|way| passes(way, &tables, *target));
        }
        (ways.len() > 1 && !names_one(index, words, &ways)).then_some((*target, ways))
    })
}

/// Whether a table of the query lies on the way.
fn passes(way: &[Step], tables: &[TableId], target: TableId) -> bool {
    way.iter().any(|step| step.to != target && tables.contains(&step.to))
}

/// Whether the question says a word of some of the ways that the others do not have.
fn names_one(index: &ModelIndex, words: &[Word], ways: &[Vec<Step>]) -> bool {
    let spelled: Vec<Vec<String>> = ways.iter().map(|way| words_of(index, way)).collect();
    let is_shared = |part: &String| spelled.iter().all(|way| way.contains(part));
    let is_said =
        |part: &&String| words.iter().any(|word| word.lower == **part || stem(&word.lemma) == stem(part.as_str()));
    spelled.iter().flatten().filter(|part| !is_shared(part)).any(|part| is_said(&part))
}

/// The words of the references on a way that are not the name of what they refer to, and of the tables that it passes.
fn words_of(index: &ModelIndex, way: &[Step]) -> Vec<String> {
    let mut spelled = Vec::new();
    for step in way {
        let own = &index.tables[step.to].words;
        let columns = step
            .columns(index)
            .into_iter()
            .flat_map(|(column, _)| column.to_lowercase().split('_').map(str::to_owned).collect::<Vec<_>>());
        let passed = index.tables[step.from].words.iter().filter(|_| way.first() != Some(step)).cloned();
        spelled.extend(columns.chain(passed).filter(|part| part != "id" && !own.contains(part)));
    }
    spelled
}

fn way_in_words(index: &ModelIndex, way: &[Step]) -> Option<String> {
    let step = way.last()?;
    let (column, _) = step.columns(index).into_iter().next()?;
    Some(format!("{} of {}", column.to_lowercase().replace('_', " "), index.tables[step.from].words.join(" ")))
}

/// The shortest ways by which each row of a table refers to one of another.
fn shortest_references(index: &ModelIndex, from: TableId, to: TableId) -> Vec<Vec<Step>> {
    let mut ways: Vec<Vec<Step>> = vec![Vec::new()];
    for _ in 0..index.tables.len() {
        let longer = ways.iter().flat_map(|way| {
            let at = way.last().map_or(from, |step| step.to);
            let next = index.joins.iter().enumerate().filter(move |(_, join)| join.left == at && join.right != at);
            next.filter(|(_, join)| join.right != from && !way.iter().any(|step| step.to == join.right)).map(
                move |(place, join)| {
                    let step = Step { join: place, from: at, to: join.right };
                    way.iter().copied().chain([step]).collect()
                },
            )
        });
        ways = longer.take(WAYS_MAX).collect();
        let arrived: Vec<Vec<Step>> =
            ways.iter().filter(|way| way.last().is_some_and(|step| step.to == to)).cloned().collect();
        if !arrived.is_empty() {
            return arrived;
        }
    }
    Vec::new()
}

/// More ways than these are not followed.
const WAYS_MAX: usize = 200;

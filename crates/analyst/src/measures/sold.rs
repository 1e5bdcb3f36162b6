//! How much of a thing is sold, where a question ranks things by that and names no measure.

use super::frame::{Frame, Key, Measure};
use super::pieces::VERB_NOUNS;
use crate::frame::money_toward;
use crate::frame::reach::only_event;
use crate::interpretation::query::{Expr, Function};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::{distance, leads_to_one};

/// Words for how many pieces a row is about.
pub const PIECES: &[&str] = &["quantity", "unit", "units", "qty", "piece", "portion"];

/// What may be measured of rows that lead to the thing, the surest first: pieces, money made by selling, the rows themselves.
pub fn add_sold(index: &ModelIndex, frame: &mut Frame) -> Option<()> {
    if frame.measures.iter().any(|measure| !measure.is_noun) {
        return Some(());
    }
    let thing = match frame.asked? {
        Key::Rows(table) => table,
        Key::Column(column) => index.columns[column].table,
        _ => return None,
    };
    let is_of_thing = |table: TableId| table != thing && leads_to_one(index, table, thing);
    let (owner, expr) = measured_sales(index, &is_of_thing).or_else(|| {
        let events = (0..index.tables.len()).filter(|table| is_of_thing(*table) && index.is_event(*table));
        let nearest = events.min_by_key(|table| distance(index, *table, thing))?;
        Some((nearest, Expr::CountRows(nearest)))
    })?;
    frame.measures.clear();
    frame.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
    Some(())
}

/// The money that things bring in, where they are ranked by money and no measure is named: `which products make the most money`.
pub fn add_money(index: &ModelIndex, frame: &mut Frame) {
    let (Some(Key::Rows(thing)), true) = (frame.asked, frame.measures.is_empty()) else { return };
    let money = money_toward(index, &[], &[thing]);
    if let Some((expr, owner)) = money.and_then(|expr| expr.owner(index).map(|owner| (expr, owner))) {
        frame.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
    }
}

/// How many events a thing has, where it is ranked by nothing else and only one kind of events refers to it.
pub fn add_events(index: &ModelIndex, frame: &mut Frame) {
    let (Some(Key::Rows(thing)), true) = (frame.asked, frame.measures.is_empty()) else { return };
    if let Some(owner) = only_event(index, thing) {
        let expr = Expr::CountRows(owner);
        frame.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
    }
}

fn measured_sales(index: &ModelIndex, is_of_thing: &dyn Fn(TableId) -> bool) -> Option<(TableId, Expr)> {
    let nouns = VERB_NOUNS.iter().find(|(verb, _)| *verb == "sell").map_or(&[][..], |(_, nouns)| nouns);
    let is_called = |column: ColumnId, words: &[&str]| {
        let entry = &index.columns[column];
        let is_measure = matches!(entry.kind, ColumnKind::Metric | ColumnKind::Fact);
        // The price of a unit is no number of units.
        let is_measure = is_measure && entry.aggregation != Some(DefaultAggregation::Avg);
        is_measure && is_of_thing(entry.table) && entry.words.iter().any(|word| words.contains(&word.as_str()))
    };
    let called = |words: &[&str]| (0..index.columns.len()).find(|column| is_called(*column, words));
    let column = called(PIECES).or_else(|| called(nouns))?;
    Some((index.columns[column].table, Expr::Aggregate(Function::Metric, column)))
}

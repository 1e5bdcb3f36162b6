//! Money that a verb tells of without naming it: what owners spend, plays earn and clients owe.

use super::cover::parts;
use super::reach::is_of_several_tables;
use crate::interpretation::query::{Condition, Expr, Function};
use crate::links::amounts::is_money;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::question::words::Word;
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::{distance, leads_to_one};

/// Verbs for money that changes hands, in their base form.
const VERBS: &[&str] = &[
    "spend", "earn", "pay", "owe", "bill", "charge", "collect", "invoice", "gross", "generate", "make", "bring", "cost",
];
/// Those of them that tell of money which has arrived.
const ARRIVING: &[&str] = &["collect", "receive"];

/// Whether a word tells of money: `spent`, `earns`.
pub fn is_money_verb(word: &Word) -> bool {
    is_form(word, VERBS)
}

/// Whether a word tells of money that somebody gives: `paid`, `spent`.
pub fn is_payment_verb(word: &Word) -> bool {
    is_form(word, &["pay", "spend", "owe"])
}

/// Whether a word says that money has not been paid.
pub fn is_owing(word: &Word) -> bool {
    is_form(word, &["owe"])
}

fn is_form(word: &Word, verbs: &[&str]) -> bool {
    let bases = crate::lexicon::lemmas(&word.lower, Some(crate::lexicon::PartOfSpeech::Verb));
    bases.iter().any(|base| verbs.contains(&base.text))
}

/// Names of filters for what is still to be paid.
const UNPAID: &[&str] = &["unpaid", "outstanding", "open", "owed", "due"];

/// Rows of a table that are not paid: by the model's own filter, else by the day of payment that is missing.
pub fn unpaid(index: &ModelIndex, table: TableId) -> Option<Condition> {
    let columns = || index.tables[table].columns.iter().copied();
    let is_called = |column: &ColumnId, names: &[&str]| {
        parts(&index.columns[*column].name).any(|part| names.contains(&part.as_str()))
    };
    let filter =
        columns().find(|column| index.columns[*column].kind == ColumnKind::Filter && is_called(column, UNPAID));
    let is_day = |column: &ColumnId| index.columns[*column].kind == ColumnKind::Time && index.columns[*column].has_gaps;
    let day = || columns().find(|column| is_day(column) && is_called(column, &["paid", "settled"]));
    filter.map(Condition::Named).or_else(|| day().map(Condition::Missing))
}

/// The day on which money arrived, where a verb tells that it did: `collected in 2024`.
pub fn day_of_arrival(index: &ModelIndex, words: &[Word], table: TableId) -> Option<ColumnId> {
    let is_day = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let arrives = |part: String| matches!(part.as_str(), "paid" | "received" | "collected");
        entry.kind == ColumnKind::Time && parts(&entry.name).any(arrives)
    };
    let columns = index.tables[table].columns.iter().copied();
    columns.into_iter().find(is_day).filter(|_| words.iter().any(|word| is_form(word, ARRIVING)))
}

/// What people of a table earn: their only fact that is called a pay.
pub fn pay_of(index: &ModelIndex, words: &[Word], table: TableId) -> Option<ColumnId> {
    let is_pay = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let pays = |word: &String| matches!(word.as_str(), "salary" | "wage" | "pay" | "earnings" | "income");
        entry.kind == ColumnKind::Fact && entry.words.iter().any(pays)
    };
    let mut pays = index.tables[table].columns.iter().copied().filter(is_pay);
    let only = pays.next().filter(|_| pays.next().is_none());
    only.filter(|_| words.iter().any(|word| is_form(word, &["earn", "make", "pay"])))
}

/// The sum of money whose rows lead to one row of each table; a metric goes before a fact, the nearest before others. None
/// where two are equally near.
pub fn money_toward(index: &ModelIndex, words: &[Word], tables: &[TableId]) -> Option<Expr> {
    let leads = |from: TableId| tables.iter().all(|table| leads_to_one(index, from, *table));
    let far = |column: ColumnId| -> usize {
        let from = index.columns[column].table;
        tables.iter().map(|table| distance(index, from, *table)).sum()
    };
    let sums = (0..index.columns.len()).filter(|column| is_sum(index, *column) && leads(index.columns[*column].table));
    let mut found: Vec<(bool, bool, usize, ColumnId)> = sums
        .map(|column| {
            let is_arrived = words.iter().any(|word| is_form(word, ARRIVING)) && tells_arrival(index, column);
            (!is_arrived, index.columns[column].kind != ColumnKind::Metric, far(column), column)
        })
        .collect();
    found.sort_unstable();
    match found.as_slice() {
        [] => None,
        [(.., only)] => Some(Expr::Aggregate(Function::Metric, *only)),
        [first, second, ..] => {
            let is_ahead = (first.0, first.1, first.2) < (second.0, second.1, second.2);
            is_ahead.then_some(Expr::Aggregate(Function::Metric, first.3))
        }
    }
}

/// A sum of money: a metric of one table that sums up, or a fact that is summed.
fn is_sum(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    match entry.kind {
        ColumnKind::Metric => {
            let expression = entry.expression.to_ascii_uppercase();
            expression.starts_with("SUM(") && is_money(index, column) && !is_of_several_tables(index, column)
        }
        ColumnKind::Fact => entry.aggregation == Some(DefaultAggregation::Sum) && is_money(index, column),
        _ => false,
    }
}

/// Whether rows tell of money that has arrived: payments.
fn tells_arrival(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let table = &index.tables[entry.table];
    let arrives = |word: &String| matches!(word.as_str(), "payment" | "receipt" | "deposit" | "collected" | "received");
    table.words.iter().chain(&entry.words).any(arrives)
}

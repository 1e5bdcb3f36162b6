//! Columns that hold an amount of what a row is: its money, or what a unit measures.

use super::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use super::phrase_match::Target;
use crate::question::lemma::lemma;
use crate::question::units::{column_words_of, rate_words_of};
use crate::semantic_model::DefaultAggregation;

/// Words in the names of columns that hold money or another amount of what a row is.
const AMOUNTS: &[&str] = &["amount", "total", "value", "price", "sum", "charge", "money", "cost", "revenue", "sale"];

/// Further words for money.
const MONEY: &[&str] =
    &["fee", "fine", "budget", "turnover", "income", "takings", "payout", "rent", "salary", "wage", "pay", "spend"];

/// Whether a column holds money: it is called so, or what it sums up is.
#[must_use]
pub fn is_money(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let is_called = |word: &str| AMOUNTS.contains(&word) || MONEY.contains(&word);
    let expression = entry.expression.to_lowercase();
    let mut parts = expression.split(|character: char| !character.is_ascii_alphabetic()).map(lemma);
    entry.words.iter().any(|word| is_called(word))
        || entry.kind == ColumnKind::Metric && parts.any(|part| part != "sum" && is_called(&part))
}

/// The column of a table that holds money for each of a unit: PRICE_PER_KG, DAILY_RATE.
#[must_use]
pub fn rate_in_unit(index: &ModelIndex, table: TableId, unit: &str) -> Option<ColumnId> {
    let words = rate_words_of(unit);
    let is_rate = |column: &ColumnId| {
        let mut phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(*column));
        is_number(index, *column)
            && phrases.any(|phrase| phrase.words.iter().any(|word| words.contains(&word.as_str())))
    };
    let rates: Vec<ColumnId> = index.tables[table].columns.iter().copied().filter(is_rate).collect();
    let has_price = |column: &ColumnId| {
        let prices = ["price", "rate", "wage", "fee", "cost", "charge", "rent", "pay", "salary"];
        index.columns[*column].words.iter().any(|word| prices.contains(&word.as_str()))
    };
    let prices: Vec<ColumnId> = rates.iter().copied().filter(has_price).collect();
    only(&prices).or_else(|| only(&rates))
}

/// What a row of a table amounts to: its only sum that is called so, else its only fact that is, else its only sum.
#[must_use]
pub fn amount_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let is_amount = |column: &ColumnId| {
        let entry = &index.columns[*column];
        entry.kind == ColumnKind::Fact && entry.words.iter().any(|word| AMOUNTS.contains(&word.as_str()))
    };
    let is_sum = |column: &ColumnId| index.columns[*column].aggregation == Some(DefaultAggregation::Sum);
    let amounts: Vec<ColumnId> = index.tables[table].columns.iter().copied().filter(is_amount).collect();
    let sums: Vec<ColumnId> = amounts.iter().copied().filter(is_sum).collect();
    let is_fact = |column: &ColumnId| index.columns[*column].kind == ColumnKind::Fact && is_sum(column);
    let facts: Vec<ColumnId> = index.tables[table].columns.iter().copied().filter(is_fact).collect();
    only(&sums)
        .or_else(|| only(&amounts).filter(|_| sums.is_empty()))
        .or_else(|| only(&facts).filter(|_| amounts.is_empty()))
}

/// The column of a table that holds numbers in a unit: `rating` for points, `weight_kg` for kilograms.
#[must_use]
pub fn column_in_unit(index: &ModelIndex, table: TableId, unit: &str) -> Option<ColumnId> {
    let numbers = || index.tables[table].columns.iter().copied().filter(|column| is_number(index, *column));
    column_words_of(unit).iter().find_map(|word| {
        let named: Vec<ColumnId> =
            numbers().filter(|column| index.columns[*column].words.iter().any(|own| own == word)).collect();
        only(&named)
    })
}

/// A column of numbers that are compared, no key and no reference.
#[must_use]
pub fn is_number(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    entry.data == DataKind::Number
        && matches!(entry.kind, ColumnKind::Fact | ColumnKind::Dimension)
        && !index.is_reference(column)
        && !index.is_key(column)
}

fn only(columns: &[ColumnId]) -> Option<ColumnId> {
    match columns {
        [only] => Some(*only),
        _ => None,
    }
}

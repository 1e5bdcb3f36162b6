//! Columns that hold an amount of what a row is: its money, or what a unit measures.

use super::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::question::units::column_words_of;
use crate::semantic_model::DefaultAggregation;

/// Words in the names of columns that hold money or another amount of what a row is.
const AMOUNTS: &[&str] = &["amount", "total", "value", "price", "sum", "charge", "money", "cost", "revenue", "sale"];

/// What a row of a table amounts to: its only sum that is called so, else its only fact that is.
#[must_use]
pub fn amount_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let is_amount = |column: &ColumnId| {
        let entry = &index.columns[*column];
        entry.kind == ColumnKind::Fact && entry.words.iter().any(|word| AMOUNTS.contains(&word.as_str()))
    };
    let is_sum = |column: &ColumnId| index.columns[*column].aggregation == Some(DefaultAggregation::Sum);
    let amounts: Vec<ColumnId> = index.tables[table].columns.iter().copied().filter(is_amount).collect();
    let sums: Vec<ColumnId> = amounts.iter().copied().filter(is_sum).collect();
    only(&sums).or_else(|| only(&amounts).filter(|_| sums.is_empty()))
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

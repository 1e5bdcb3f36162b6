//! What numbers measure: units that a column's name tells (`budget_million` holds 12 where people say 12 million), heights.

use super::context::Want;
use super::parser::Parser;
use crate::links::model_index::ColumnId;

const UNITS: &[(&str, f64)] = &[("thousand", 1e3), ("million", 1e6), ("billion", 1e9)];

pub(super) const HEIGHT_WORDS: &[&str] = &["height", "elevation", "altitude"];

impl Parser<'_> {
    /// `longer than 3300 or higher than 100`, where rows have a height.
    pub(super) fn height_meant(&self, at: usize) -> Option<ColumnId> {
        let said = at.checked_sub(1).is_some_and(|before| self.text(before) == "higher than");
        self.column_by_words(self.main_table().filter(|_| said)?, HEIGHT_WORDS, Want::Number)
    }

    /// `excursions that cost more than the average ticket price`: the price, whatever else has a cost elsewhere.
    pub(super) fn is_rather(&self, column: ColumnId, stated: Option<ColumnId>) -> bool {
        let table = |column: ColumnId| self.index.columns[column].table;
        stated.is_some_and(|stated| Some(table(stated)) == self.main_table() && table(column) != table(stated))
    }

    /// A number as the column would hold it.
    pub(super) fn in_unit_of(&self, column: ColumnId, value: f64) -> f64 {
        let words = &self.index.columns[column].words;
        let unit = UNITS.iter().find(|(name, _)| words.iter().any(|word| word == name)).map(|(_, unit)| *unit);
        unit.filter(|unit| value >= *unit).map_or(value, |unit| value / unit)
    }
}

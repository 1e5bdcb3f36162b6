//! Units that a column's name tells: `budget_million` holds 12 where people say 12 million.

use super::parser::Parser;
use crate::links::model_index::ColumnId;

const UNITS: &[(&str, f64)] = &[("thousand", 1e3), ("million", 1e6), ("billion", 1e9)];

impl Parser<'_> {
    /// A number as the column would hold it.
    pub(super) fn in_unit_of(&self, column: ColumnId, value: f64) -> f64 {
        let words = &self.index.columns[column].words;
        let unit = UNITS.iter().find(|(name, _)| words.iter().any(|word| word == name)).map(|(_, unit)| *unit);
        unit.filter(|unit| value >= *unit).map_or(value, |unit| value / unit)
    }
}

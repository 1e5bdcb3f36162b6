//! The data behind the models of the tests: the values of some columns.

use chrono::NaiveDate;

use crate::evidence::Evidence;

pub(super) struct ListedValues {
    /// By the name of the column.
    pub(super) values: &'static [(&'static str, &'static [&'static str])],
    /// Columns with NULLs.
    pub(super) with_gaps: &'static [&'static str],
    /// The latest day of a column.
    pub(super) latest_days: &'static [(&'static str, &'static str)],
}

impl Evidence for ListedValues {
    fn values(&self, _table: &str, column: &str) -> Vec<String> {
        let listed = self.values.iter().find(|(name, _)| *name == column).map_or(&[][..], |(_, values)| values);
        listed.iter().map(ToString::to_string).collect()
    }

    fn distinct_count(&self, table: &str, column: &str) -> Option<u64> {
        Some(self.values(table, column).len() as u64).filter(|count| *count > 0)
    }

    fn row_count(&self, _table: &str) -> Option<u64> {
        Some(1000)
    }

    fn has_gaps(&self, _table: &str, column: &str) -> Option<bool> {
        Some(self.with_gaps.contains(&column))
    }

    fn latest_day(&self, _table: &str, column: &str) -> Option<NaiveDate> {
        let (_, day) = self.latest_days.iter().find(|(name, _)| *name == column)?;
        day.parse().ok()
    }
}

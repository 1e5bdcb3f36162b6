//! What the interpreter may ask about the data. The caller decides how much it can afford to know; an absent answer is
//! never an error.

use chrono::NaiveDate;

/// Facts about the values of a logical table's columns.
pub trait Evidence {
    /// The distinct values of a column as text, or as many of them as the caller keeps.
    fn values(&self, table: &str, column: &str) -> Vec<String>;

    /// How many different values a column has.
    fn distinct_count(&self, table: &str, column: &str) -> Option<u64>;

    /// How many rows a table has.
    fn row_count(&self, table: &str) -> Option<u64>;

    /// Whether rows of a table may lack a value in a column.
    fn has_gaps(&self, _table: &str, _column: &str) -> Option<bool> {
        None
    }

    /// The latest day of a column of times.
    fn latest_day(&self, _table: &str, _column: &str) -> Option<NaiveDate> {
        None
    }
}

/// No knowledge of the data but the model's own sample values.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvidence;

impl Evidence for NoEvidence {
    fn values(&self, _table: &str, _column: &str) -> Vec<String> {
        Vec::new()
    }

    fn distinct_count(&self, _table: &str, _column: &str) -> Option<u64> {
        None
    }

    fn row_count(&self, _table: &str) -> Option<u64> {
        None
    }
}

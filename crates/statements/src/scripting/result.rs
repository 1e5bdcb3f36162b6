//! What a block returns, as rows.

use firn_sql::lookups::Rows;

use super::Outcome;

/// A value is one row of one column with this name.
pub fn rows_of(outcome: Outcome, name: &str) -> Rows {
    match outcome {
        Outcome::Value(value) => {
            let column = (name.to_owned(), value.data_type.clone());
            Rows::new(vec![column], vec![vec![value]])
        }
        Outcome::Rows(rows) => rows,
    }
}

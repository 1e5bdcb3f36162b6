//! The results of statements that change something: how many rows they inserted, updated and deleted, or a status text.

use firn_engine::{DmlCounts, Outcome, RowStream, WireColumn};
use firn_sql::ObjectName;

use crate::local_rows::LocalRows;

/// The result of an outcome and its `stats`, or the rows that a query pulls.
pub enum Answer<'session> {
    Local(LocalRows, Option<String>),
    Rows(Box<dyn RowStream + 'session>),
}

pub fn answer(outcome: Outcome<'_>) -> Answer<'_> {
    let inserted = |rows| Some(stats_json(&DmlCounts { inserted: Some(rows), ..DmlCounts::default() }));
    match outcome {
        Outcome::Rows(rows) => Answer::Rows(rows),
        Outcome::Dml(counts) => Answer::Local(count_rows(&counts), Some(stats_json(&counts))),
        Outcome::Inserted(tables) => {
            Answer::Local(inserted_rows(&tables), inserted(tables.iter().map(|(_, rows)| rows).sum()))
        }
        Outcome::Table(table) => {
            Answer::Local(LocalRows::new(table.columns, table.rows), table.inserted.and_then(inserted))
        }
        Outcome::Done(message) => Answer::Local(LocalRows::status(&message), None),
    }
}

/// The answer to a request of several statements.
pub fn set_rows() -> LocalRows {
    let columns = vec![WireColumn::text("multiple statement execution")];
    LocalRows::new(columns, vec![vec![Some("Multiple statements executed successfully.".to_owned())]])
}

/// A DML answer has a column for each action that the command has.
fn count_rows(counts: &DmlCounts) -> LocalRows {
    let mut columns = Vec::new();
    let mut row = Vec::new();
    let mut add = |name: &str, count: u64| {
        columns.push(WireColumn::count(name));
        row.push(Some(count.to_string()));
    };
    if let Some(inserted) = counts.inserted {
        add("number of rows inserted", inserted);
    }
    if let Some(updated) = counts.updated {
        add("number of rows updated", updated);
        if counts.inserted.is_none() && counts.deleted.is_none() {
            add("number of multi-joined rows updated", counts.updated_by_several);
        }
    }
    if let Some(deleted) = counts.deleted {
        add("number of rows deleted", deleted);
    }
    LocalRows::new(columns, vec![row])
}

/// An INSERT ALL or FIRST answers with a column for each of its tables.
fn inserted_rows(tables: &[(ObjectName, u64)]) -> LocalRows {
    let columns =
        tables.iter().map(|(table, _)| WireColumn::count(&format!("number of rows inserted into {}", table.name)));
    LocalRows::new(columns.collect(), vec![tables.iter().map(|(_, rows)| Some(rows.to_string())).collect()])
}

fn stats_json(counts: &DmlCounts) -> String {
    format!(
        r#"{{"numRowsInserted":{},"numRowsUpdated":{},"numRowsDeleted":{},"numDuplicateRowsUpdated":{}}}"#,
        counts.inserted.unwrap_or(0),
        counts.updated.unwrap_or(0),
        counts.deleted.unwrap_or(0),
        counts.updated_by_several
    )
}

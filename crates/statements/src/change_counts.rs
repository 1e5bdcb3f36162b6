//! The result of a DML statement: how many rows it inserted, updated and deleted.

use firn_engine::{DmlCounts, WireColumn};
use firn_sql::ObjectName;

use crate::local_rows::LocalRows;

/// A DML answer has a column for each action that the command has.
pub fn count_rows(counts: &DmlCounts) -> LocalRows {
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
pub fn inserted_rows(tables: &[(ObjectName, u64)]) -> LocalRows {
    let columns =
        tables.iter().map(|(table, _)| WireColumn::count(&format!("number of rows inserted into {}", table.name)));
    LocalRows::new(columns.collect(), vec![tables.iter().map(|(_, rows)| Some(rows.to_string())).collect()])
}

pub fn stats_json(counts: &DmlCounts) -> String {
    format!(
        r#"{{"numRowsInserted":{},"numRowsUpdated":{},"numRowsDeleted":{},"numDuplicateRowsUpdated":{}}}"#,
        counts.inserted.unwrap_or(0),
        counts.updated.unwrap_or(0),
        counts.deleted.unwrap_or(0),
        counts.updated_by_several
    )
}

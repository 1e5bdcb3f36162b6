//! The rows of an executed statement, as far as an answer in words or a chart looks at them.

use firn_statements::{PartitionBody, ResultView};
use firn_values::cells::shown::CellKind;
use serde_json::Value;

/// The first rows of a result, each cell as people write it.
#[derive(Debug, Default, PartialEq)]
pub struct ResultTable {
    pub columns: Vec<ResultColumn>,
    pub rows: Vec<Vec<Option<String>>>,
    /// All rows of the result, those that are not here included.
    pub row_count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    pub name: String,
    pub kind: ColumnKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Number,
    Time,
    Other,
}

impl ResultTable {
    pub fn of(view: &ResultView, rows_max: usize) -> Self {
        let types: Vec<Value> = serde_json::from_str(&view.row_type).unwrap_or_default();
        let kinds: Vec<&str> = types.iter().map(|column| column["type"].as_str().unwrap_or_default()).collect();
        let columns = types.iter().zip(&kinds).map(|(column, kind)| ResultColumn {
            name: column["name"].as_str().unwrap_or_default().to_owned(),
            kind: kind_of(kind),
        });
        let columns = columns.collect();
        let rows: Vec<Vec<Option<String>>> = match &view.body {
            PartitionBody::Rows(rows) => serde_json::from_slice(rows).unwrap_or_default(),
            _ => Vec::new(),
        };
        let cells = |row: Vec<Option<String>>| {
            row.into_iter().zip(&kinds).map(|(cell, kind)| cell.map(|cell| shown(&cell, kind))).collect()
        };
        Self { columns, rows: rows.into_iter().take(rows_max).map(cells).collect(), row_count: view.rows }
    }
}

fn shown(cell: &str, kind: &str) -> String {
    let mut out = Vec::with_capacity(cell.len());
    CellKind::of_wire_type(kind).write_shown(cell, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn kind_of(kind: &str) -> ColumnKind {
    match kind {
        "fixed" | "real" => ColumnKind::Number,
        "date" => ColumnKind::Time,
        kind if kind.starts_with("timestamp") => ColumnKind::Time,
        _ => ColumnKind::Other,
    }
}

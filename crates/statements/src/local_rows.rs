//! Rows that firn itself makes: status texts, counts, SHOW and DESCRIBE. They pass through the same
//! partition writer as the engine's.

use firn_arrow::{Field, Storage, StreamWriter, append_text};
use firn_engine::{Encoded, EngineError, RowBudget, RowStream, WireColumn};
use firn_values::formats::Nulls;

pub struct LocalRows {
    columns: Vec<WireColumn>,
    rows: Vec<Vec<Option<String>>>,
    next: usize,
    nulls: Nulls,
    /// Of rows that are encoded as Arrow.
    arrow: Option<StreamWriter>,
}

impl LocalRows {
    pub fn new(columns: Vec<WireColumn>, rows: Vec<Vec<Option<String>>>) -> Self {
        Self { columns, rows, next: 0, nulls: Nulls::Null, arrow: None }
    }

    /// The one-column answer of DDL and account commands.
    pub fn status(text: &str) -> Self {
        Self::new(vec![WireColumn::text("status")], vec![vec![Some(text.to_owned())]])
    }

    /// Only these columns, in this order.
    pub fn select(self, names: &[&str]) -> Self {
        let place = |name: &&str| self.columns.iter().position(|column| column.name == **name);
        let places: Vec<usize> = names.iter().filter_map(place).collect();
        let columns = places.iter().map(|place| self.columns[*place].clone()).collect();
        let rows = self.rows.iter().map(|row| places.iter().map(|place| row[*place].clone()).collect());
        Self::new(columns, rows.collect())
    }

    /// With further columns behind those it has.
    pub fn beside(mut self, columns: Vec<WireColumn>, cells: Vec<Vec<Option<String>>>) -> Self {
        self.columns.extend(columns);
        self.rows.iter_mut().zip(cells).for_each(|(row, cells)| row.extend(cells));
        self
    }

    pub fn with_column(mut self, name: &str, value: &str) -> Self {
        self.columns.push(WireColumn::text(name));
        self.rows.iter_mut().for_each(|row| row.push(Some(value.to_owned())));
        self
    }

    pub fn with_nulls(mut self, nulls: Nulls) -> Self {
        self.nulls = nulls;
        self
    }
}

impl RowStream for LocalRows {
    fn columns(&self) -> &[WireColumn] {
        &self.columns
    }

    fn encode(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError> {
        let mut count = 0;
        while self.next < self.rows.len() && count < budget.rows && (count == 0 || out.len() < budget.bytes) {
            if out.last() == Some(&b']') {
                out.push(b',');
            }
            write_row(&self.rows[self.next], self.nulls, out)?;
            self.next += 1;
            count += 1;
        }
        Ok(Encoded { rows: count, ended: self.next == self.rows.len() })
    }

    fn encode_arrow(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError> {
        let fields: Vec<Field> = self.columns.iter().map(|column| Field::new(column, Storage::of(column))).collect();
        let mut arrow = self.arrow.take().unwrap_or_else(|| StreamWriter::new(fields.clone()));
        let mut count = 0;
        while self.next < self.rows.len()
            && count < budget.rows
            && (count == 0 || out.len() + arrow.pending_bytes() < budget.bytes)
        {
            for ((field, cell), column) in fields.iter().zip(&self.rows[self.next]).zip(arrow.columns()) {
                append_text(field, cell.as_deref(), column)
                    .map_err(|_| EngineError::Internal(format!("a cell of {} is not of its type", field.name)))?;
            }
            arrow.end_rows(out);
            self.next += 1;
            count += 1;
        }
        arrow.end_stream(out);
        self.arrow = Some(arrow);
        Ok(Encoded { rows: count, ended: self.next == self.rows.len() })
    }
}

fn write_row(row: &[Option<String>], nulls: Nulls, out: &mut Vec<u8>) -> Result<(), EngineError> {
    out.push(b'[');
    for (index, cell) in row.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match (cell, nulls) {
            (None, Nulls::Null) => out.extend_from_slice(b"null"),
            (None, Nulls::Word) => out.extend_from_slice(b"\"null\""),
            (Some(text), _) => {
                serde_json::to_writer(&mut *out, text).map_err(|error| EngineError::Internal(error.to_string()))?;
            }
        }
    }
    out.push(b']');
    Ok(())
}

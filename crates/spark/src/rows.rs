//! A running query on a cluster as the rest of firn pulls it. Of its rows one batch is in memory, and a few are on their way.

use firn_arrow::{Field, ForeignBatch, ForeignReader, Storage, StreamWriter, append_text};
use firn_engine::{CellFormats, Encoded, EngineError, RowBudget, RowStream, WireColumn};
use firn_values::formats::Nulls;

use crate::cells::CellStyle;
use crate::connect::Operation;

pub(crate) struct Rows {
    operation: Operation,
    first: Option<Vec<u8>>,
    columns: Vec<WireColumn>,
    styles: Vec<CellStyle>,
    formats: CellFormats,
    reader: Option<ForeignReader>,
    /// A batch of which the rows before the number are written.
    current: Option<(ForeignBatch, usize)>,
    arrow: Option<ArrowRows>,
}

/// A result that is encoded as Arrow, by way of its cells.
struct ArrowRows {
    fields: Vec<Field>,
    styles: Vec<CellStyle>,
    writer: StreamWriter,
}

impl Rows {
    /// `first` is the stream that has come already.
    pub(crate) fn new(
        first: Option<Vec<u8>>,
        operation: Operation,
        columns: Vec<WireColumn>,
        formats: &CellFormats,
    ) -> Self {
        let styles = columns.iter().map(|column| CellStyle::new(column, formats)).collect();
        Self { operation, columns, styles, formats: formats.clone(), first, reader: None, current: None, arrow: None }
    }

    /// Makes `current` a batch with rows left; `false` at the end.
    fn advance(&mut self) -> Result<bool, EngineError> {
        loop {
            if self.current.as_ref().is_some_and(|(batch, next)| *next < batch.rows()) {
                return Ok(true);
            }
            self.current = None;
            if let Some(reader) = &mut self.reader {
                match reader.next_batch().map_err(unreadable)? {
                    Some(batch) => {
                        self.current = Some((batch, 0));
                        continue;
                    }
                    None => self.reader = None,
                }
            }
            let next = match self.first.take() {
                Some(first) => Some(first),
                None => self.operation.next()?,
            };
            let Some(stream) = next else { return Ok(false) };
            let reader = ForeignReader::new(stream.into()).map_err(unreadable)?;
            if reader.fields().len() != self.columns.len() {
                let (expected, found) = (self.columns.len(), reader.fields().len());
                return Err(EngineError::Internal(format!("a result of {expected} columns came with {found}")));
            }
            self.reader = Some(reader);
        }
    }

    fn encode_batch(&mut self, out: &mut Vec<u8>, bytes_max: usize, rows_max: u64) -> Result<u64, EngineError> {
        let Some((batch, next)) = &mut self.current else { return Ok(0) };
        let columns = batch.columns().map_err(unreadable)?;
        let first = *next;
        let end = first + ((batch.rows() - first) as u64).min(rows_max) as usize;
        let null: &[u8] = match self.formats.nulls {
            Nulls::Null => b"null,",
            Nulls::Word => b"\"null\",",
        };
        while *next < end && out.len() < bytes_max {
            out.extend_from_slice(if out.last() == Some(&b']') { b",[" } else { b"[" });
            for (column, style) in columns.iter().zip(&self.styles) {
                match column.is_null(*next) {
                    true => out.extend_from_slice(null),
                    false => style.write(column, *next, out)?,
                }
            }
            // The comma after the last cell.
            out.pop();
            out.push(b']');
            *next += 1;
        }
        Ok((*next - first) as u64)
    }

    fn append_batch(
        &mut self,
        arrow: &mut ArrowRows,
        budget: RowBudget,
        out: &mut Vec<u8>,
    ) -> Result<(u64, usize), EngineError> {
        let Some((batch, next)) = &mut self.current else { return Ok((0, 0)) };
        let columns = batch.columns().map_err(unreadable)?;
        let (mut rows, mut bytes, mut cell) = (0, 0, Vec::new());
        while *next < batch.rows() && rows < budget.rows && bytes < budget.bytes {
            for (place, column) in columns.iter().enumerate() {
                let (field, into) = (&arrow.fields[place], &mut arrow.writer.columns()[place]);
                if column.is_null(*next) {
                    into.push_null();
                    continue;
                }
                if matches!(field.logical_type.as_str(), "TEXT" | "BINARY") {
                    bytes += column.bytes(*next).len();
                    into.push_bytes(column.bytes(*next));
                    continue;
                }
                cell.clear();
                arrow.styles[place].write(column, *next, &mut cell)?;
                bytes += cell.len();
                // The quotes around the cell, and the comma behind it.
                let inside: Result<String, _> = serde_json::from_slice(&cell[..cell.len() - 1]);
                let text = inside.map_err(|error| EngineError::Internal(error.to_string()))?;
                append_text(field, Some(&text), into)
                    .map_err(|_| EngineError::Internal(format!("a value of {} is not of its type", field.name)))?;
            }
            *next += 1;
            rows += 1;
            bytes += columns.len();
            arrow.writer.end_rows(out);
        }
        Ok((rows, bytes))
    }
}

impl RowStream for Rows {
    fn columns(&self) -> &[WireColumn] {
        &self.columns
    }

    fn encode(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError> {
        let mut rows = 0;
        while rows < budget.rows && out.len() < budget.bytes {
            if !self.advance()? {
                return Ok(Encoded { rows, ended: true });
            }
            rows += self.encode_batch(out, budget.bytes, budget.rows - rows)?;
        }
        Ok(Encoded { rows, ended: !self.advance()? })
    }

    fn encode_arrow(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError> {
        let mut arrow = match self.arrow.take() {
            Some(arrow) => arrow,
            None => ArrowRows::new(&self.columns, &self.formats),
        };
        let (mut rows, mut bytes) = (0, out.len());
        while rows < budget.rows && bytes < budget.bytes && self.advance()? {
            let left = RowBudget { bytes: budget.bytes - bytes, rows: budget.rows - rows };
            let (appended, appended_bytes) = self.append_batch(&mut arrow, left, out)?;
            rows += appended;
            bytes += appended_bytes;
        }
        arrow.writer.end_stream(out);
        self.arrow = Some(arrow);
        Ok(Encoded { rows, ended: !self.advance()? })
    }
}

impl ArrowRows {
    fn new(columns: &[WireColumn], formats: &CellFormats) -> Self {
        let formats = formats.raw();
        let fields: Vec<Field> = columns.iter().map(|column| Field::new(column, Storage::of(column))).collect();
        Self {
            writer: StreamWriter::new(fields.clone()),
            styles: columns.iter().map(|column| CellStyle::new(column, &formats)).collect(),
            fields,
        }
    }
}

fn unreadable(error: std::io::Error) -> EngineError {
    EngineError::Internal(format!("the rows of the cluster cannot be read: {error}"))
}

//! A query's rows straight from the engine's vectors into JSON or Arrow: each row is encoded once, and nothing is allocated per
//! cell.

mod arrow_stream;

use std::ops::Range;

use firn_binder::OutputColumn;
use firn_engine::{CellFormats, Encoded, EngineError, RowBudget, RowStream, WireColumn};
use firn_functions::columns::{Column, Values};
use firn_sql::Failure;
use firn_values::formats::Nulls;

use arrow_stream::ArrowStream;

use super::chunks::{Chunk, ChunkStream};
use super::encode::CellStyle;
use super::logical_type::LogicalType;
use super::result_types::{column_name, described, wire_column};
use super::{engine_memory, errors};

/// The largest text and the largest bytes that a result may show.
const TEXT_BYTES_MAX: usize = 134_217_728;
const BINARY_BYTES_MAX: usize = 67_108_864;
/// Bytes of a result between two checks of what the process has taken.
const CHECK_BYTES: usize = 4 << 20;

/// A running query as the rest of firn pulls it.
pub(crate) struct Rows<'connection> {
    stream: ChunkStream<'connection>,
    columns: Vec<WireColumn>,
    styles: Vec<CellStyle>,
    formats: CellFormats,
    /// Of a result that is encoded as Arrow.
    arrow: Option<ArrowStream>,
    current: Option<Position>,
    /// Holds one nested value at a time on its way into a cell.
    scratch: Vec<u8>,
}

/// A chunk of which the rows before `next_row` are written.
struct Position {
    chunk: Chunk,
    next_row: usize,
}

impl<'connection> Rows<'connection> {
    /// `bound` are the columns as the binder knows them, or none.
    pub(crate) fn new(
        stream: ChunkStream<'connection>,
        bound: &[OutputColumn],
        formats: &CellFormats,
    ) -> Result<Self, EngineError> {
        let shown = stream.columns();
        let bound = described(bound, shown.len());
        let mut columns = Vec::with_capacity(shown.len());
        for (index, column) in shown.iter().enumerate() {
            if let LogicalType::Unreadable(_) = column.logical_type {
                let feature = format!("type of the result column {}; cast it to VARCHAR", column.name);
                return Err(Failure::unsupported(&feature).into());
            }
            let bound = bound.get(index);
            columns.push(wire_column(column_name(&column.name, bound), &column.logical_type, bound));
        }
        let styles = columns.iter().map(|column| CellStyle::new(column, formats)).collect();
        let formats = formats.clone();
        Ok(Self { stream, columns, styles, formats, arrow: None, current: None, scratch: Vec::new() })
    }

    /// Makes `current` a chunk with rows left; `false` at the end of the stream.
    fn advance(&mut self) -> Result<bool, EngineError> {
        if let Some(position) = &self.current
            && position.next_row < position.chunk.row_count()
        {
            return Ok(true);
        }
        self.current = self.stream.next_chunk()?.map(|chunk| Position { chunk, next_row: 0 });
        Ok(self.current.is_some())
    }

    /// Writes rows of the current chunk, at most `rows_max`, and returns how many.
    fn encode_chunk(&mut self, out: &mut Vec<u8>, bytes_max: usize, rows_max: u64) -> Result<u64, Failure> {
        let Some(position) = &mut self.current else { return Ok(0) };
        let bytes_before = out.len();
        let columns = position.chunk.columns();
        let first = position.next_row;
        let rows_left = (position.chunk.row_count() - first) as u64;
        let end = first + rows_left.min(rows_max) as usize;
        let null: &[u8] = match self.formats.nulls {
            Nulls::Null => b"null,",
            Nulls::Word => b"\"null\",",
        };
        let mut checked = out.len();
        while position.next_row < end && out.len() < bytes_max {
            let row = position.next_row;
            out.extend_from_slice(if out.last() == Some(&b']') { b",[" } else { b"[" });
            for (column, style) in columns.iter().zip(&self.styles) {
                if column.is_null(row) {
                    out.extend_from_slice(null);
                } else {
                    style.write(&column.values, row, &mut self.scratch, out);
                }
                if out.len() - checked > CHECK_BYTES {
                    checked = out.len();
                    refuse_without_room(checked)?;
                }
            }
            // The comma after the last cell.
            out.pop();
            out.push(b']');
            position.next_row += 1;
        }
        if out.len() - bytes_before > BINARY_BYTES_MAX {
            columns.iter().try_for_each(|column| refuse_too_large(column, first..position.next_row))?;
        }
        Ok((position.next_row - first) as u64)
    }
}

/// A row of long cells is written before anybody counts it.
#[cold]
fn refuse_without_room(bytes: usize) -> Result<(), Failure> {
    // The buffer doubles when it grows.
    match engine_memory::has_room(bytes) {
        true => Ok(()),
        false => Err(errors::out_of_memory()),
    }
}

/// Called only where many bytes were written, so that it costs nothing per cell.
fn refuse_too_large(column: &Column<'_>, rows: Range<usize>) -> Result<(), Failure> {
    let (cells, bytes_max) = match &column.values {
        Values::Text(cells) | Values::Json(cells) => (cells, TEXT_BYTES_MAX),
        Values::Blob(cells) => (cells, BINARY_BYTES_MAX),
        _ => return Ok(()),
    };
    let sizes = rows.filter(|row| !column.is_null(*row)).map(|row| cells[row].get().len());
    match sizes.max() {
        Some(bytes) if bytes > bytes_max => Err(Failure::new(
            "100082",
            "22000",
            format!("Max LOB size ({bytes_max}) exceeded, actual size of parsed column is {bytes}"),
        )),
        _ => Ok(()),
    }
}

impl RowStream for Rows<'_> {
    fn columns(&self) -> &[WireColumn] {
        &self.columns
    }

    fn encode(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError> {
        let mut rows = 0;
        while rows < budget.rows && out.len() < budget.bytes {
            if !self.advance()? {
                return Ok(Encoded { rows, ended: true });
            }
            rows += self.encode_chunk(out, budget.bytes, budget.rows - rows)?;
        }
        Ok(Encoded { rows, ended: !self.advance()? })
    }

    fn encode_arrow(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError> {
        let make = || ArrowStream::new(&self.columns, self.stream.columns(), &self.formats);
        let mut arrow = self.arrow.take().unwrap_or_else(make);
        let (mut rows, mut bytes) = (0, out.len());
        while rows < budget.rows && bytes < budget.bytes && self.advance()? {
            let Some(position) = &mut self.current else { break };
            let left = RowBudget { bytes: budget.bytes - bytes, rows: budget.rows - rows };
            let appended = arrow.append(&position.chunk, position.next_row, left, out)?;
            position.next_row += appended.rows;
            rows += appended.rows as u64;
            bytes += appended.bytes;
        }
        arrow.end(out);
        self.arrow = Some(arrow);
        Ok(Encoded { rows, ended: !self.advance()? })
    }
}

//! Chunks of rows on their way into an Arrow stream, a few at a time, so that a budget of bytes is kept to a row.

use std::ops::Range;

use firn_arrow::StreamWriter;
use firn_engine::{CellFormats, EngineError, RowBudget, WireColumn};
use firn_functions::columns::Column;

use super::{BINARY_BYTES_MAX, CHECK_BYTES, refuse_too_large, refuse_without_room};
use crate::chunks::{Chunk, ResultColumn};
use crate::encode::arrow::{ArrowStyle, Scratch};

/// Rows are appended in pieces of about so many bytes.
const PIECE_BYTES: usize = 256 << 10;
/// What a cell counts at least, so that a partition of small cells has about as many rows as one of JSON.
const CELL_BYTES_MIN: usize = 8;

pub(super) struct ArrowStream {
    styles: Vec<ArrowStyle>,
    writer: StreamWriter,
    scratch: Scratch,
    /// Bytes since the last look at what the process has taken.
    unchecked: usize,
}

pub(super) struct Appended {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

impl ArrowStream {
    pub(super) fn new(columns: &[WireColumn], types: &[ResultColumn], formats: &CellFormats) -> Self {
        let formats = formats.raw();
        let style =
            |(column, of_engine): (_, &ResultColumn)| ArrowStyle::new(column, &of_engine.logical_type, &formats);
        let styles: Vec<ArrowStyle> = columns.iter().zip(types).map(style).collect();
        let writer = StreamWriter::new(styles.iter().map(|style| style.field.clone()).collect());
        Self { styles, writer, scratch: Scratch::default(), unchecked: 0 }
    }

    /// Appends rows of a chunk from `first` on: at least one, and all if the budget allows it.
    pub(super) fn append(
        &mut self,
        chunk: &Chunk,
        first: usize,
        budget: RowBudget,
        out: &mut Vec<u8>,
    ) -> Result<Appended, EngineError> {
        let columns = chunk.columns();
        let end = chunk.row_count().min(first.saturating_add(usize::try_from(budget.rows).unwrap_or(usize::MAX)));
        let mut appended = Appended { rows: 0, bytes: 0 };
        while first + appended.rows < end && appended.bytes < budget.bytes {
            let from = first + appended.rows;
            let piece = self.piece(&columns, from..end, budget.bytes - appended.bytes);
            appended.rows += piece.len();
            appended.bytes += self.append_piece(&columns, piece, out)?;
        }
        Ok(appended)
    }

    /// Rows from the first of these on that are as large as a piece or what is left. Of what is only known once it is written, one.
    fn piece(&self, columns: &[Column<'_>], rows: Range<usize>, bytes_left: usize) -> Range<usize> {
        let bytes_max = bytes_left.min(PIECE_BYTES);
        let (mut bytes, mut end) = (0, rows.start);
        while end < rows.end && bytes < bytes_max {
            let cells = self.styles.iter().zip(columns).map(|(style, column)| style.row_bytes(column, end));
            let row_bytes = cells.map(|cell| cell.map(|bytes| bytes.max(CELL_BYTES_MIN))).sum::<Option<usize>>();
            end += 1;
            match row_bytes {
                Some(row_bytes) => bytes += row_bytes,
                None => break,
            }
        }
        rows.start..end
    }

    /// Returns the bytes that the rows count.
    fn append_piece(
        &mut self,
        columns: &[Column<'_>],
        rows: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<usize, EngineError> {
        let before = self.writer.pending_bytes();
        for ((style, column), into) in self.styles.iter().zip(columns).zip(self.writer.columns()) {
            style.append(column, rows.clone(), &mut self.scratch, into)?;
        }
        let bytes = self.writer.pending_bytes() - before;
        if bytes > BINARY_BYTES_MAX {
            columns.iter().try_for_each(|column| refuse_too_large(column, rows.clone()))?;
        }
        self.unchecked += bytes;
        if self.unchecked > CHECK_BYTES {
            self.unchecked = 0;
            refuse_without_room(out.len() + self.writer.pending_bytes())?;
        }
        let counted = bytes.max(rows.len() * columns.len() * CELL_BYTES_MIN);
        self.writer.end_rows(out);
        Ok(counted)
    }

    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        self.writer.end_stream(out);
    }
}

//! A stream as the JSON array of its rows, made piece by piece as it is read: memory is bounded by a batch.

use std::io::{self, Read};

use crate::json_cells::write_cell;
use crate::stream_reader::{Batch, StreamReader, damaged};

const PIECE_BYTES: usize = 64 << 10;

/// Reads as `[["a",null],["b","c"]]`.
pub struct JsonRows<R> {
    stream: StreamReader<R>,
    batch: Option<Batch>,
    /// The row of the batch to be written next.
    next_row: usize,
    piece: Vec<u8>,
    /// What of the piece was given out.
    taken: usize,
    is_first_row: bool,
    ended: bool,
}

impl<R: Read> JsonRows<R> {
    pub fn new(source: R) -> io::Result<Self> {
        Ok(Self {
            stream: StreamReader::new(source)?,
            batch: None,
            next_row: 0,
            piece: vec![b'['],
            taken: 0,
            is_first_row: true,
            ended: false,
        })
    }

    /// Writes more rows, or the end of the array.
    fn write_piece(&mut self) -> io::Result<()> {
        self.piece.clear();
        self.taken = 0;
        while self.piece.is_empty() && !self.ended {
            let batch = match self.batch.take().filter(|batch| self.next_row < batch.rows) {
                Some(batch) => Some(batch),
                None => {
                    self.next_row = 0;
                    self.stream.next_batch()?
                }
            };
            match batch {
                Some(batch) => {
                    self.write_rows(&batch)?;
                    self.batch = Some(batch);
                }
                None => {
                    self.piece.push(b']');
                    self.ended = true;
                }
            }
        }
        Ok(())
    }

    fn write_rows(&mut self, batch: &Batch) -> io::Result<()> {
        let columns = &self.stream.columns;
        let buffers = batch.columns(columns)?;
        while self.next_row < batch.rows && self.piece.len() < PIECE_BYTES {
            let begin: &[u8] = if std::mem::take(&mut self.is_first_row) { b"[" } else { b",[" };
            self.piece.extend_from_slice(begin);
            for (index, (column, buffers)) in columns.iter().zip(&buffers).enumerate() {
                if index > 0 {
                    self.piece.push(b',');
                }
                write_cell(column, buffers, self.next_row, &mut self.piece).ok_or_else(damaged)?;
            }
            self.piece.push(b']');
            self.next_row += 1;
        }
        Ok(())
    }
}

impl<R: Read> Read for JsonRows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.piece.len() {
            self.write_piece()?;
        }
        let left = &self.piece[self.taken..];
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.taken += count;
        Ok(count)
    }
}

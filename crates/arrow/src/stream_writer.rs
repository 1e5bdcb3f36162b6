//! Writes the rows of a result as one stream per partition: batches of about a megabyte, between a schema and an end.
//!
//! Decimals of more than 18 digits are written as 64-bit integers as long as the values allow it: most sums are small, and
//! programs that compute with a result want machine numbers. A result whose first partition has larger ones is written as
//! decimals to its end, so that nearly all results have one schema.

use std::borrow::Cow;

use crate::column::{Column, Parts};
use crate::field::{Field, Storage};
use crate::message::{ALIGNMENT, write_batch_head, write_end, write_schema};

const BATCH_BYTES: usize = 1 << 20;

pub struct StreamWriter {
    fields: Vec<Field>,
    widths: Vec<DecimalWidth>,
    open: Vec<Column>,
    /// The batches of this stream before the open one, while it is not known how their decimals are written.
    closed: Vec<Vec<Column>>,
    has_schema: bool,
}

/// How the decimals of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecimalWidth {
    Undecided,
    Bits64,
    Bits128,
}

impl StreamWriter {
    #[must_use]
    pub fn new(fields: Vec<Field>) -> Self {
        Self {
            widths: vec![DecimalWidth::Undecided; fields.len()],
            open: fields.iter().map(|field| Column::new(field.storage)).collect(),
            closed: Vec::new(),
            has_schema: false,
            fields,
        }
    }

    /// The columns of the open batch; each gets the same number of rows before `end_rows`.
    pub fn columns(&mut self) -> &mut [Column] {
        &mut self.open
    }

    /// The bytes of the rows that are not in `out` yet.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.closed.iter().map(|batch| bytes_of(batch)).sum::<usize>() + bytes_of(&self.open)
    }

    /// To be called now and then between rows; closes the batch if it is large.
    pub fn end_rows(&mut self, out: &mut Vec<u8>) {
        if bytes_of(&self.open) >= BATCH_BYTES {
            self.close_batch(out);
        }
    }

    /// Ends the stream; what follows is another one.
    pub fn end_stream(&mut self, out: &mut Vec<u8>) {
        let wide = |column: usize| self.fields[column].storage == Storage::Decimal;
        for column in (0..self.fields.len()).filter(|&column| wide(column)) {
            self.widths[column] = self.decided_width(column);
        }
        self.write_closed(out);
        self.write_open(out);
        write_end(out);
        self.has_schema = false;
    }

    fn decided_width(&self, column: usize) -> DecimalWidth {
        let batches = || self.closed.iter().map(|batch| &batch[column]).chain([&self.open[column]]);
        let fits = match self.widths[column] {
            DecimalWidth::Undecided => batches().all(Column::has_small_decimals),
            DecimalWidth::Bits64 => batches().all(Column::fits_64_bits),
            DecimalWidth::Bits128 => false,
        };
        if fits { DecimalWidth::Bits64 } else { DecimalWidth::Bits128 }
    }

    fn close_batch(&mut self, out: &mut Vec<u8>) {
        let is_decided = |(field, width): (&Field, &DecimalWidth)| {
            field.storage != Storage::Decimal || *width == DecimalWidth::Bits128
        };
        if self.fields.iter().zip(&self.widths).all(is_decided) {
            return self.write_open(out);
        }
        let next = self.fields.iter().map(|field| Column::new(field.storage)).collect();
        self.closed.push(std::mem::replace(&mut self.open, next));
    }

    fn write_closed(&mut self, out: &mut Vec<u8>) {
        self.write_schema_once(out);
        for batch in std::mem::take(&mut self.closed) {
            self.write_batch(&batch, out);
        }
    }

    fn write_open(&mut self, out: &mut Vec<u8>) {
        self.write_schema_once(out);
        self.write_batch(&self.open, out);
        self.open.iter_mut().for_each(Column::clear);
    }

    fn write_schema_once(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_schema, true) {
            write_schema(self.fields.iter().enumerate().map(|(index, field)| (field, self.written(index))), out);
        }
    }

    /// The storage in the stream.
    fn written(&self, column: usize) -> Storage {
        match (self.fields[column].storage, self.widths[column]) {
            (Storage::Decimal, DecimalWidth::Bits64) => Storage::Int64,
            (storage, _) => storage,
        }
    }

    fn write_batch(&self, batch: &[Column], out: &mut Vec<u8>) {
        let rows = batch.first().map_or(0, Column::rows);
        if rows == 0 {
            return;
        }
        let mut body = Body::default();
        for (index, column) in batch.iter().enumerate() {
            body.add(column, self.written(index));
        }
        write_batch_head(rows, body.nodes, body.places, body.bytes, out);
        out.reserve(body.bytes);
        for buffer in &body.buffers {
            out.extend_from_slice(buffer);
            let padded = buffer.len().next_multiple_of(ALIGNMENT);
            out.resize(out.len() + padded - buffer.len(), 0);
        }
    }
}

fn bytes_of(batch: &[Column]) -> usize {
    batch.iter().map(Column::bytes).sum()
}

/// The buffers of a batch in their order, and what its metadata says of them.
#[derive(Default)]
struct Body<'batch> {
    nodes: Vec<[i64; 2]>,
    places: Vec<[i64; 2]>,
    buffers: Vec<Cow<'batch, [u8]>>,
    bytes: usize,
}

impl<'batch> Body<'batch> {
    fn add(&mut self, column: &'batch Column, written: Storage) {
        self.add_node(column.rows(), column.nulls(), column.validity());
        let Parts { values, details, zones } = column.parts();
        match written {
            Storage::Boolean => self.add_buffer(column.bits().into()),
            Storage::Int64 if column.storage() == Storage::Decimal => self.add_buffer(lower_halves(values).into()),
            Storage::Int16 | Storage::Int32 | Storage::Int64 | Storage::Decimal | Storage::Double | Storage::Date => {
                self.add_buffer(values.into())
            }
            Storage::Text | Storage::Binary => {
                // The ends of the texts with the beginning of the first one before them.
                self.add_buffer([&[0; 4], values.as_slice()].concat().into());
                self.add_buffer(details.into());
            }
            Storage::EpochFraction => self.add_children(column.rows(), &[values, details]),
            Storage::EpochZone => self.add_children(column.rows(), &[values, zones]),
            Storage::EpochFractionZone => self.add_children(column.rows(), &[values, details, zones]),
        }
    }

    fn add_children(&mut self, rows: usize, children: &[&'batch Vec<u8>]) {
        for child in children {
            self.add_node(rows, 0, None);
            self.add_buffer(child.as_slice().into());
        }
    }

    fn add_node(&mut self, rows: usize, nulls: usize, validity: Option<&'batch [u8]>) {
        self.nodes.push([rows as i64, nulls as i64]);
        self.add_buffer(validity.unwrap_or_default().into());
    }

    fn add_buffer(&mut self, buffer: Cow<'batch, [u8]>) {
        self.places.push([self.bytes as i64, buffer.len() as i64]);
        self.bytes += buffer.len().next_multiple_of(ALIGNMENT);
        self.buffers.push(buffer);
    }
}

fn lower_halves(decimals: &[u8]) -> Vec<u8> {
    decimals
        .as_chunks::<16>()
        .0
        .iter()
        .flat_map(|value| value.first_chunk::<8>().copied().unwrap_or_default())
        .collect()
}

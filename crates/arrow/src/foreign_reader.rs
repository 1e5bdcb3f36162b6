//! Reads streams that others write, from memory: uncompressed, without dictionaries. Every buffer is checked against the rows that
//! it has to hold before a value is read, so that no bytes from outside reach beyond their batch.

use std::io;
use std::sync::Arc;

use crate::flat_table_reader::TableView;
use crate::foreign_types::{ForeignField, ForeignType};
use crate::message::{CONTINUATION, RECORD_BATCH, SCHEMA};

/// The batches of a stream.
pub struct ForeignReader {
    bytes: Arc<[u8]>,
    next: usize,
    fields: Arc<[ForeignField]>,
}

/// The rows of a batch.
pub struct ForeignBatch {
    bytes: Arc<[u8]>,
    fields: Arc<[ForeignField]>,
    rows: usize,
    /// Where the body begins.
    body: usize,
    nodes: Vec<[i64; 2]>,
    places: Vec<[i64; 2]>,
}

/// The values of a column of a batch.
pub struct ForeignColumn<'a> {
    pub field: &'a ForeignField,
    pub rows: usize,
    /// Empty if nothing is NULL.
    validity: &'a [u8],
    /// Values of a fixed width, bits, or the ends of texts and lists with a first begin.
    values: &'a [u8],
    /// The bytes of texts.
    details: &'a [u8],
    pub children: Vec<ForeignColumn<'a>>,
}

impl ForeignReader {
    /// Reads the schema.
    pub fn new(bytes: Arc<[u8]>) -> io::Result<Self> {
        let (metadata, next) = metadata_at(&bytes, 0)?.ok_or_else(damaged)?;
        let fields = schema_of(metadata).ok_or_else(not_read)?;
        Ok(Self { fields: fields.into(), next, bytes })
    }

    pub fn fields(&self) -> &Arc<[ForeignField]> {
        &self.fields
    }

    /// `None` at the end of the stream.
    pub fn next_batch(&mut self) -> io::Result<Option<ForeignBatch>> {
        if self.next == self.bytes.len() {
            return Ok(None);
        }
        let Some((metadata, body)) = metadata_at(&self.bytes, self.next)? else {
            self.next = self.bytes.len();
            return Ok(None);
        };
        let message = TableView::root(metadata).filter(|message| message.byte(1) == Some(RECORD_BATCH));
        let message = message.ok_or_else(not_read)?;
        let batch = message.table(2).ok_or_else(damaged)?;
        if batch.table(3).is_some() {
            return Err(not_read());
        }
        let read = || {
            let rows = usize::try_from(batch.long(0).unwrap_or(0)).ok()?;
            let length = usize::try_from(message.long(3).unwrap_or(0)).ok()?;
            let end = body.checked_add(length).filter(|end| *end <= self.bytes.len())?;
            Some((rows, end, batch.pairs(1).unwrap_or_default(), batch.pairs(2).unwrap_or_default()))
        };
        let (rows, end, nodes, places) = read().ok_or_else(damaged)?;
        self.next = end;
        Ok(Some(ForeignBatch { bytes: self.bytes.clone(), fields: self.fields.clone(), rows, body, nodes, places }))
    }
}

impl ForeignBatch {
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> io::Result<Vec<ForeignColumn<'_>>> {
        let mut parts = Parts { batch: self, nodes: self.nodes.iter(), places: self.places.iter() };
        let columns = self.fields.iter().map(|field| parts.column(field));
        let columns: Vec<ForeignColumn<'_>> = columns.collect::<Option<_>>().ok_or_else(damaged)?;
        match columns.iter().all(|column| column.rows == self.rows) {
            true => Ok(columns),
            false => Err(damaged()),
        }
    }
}

/// Takes the nodes and buffers of a batch in their order.
struct Parts<'a> {
    batch: &'a ForeignBatch,
    nodes: std::slice::Iter<'a, [i64; 2]>,
    places: std::slice::Iter<'a, [i64; 2]>,
}

impl<'a> Parts<'a> {
    fn buffer(&mut self) -> Option<&'a [u8]> {
        let [begin, length] = self.places.next()?;
        let begin = self.batch.body.checked_add(usize::try_from(*begin).ok()?)?;
        self.batch.bytes.get(begin..begin.checked_add(usize::try_from(*length).ok()?)?)
    }

    fn column(&mut self, field: &'a ForeignField) -> Option<ForeignColumn<'a>> {
        let [rows, nulls] = self.nodes.next()?;
        let rows = usize::try_from(*rows).ok()?;
        let empty: &[u8] = &[];
        if field.data_type == ForeignType::Null {
            return Some(ForeignColumn {
                field,
                rows,
                validity: empty,
                values: empty,
                details: empty,
                children: Vec::new(),
            });
        }
        let validity = self.buffer()?;
        let validity = if *nulls == 0 { empty } else { validity };
        let (values, details) = match field.data_type {
            ForeignType::Struct => (empty, empty),
            ForeignType::Text | ForeignType::Binary => (self.buffer()?, self.buffer()?),
            _ => (self.buffer()?, empty),
        };
        let children = field.children.iter().map(|child| self.column(child)).collect::<Option<Vec<_>>>()?;
        let column = ForeignColumn { field, rows, validity, values, details, children };
        column.has_all_rows().then_some(column)
    }
}

impl ForeignColumn<'_> {
    fn has_all_rows(&self) -> bool {
        let has_validity = self.validity.is_empty() || self.validity.len() >= self.rows.div_ceil(8);
        let has_values = match self.field.data_type {
            ForeignType::Null => true,
            ForeignType::Struct => self.children.iter().all(|child| child.rows >= self.rows),
            ForeignType::Boolean => self.values.len() >= self.rows.div_ceil(8),
            // Without rows there need be no ends.
            ForeignType::Text | ForeignType::Binary | ForeignType::List | ForeignType::Map => {
                self.rows == 0 || (self.values.len() / self.field.end_bytes > self.rows && self.ends_are_in_order())
            }
            _ => self.rows.checked_mul(self.width()).is_some_and(|bytes| self.values.len() >= bytes),
        };
        has_validity && has_values
    }

    fn ends_are_in_order(&self) -> bool {
        let length = match self.children.first() {
            Some(child) => child.rows,
            None => self.details.len(),
        };
        let ends = (0..=self.rows).map(|place| self.end(place));
        let is_ordered = ends.clone().all(|end| end.is_some()) && ends.is_sorted();
        is_ordered && self.end(self.rows).is_some_and(|last| last <= length)
    }

    /// Where a text or a list begins, or the one before ends.
    fn end(&self, place: usize) -> Option<usize> {
        let bytes = self.values.get(self.field.end_bytes * place..)?;
        match self.field.end_bytes {
            8 => usize::try_from(i64::from_le_bytes(*bytes.first_chunk()?)).ok(),
            _ => usize::try_from(i32::from_le_bytes(*bytes.first_chunk()?)).ok(),
        }
    }

    fn width(&self) -> usize {
        match self.field.data_type {
            ForeignType::Integer { bytes, .. } | ForeignType::Time { bytes, .. } => bytes,
            ForeignType::Float | ForeignType::Date => 4,
            ForeignType::Double | ForeignType::Timestamp { .. } => 8,
            ForeignType::Decimal { .. } => 16,
            _ => 0,
        }
    }

    pub fn is_null(&self, row: usize) -> bool {
        let is_valid = || self.validity.get(row / 8).is_some_and(|bits| bits >> (row % 8) & 1 == 1);
        self.field.data_type == ForeignType::Null || (!self.validity.is_empty() && !is_valid())
    }

    pub fn boolean(&self, row: usize) -> bool {
        self.values.get(row / 8).is_some_and(|bits| bits >> (row % 8) & 1 == 1)
    }

    /// An integer, an unscaled decimal, days, or the ticks of a time or a timestamp.
    pub fn integer(&self, row: usize) -> i128 {
        let width = self.width();
        let bytes = self.values.get(row * width..(row + 1) * width).unwrap_or_default();
        let is_signed = !matches!(self.field.data_type, ForeignType::Integer { signed: false, .. });
        let is_negative = is_signed && bytes.last().is_some_and(|last| last >> 7 == 1);
        let mut whole = if is_negative { [0xff; 16] } else { [0; 16] };
        if let Some(low) = whole.get_mut(..bytes.len()) {
            low.copy_from_slice(bytes);
        }
        i128::from_le_bytes(whole)
    }

    pub fn float(&self, row: usize) -> f64 {
        let at = |width: usize| self.values.get(row * width..).unwrap_or_default();
        match self.field.data_type {
            ForeignType::Float => at(4).first_chunk().map_or(0.0, |bytes| f64::from(f32::from_le_bytes(*bytes))),
            _ => at(8).first_chunk().map_or(0.0, |bytes| f64::from_le_bytes(*bytes)),
        }
    }

    /// A text or bytes.
    pub fn bytes(&self, row: usize) -> &[u8] {
        self.details.get(self.range(row)).unwrap_or_default()
    }

    /// The elements of a list or of a map.
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        let end = |place: usize| self.end(place).unwrap_or_default();
        end(row)..end(row + 1)
    }
}

/// The metadata of a message, and where its body begins; `None` is the end of the stream.
fn metadata_at(bytes: &[u8], place: usize) -> io::Result<Option<(&[u8], usize)>> {
    let rest = bytes.get(place..).unwrap_or_default();
    let (prefix, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
    // Before version 0.15 of the format there was no continuation.
    if *prefix != CONTINUATION {
        return Err(damaged());
    }
    let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
    let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| damaged())?;
    if length == 0 {
        return Ok(None);
    }
    let metadata = rest.get(..length).ok_or_else(damaged)?;
    Ok(Some((metadata, place + 8 + length)))
}

fn schema_of(metadata: &[u8]) -> Option<Vec<ForeignField>> {
    let message = TableView::root(metadata).filter(|message| message.byte(1) == Some(SCHEMA))?;
    let schema = message.table(2)?;
    // Values of big-endian machines are not read.
    if schema.short(0).unwrap_or(0) != 0 {
        return None;
    }
    schema.tables(1)?.iter().map(|field| ForeignField::read(field, 0)).collect()
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the rows are damaged")
}

fn not_read() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "the rows have a type or an encoding that is not read")
}

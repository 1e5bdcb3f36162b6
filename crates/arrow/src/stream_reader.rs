//! Reads the streams that `StreamWriter` writes, batch by batch. What is no such stream is an error.

use std::io::{self, Read};

use crate::field::Storage;
use crate::flat_table_reader::TableView;
use crate::message::{CONTINUATION, EPOCH, FRACTION, LOGICAL_TYPE, RECORD_BATCH, SCALE, SCHEMA, ZONE, types};

pub struct StreamReader<R> {
    source: R,
    pub columns: Vec<ReadColumn>,
}

/// A column as the stream's schema describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadColumn {
    pub storage: Storage,
    pub logical_type: String,
    pub scale: usize,
}

/// The rows of a batch.
pub struct Batch {
    pub rows: usize,
    body: Vec<u8>,
    /// The buffers of all columns in order: begin and length in the body.
    places: Vec<[i64; 2]>,
}

/// The buffers of one column; those that its storage does not have are empty.
#[derive(Clone, Copy, Default)]
pub struct Buffers<'a> {
    /// Empty if nothing is NULL.
    pub validity: &'a [u8],
    pub values: &'a [u8],
    pub details: &'a [u8],
    pub zones: &'a [u8],
}

impl<R: Read> StreamReader<R> {
    /// Reads the schema.
    pub fn new(mut source: R) -> io::Result<Self> {
        let metadata = read_metadata(&mut source)?.ok_or_else(damaged)?;
        let columns = schema_of(&metadata).ok_or_else(damaged)?;
        Ok(Self { source, columns })
    }

    /// `None` at the end of the stream, behind which nothing may follow.
    pub fn next_batch(&mut self) -> io::Result<Option<Batch>> {
        let Some(metadata) = read_metadata(&mut self.source)? else {
            let after = io::copy(&mut self.source, &mut io::sink())?;
            return if after == 0 { Ok(None) } else { Err(damaged()) };
        };
        let head = batch_of(&metadata).ok_or_else(damaged)?;
        let mut body = Vec::new();
        let read = (&mut self.source).take(head.body_bytes).read_to_end(&mut body)?;
        if read as u64 != head.body_bytes {
            return Err(damaged());
        }
        Ok(Some(Batch { rows: head.rows, body, places: head.places }))
    }
}

impl Batch {
    /// The buffers of each column.
    pub fn columns(&self, columns: &[ReadColumn]) -> io::Result<Vec<Buffers<'_>>> {
        let mut places = self.places.iter();
        let mut next = || {
            let [begin, length] = places.next()?;
            let begin = usize::try_from(*begin).ok()?;
            self.body.get(begin..begin.checked_add(usize::try_from(*length).ok()?)?)
        };
        let read = columns.iter().map(|column| buffers(column.storage, self.rows, &mut next));
        read.collect::<Option<_>>().ok_or_else(damaged)
    }
}

/// Takes the buffers of a column, and checks that they hold as many rows.
fn buffers<'a>(storage: Storage, rows: usize, next: &mut impl FnMut() -> Option<&'a [u8]>) -> Option<Buffers<'a>> {
    let validity = next()?;
    let none: &[u8] = &[];
    let mut child = || {
        next()?;
        next()
    };
    let (values, details, zones) = match storage {
        Storage::Text | Storage::Binary => (next()?, next()?, none),
        Storage::EpochFraction => (child()?, child()?, none),
        Storage::EpochZone => (child()?, none, child()?),
        Storage::EpochFractionZone => (child()?, child()?, child()?),
        _ => (next()?, none, none),
    };
    let width = match storage {
        Storage::EpochFraction | Storage::EpochZone | Storage::EpochFractionZone => 8,
        storage => storage.row_bytes(),
    };
    let needed = match storage {
        Storage::Boolean => rows.div_ceil(8),
        Storage::Text | Storage::Binary => (rows + 1) * width,
        _ => rows * width,
    };
    let has_rows = values.len() >= needed && (validity.is_empty() || validity.len() >= rows.div_ceil(8));
    let parts = [details, zones];
    let has_parts = match storage {
        Storage::EpochFraction | Storage::EpochZone | Storage::EpochFractionZone => {
            parts.iter().all(|part| part.is_empty() || part.len() >= 4 * rows)
        }
        _ => true,
    };
    (has_rows && has_parts).then_some(Buffers { validity, values, details, zones })
}

/// `None` is the end of the stream.
fn read_metadata(source: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut prefix = [0; 8];
    source.read_exact(&mut prefix).map_err(ended_early)?;
    let (continuation, length) = prefix.split_at(4);
    let length = i32::from_le_bytes(length.try_into().unwrap_or_default());
    if continuation != CONTINUATION || length < 0 {
        return Err(damaged());
    }
    if length == 0 {
        return Ok(None);
    }
    let mut metadata = Vec::new();
    let read = source.take(length as u64).read_to_end(&mut metadata)?;
    if read == length as usize { Ok(Some(metadata)) } else { Err(damaged()) }
}

fn schema_of(metadata: &[u8]) -> Option<Vec<ReadColumn>> {
    let message = TableView::root(metadata).filter(|message| message.byte(1) == Some(SCHEMA))?;
    message.table(2)?.tables(1)?.iter().map(column_of).collect()
}

fn column_of(field: &TableView<'_>) -> Option<ReadColumn> {
    let metadata = field.tables(6)?;
    let value = |name| metadata.iter().find(|pair| pair.text(0) == Some(name)).and_then(|pair| pair.text(1));
    Some(ReadColumn {
        storage: storage_of(field)?,
        logical_type: value(LOGICAL_TYPE)?.to_owned(),
        scale: value(SCALE).unwrap_or("0").parse().ok()?,
    })
}

fn storage_of(field: &TableView<'_>) -> Option<Storage> {
    let children = field.tables(5).unwrap_or_default();
    let names: Vec<_> = children.iter().filter_map(|child| child.text(0)).collect();
    Some(match (field.byte(2)?, names.as_slice()) {
        (types::BOOL, _) => Storage::Boolean,
        (types::INT, _) => match field.table(3)?.int(0)? {
            16 => Storage::Int16,
            32 => Storage::Int32,
            64 => Storage::Int64,
            _ => return None,
        },
        (types::DECIMAL, _) => Storage::Decimal,
        (types::FLOATING_POINT, _) => Storage::Double,
        (types::UTF8, _) => Storage::Text,
        (types::BINARY, _) => Storage::Binary,
        (types::DATE, _) => Storage::Date,
        (types::STRUCT, [EPOCH, FRACTION]) => Storage::EpochFraction,
        (types::STRUCT, [EPOCH, ZONE]) => Storage::EpochZone,
        (types::STRUCT, [EPOCH, FRACTION, ZONE]) => Storage::EpochFractionZone,
        _ => return None,
    })
}

struct BatchHead {
    rows: usize,
    places: Vec<[i64; 2]>,
    body_bytes: u64,
}

fn batch_of(metadata: &[u8]) -> Option<BatchHead> {
    let message = TableView::root(metadata).filter(|message| message.byte(1) == Some(RECORD_BATCH))?;
    let batch = message.table(2)?;
    Some(BatchHead {
        rows: usize::try_from(batch.long(0)?).ok()?,
        places: batch.pairs(2)?,
        body_bytes: u64::try_from(message.long(3)?).ok()?,
    })
}

fn ended_early(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::UnexpectedEof { damaged() } else { error }
}

pub fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the partition is no stream of rows")
}

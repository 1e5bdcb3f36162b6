//! The messages of an IPC stream: a prefix, metadata as FlatBuffers, and the body of a batch.

use crate::field::{Field, Storage};
use crate::flat_table_writer::{Table, Value};

pub const CONTINUATION: [u8; 4] = [0xff; 4];
const VERSION_5: i16 = 4;
pub const SCHEMA: u8 = 1;
pub const RECORD_BATCH: u8 = 3;
/// All buffers begin and end at multiples of this.
pub const ALIGNMENT: usize = 8;

/// The numbers of Arrow's types.
pub mod types {
    pub const INT: u8 = 2;
    pub const FLOATING_POINT: u8 = 3;
    pub const BINARY: u8 = 4;
    pub const UTF8: u8 = 5;
    pub const BOOL: u8 = 6;
    pub const DECIMAL: u8 = 7;
    pub const DATE: u8 = 8;
    pub const STRUCT: u8 = 13;
}

const DOUBLE_PRECISION: i16 = 2;
const DAYS: i16 = 0;
const DECIMAL_DIGITS: i32 = 38;

/// The names of metadata that are read back.
pub const LOGICAL_TYPE: &str = "logicalType";
pub const SCALE: &str = "scale";

/// The children of structs; drivers look for these names in this order.
pub const EPOCH: &str = "epoch";
pub const FRACTION: &str = "fraction";
pub const ZONE: &str = "timezone";

/// The stream's first message.
pub fn write_schema<'f>(fields: impl Iterator<Item = (&'f Field, Storage)>, out: &mut Vec<u8>) {
    let fields = fields.map(|(field, storage)| table_of_field(field, storage)).collect();
    write(SCHEMA, Table::default().with(1, Value::Tables(fields)), 0, out);
}

/// A batch's metadata, before its body: for each column and each child its rows and NULLs, and where each buffer is in the body.
pub fn write_batch_head(
    rows: usize,
    nodes: Vec<[i64; 2]>,
    buffers: Vec<[i64; 2]>,
    body_bytes: usize,
    out: &mut Vec<u8>,
) {
    let batch =
        Table::default().with(0, Value::Long(rows as i64)).with(1, Value::Pairs(nodes)).with(2, Value::Pairs(buffers));
    write(RECORD_BATCH, batch, body_bytes, out);
}

pub fn write_end(out: &mut Vec<u8>) {
    out.extend_from_slice(&CONTINUATION);
    out.extend_from_slice(&[0; 4]);
}

fn write(header_type: u8, header: Table<'_>, body_bytes: usize, out: &mut Vec<u8>) {
    let message = Table::default()
        .with(0, Value::Short(VERSION_5))
        .with(1, Value::Byte(header_type))
        .with(2, Value::Table(header))
        .with(3, Value::Long(body_bytes as i64));
    let metadata = message.to_bytes();
    let length = metadata.len().next_multiple_of(ALIGNMENT);
    out.extend_from_slice(&CONTINUATION);
    out.extend_from_slice(&(length as i32).to_le_bytes());
    out.extend_from_slice(&metadata);
    out.resize(out.len() + length - metadata.len(), 0);
}

fn table_of_field(field: &Field, storage: Storage) -> Table<'_> {
    let (type_number, type_table) = arrow_type(storage, field.scale);
    let notes = field.notes.iter().map(|(name, value)| (*name, value.as_str()));
    let metadata = [(LOGICAL_TYPE, field.logical_type.as_str())].into_iter().chain(notes);
    let metadata =
        metadata.map(|(name, value)| Table::default().with(0, Value::Text(name)).with(1, Value::Text(value)));
    Table::default()
        .with(0, Value::Text(&field.name))
        .with(1, Value::Bool(true))
        .with(2, Value::Byte(type_number))
        .with(3, Value::Table(type_table))
        .with(5, Value::Tables(children(storage)))
        .with(6, Value::Tables(metadata.collect()))
}

fn children(storage: Storage) -> Vec<Table<'static>> {
    let child = |name, bits| {
        Table::default()
            .with(0, Value::Text(name))
            .with(1, Value::Bool(false))
            .with(2, Value::Byte(types::INT))
            .with(3, Value::Table(int(bits)))
            .with(5, Value::Tables(Vec::new()))
    };
    match storage {
        Storage::EpochFraction => vec![child(EPOCH, 64), child(FRACTION, 32)],
        Storage::EpochZone => vec![child(EPOCH, 64), child(ZONE, 32)],
        Storage::EpochFractionZone => vec![child(EPOCH, 64), child(FRACTION, 32), child(ZONE, 32)],
        _ => Vec::new(),
    }
}

fn arrow_type(storage: Storage, scale: usize) -> (u8, Table<'static>) {
    let empty = Table::default();
    match storage {
        Storage::Boolean => (types::BOOL, empty),
        Storage::Int16 => (types::INT, int(16)),
        Storage::Int32 => (types::INT, int(32)),
        Storage::Int64 => (types::INT, int(64)),
        Storage::Decimal => {
            let digits = empty.with(0, Value::Int(DECIMAL_DIGITS)).with(1, Value::Int(scale as i32));
            (types::DECIMAL, digits.with(2, Value::Int(128)))
        }
        Storage::Double => (types::FLOATING_POINT, empty.with(0, Value::Short(DOUBLE_PRECISION))),
        Storage::Text => (types::UTF8, empty),
        Storage::Binary => (types::BINARY, empty),
        Storage::Date => (types::DATE, empty.with(0, Value::Short(DAYS))),
        Storage::EpochFraction | Storage::EpochZone | Storage::EpochFractionZone => (types::STRUCT, empty),
    }
}

fn int(bits: i32) -> Table<'static> {
    Table::default().with(0, Value::Int(bits)).with(1, Value::Bool(true))
}

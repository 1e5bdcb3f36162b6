//! Streams of this crate are read as those of others are.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::foreign_reader::ForeignReader;
use crate::{Field, Storage, StreamWriter};
use firn_engine::{WireColumn, WireType};

fn written() -> Vec<u8> {
    let column = |name: &str, storage| {
        let wire = WireColumn { scale: Some(2), ..WireColumn::of_type(name, WireType::Text) };
        Field::new(&wire, storage)
    };
    let fields = vec![
        column("A", Storage::Int32),
        column("B", Storage::Text),
        column("C", Storage::Boolean),
        column("D", Storage::EpochFraction),
        column("E", Storage::Double),
    ];
    let mut writer = StreamWriter::new(fields);
    let columns = writer.columns();
    columns[0].push_value((-7_i32).to_le_bytes());
    columns[0].push_null();
    columns[1].push_bytes("größer".as_bytes());
    columns[1].push_bytes(b"");
    columns[2].push_bit(true);
    columns[2].push_null();
    columns[3].push_epoch_and_fraction(5, 6);
    columns[3].push_null();
    columns[4].push_value(1.5_f64.to_le_bytes());
    columns[4].push_value((-0.25_f64).to_le_bytes());
    let mut out = Vec::new();
    writer.end_stream(&mut out);
    out
}

#[test]
fn what_was_written_is_read() {
    let mut reader = ForeignReader::new(written().into()).unwrap();
    let batch = reader.next_batch().unwrap().unwrap();
    let columns = batch.columns().unwrap();
    assert_eq!((batch.rows(), columns[0].integer(0), columns[0].is_null(1)), (2, -7, true));
    assert_eq!((columns[1].bytes(0), columns[1].bytes(1)), ("größer".as_bytes(), &b""[..]));
    assert_eq!((columns[2].boolean(0), columns[2].is_null(1), columns[2].is_null(0)), (true, true, false));
    assert_eq!((columns[3].children[0].integer(0), columns[3].children[1].integer(0)), (5, 6));
    assert_eq!((columns[4].float(0), columns[4].float(1)), (1.5, -0.25));
    assert!(reader.next_batch().unwrap().is_none());
}

#[test]
fn damaged_streams_are_read_without_harm() {
    let whole = written();
    for place in 0..whole.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[place] = value;
            damaged.truncate(whole.len() - place % 5);
            let Ok(mut reader) = ForeignReader::new(damaged.into()) else { continue };
            while let Ok(Some(batch)) = reader.next_batch() {
                let Ok(columns) = batch.columns() else { break };
                for column in &columns {
                    for row in 0..batch.rows().min(4) {
                        let _ = (column.is_null(row), column.integer(row), column.bytes(row), column.float(row));
                    }
                }
            }
        }
    }
}

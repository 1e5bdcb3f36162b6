//! What is written is read back as the same cells, for every type, with NULLs, in several batches.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Read;

use firn_engine::{WireColumn, WireType};

use crate::{Field, JsonRows, Storage, StreamWriter, append_text};

fn column(wire_type: WireType, precision: Option<i64>, scale: Option<i64>) -> WireColumn {
    WireColumn { precision, scale, ..WireColumn::of_type("A", wire_type) }
}

fn writer(columns: &[WireColumn]) -> StreamWriter {
    StreamWriter::new(columns.iter().map(|column| Field::new(column, Storage::of(column))).collect())
}

/// The rows of a stream as JSON.
fn read(stream: &[u8]) -> Vec<Vec<Option<String>>> {
    let mut json = Vec::new();
    JsonRows::new(stream).unwrap().read_to_end(&mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn write(columns: &[WireColumn], rows: &[Vec<Option<String>>]) -> Vec<u8> {
    let fields: Vec<Field> = columns.iter().map(|column| Field::new(column, Storage::of(column))).collect();
    let (mut writer, mut out) = (writer(columns), Vec::new());
    for row in rows {
        for ((field, cell), column) in fields.iter().zip(row).zip(writer.columns()) {
            append_text(field, cell.as_deref(), column).unwrap();
        }
        writer.end_rows(&mut out);
    }
    writer.end_stream(&mut out);
    out
}

/// Each type with cells of it.
fn types() -> Vec<(WireColumn, &'static [&'static str])> {
    let number = |precision, scale| column(WireType::Fixed, Some(precision), Some(scale));
    let time = |wire_type, scale| column(wire_type, Some(0), Some(scale));
    let plain = |wire_type| column(wire_type, None, None);
    vec![
        (number(4, 2), &["-0.05", "99.99", "0.00"]),
        (number(9, 0), &["-999999999", "0", "7"]),
        (number(18, 3), &["-999999999999999.999", "0.001"]),
        (number(38, 0), &["-9223372036854775808", "1"]),
        (number(38, 10), &["-1.2345678901", "0.0000000001"]),
        (number(38, 37), &["-9.9999999999999999999999999999999999999", "0.0000000000000000000000000000000000001"]),
        (plain(WireType::Real), &["1.5", "1e+20", "NaN", "-inf", "0"]),
        (plain(WireType::Text), &["", "say \"hi\"\n\\", "日本語", "a text that is longer than twelve bytes"]),
        (plain(WireType::Variant), &["{\n  \"a\": \"\\\"\"\n}", "1"]),
        (plain(WireType::Boolean), &["true", "false"]),
        (plain(WireType::Date), &["-25567", "0", "20735"]),
        (plain(WireType::Binary), &["", "DEADBEEF"]),
        (time(WireType::Time, 0), &["0", "86399"]),
        (time(WireType::Time, 4), &["45296.1234"]),
        (time(WireType::Time, 9), &["45296.123456789"]),
        (time(WireType::TimestampNtz, 0), &["-2208988800", "1791549296"]),
        (time(WireType::TimestampNtz, 3), &["-0.876", "1791549296.123"]),
        (time(WireType::TimestampLtz, 7), &["-1.5000000", "1791549296.1234567"]),
        (time(WireType::TimestampNtz, 8), &["-0.50000000", "1791549296.12345678"]),
        (time(WireType::TimestampLtz, 9), &["-0.000000001", "1791549296.123456789"]),
        (time(WireType::TimestampTz, 0), &["-5 1440"]),
        (time(WireType::TimestampTz, 3), &["-0.500 1350", "1791549296.123 1860"]),
        (time(WireType::TimestampTz, 9), &["-0.500000000 1350", "1791549296.123456789 1860"]),
    ]
}

#[test]
fn every_type_is_read_as_it_was_written() {
    for (column, cells) in types() {
        let row = |cell: &str| vec![Some(cell.to_owned())];
        let mut rows: Vec<_> = cells.iter().map(|cell| row(cell)).collect();
        let columns = [column];
        assert_eq!(read(&write(&columns, &rows)), rows, "{:?}", columns[0]);
        rows.insert(1, vec![None]);
        rows.push(vec![None]);
        assert_eq!(read(&write(&columns, &rows)), rows, "{:?}", columns[0]);
        let nulls = vec![vec![None]; 20];
        assert_eq!(read(&write(&columns, &nulls)), nulls, "{:?}", columns[0]);
        assert!(read(&write(&columns, &[])).is_empty());
    }
}

#[test]
fn several_batches_of_several_columns_are_one_array() {
    let (columns, cells): (Vec<_>, Vec<_>) = types().into_iter().unzip();
    let cell = |row: usize, column: usize| {
        let cells: &[&str] = cells[column];
        (!(row + column).is_multiple_of(5)).then(|| cells[row % cells.len()].to_owned())
    };
    let rows: Vec<Vec<_>> =
        (0..20_001).map(|row| (0..columns.len()).map(|column| cell(row, column)).collect()).collect();
    let stream = write(&columns, &rows);
    assert!(stream.len() > 2 << 20, "several batches: {}", stream.len());
    assert_eq!(read(&stream), rows);
}

#[test]
fn a_result_has_decimals_from_the_first_large_one_on() {
    let columns = [column(WireType::Fixed, Some(38), Some(2))];
    let field = Field::new(&columns[0], Storage::Decimal);
    let mut writer = writer(&columns);
    let mut stream = |cells: &[&str]| {
        let mut out = Vec::new();
        for cell in cells {
            append_text(&field, Some(cell), &mut writer.columns()[0]).unwrap();
        }
        writer.end_stream(&mut out);
        let storage = crate::stream_reader::StreamReader::new(out.as_slice()).unwrap().columns[0].storage;
        (storage, read(&out).into_iter().flatten().flatten().collect::<Vec<_>>())
    };
    let check = |(storage, read): (Storage, Vec<String>), expected, cells: &[&str]| {
        assert_eq!((storage, read), (expected, cells.iter().map(|cell| (*cell).to_owned()).collect()));
    };
    check(stream(&["1.00", "-2.50"]), Storage::Int64, &["1.00", "-2.50"]);
    check(stream(&["-92233720368547758.08"]), Storage::Int64, &["-92233720368547758.08"]);
    check(stream(&["92233720368547758.08"]), Storage::Decimal, &["92233720368547758.08"]);
    check(stream(&["1.00"]), Storage::Decimal, &["1.00"]);
}

#[test]
fn damaged_streams_are_errors_or_other_rows_but_never_a_panic() {
    let (columns, cells): (Vec<_>, Vec<_>) = types().into_iter().unzip();
    let row = cells.iter().map(|cells| Some(cells[0].to_owned())).collect();
    let whole = write(&columns, &[row]);
    let attempt = |bytes: &[u8]| JsonRows::new(bytes).and_then(|mut rows| rows.read_to_end(&mut Vec::new()));
    assert!(attempt(&whole).is_ok());
    for place in (0..whole.len()).step_by(3) {
        assert!(attempt(&whole[..place]).is_err(), "cut at {place}");
        for value in [0, 0x7f, 0xff] {
            let mut damaged = whole.clone();
            damaged[place] = value;
            let _ = attempt(&damaged);
        }
    }
}

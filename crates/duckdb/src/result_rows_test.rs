//! The encoder against the real engine: every type, NULLs, formats, budgets, failures, and its speed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::time::Instant;

use chrono_tz::Tz;
use firn_engine::{EngineError, RowBudget, RowStream};
use firn_values::formats::{BinaryFormat, CellFormats, FormatModel, Nulls};

use super::connection::Connection;
use super::connection_test::connect;
use super::result_rows::Rows;

const EVERYTHING: RowBudget = RowBudget { bytes: usize::MAX, rows: u64::MAX };

fn encode(connection: &Connection, sql: &str, formats: &CellFormats) -> String {
    let mut out = Vec::new();
    let mut rows = Rows::new(connection.stream(sql).unwrap(), &[], formats).unwrap();
    assert!(rows.encode(&mut out, EVERYTHING).unwrap().ended);
    String::from_utf8(out).unwrap()
}

fn cell(connection: &Connection, expression: &str, formats: &CellFormats) -> Option<String> {
    let text = encode(connection, &format!("SELECT {expression}"), formats);
    let [cell]: [Option<String>; 1] = serde_json::from_str(&text).unwrap();
    cell
}

#[test]
fn every_type_has_its_cell() {
    let connection = connect();
    for (expression, expected) in [
        ("true", "true"),
        ("false", "false"),
        ("'-128'::TINYINT", "-128"),
        ("'-32768'::SMALLINT", "-32768"),
        ("'-2147483648'::INTEGER", "-2147483648"),
        ("'-9223372036854775808'::BIGINT", "-9223372036854775808"),
        ("'-170141183460469231731687303715884105728'::HUGEINT", "-170141183460469231731687303715884105728"),
        ("255::UTINYINT", "255"),
        ("65535::USMALLINT", "65535"),
        ("4294967295::UINTEGER", "4294967295"),
        ("18446744073709551615::UBIGINT", "18446744073709551615"),
        ("'340282366920938463463374607431768211455'::UHUGEINT", "340282366920938463463374607431768211455"),
        ("'-0.05'::DECIMAL(4,2)", "-0.05"),
        ("'12345.67'::DECIMAL(9,2)", "12345.67"),
        ("'-12345678.91'::DECIMAL(18,2)", "-12345678.91"),
        ("'-0.0000000001'::DECIMAL(38,10)", "-0.0000000001"),
        ("'12345678901234567890123456789012345678'::DECIMAL(38,0)", "12345678901234567890123456789012345678"),
        ("1.5::FLOAT", "1.5"),
        ("-2.5e-10::DOUBLE", "-2.5e-10"),
        ("1e20::DOUBLE", "1e+20"),
        ("'NaN'::DOUBLE", "NaN"),
        ("'-inf'::DOUBLE", "-inf"),
        ("''", ""),
        ("'twelve bytes'", "twelve bytes"),
        ("'héllo, a text longer than twelve bytes \"quoted\"'", "héllo, a text longer than twelve bytes \"quoted\""),
        ("'\\xDE\\xAD\\xBE\\xEF'::BLOB", "DEADBEEF"),
        ("DATE '2026-10-09'", "20735"),
        ("DATE '1900-01-01'", "-25567"),
        ("'infinity'::DATE", "infinity"),
        ("TIME '12:34:56.123456'", "45296.123456000"),
        ("TIMESTAMP '2026-10-09 12:34:56.123456'", "1791549296.123456000"),
        ("TIMESTAMP '1969-12-31 23:59:59.1234567'", "-0.876544000"),
        ("TIMESTAMP '1900-01-01 00:00:00'", "-2208988800.000000000"),
        ("'-infinity'::TIMESTAMP", "-infinity"),
        ("TIMESTAMP_S '2026-10-09 12:34:56'", "1791549296.000000000"),
        ("TIMESTAMP_MS '2026-10-09 12:34:56.123'", "1791549296.123000000"),
        ("TIMESTAMP_NS '2026-10-09 12:34:56.123456789'", "1791549296.123456789"),
        ("TIMESTAMPTZ '2026-10-09 12:34:56.5+02'", "1791542096.500000000"),
        ("firn_zoned(TIMESTAMP '2026-10-09 05:34:56.123456', 420::SMALLINT)", "1791524096.123456000 1860"),
        ("firn_zoned(TIMESTAMP '1969-12-31 23:59:59.5', -90::SMALLINT)", "-0.500000000 1350"),
        ("'{\"b\":[1,{}],\"a\":\"x\"}'::JSON", "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": \"x\"\n}"),
        ("'\"abc\"'::JSON", "\"abc\""),
        ("'null'::JSON", "null"),
        ("[1, NULL, 3]", "[\n  1,\n  undefined,\n  3\n]"),
        ("[]::INTEGER[]", "[]"),
        ("[1.5, 2.5]::FLOAT[2]", "[1.500000,2.500000]"),
        (
            "{'a': 'x\"y', 'b': [DATE '2026-10-09'], 'c': NULL}",
            "{\n  \"a\": \"x\\\"y\",\n  \"b\": [\n    \"2026-10-09\"\n  ],\n  \"c\": null\n}",
        ),
        ("MAP {'k': 1, 'l': 2}", "{\n  \"k\": 1,\n  \"l\": 2\n}"),
        ("MAP {1: '[1]'::JSON}", "{\n  \"1\": [\n    1\n  ]\n}"),
        ("'11111111-2222-3333-4444-555555abcdef'::UUID", "11111111-2222-3333-4444-555555abcdef"),
        ("INTERVAL '14 months 3 days 04:05:06.5'", "1 year 2 months 3 days 04:05:06.5"),
        ("INTERVAL '-90 minutes'", "-01:30:00"),
        ("INTERVAL '1 day'", "1 day"),
        ("'b\"'::ENUM ('a', 'b\"')", "b\""),
        ("'0010110101'::BIT", "0010110101"),
        ("'12:34:56+05:30'::TIMETZ", "12:34:56+05:30"),
    ] {
        assert_eq!(cell(&connection, expression, &CellFormats::default()).as_deref(), Some(expected), "{expression}");
    }
}

#[test]
fn nulls_of_every_type_are_null() {
    let connection = connect();
    let types = [
        "BOOLEAN",
        "INTEGER",
        "DECIMAL(38,2)",
        "DOUBLE",
        "VARCHAR",
        "BLOB",
        "DATE",
        "TIME",
        "TIMESTAMP",
        "TIMESTAMPTZ",
        "JSON",
        "INTEGER[]",
        "STRUCT(a INTEGER)",
        "FIRN_TIMESTAMP_TZ",
        "UUID",
        "INTERVAL",
        "ENUM ('a')",
    ];
    let word = CellFormats { nulls: Nulls::Word, ..CellFormats::default() };
    for name in types {
        assert_eq!(cell(&connection, &format!("NULL::{name}"), &CellFormats::default()), None, "{name}");
        assert_eq!(cell(&connection, &format!("NULL::{name}"), &word).as_deref(), Some("null"), "{name}");
    }
    for expression in ["NULL", "firn_zoned(NULL::TIMESTAMP, NULL::SMALLINT)"] {
        assert_eq!(cell(&connection, expression, &CellFormats::default()), None, "{expression}");
    }
}

#[test]
fn formats_turn_cells_into_text() {
    let connection = connect();
    let model = |text: &str| Some(Arc::new(FormatModel::parse(text).unwrap()));
    let formats = CellFormats {
        nulls: Nulls::Null,
        date: model("DD/MM/YYYY"),
        time: model("HH12:MI AM"),
        timestamp_ntz: model("YYYY-MM-DD HH24:MI:SS.FF3"),
        timestamp_ltz: model("YYYY-MM-DD HH24:MI:SS TZHTZM"),
        timestamp_tz: model("YYYY-MM-DD\"T\"HH24:MI:SS.FF6TZH:TZM"),
        binary: BinaryFormat::Base64,
        timezone: Some(Tz::America__New_York),
        ..CellFormats::default()
    };
    for (expression, expected) in [
        ("DATE '2026-10-09'", "09/10/2026"),
        ("TIME '15:04:05'", "03:04 PM"),
        ("TIMESTAMP '1969-12-31 23:59:59.5'", "1969-12-31 23:59:59.500"),
        ("TIMESTAMPTZ '2026-01-09 12:00:00+00'", "2026-01-09 07:00:00 -0500"),
        ("TIMESTAMPTZ '2026-07-09 12:00:00+00'", "2026-07-09 08:00:00 -0400"),
        ("firn_zoned(TIMESTAMP '2026-10-09 23:30:00', 330::SMALLINT)", "2026-10-10T05:00:00.000000+05:30"),
        ("'foo'::BLOB", "Zm9v"),
    ] {
        assert_eq!(cell(&connection, expression, &formats).as_deref(), Some(expected), "{expression}");
    }
}

#[test]
fn rows_of_many_chunks_with_nulls_come_out_in_order() {
    let connection = connect();
    let sql = "SELECT range, CASE WHEN range % 3 > 0 THEN 'text number ' || range END,
        CASE WHEN range % 2 = 0 THEN [range, NULL] END, {'a': range, 'b': 'c'}
        FROM range(10000)";
    let text = format!("[{}]", encode(&connection, sql, &CellFormats::default()));
    let rows: Vec<[Option<String>; 4]> = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.len(), 10_000);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row[0], Some(number.to_string()));
        assert_eq!(row[1], (number % 3 > 0).then(|| format!("text number {number}")));
        assert_eq!(row[2], (number % 2 == 0).then(|| format!("[\n  {number},\n  undefined\n]")));
        assert_eq!(row[3], Some(format!("{{\n  \"a\": {number},\n  \"b\": \"c\"\n}}")));
    }
}

#[test]
fn a_budget_cuts_the_stream_into_pieces() {
    let connection = connect();
    let stream = connection.stream("SELECT range FROM range(5000)").unwrap();
    let mut rows = Rows::new(stream, &[], &CellFormats::default()).unwrap();
    let mut out = Vec::new();
    let first = rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: 2 }).unwrap();
    assert_eq!((first.rows, first.ended), (2, false));
    assert_eq!(out, br#"["0"],["1"]"#);
    let one_more = RowBudget { bytes: out.len() + 1, rows: 10 };
    let second = rows.encode(&mut out, one_more).unwrap();
    assert_eq!((second.rows, second.ended), (1, false));
    assert_eq!(out, br#"["0"],["1"],["2"]"#);
    let rest = rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: 4997 }).unwrap();
    assert_eq!((rest.rows, rest.ended), (4997, true));
    let none = rows.encode(&mut out, EVERYTHING).unwrap();
    assert_eq!((none.rows, none.ended), (0, true));
}

#[test]
fn an_empty_result_ends_at_once() {
    let connection = connect();
    assert_eq!(encode(&connection, "SELECT 1 WHERE false", &CellFormats::default()), "");
}

#[test]
fn a_failure_in_mid_stream_reaches_the_caller() {
    let connection = connect();
    let sql = "SELECT CASE WHEN range = 3000000 THEN error('boo') ELSE 1 END FROM range(4000000)";
    let mut rows = Rows::new(connection.stream(sql).unwrap(), &[], &CellFormats::default()).unwrap();
    let failure = rows.encode(&mut Vec::new(), EVERYTHING).unwrap_err();
    assert!(failure.to_string().contains("boo"), "{failure}");
}

#[test]
fn an_unreadable_type_is_refused_by_name() {
    let connection = connect();
    let stream = connection.stream("SELECT union_value(a := 1) AS u").unwrap();
    let error = Rows::new(stream, &[], &CellFormats::default()).err().unwrap();
    assert!(matches!(error, EngineError::Failed(failure) if failure.message.contains("u; cast it")));
}

/// `cargo test --release -p firn-duckdb -- --ignored --nocapture small_statements`
#[test]
#[ignore = "a measurement"]
fn small_statements() {
    const COUNT: u32 = 20_000;
    let connection = connect();
    let started = Instant::now();
    for _ in 0..COUNT {
        encode(&connection, "SELECT 1 + 1", &CellFormats::default());
    }
    println!("streamed and encoded: {:?} each", started.elapsed() / COUNT);
    let started = Instant::now();
    for _ in 0..COUNT {
        connection.rows("SELECT 1 + 1").unwrap();
    }
    println!("as rows of text: {:?} each", started.elapsed() / COUNT);
}

/// `cargo test --release -p firn-duckdb -- --ignored --nocapture encoding_speed`
#[test]
#[ignore = "a measurement"]
fn encoding_speed() {
    let connection = connect();
    connection
        .execute(
            "CREATE TABLE t AS SELECT range AS a, (range * 17 % 1000003)::DECIMAL(12,2) / 100 AS b, random() AS c,
             DATE '2000-01-01' + (range % 9000)::INTEGER AS d, 'customer number ' || range AS e FROM range(5000000)",
        )
        .unwrap();
    let sql = "SELECT a, b::DECIMAL(12,2), c, d, e FROM t";
    for _ in 0..3 {
        let started = Instant::now();
        let mut stream = connection.stream(sql).unwrap();
        let mut chunks = Vec::new();
        while let Some(chunk) = stream.next_chunk().unwrap() {
            chunks.push(chunk);
        }
        let pulled = started.elapsed();
        drop((stream, chunks));

        let started = Instant::now();
        let mut rows = Rows::new(connection.stream(sql).unwrap(), &[], &CellFormats::default()).unwrap();
        let (mut out, mut count, mut bytes) = (Vec::new(), 0, 0);
        loop {
            out.clear();
            let encoded = rows.encode(&mut out, RowBudget { bytes: 16 << 20, rows: u64::MAX }).unwrap();
            count += encoded.rows;
            bytes += out.len();
            if encoded.ended {
                break;
            }
        }
        let took = started.elapsed();
        println!("{count} rows, {bytes} bytes: pulled in {pulled:?}, pulled and encoded in {took:?}");
    }
}

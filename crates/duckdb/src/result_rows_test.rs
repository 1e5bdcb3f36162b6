//! The cells of every type of the engine, also of those that only its own SQL can name.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use firn_engine::{EngineError, RowBudget, RowStream};
use firn_values::formats::{CellFormats, Nulls};

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
fn an_unreadable_type_is_refused_by_name() {
    let connection = connect();
    let stream = connection.stream("SELECT union_value(a := 1) AS u").unwrap();
    let error = Rows::new(stream, &[], &CellFormats::default()).err().unwrap();
    assert!(matches!(error, EngineError::Failed(failure) if failure.message.contains("u; cast it")));
}

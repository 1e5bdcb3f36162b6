//! Every type of binding, its errors, and bulk inserts.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::{Binding, BindingValue, Bindings, bind};
use crate::Failure;
use crate::command::Command;
use crate::testing::parse;

fn one(type_name: &str, value: Option<&str>) -> Binding {
    Binding { type_name: type_name.to_owned(), value: BindingValue::One(value.map(str::to_owned)) }
}

fn many(type_name: &str, values: &[&str]) -> Binding {
    let values = values.iter().map(|value| Some((*value).to_owned())).collect();
    Binding { type_name: type_name.to_owned(), value: BindingValue::Many(values) }
}

fn bound(text: &str, bindings: Vec<(&str, Binding)>) -> Result<String, Failure> {
    let mut statement = parse(text)?;
    bind(&mut statement, &bindings.into_iter().map(|(key, binding)| (key.to_owned(), binding)).collect::<Bindings>())?;
    Ok(match statement.command {
        Command::Query(query) => query.to_string(),
        Command::Dml(dml) => dml.statement.to_string(),
        other => panic!("{text}: {other:?}"),
    })
}

#[test]
fn every_type_becomes_a_typed_literal() {
    for (type_name, value, expected) in [
        ("FIXED", Some("42"), "42"),
        ("fixed", Some("-1.50"), "(-1.50)"),
        ("FIXED", None, "CAST(NULL AS DECIMAL(38,0))"),
        ("REAL", Some("1.5e3"), "SAFE_CAST('1.5e3' AS DOUBLE)"),
        ("REAL", Some("-Infinity"), "SAFE_CAST('-Infinity' AS DOUBLE)"),
        ("REAL", Some("NaN"), "SAFE_CAST('NaN' AS DOUBLE)"),
        ("DECFLOAT", Some("1.25"), "1.25"),
        ("DECFLOAT", Some("1e40"), "SAFE_CAST('1e40' AS DOUBLE)"),
        ("FIXED", Some("0000000000000000000000000000000000000007"), "0000000000000000000000000000000000000007"),
        ("TEXT", Some("it's"), "'it''s'"),
        ("TEXT", None, "CAST(NULL AS VARCHAR)"),
        ("BOOLEAN", Some("TRUE"), "true"),
        ("BOOLEAN", Some("false"), "false"),
        ("DATE", Some("0"), "SAFE_CAST('1970-01-01' AS DATE)"),
        ("DATE", Some("1767312000000"), "SAFE_CAST('2026-01-02' AS DATE)"),
        ("DATE", Some("-2208988800000"), "SAFE_CAST('1900-01-01' AS DATE)"),
        ("DATE", Some("951782400000"), "SAFE_CAST('2000-02-29' AS DATE)"),
        ("TIME", Some("11045123456789"), "SAFE_CAST('03:04:05.123456' AS TIME(9))"),
        ("TIME", Some("0"), "SAFE_CAST('00:00:00' AS TIME(9))"),
        ("TIMESTAMP_NTZ", Some("1767323045123456000"), "SAFE_CAST('2026-01-02 03:04:05.123456' AS TIMESTAMP_NTZ(9))"),
        ("TIMESTAMP_NTZ", Some("-1"), "SAFE_CAST('1969-12-31 23:59:59.999999' AS TIMESTAMP_NTZ(9))"),
        ("TIMESTAMP_LTZ", Some("0"), "SAFE_CAST('1970-01-01 00:00:00+00:00' AS TIMESTAMP_LTZ(9))"),
        (
            "TIMESTAMP_TZ",
            Some("1767303245123456000 1770"),
            "SAFE_CAST('2026-01-02 03:04:05.123456 +05:30' AS TIMESTAMP_TZ(9))",
        ),
        ("TIMESTAMP_TZ", Some("0 1380"), "SAFE_CAST('1969-12-31 23:00:00 -01:00' AS TIMESTAMP_TZ(9))"),
        ("TIMESTAMP_TZ", None, "CAST(NULL AS TIMESTAMP_TZ(9))"),
        ("VARIANT", Some("[1]"), "PARSE_JSON('[1]')"),
        ("OBJECT", Some("{}"), "TO_OBJECT(PARSE_JSON('{}'))"),
        ("ARRAY", Some("[]"), "TO_ARRAY(PARSE_JSON('[]'))"),
        ("BINARY", Some("deadBEEF"), "TO_BINARY('DEADBEEF', 'HEX')"),
        ("BINARY", Some(""), "TO_BINARY('', 'HEX')"),
    ] {
        let found = bound("select ? as x", vec![("1", one(type_name, value))]).unwrap();
        assert_eq!(found, format!("SELECT {expected} AS x"), "{type_name} {value:?}");
    }
}

#[test]
fn what_is_no_value_of_its_type_is_refused() {
    for (type_name, value) in [
        ("FIXED", "abc"),
        ("FIXED", ""),
        ("FIXED", "1e3"),
        ("FIXED", "1--"),
        ("FIXED", "1); drop table t"),
        ("REAL", "x"),
        ("BOOLEAN", "yes"),
        ("DATE", "2020-01-01"),
        ("DATE", "9223372036854775807"),
        ("TIME", "86400000000000"),
        ("TIME", "-1"),
        ("TIMESTAMP_NTZ", "now"),
        ("TIMESTAMP_TZ", "0"),
        ("TIMESTAMP_TZ", "0 2880"),
        ("BINARY", "abc"),
        ("BINARY", "zz"),
    ] {
        let failure = bound("select ?", vec![("1", one(type_name, Some(value)))]).unwrap_err();
        assert_eq!((failure.code, failure.sql_state), ("002086", "22000"), "{type_name} {value}");
        assert!(failure.message.ends_with(&format!("Invalid bind value ({value}) for type ({type_name}).")));
    }
    for digits in ["123456789012345678901234567890123456789", "-1.00000000000000000000000000000000000001"] {
        let failure = bound("select ?", vec![("1", one("FIXED", Some(digits)))]).unwrap_err();
        assert_eq!((failure.code, failure.sql_state), ("100046", "22003"), "{digits}");
    }
    let failure = bound("select ?", vec![("1", one("VECTOR", Some("1")))]).unwrap_err();
    assert_eq!(failure.code, "002040");
    assert!(failure.message.ends_with("Unsupported data type 'VECTOR'."));
}

#[test]
fn placeholders_find_their_values() {
    let fixed = |value| one("FIXED", Some(value));
    let numbered = || vec![("1", fixed("1")), ("2", fixed("2")), ("3", fixed("3")), ("9", fixed("9"))];
    for (text, expected) in [
        ("select ? as a from t where b = ? limit ?", "SELECT 1 AS a FROM t WHERE b = 2 LIMIT 3"),
        ("select top 7 ? as a, ? as b", "SELECT 1 AS a, 2 AS b LIMIT 7"),
        ("select :2 as a, :1 as b, :2 as c", "SELECT 2 AS a, 1 AS b, 2 AS c"),
        ("select a from t limit :1 offset :2", "SELECT a FROM t LIMIT 1 OFFSET 2"),
        ("insert into t values (?, -?)", "INSERT INTO t VALUES (1, -2)"),
        ("select '?' as a, ? as b -- ?", "SELECT '?' AS a, 1 AS b"),
        ("select v:a as x from t where v:b = :1", "SELECT v:a AS x FROM t WHERE v:b = 1"),
    ] {
        assert_eq!(bound(text, numbered()).unwrap(), expected, "{text}");
    }
    let named = vec![("who", one("TEXT", Some("x"))), ("LIMIT", fixed("5"))];
    assert_eq!(bound("select :who as a limit :limit", named).unwrap(), "SELECT 'x' AS a LIMIT 5");
}

#[test]
fn names_are_found_in_any_letter_case_their_own_first() {
    let named = || vec![("ab", one("FIXED", Some("1"))), ("AB", one("FIXED", Some("2")))];
    assert_eq!(bound("select :ab as a, :AB as b, :Ab as c", named()).unwrap(), "SELECT 1 AS a, 2 AS b, 2 AS c");
}

#[test]
fn a_missing_value_is_named() {
    for (text, shown) in [("select ?, ?", "?"), ("select :2", ":2"), ("select :name", ":name")] {
        let failure = bound(text, vec![("1", one("FIXED", Some("1")))]).unwrap_err();
        assert_eq!((failure.code, failure.sql_state), ("002049", "42601"));
        assert!(failure.message.ends_with(&format!("Bind variable {shown} not set.")), "{}", failure.message);
    }
}

#[test]
fn arrays_make_rows() {
    let rows = |second: Binding| vec![("1", many("FIXED", &["1", "-2"])), ("2", second)];
    assert_eq!(
        bound("insert into t (a, b) values (?, ?)", rows(many("TEXT", &["x", "y"]))).unwrap(),
        "INSERT INTO t (a, b) VALUES (1, 'x'), ((-2), 'y')"
    );
    assert_eq!(
        bound("insert into t select ? as a, upper(?) as b", rows(many("TEXT", &["x", "y"]))).unwrap(),
        "INSERT INTO t SELECT \"bound rows\".\"COLUMN1\" AS a, UPPER(\"bound rows\".\"COLUMN2\") AS b \
         FROM (VALUES (1, 'x'), ((-2), 'y')) AS \"bound rows\" (\"COLUMN1\", \"COLUMN2\")"
    );
    for (second, size) in [(many("TEXT", &["x"]), 1), (one("TEXT", Some("x")), 1), (many("TEXT", &["x", "y", "z"]), 3)]
    {
        let failure = bound("insert into t values (?, ?)", rows(second)).unwrap_err();
        let expected = format!("Batch size of {size} for bind variable 2 not the same as previous size of 2.");
        assert_eq!(failure.code, "002099");
        assert!(failure.message.ends_with(&expected), "{}", failure.message);
    }
    assert_eq!(bound("select ?", vec![("1", many("FIXED", &["1", "2"]))]).unwrap_err().code, "000002");
    assert_eq!(bound("select 1 as a", vec![("1", many("FIXED", &["1", "2"]))]).unwrap(), "SELECT 1 AS a");
}

#[test]
fn values_of_a_stage_are_columns_of_its_files() {
    let bound = |text: &str| -> Result<String, Failure> {
        let mut statement = parse(text)?;
        bind(&mut statement, &Bindings::in_stage("@SYSTEM$BIND/6f"))?;
        match statement.command {
            Command::Dml(dml) => Ok(dml.statement.to_string()),
            other => panic!("{text}: {other:?}"),
        }
    };
    for (text, expected) in [
        (
            "insert into t (a, b) values (?, ?)",
            "INSERT INTO t (a, b) SELECT \"$1\" AS \"COLUMN1\", \"$2\" AS \"COLUMN2\" FROM @SYSTEM$BIND/6f",
        ),
        (
            "insert into t select parse_json(:2) as v, 7 as n",
            "INSERT INTO t SELECT PARSE_JSON(\"$2\") AS v, 7 AS n FROM @SYSTEM$BIND/6f",
        ),
        ("insert into t values (1)", "INSERT INTO t VALUES (1)"),
    ] {
        assert_eq!(bound(text).unwrap(), expected, "{text}");
    }
    for text in ["insert into t values (?), (?)", "insert into t select ? from u", "delete from t where a = ?"] {
        assert_eq!(bound(text).unwrap_err().code, "000002", "{text}");
    }
    assert_eq!(bound("insert into t values (:a)").unwrap_err().code, "000002");
}

#[test]
fn later_statements_find_what_is_behind_the_marks_of_those_before() {
    let given: Bindings = [("1", "a"), ("2", "b"), ("3", "c"), ("NAME", "d")]
        .map(|(key, value)| (key.to_owned(), one("TEXT", Some(value))))
        .into_iter()
        .collect();
    let there = given.behind(2);
    let found = |key: &str| there.get(key).map(|binding| format!("{:?}", binding.value));
    assert!(found("1").is_some_and(|value| value.contains('c')) && found("2").is_none() && found("name").is_some());
    assert_eq!(super::question_marks("select ?, '?' -- ?\n, ?"), 2);
}

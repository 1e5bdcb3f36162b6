//! Before and after of every rewrite, and what is refused.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use crate::command::Command;
use crate::testing::parse;

fn printed(text: &str) -> String {
    match parse(text).unwrap().command {
        Command::Query(query) => query.to_string(),
        Command::Dml(dml) => dml.statement.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

fn check(before: &str, after: &str) {
    assert_eq!(printed(before), after, "{before}");
}

fn refused(text: &str, code: &str, part: &str) {
    let failure = parse(text).unwrap_err();
    assert_eq!(failure.code, code, "{text}: {}", failure.message);
    assert!(failure.message.contains(part), "{text}: {}", failure.message);
}

#[test]
fn clauses_have_one_spelling() {
    check("select top 3 a from t", "SELECT a FROM t LIMIT 3");
    check("select a from t fetch first 3 rows only", "SELECT a FROM t LIMIT 3");
    check("select a from t offset 2 rows fetch next 3 rows", "SELECT a FROM t LIMIT 3 OFFSET 2");
    check("select a from t minus select a from u", "SELECT a FROM t EXCEPT SELECT a FROM u");
    check("select all a from t order by all", "SELECT a FROM t ORDER BY ALL");
    check("select * from values (1, 2)", "SELECT * FROM (VALUES (1, 2)) AS \"VALUES\" (\"COLUMN1\", \"COLUMN2\")");
    check("select * from (values (1)) x", "SELECT * FROM (VALUES (1)) x (\"COLUMN1\")");
    check("select * from values (1) as x(a)", "SELECT * FROM (VALUES (1)) AS x (a)");
    check("update t set t.a = 1, b = default where t.c = 2", "UPDATE t SET a = 1, b = default WHERE t.c = 2");
}

#[test]
fn expressions_have_one_spelling() {
    let expression =
        |before: &str, after: &str| check(&format!("select {before} as x"), &format!("SELECT {after} AS x"));
    expression("extract(dow from d)", "DATE_PART('dayofweek', d)");
    expression("date_part(epoch_second, d)", "DATE_PART('epoch_second', d)");
    expression("dateadd(hh, 1, d)", "DATEADD('hour', 1, d)");
    expression("DateDiff('MONTHS', a, b)", "DATEDIFF('month', a, b)");
    expression("last_day(d, week)", "LAST_DAY(d, 'week')");
    expression("last_day(d)", "LAST_DAY(d)");
    expression("date_trunc(d, 'mon')", "DATE_TRUNC('month', d)");
    expression("date_trunc(month, d)", "DATE_TRUNC('month', d)");
    expression("a like all ('x', 'y')", "(a LIKE 'x' AND a LIKE 'y')");
    expression("ceil(a)", "CEIL(a)");
    expression("floor(a, 2)", "FLOOR(a, 2)");
    expression("position('a' in b)", "POSITION('a', b)");
    expression("substring(a from 2 for 3)", "SUBSTR(a, 2, 3)");
    expression("substr(a, 2)", "SUBSTR(a, 2)");
    expression("trim(a, 'x')", "TRIM(a, 'x')");
    expression("date '2020-01-01'", "CAST('2020-01-01' AS DATE)");
    expression("timestamp_ntz '2020-01-01'", "CAST('2020-01-01' AS TIMESTAMP_NTZ(9))");
    expression("{'a': 1, 'b': [1, 2]}", "OBJECT_CONSTRUCT('a', 1, 'b', ARRAY_CONSTRUCT(1, 2))");
    expression("a collate 'en-ci'", "COLLATE(a, 'en-ci')");
    expression("x'ab'", "TO_BINARY('AB', 'HEX')");
    expression("$$it's$$", "'it''s'");
    expression("a like any ('x', 'y')", "(a LIKE 'x' OR a LIKE 'y')");
    expression("a not ilike any ('x', 'y')", "(a NOT ILIKE 'x' AND a NOT ILIKE 'y')");
    expression("- -1", "-(-1)");
    expression("-(-a)", "-(-a)");
    expression("a::number(5,2)::string::timestamp_ltz(3)", "a::DECIMAL(5,2)::VARCHAR::TIMESTAMP_LTZ(3)");
    expression("try_cast(a as int)", "TRY_CAST(a AS BIGINT)");
    expression("cast(a as variant)", "CAST(a AS VARIANT)");
    expression("parse_json(a)[0].b", "PARSE_JSON(a)[0].b");
    expression("v:a.B['c'][0]::int", "v:a.B['c'][0]::BIGINT");
    expression("first_value(a ignore nulls) over (order by b)", "FIRST_VALUE(a) IGNORE NULLS OVER (ORDER BY b)");
    expression("\"SUM\"(a)", "SUM(a)");
}

#[test]
fn what_the_dialect_or_firn_lacks_is_refused_by_name() {
    for (text, part) in [
        ("select * from t at(timestamp => '2020-01-01'::timestamp)", "AT"),
        ("select a at time zone 'UTC' from t", "AT TIME ZONE"),
        ("select upper(x -> x + 1) from t", "lambda"),
        ("select a | b from t", "operator |"),
        ("select * into x from t", "SELECT INTO"),
        ("select identifier('t').* from t", "* of an expression"),
        ("select * ilike 'a\\'b' from t", "ILIKE"),
        ("update t set a = 1 from u asof join v match_condition(u.x >= v.x) where t.a = u.a", "ASOF"),
    ] {
        refused(text, "000002", part);
    }
    refused("select dateadd(fortnight, 1, d)", "001007", "fortnight");
    refused("select a::hugeint", "002040", "HUGEINT");
    refused("select a::struct(b int)", "000002", "structured type");
}

#[test]
fn long_chains_print_as_they_were() {
    let condition = vec!["a = 1 AND b = 2"; 60].join(" OR ");
    check(&format!("SELECT x FROM t WHERE {condition}"), &format!("SELECT x FROM t WHERE {condition}"));
    let union: Vec<_> = (0..60).map(|index| format!("SELECT a FROM t{index}")).collect();
    check(&union.join(" UNION ALL "), &union.join(" UNION ALL "));
}

//! Results as Arrow streams say what the same results as JSON say, whatever their types and however they are cut.

use std::io::Read;

use firn_arrow::JsonRows;
use firn_engine::{Outcome, RowBudget};

use crate::bench::{Bench, prepare};

const EVERYTHING: RowBudget = RowBudget { bytes: usize::MAX, rows: u64::MAX };

type Rows = Vec<Vec<Option<String>>>;

/// Streams of so many bytes or rows each, until the rows end.
fn streams(bench: &mut Bench, query: &str, budget: RowBudget) -> Vec<Vec<u8>> {
    let statement = prepare(query).unwrap().remove(0);
    let outcome = bench.session.execute(&statement.command, &bench.context).unwrap();
    let Outcome::Rows(mut rows) = outcome else { panic!("no rows: {query}") };
    let mut streams = Vec::new();
    loop {
        let mut stream = Vec::new();
        let encoded = rows.encode_arrow(&mut stream, budget).unwrap();
        assert!(encoded.rows <= budget.rows);
        streams.push(stream);
        if encoded.ended {
            return streams;
        }
    }
}

fn rows_of(stream: &[u8]) -> Rows {
    let mut json = Vec::new();
    JsonRows::new(stream).unwrap().read_to_end(&mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn check(bench: &mut Bench, query: &str, budget: RowBudget) -> usize {
    let json = bench.run(query);
    assert!(json.is_empty() || json.starts_with('['), "{query}: {json}");
    let json: Rows = serde_json::from_str(&format!("[{json}]")).unwrap();
    let streams = streams(bench, query, budget);
    let read: Rows = streams.iter().flat_map(|stream| rows_of(stream)).collect();
    assert_eq!(read, json, "{query}");
    streams.len()
}

#[test]
fn every_type_says_the_same() {
    let mut bench = Bench::new();
    for expression in [
        "true",
        "1",
        "-128::number(4,0)",
        "12.34::number(4,2)",
        "-123456.789::number(9,3)",
        "-99999999999999.9999::number(18,4)",
        "12345678901234567890123456789012345678::number(38,0)",
        "-1234567890123456789012345678.0123456789::number(38,10)",
        "1.5::float",
        "'NaN'::float",
        "'-inf'::float",
        "1e300::float",
        "''",
        "'say \"hi\"\\n\\\\ and more than twelve bytes, 日本語'",
        "to_binary('DEADBEEF')",
        "to_binary('')",
        "'1900-02-28'::date",
        "'23:59:59.123456'::time",
        "'23:59:59'::time(0)",
        "'23:59:59.123'::time(3)",
        "'1969-12-31 23:59:59.5'::timestamp_ntz",
        "'9999-12-31 23:59:59.999999'::timestamp_ntz",
        "'0001-01-01 00:00:00'::timestamp_ntz",
        "'2026-01-09 12:00:00.25'::timestamp_ntz(3)",
        "'2026-01-09 12:00:00'::timestamp_ntz(0)",
        "'2026-01-09 12:00:00.25 +00:00'::timestamp_ltz",
        "'2026-01-09 12:00:00.123456 +05:30'::timestamp_tz",
        "'1969-12-31 23:59:59.5 -08:00'::timestamp_tz",
        "'2026-01-09 12:00:00.25 -08:00'::timestamp_tz(3)",
        "'2026-01-09 12:00:00 +00:00'::timestamp_tz(0)",
        "parse_json('{\"a\": [1, null, \"\\\\\"\"], \"b\": {}}')",
        "'x'::variant",
        "to_variant(null)",
        "object_construct('a', 1, 'b', 'c\"d')",
        "array_construct(1, null, 'three')",
        "[1.5, 2]::vector(float, 2)",
        "[1, 2]::vector(int, 2)",
        "to_geography('POINT(1 2)')",
        "to_geometry('POINT(1 2)')",
        "null",
    ] {
        for query in [
            format!("select {expression} as a"),
            format!(
                "select v.a, n from (values (0), (1), (2), (3), (4)) t(n)
                 left join (select {expression} as a) v on n % 3 <> 1 order by n"
            ),
            format!("select {expression} as a, 1 as b where false"),
        ] {
            check(&mut bench, &query, EVERYTHING);
        }
    }
}

#[test]
fn declared_columns_say_the_same() {
    let mut bench = Bench::new();
    bench.run(
        "create table t (n number, i integer, small number(3,0), money number(12,2), wide number(38,12), f float, s varchar(10),
         b boolean, d date, t time(0), ntz timestamp_ntz(3), ltz timestamp_ltz(6), tz timestamp_tz(9), bin binary, v variant,
         o object, a array);
         insert into t select 1, 2, 3, 4.5, 6.7, 8.9, 'ten', true, '2026-01-01', '11:12:13', '2026-01-01 01:02:03.456',
         '2026-01-01 01:02:03.456789', '2026-01-01 01:02:03.456789 +02:00', to_binary('0B'), 12, object_construct('k', 13),
         array_construct(14);
         insert into t (n) values (null), (-9223372036854775807);",
    );
    check(&mut bench, "select * from t order by n", EVERYTHING);
    check(&mut bench, "select sum(n), sum(money), avg(wide), count(*), max(s) from t", EVERYTHING);
}

#[test]
fn streams_end_where_their_budget_does() {
    let mut bench = Bench::new();
    let numbers = "select seq8() as n, seq8() % 2 = 0 as b, seq8()::float as f from table(generator(rowcount => 30000)) order by n";
    assert_eq!(check(&mut bench, numbers, EVERYTHING), 1);
    assert_eq!(check(&mut bench, numbers, RowBudget { bytes: usize::MAX, rows: 1000 }), 30);
    assert_eq!(
        check(&mut bench, numbers, RowBudget { bytes: 24_000, rows: u64::MAX }),
        30,
        "8 bytes for a cell at least"
    );
    let texts = "select iff(seq8() % 7 = 0, null, repeat('x', 100)) as s from table(generator(rowcount => 5000))";
    let cut = check(&mut bench, texts, RowBudget { bytes: 50_000, rows: u64::MAX });
    assert!((8..12).contains(&cut), "{cut}");
    let documents =
        "select object_construct('n', seq8(), 's', repeat('x', 100)) as o from table(generator(rowcount => 5000))";
    let cut = check(&mut bench, documents, RowBudget { bytes: 50_000, rows: u64::MAX });
    assert!((10..18).contains(&cut), "{cut}");
    let large = "select repeat('x', 1000000) as s from table(generator(rowcount => 7))";
    assert_eq!(check(&mut bench, large, RowBudget { bytes: 1, rows: u64::MAX }), 7, "at least one row");
}

/// Below a NULL the engine may have the value that a condition hides.
#[test]
fn what_is_null_leaves_no_value_behind() {
    let mut bench = Bench::new();
    bench.run(
        "create table secrets (n number(38,0), f float, d timestamp_ntz, s varchar, shown boolean);
         insert into secrets select 7234017283807667300, 1234.5678, '2026-03-04 05:06:07', 'hidden text of some length', seq4() % 2 = 0
         from table(generator(rowcount => 100));",
    );
    let hidden = "select iff(shown, null, n) n, iff(shown, null, f) f, iff(shown, null, d) d, iff(shown, null, s) s
         from secrets where shown";
    let stream = streams(&mut bench, hidden, EVERYTHING).remove(0);
    let has = |bytes: &[u8]| stream.windows(bytes.len()).any(|window| window == bytes);
    assert!(!has(&7_234_017_283_807_667_300_i64.to_le_bytes()) && !has(&1234.5678_f64.to_le_bytes()));
    assert!(!has(b"hidden text") && !has(&1_772_600_767_i64.to_le_bytes()));
    assert_eq!(rows_of(&stream).len(), 50);
}

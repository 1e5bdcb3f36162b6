//! Results as they are pulled: formats, order, budgets, chunks.

use std::sync::Arc;

use chrono_tz::Tz;
use firn_engine::{CellFormats, Outcome, RowBudget};
use firn_values::formats::{BinaryFormat, FormatModel, Nulls};

use crate::bench::{Bench, context, prepare};

#[test]
fn formats_turn_cells_into_text() {
    let mut bench = Bench::new();
    let model = |text: &str| Some(Arc::new(FormatModel::parse(text).unwrap()));
    bench.context.formats = CellFormats {
        nulls: Nulls::Word,
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
        ("'2026-10-09'::date", "09/10/2026"),
        ("'15:04:05'::time", "03:04 PM"),
        ("'1969-12-31 23:59:59.5'::timestamp_ntz", "1969-12-31 23:59:59.500"),
        ("'2026-01-09 12:00:00 +00:00'::timestamp_ltz", "2026-01-09 07:00:00 -0500"),
        ("'2026-07-09 12:00:00 +00:00'::timestamp_ltz", "2026-07-09 08:00:00 -0400"),
        ("'2026-10-10 05:00:00 +05:30'::timestamp_tz", "2026-10-10T05:00:00.000000+05:30"),
        ("to_binary('foo', 'UTF-8')", "Zm9v"),
        ("null::date", "null"),
    ] {
        bench.check(&format!("select {expression}"), &format!("[\"{expected}\"]"));
    }
}

#[test]
fn nulls_sort_last_ascending_and_first_descending() {
    let mut bench = Bench::new();
    bench.check("select a from (values (1), (null), (3)) t(a) order by a", r#"["1"],["3"],[null]"#);
    bench.check("select a from (values (1), (null), (3)) t(a) order by a desc", r#"[null],["3"],["1"]"#);
}

#[test]
fn rows_of_many_chunks_with_nulls_come_out_in_order() {
    let mut bench = Bench::new();
    let text = bench.run(
        "select n, iff(n % 3 > 0, 'text number ' || n, null), iff(n % 2 = 0, array_construct(n, null), null),
         object_construct('a', n, 'b', 'c') from (select seq8() n from table(generator(rowcount => 10000))) order by n",
    );
    let rows: Vec<[Option<String>; 4]> = serde_json::from_str(&format!("[{text}]")).unwrap();
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
    let mut bench = Bench::new();
    let statement = prepare("select seq8() from table(generator(rowcount => 5000))").unwrap().remove(0);
    let outcome = bench.session.execute(&statement.command, &context()).unwrap();
    let Outcome::Rows(mut rows) = outcome else { panic!("no rows") };
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
    let none = rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: u64::MAX }).unwrap();
    assert_eq!((none.rows, none.ended), (0, true));
}

#[test]
fn an_empty_result_ends_at_once() {
    Bench::new().check("select 1 where false", "");
}

#[test]
fn a_wait_says_how_long_it_was() {
    let mut bench = Bench::new();
    bench.check(
        "select system$wait(50, 'MILLISECONDS'), system$wait(0.01), system$wait(null, 'SECONDS')",
        r#"["waited 50 milliseconds","waited 0.01 seconds",null]"#,
    );
    for refused in ["select system$wait(1, 'fortnights')", "select system$wait(-1, 'SECONDS')"] {
        let outcome = bench.run(refused);
        assert!(!outcome.starts_with('['), "{refused}: {outcome}");
    }
}

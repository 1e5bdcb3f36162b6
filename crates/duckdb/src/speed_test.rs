//! Measurements, run by hand: `cargo test --release -p firn-duckdb speed -- --ignored --nocapture`.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use std::time::Instant;

use firn_engine::{Outcome, RowBudget};
use mimalloc::MiMalloc;

use super::session_state::SessionState;
use super::testing::{Bench, prepare};

/// As in the server.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Microseconds per statement, parsed beforehand.
fn measure(bench: &mut Bench, sql: &str) -> f64 {
    const RUNS: u32 = 200;
    let statement = prepare(sql).unwrap().remove(0);
    let started = Instant::now();
    for _ in 0..RUNS {
        if let Outcome::Rows(mut rows) = bench.session.execute(&statement.command, &bench.context).unwrap() {
            let mut out = Vec::new();
            while !rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: u64::MAX }).unwrap().ended {}
        }
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(RUNS)
}

#[test]
#[ignore = "a measurement"]
fn small_statements() {
    let mut bench = Bench::new();
    bench.run("create table t (a int, b varchar(10), c number(10,2), d timestamp_tz, v variant)");
    bench.run("insert into t values (1, 'x', 1.5, '2020-01-01 00:00:00 +01:00', null)");
    for sql in [
        "select 1 + 1",
        "select * from t where a = 1",
        "select a::varchar, c / 2, b || 'x' from t",
        "select v:a.b::string from t where v:a = 'x'",
        "select dateadd(day, 1, d::date), date_trunc('month', d::timestamp) from t",
        "select count(*) from information_schema.columns",
        "insert into t (a, b) values (2, 'y')",
        "insert into t (a, d) values (2, '2020-01-01 00:00:00 +01:00')",
        "insert into t (a, b) select a, b from t where a = -1",
        "update t set b = 'z' where a = -1",
        "delete from t where a = -1",
    ] {
        println!("{:>9.1} µs  {sql}", measure(&mut bench, sql));
    }
}

/// What firn does with a long query before the engine sees it: parse, resolve, every pass, print.
#[test]
#[ignore = "a measurement"]
fn front_of_a_long_query() {
    const RUNS: u32 = 200;
    let text = include_str!("../../../bench/front.sql");
    let mut bench = Bench::new();
    bench.run("create table orders (id int, customer_id int, ordered_at timestamp, status varchar, amount number(12,2), quantity int, details variant)");
    bench.run("create table customers (id int, name varchar, region varchar, since date, closed_on date)");
    assert_eq!(bench.run(text), "", "the query runs over empty tables");
    let session = SessionState::new(bench.engine.pool.acquire().unwrap(), bench.engine.shared.clone());
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            let statement = prepare(text).unwrap().remove(0);
            let firn_sql::Command::Query(query) = &statement.command else { panic!("no query") };
            let sql = session.lower(query, &bench.context).unwrap().sql;
            assert!(!sql.is_empty());
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("front: {:.0} µs", times[times.len() / 2]);
}

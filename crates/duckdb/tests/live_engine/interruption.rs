//! Statements that are stopped, left alone or fail while their rows are pulled.

use std::thread;
use std::time::Duration;

use firn_engine::{Engine, EngineError, Outcome, RowBudget, Session};

use crate::bench::{Bench, context, prepare, run};

/// Takes longer than any test waits.
const ENDLESS: &str = "select sum((a.n + b.n + c.n) % 7) from t a, t b, t c";

/// An engine whose table `T` has 100,000 rows.
fn bench_with_rows() -> Bench {
    let mut bench = Bench::new();
    bench.run("create table t (n int); insert into t select seq8() from table(generator(rowcount => 100000))");
    bench.check("select count(*), min(n), max(n) from t", r#"["100000","0","99999"]"#);
    bench
}

/// Runs a statement that somebody interrupts while it runs.
fn run_interrupted(session: &mut dyn Session, sql: &str) -> String {
    let interrupter = session.interrupter();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            interrupter.interrupt();
        });
        run(session, &context(), sql)
    })
}

/// Pulls one row of a query, does `then`, and pulls the rest.
fn pull(session: &mut dyn Session, sql: &str, then: impl FnOnce()) -> Result<u64, EngineError> {
    let statement = prepare(sql).unwrap().remove(0);
    let Outcome::Rows(mut rows) = session.execute(&statement.command, &context())? else { panic!("no rows") };
    let mut out = Vec::new();
    let mut count = rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: 1 })?.rows;
    then();
    loop {
        out.clear();
        let encoded = rows.encode(&mut out, RowBudget { bytes: 1 << 20, rows: u64::MAX })?;
        count += encoded.rows;
        if encoded.ended {
            return Ok(count);
        }
    }
}

#[test]
fn an_interrupt_stops_what_runs_and_what_would() {
    let mut bench = bench_with_rows();
    assert_eq!(run_interrupted(&mut *bench.session, ENDLESS), "Interrupted");
    assert_eq!(bench.run("select 1"), "Interrupted");
    let interrupter = bench.session.interrupter();
    bench.session = bench.engine.open_session().unwrap();
    interrupter.interrupt();
    bench.check("select 1", r#"["1"]"#);
}

#[test]
fn a_statement_that_was_interrupted_before_it_began_ends_on_every_thread() {
    let bench = bench_with_rows();
    for _ in 0..50 {
        let mut session = bench.engine.open_session().unwrap();
        session.interrupter().interrupt();
        assert_eq!(run(&mut *session, &context(), ENDLESS), "Interrupted");
    }
}

#[test]
fn an_interrupt_ends_a_wait() {
    for query in ["select system$wait(3600)", "select count(system$wait(60)) from t"] {
        let mut bench = bench_with_rows();
        assert_eq!(run_interrupted(&mut *bench.session, query), "Interrupted", "{query}");
    }
}

#[test]
fn whoever_waits_for_a_lock_can_be_interrupted() {
    let mut bench = bench_with_rows();
    bench.run("begin; update t set n = -1 where n = 0");
    let mut waiting = bench.engine.open_session().unwrap();
    assert_eq!(run_interrupted(&mut *waiting, "update t set n = -2 where n = 0"), "Interrupted");
    bench.check("commit; select min(n) from t", r#"["-1"]"#);
}

#[test]
fn a_stream_hands_out_every_row() {
    let mut bench = bench_with_rows();
    assert_eq!(pull(&mut *bench.session, "select n from t", || {}).unwrap(), 100_000);
}

#[test]
fn an_interrupt_stops_a_stream() {
    let mut bench = bench_with_rows();
    let interrupter = bench.session.interrupter();
    let pulled = pull(&mut *bench.session, "select a.n from t a, t b, t c", || interrupter.interrupt());
    assert!(matches!(pulled, Err(EngineError::Interrupted)));
}

#[test]
fn an_error_in_mid_stream_is_an_error() {
    let mut bench = bench_with_rows();
    bench.check("select 1 / (n - 99000) from t", "100051 Division by zero");
    bench.check("select 1", r#"["1"]"#);
}

#[test]
fn an_abandoned_stream_leaves_the_transaction_as_it_was() {
    let mut bench = bench_with_rows();
    let abandon = |bench: &mut Bench| {
        let statement = prepare("select a.n from t a, t b, t c").unwrap().remove(0);
        let Outcome::Rows(mut rows) = bench.session.execute(&statement.command, &context()).unwrap() else {
            panic!("no rows")
        };
        assert_eq!(rows.encode(&mut Vec::new(), RowBudget { bytes: usize::MAX, rows: 1 }).unwrap().rows, 1);
    };
    abandon(&mut bench);
    bench.run("create table u (n int); begin; insert into u values (1)");
    abandon(&mut bench);
    bench.check("commit; select count(*) from u", r#"["1"]"#);
}

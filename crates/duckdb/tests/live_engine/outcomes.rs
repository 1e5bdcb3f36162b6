//! Outcomes that are written in the transactions of their changes.

use std::time::{Duration, Instant};

use firn_engine::{Engine, Outcome};

use crate::bench::Bench;

fn recorded(bench: &Bench) -> Vec<String> {
    let mut found: Vec<String> = bench
        .engine
        .recorded_outcomes()
        .unwrap()
        .into_iter()
        .map(|recorded| match recorded.outcome {
            Outcome::Done(status) => format!("{} {status}", recorded.query_id),
            Outcome::Dml(counts) => format!("{} {counts:?}", recorded.query_id),
            _ => recorded.query_id,
        })
        .collect();
    found.sort();
    found
}

fn run_as(bench: &mut Bench, query_id: &str, script: &str) {
    bench.context.query_id = query_id.to_owned();
    bench.run(script);
}

#[test]
fn a_change_leaves_its_outcome_until_that_is_settled() {
    let mut bench = Bench::new();
    bench.context.outcome_recorded_from = Some(Instant::now());
    run_as(&mut bench, "a", "CREATE TABLE T (N INT)");
    run_as(&mut bench, "b", "DELETE FROM T");
    run_as(&mut bench, "c", "INSERT INTO T VALUES ('x')");
    run_as(&mut bench, "d", "CREATE TEMPORARY TABLE U (N INT)");
    run_as(&mut bench, "e", "INSERT INTO U VALUES (1)");
    let found = recorded(&bench);
    assert_eq!(found[0], "a Table T successfully created.");
    assert!(found[1].starts_with("b DmlCounts"), "{found:?}");
    assert!(!found.iter().any(|outcome| outcome.starts_with('c')), "nothing of it was committed: {found:?}");
    assert!(!found.iter().any(|outcome| outcome.starts_with('e')), "it is gone after a crash: {found:?}");
    bench.engine.settle_outcome("a");
    bench.engine.settle_outcome("d");
    bench.engine.checkpoint().unwrap();
    assert_eq!(recorded(&bench).len(), 1, "b is not settled");
    bench.engine.settle_outcome("b");
    bench.engine.checkpoint().unwrap();
    assert!(recorded(&bench).is_empty());
}

#[test]
fn a_transaction_leaves_the_outcome_of_its_commit() {
    let mut bench = Bench::new();
    bench.run("CREATE TABLE T (N INT)");
    bench.context.outcome_recorded_from = Some(Instant::now());
    run_as(&mut bench, "a", "BEGIN");
    run_as(&mut bench, "b", "INSERT INTO T VALUES (1)");
    assert!(recorded(&bench).is_empty());
    run_as(&mut bench, "c", "COMMIT");
    assert_eq!(recorded(&bench), ["c Statement executed successfully."]);
    run_as(&mut bench, "d", "BEGIN");
    run_as(&mut bench, "e", "INSERT INTO T VALUES (2)");
    run_as(&mut bench, "f", "ROLLBACK");
    assert_eq!(recorded(&bench).len(), 1);
}

#[test]
fn nothing_is_written_for_a_statement_that_nobody_can_ask_for() {
    let mut bench = Bench::new();
    bench.context.outcome_recorded_from = Some(Instant::now() + Duration::from_secs(600));
    run_as(&mut bench, "a", "CREATE TABLE T (N INT)");
    run_as(&mut bench, "b", "INSERT INTO T VALUES (1)");
    assert!(recorded(&bench).is_empty());
}

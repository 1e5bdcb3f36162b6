//! What is refused when the process has taken all the memory that it may take. The limit is the process's, so no other
//! engine may run beside.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

#[path = "live_engine/bench.rs"]
#[expect(dead_code, reason = "other suites need more of it")]
mod bench;

use bench::{Bench, settings};
use firn_duckdb::EngineSettings;
use firn_engine::Engine;

/// More than the limit of an engine of 100 MB and what it may take beyond.
const BALLAST_BYTES: usize = 800 << 20;

/// Analysing a column of texts for compression takes 1.5 MB at once, and the columns together more than is spared.
const COLUMNS: usize = 80;

#[test]
fn a_checkpoint_is_not_refused_memory_that_another_statement_has_taken() {
    let mut bench = Bench::with_settings(|folder| EngineSettings {
        memory_limit_bytes: Some(100 << 20),
        threads: Some(1),
        ..settings(folder)
    });
    let columns: Vec<String> = (0..COLUMNS).map(|column| format!("c{column} varchar")).collect();
    let values: Vec<String> = (0..COLUMNS).map(|column| format!("'a text ' || seq8() * {}", column + 7)).collect();
    bench.run(&format!(
        "create table t ({}); insert into t select {} from table(generator(rowcount => 3000))",
        columns.join(", "),
        values.join(", ")
    ));
    let mut ballast = vec![0_u8; BALLAST_BYTES];
    // Pages are taken when they are written.
    ballast.iter_mut().step_by(4_096).for_each(|byte| *byte = 1);
    bench.engine.checkpoint().unwrap();
    bench.check("select count(*), count(distinct c0) from t", r#"["3000","3000"]"#);
    assert_eq!(ballast.iter().step_by(4_096).filter(|byte| **byte == 1).count(), BALLAST_BYTES / 4_096);
}

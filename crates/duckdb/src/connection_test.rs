//! Connections against a real instance: counts, rows, streaming, errors in mid-stream, interruption.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use firn_engine::EngineError;

use super::instance::Database;
use super::pool::Pool;
use super::{EngineSettings, connection::Connection};

/// A connection to an instance of its own, confined to the machine's temporary folder.
pub(super) fn connect() -> Connection {
    open().connect().unwrap()
}

pub(super) fn open() -> Database {
    let folder = std::env::temp_dir();
    let settings = EngineSettings {
        data_dir: folder.clone(),
        stage_dir: folder.join("stages"),
        temp_dir: folder,
        threads: Some(2),
        memory_limit_bytes: None,
        external: None,
    };
    Database::open(&settings).unwrap()
}

#[test]
fn counts_and_rows() {
    let connection = connect();
    connection.execute("CREATE TABLE t (a INTEGER, b VARCHAR)").unwrap();
    assert_eq!(connection.execute("INSERT INTO t VALUES (1, 'x'), (2, NULL)").unwrap(), 2);
    assert_eq!(connection.execute("UPDATE t SET b = 'y' WHERE a = 2").unwrap(), 1);
    assert_eq!(connection.execute("DELETE FROM t WHERE a > 5").unwrap(), 0);
    let rows = connection.rows("SELECT a, b, a > 1, NULL, ['say \"' || b || '\"'] FROM t ORDER BY a").unwrap();
    let texts: Vec<Vec<Option<&str>>> = rows.iter().map(|row| row.iter().map(Option::as_deref).collect()).collect();
    assert_eq!(texts[0], [Some("1"), Some("x"), Some("false"), None, Some(r#"["say \"x\""]"#)]);
    assert_eq!(texts[1], [Some("2"), Some("y"), Some("true"), None, Some(r#"["say \"y\""]"#)]);
}

#[test]
fn nulls_sort_last_ascending_and_first_descending() {
    let connection = connect();
    let order = |direction: &str| {
        let sql = format!("SELECT a FROM (VALUES (1), (NULL), (3)) t(a) ORDER BY a {direction}");
        connection.rows(&sql).unwrap().into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(order("ASC"), [Some("1".to_owned()), Some("3".to_owned()), None]);
    assert_eq!(order("DESC"), [None, Some("3".to_owned()), Some("1".to_owned())]);
}

#[test]
fn the_host_is_out_of_reach() {
    let connection = connect();
    for sql in [
        "SELECT * FROM read_text('/etc/passwd')",
        "ATTACH '/etc/firn.db' AS x",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "INSTALL httpfs",
        "LOAD httpfs",
    ] {
        assert!(connection.execute(sql).is_err(), "{sql}");
    }
}

#[test]
fn a_stream_hands_out_every_row() {
    let connection = connect();
    let mut stream = connection.stream("SELECT range FROM range(100000)").unwrap();
    assert_eq!(stream.columns()[0].name, "range");
    let mut rows = 0;
    while let Some(chunk) = stream.next_chunk().unwrap() {
        rows += chunk.row_count();
    }
    assert_eq!(rows, 100_000);
    assert!(stream.next_chunk().unwrap().is_none());
}

#[test]
fn an_error_in_mid_stream_is_an_error() {
    let connection = connect();
    let sql = "SELECT CASE WHEN range = 3000000 THEN error('boo') ELSE range::VARCHAR END FROM range(4000000)";
    let mut stream = connection.stream(sql).unwrap();
    let failure = loop {
        match stream.next_chunk() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ended without its error"),
            Err(error) => break error,
        }
    };
    assert!(failure.to_string().contains("boo"), "{failure}");
    drop(stream);
    assert_eq!(connection.rows("SELECT 1").unwrap().len(), 1);
}

#[test]
fn an_abandoned_stream_leaves_the_transaction_as_it_was() {
    let connection = connect();
    let abandon = || {
        let mut stream = connection.stream("SELECT range FROM range(100000000)").unwrap();
        stream.next_chunk().unwrap().unwrap();
    };
    abandon();
    connection.execute("CREATE TABLE t (a INTEGER)").unwrap();
    connection.execute("BEGIN").unwrap();
    connection.execute("INSERT INTO t VALUES (1)").unwrap();
    abandon();
    connection.execute("COMMIT").unwrap();
    assert_eq!(connection.rows("SELECT count(*) FROM t").unwrap()[0][0].as_deref(), Some("1"));
}

#[test]
fn an_interrupt_stops_what_runs_and_what_would() {
    let connection = connect();
    let interrupter = connection.interrupter();
    let stopper = interrupter.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stopper.interrupt();
        Instant::now()
    });
    let error = connection.execute("SELECT count(*) FROM range(10000000000) a, range(1000) b").unwrap_err();
    let stopped_after = thread.join().unwrap().elapsed();
    assert!(matches!(error, EngineError::Interrupted), "{error}");
    assert!(stopped_after < Duration::from_millis(100), "{stopped_after:?}");
    assert!(matches!(connection.execute("SELECT 1"), Err(EngineError::Interrupted)));
    drop(connection);
    interrupter.interrupt();
}

#[test]
fn a_statement_that_was_interrupted_before_it_began_ends_on_every_thread() {
    for _ in 0..50 {
        let connection = connect();
        connection.interrupter().interrupt();
        let endless = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b";
        assert!(matches!(connection.execute(endless), Err(EngineError::Interrupted)));
    }
}

#[test]
fn an_interrupt_stops_a_stream() {
    let connection = connect();
    let mut stream = connection.stream("SELECT range FROM range(100000000)").unwrap();
    stream.next_chunk().unwrap();
    connection.interrupter().interrupt();
    assert!(matches!(stream.next_chunk(), Err(EngineError::Interrupted)));
}

#[test]
fn a_pooled_connection_comes_back_clean() {
    let pool = Arc::new(Pool::new(open()));
    let mut first = pool.acquire().unwrap();
    first.set_timezone("Europe/Paris").unwrap();
    first.execute("CREATE TEMP TABLE marker (a INTEGER)").unwrap();
    let interrupter = first.interrupter();
    drop(first);
    let mut second = pool.acquire().unwrap();
    interrupter.interrupt();
    assert_eq!(second.rows("SELECT count(*) FROM marker").unwrap().len(), 1, "the idle connection is reused");
    assert_eq!(second.rows("SELECT current_setting('TimeZone')").unwrap()[0][0].as_deref(), Some("Europe/Paris"));
    second.retire();
    drop(second);
    let third = pool.acquire().unwrap();
    assert!(third.rows("SELECT count(*) FROM marker").is_err(), "a retired connection is closed");
}

#[test]
fn waiting_takes_its_time_and_says_so() {
    let connection = connect();
    let started = Instant::now();
    let rows = connection
        .rows("SELECT system_wait(50, 'MILLISECONDS'), system_wait(0.01), system_wait(NULL, 'SECONDS')")
        .unwrap();
    assert!(started.elapsed() >= Duration::from_millis(60), "{:?}", started.elapsed());
    assert_eq!(rows[0], [Some("waited 50 milliseconds".to_owned()), Some("waited 0.01 seconds".to_owned()), None]);
    assert!(connection.rows("SELECT system_wait(1, 'fortnights')").is_err());
    assert!(connection.rows("SELECT system_wait(-1, 'SECONDS')").is_err());
}

#[test]
fn planning_does_not_wait_and_an_interrupt_ends_a_wait() {
    let connection = connect();
    let started = Instant::now();
    connection.rows("EXPLAIN SELECT system_wait(60, 'SECONDS')").unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    for query in ["SELECT system_wait(60)", "SELECT count(system_wait(1, 'SECONDS')) FROM range(100)"] {
        let connection = connect();
        let interrupter = connection.interrupter();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            interrupter.interrupt();
            Instant::now()
        });
        let error = connection.rows(query).unwrap_err();
        let stopped_after = thread.join().unwrap().elapsed();
        assert!(matches!(error, EngineError::Interrupted), "{error}");
        assert!(stopped_after < Duration::from_millis(100), "{stopped_after:?}");
    }
}

//! What of connections only the engine's own SQL can show: rows as text, the reach of the instance, the pool.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::instance::Database;
use super::pool::Pool;
use super::{EngineSettings, connection::Connection, transaction};

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
        stage_quotas: Default::default(),
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
fn a_connection_with_an_open_transaction_is_not_reused() {
    let pool = Arc::new(Pool::new(open()));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let connection = pool.acquire().unwrap();
        let _: Result<(), _> = transaction::within(&connection, || {
            connection.execute("CREATE TABLE unfinished (a INTEGER)")?;
            panic!("as a defect would")
        });
    }));
    assert!(panicked.is_err());
    let next = pool.acquire().unwrap();
    assert!(next.execute("SELECT * FROM unfinished").is_err());
    next.execute("CREATE TABLE finished (a INTEGER)").unwrap();
    let another = next.another().unwrap();
    another.execute("INSERT INTO finished VALUES (1)").unwrap();
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

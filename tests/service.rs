//! The service around the statements: limits that need more than a request to see, health, metrics
//! and documents.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use firn_tests::client::{STATEMENTS, gzip};
use firn_tests::server::{ADMIN_TOKEN, Shared};
use firn_tests::{Request, Server};
use serde_json::json;

static SHARED: Shared = Shared::with(&[]);

#[test]
fn a_rate_limit_refuses_a_burst_and_says_when_to_come_back() {
    let server = Server::start_with(&[("FIRN_REQUESTS_PER_SECOND_MAX", "5")]);
    let refused = (0..200).map(|_| server.admin().sql("SELECT 1")).find(|response| response.status != 200);
    let refused = refused.expect("two hundred requests at five a second");
    assert_eq!(refused.status, 429, "{refused}");
    assert_eq!(refused.json(), json!({"code": "390505", "message": "Too many requests."}));
    let seconds: u64 = refused.headers["retry-after"].parse().expect("Retry-After counts seconds");
    std::thread::sleep(std::time::Duration::from_secs(seconds.max(1)));
    assert_eq!(server.admin().sql("SELECT 1").status, 200);
}

#[test]
fn large_and_malformed_bodies_are_refused() {
    let server = Server::start_with(&[("FIRN_BODY_BYTES_MAX", "20000"), ("FIRN_SQL_BYTES_MAX", "5000")]);
    let admin = server.admin();
    let long = format!("SELECT '{}'", "x".repeat(30_000));
    let plain = Request::statement(&long, json!({}));
    assert_eq!(admin.send(&plain).status, 413);
    let mut packed = plain.clone().header("content-encoding", "gzip");
    packed.body = gzip(&packed.body);
    assert_eq!(admin.send(&packed).status, 413, "a small body that unpacks to a large one");
    let response = admin.sql(&format!("SELECT '{}'", "x".repeat(10_000)));
    assert!((400..=422).contains(&response.status), "{response}");
    assert_eq!(admin.sql("SELECT 1").status, 200);
}

/// Several members after each other are gzip too; what breaks off or goes on with something else is not.
#[test]
fn compressed_bodies_are_read_to_their_end() {
    let server = SHARED.get();
    let plain = Request::statement("SELECT 1", json!({}));
    let sent = |body: Vec<u8>| {
        let mut packed = plain.clone().header("content-encoding", "gzip");
        packed.body = body;
        server.admin().send(&packed)
    };
    let whole = gzip(&plain.body);
    let (begin, end) = plain.body.split_at(10);
    assert_eq!(sent([gzip(begin), gzip(end)].concat()).rows()[0][0].as_deref(), Some("1"));
    for wrong in [whole[..whole.len() - 5].to_vec(), [whole.as_slice(), b"junk"].concat(), plain.body.clone()] {
        let response = sent(wrong);
        assert_eq!((response.status, response.code().as_str()), (400, "390142"), "{response}");
    }
}

#[test]
fn deep_nesting_is_refused_and_harms_nothing() {
    let server = SHARED.get();
    for depth in [200, 5_000, 100_000] {
        for (open, close) in [("(", ")"), ("-", ""), ("NOT ", ""), ("ABS(", ")")] {
            let sql = format!("SELECT {}1{}", open.repeat(depth), close.repeat(depth));
            let response = server.admin().sql(&sql);
            assert!(response.status < 500, "{open} × {depth}: {response}");
        }
        let selects = format!("{}SELECT 1{}", "SELECT * FROM (".repeat(depth), ")".repeat(depth));
        let response = server.admin().sql(&selects);
        assert!(response.status < 500, "subqueries × {depth}: {response}");
    }
    let json = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let request = Request { body: json.into_bytes(), ..Request::statement("", json!({})) };
    assert_eq!(server.admin().send(&request).status, 400);
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

#[test]
fn health_metrics_and_documents_answer_anyone() {
    let server = SHARED.get();
    let stranger = server.stranger();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(stranger.send(&Request::get(path)).status, 200, "{path}");
    }
    server.admin().rows("SELECT 1");
    let metrics = stranger.send(&Request::get("/metrics").header("accept", "*/*"));
    assert!(metrics.headers["content-type"].starts_with("text/plain"), "{:?}", metrics.headers);
    assert!(metrics.text().contains("# TYPE firn_"), "{metrics}");
    let document = stranger.send(&Request::get("/api/v2/openapi.json")).json();
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with('3')), "{document}");
    let page = stranger.send(&Request::get("/api/v2/docs").header("accept", "text/html"));
    assert!(page.headers["content-type"].starts_with("text/html"));
    assert!(page.text().contains("/api/v2/statements"));
}

#[test]
fn two_authorization_headers_are_refused() {
    let server = SHARED.get();
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let head = format!(
        "GET {STATEMENTS}/x HTTP/1.1\r\nhost: {address}\r\nuser-agent: t/1\r\nauthorization: Bearer {ADMIN_TOKEN}\r\n\
         authorization: Bearer other\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
}

/// A table of few rows takes as much memory as one of many until it is written to its file.
#[test]
fn many_small_tables_do_not_fill_the_memory() {
    const COLUMNS: usize = 300;
    let server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "150MB")]);
    let admin = server.admin();
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("C{column} VARCHAR")).collect();
    let values = vec!["'x'"; COLUMNS].join(", ");
    for database in 0..4 {
        admin.rows(&format!("CREATE DATABASE MANY_{database}"));
        for table in 0..15 {
            let table = format!("MANY_{database}.PUBLIC.T{table}");
            admin.rows(&format!("CREATE TABLE {table} ({})", names.join(", ")));
            admin.rows(&format!("INSERT INTO {table} VALUES ({values})"));
        }
    }
    assert_eq!(admin.cell("SELECT COUNT(*) FROM MANY_0.PUBLIC.T0 WHERE C299 = 'x'"), "1");
}

/// SWAP and CREATE OR REPLACE DATABASE are one change for statements that bind, run or have a transaction open meanwhile.
#[test]
fn statements_never_miss_a_database_that_changes_its_name() {
    let server = Server::start();
    let admin = server.admin();
    for database in ["SWAPPED_ONE", "A_SECOND_DATABASE_WITH_A_LONGER_NAME", "REPLACED"] {
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!("CREATE TABLE {database}.PUBLIC.T AS SELECT 1 AS N"));
        admin.rows(&format!("CREATE VIEW {database}.PUBLIC.W AS SELECT MAX(N) AS N FROM {database}.PUBLIC.T"));
    }
    let join =
        "SELECT COUNT(*) FROM SWAPPED_ONE.PUBLIC.W A JOIN A_SECOND_DATABASE_WITH_A_LONGER_NAME.PUBLIC.T B ON A.N = B.N";
    let transaction = "BEGIN; SELECT N FROM SWAPPED_ONE.PUBLIC.T; \
                       UPDATE A_SECOND_DATABASE_WITH_A_LONGER_NAME.PUBLIC.T SET N = 1; COMMIT";
    let tables = "SELECT COUNT(*) FROM REPLACED.INFORMATION_SCHEMA.TABLES";
    let fields = |statement: &str| match statement.starts_with("BEGIN") {
        true => json!({"parameters": {"MULTI_STATEMENT_COUNT": "4"}}),
        false => json!({}),
    };
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for statement in [join, transaction, tables] {
            let (admin, is_over) = (server.admin(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let answer = admin.sql_with(statement, fields(statement));
                    let is_to_be_repeated = answer.text().contains("repeat the transaction");
                    assert!(answer.status == 200 || is_to_be_repeated, "{statement}: {answer}");
                }
            });
        }
        let changes = || {
            for _ in 0..40 {
                for change in [
                    "ALTER DATABASE SWAPPED_ONE SWAP WITH A_SECOND_DATABASE_WITH_A_LONGER_NAME",
                    "CREATE OR REPLACE DATABASE REPLACED",
                ] {
                    let answer = admin.sql(change);
                    if answer.status != 200 {
                        return Err(format!("{change}: {answer}"));
                    }
                }
            }
            Ok(())
        };
        let changed = changes();
        is_over.store(true, Ordering::SeqCst);
        changed.unwrap();
    });
}

/// Tables are listed first and their rows counted then.
#[test]
fn tables_are_listed_while_others_are_dropped() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE LISTED");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for statement in ["SHOW TABLES IN DATABASE LISTED", "SELECT COUNT(*) FROM LISTED.INFORMATION_SCHEMA.TABLES"] {
            let (admin, is_over) = (server.admin(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let answer = admin.sql(statement);
                    assert_eq!(answer.status, 200, "{statement}: {answer}");
                }
            });
        }
        for _ in 0..30 {
            for table in 0..4 {
                admin.sql(&format!("CREATE TABLE LISTED.PUBLIC.T{table} AS SELECT 1 AS N"));
            }
            for table in 0..4 {
                admin.sql(&format!("DROP TABLE LISTED.PUBLIC.T{table}"));
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(admin.cell("SELECT COUNT(*) FROM LISTED.INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'PUBLIC'"), "0");
}

/// A reader of objects waits for the snapshot of all of them, unless it is stopped.
#[test]
fn a_reader_of_the_audit_trail_that_waits_for_its_writer_can_be_cancelled() {
    const COLUMNS: usize = 300;
    const TABLES: usize = 25;
    const DATABASES: usize = 4;
    let server = Server::start();
    let admin = server.admin();
    let columns: Vec<String> = (0..COLUMNS).map(|column| format!("C{column} INT")).collect();
    admin.rows("CREATE DATABASE AUDITED");
    for table in 0..TABLES {
        admin.rows(&format!("CREATE TABLE AUDITED.PUBLIC.T{table} ({})", columns.join(", ")));
    }
    for copy in 1..DATABASES {
        let cloned = admin.sql_to_its_end(&format!("CREATE DATABASE AUDITED_{copy} CLONE AUDITED"));
        assert_eq!(cloned.status, 200, "{cloned}");
    }
    // It may have its answer already when it is cancelled.
    let mut attempts = 0..20;
    let cancelled = attempts.any(|attempt| {
        admin.rows(&format!("CREATE TABLE AUDITED.PUBLIC.MORE_{attempt} (A INT)"));
        let reader = admin.submit_async("SELECT COUNT(*) FROM SNOWFLAKE.ACCOUNT_USAGE.COLUMNS");
        thread::sleep(Duration::from_millis(20));
        admin.cancel(&reader);
        let ended = admin.outcome(&reader);
        assert!(matches!(ended.code().as_str(), "000604" | "090001"), "{ended}");
        ended.code() == "000604"
    });
    assert!(cancelled, "no reader was cancelled while it waited");
    let begun = Instant::now();
    let of_copies = "SELECT COUNT(*) FROM SNOWFLAKE.ACCOUNT_USAGE.COLUMNS WHERE TABLE_CATALOG LIKE 'AUDITED%' AND COLUMN_NAME LIKE 'C%'";
    while admin.cell(of_copies) != (DATABASES * TABLES * COLUMNS).to_string() {
        assert!(begun.elapsed() < Duration::from_secs(120), "the snapshot is not taken");
    }
}

/// A routine that others have dropped is looked for once: who looks again makes all others wait.
#[test]
fn clients_that_make_and_drop_one_function_do_not_hold_up_each_other() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 25;
    let server = Server::start();
    server.admin().rows("CREATE DATABASE SHARED");
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            let client = server.admin();
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    for sql in
                        ["CREATE FUNCTION SHARED.PUBLIC.F() RETURNS INT AS '1'", "DROP FUNCTION SHARED.PUBLIC.F()"]
                    {
                        let answer = client.sql(sql);
                        assert!(matches!(answer.code().as_str(), "090001" | "002002" | "002003"), "{sql}: {answer}");
                    }
                }
            });
        }
    });
}

/// The engine compares a chunk of rows with all rows of the other side before it looks for interruptions.
#[test]
fn joins_without_matches_end_in_time() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE DEAF");
    admin
        .rows("CREATE TABLE DEAF.PUBLIC.BIG AS SELECT REPEAT('x', 500) AS P FROM TABLE(GENERATOR(ROWCOUNT => 400000))");
    const JOIN: &str = "SELECT COUNT(*) FROM DEAF.PUBLIC.BIG A, DEAF.PUBLIC.BIG B WHERE A.P <> B.P";
    let begun = Instant::now();
    let timed_out = admin.sql_with(JOIN, json!({"timeout": 1}));
    assert_eq!(timed_out.status, 408, "{timed_out}");
    assert!(begun.elapsed() < Duration::from_secs(5), "the time limit of a second took {:?}", begun.elapsed());
    let handle = admin.submit_async(JOIN);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(admin.status(&handle).status, 202, "it runs");
    let begun = Instant::now();
    let cancelled = admin.cancel(&handle);
    assert_eq!(cancelled.status, 200, "{cancelled}");
    assert!(begun.elapsed() < Duration::from_secs(3), "the cancellation took {:?}", begun.elapsed());
    assert_eq!(admin.cell("SELECT 1"), "1", "others are answered");
}

//! kill -9 in the middle of DDL, DML and result writing, then a restart on the same data: nothing
//! acknowledged is lost, finished statements are served, what was committed is reported as succeeded and the
//! rest as failed, and a retry never runs anything twice. `FAULT_SEED` repeats a run.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use firn_tests::client::STATEMENTS;
use firn_tests::{Client, Request, Server, comes_true};
use serde_json::{Value, json};
use uuid::Uuid;

const ROUNDS: usize = 6;
const RESULT_ROWS: u64 = 20_000;
const DATABASE: &str = "FAULTS";

/// Sixty-four bits of xorshift: enough to vary when the kill comes, and the same for the same seed.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn seed() -> u64 {
    let given = std::env::var("FAULT_SEED").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(20_261_009)
}

/// What the server has said, and what it left open when it died.
#[derive(Default)]
struct Promises {
    rows: Mutex<Vec<u64>>,
    open_rows: Mutex<Vec<(u64, Uuid)>>,
    tables: Mutex<BTreeMap<String, Vec<String>>>,
    dropped: Mutex<Vec<String>>,
    results: Mutex<Vec<String>>,
    running: Mutex<Vec<String>>,
}

fn statement(sql: &str) -> Request {
    Request::statement(sql, json!({"database": DATABASE, "schema": "PUBLIC"}))
}

/// Rows inserted one by one, each with a request id.
fn insert_rows(client: &Client, promises: &Promises, next: &AtomicU64, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let (row, id) = (next.fetch_add(1, Ordering::Relaxed), Uuid::new_v4());
        let request = statement(&insert(row)).request_id(id);
        match client.try_send(&request) {
            Ok(response) if response.status == 200 => promises.rows.lock().unwrap().push(row),
            Ok(response) => panic!("{response}"),
            Err(_) => promises.open_rows.lock().unwrap().push((row, id)),
        }
    }
}

fn insert(row: u64) -> String {
    format!("INSERT INTO LEDGER VALUES ({row}, 'row {row}')")
}

/// Tables made, changed and dropped; only what was acknowledged is promised.
fn change_tables(client: &Client, promises: &Promises, next: &AtomicU64, stop: &AtomicBool) {
    let done = |sql: String| matches!(client.try_send(&statement(&sql)), Ok(response) if response.status == 200);
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let table = format!("MADE_{number}");
        if !done(format!("CREATE TABLE {table} (A NUMBER(7,2) NOT NULL, B VARCHAR(9))")) {
            return;
        }
        if number.is_multiple_of(2) {
            promises.tables.lock().unwrap().insert(table, vec!["A".into(), "B".into()]);
            continue;
        }
        // A change that is not acknowledged may or may not have happened: nothing is promised then.
        if !done(format!("ALTER TABLE {table} ADD COLUMN C DATE")) {
            return;
        }
        promises.tables.lock().unwrap().insert(table.clone(), vec!["A".into(), "B".into(), "C".into()]);
        if number.is_multiple_of(3) {
            promises.tables.lock().unwrap().remove(&table);
            if !done(format!("DROP TABLE {table}")) {
                return;
            }
            promises.dropped.lock().unwrap().push(table);
        }
    }
}

/// Results large enough to be files.
fn write_results(client: &Client, promises: &Promises, stop: &AtomicBool) {
    let sql = format!("SELECT N, 'text of row ' || N AS S FROM NUMBERS ORDER BY N LIMIT {RESULT_ROWS}");
    while !stop.load(Ordering::Relaxed) {
        let request = statement(&sql);
        match client.try_send(&request) {
            Ok(response) if response.status == 200 => promises.results.lock().unwrap().push(response.handle()),
            Ok(response) => panic!("{response}"),
            Err(_) => return,
        }
    }
}

fn prepare(admin: &Client) {
    let digits = "(SELECT 0 AS D UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 \
                  UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
    admin.rows(&format!("CREATE DATABASE {DATABASE}"));
    for sql in [
        "CREATE TABLE LEDGER (ID INT NOT NULL, S VARCHAR)".to_owned(),
        format!("CREATE TABLE DIGITS AS SELECT D FROM {digits} X"),
        "CREATE TABLE NUMBERS AS SELECT A.D + 10 * B.D + 100 * C.D + 1000 * E.D + 10000 * F.D AS N \
         FROM DIGITS A, DIGITS B, DIGITS C, DIGITS E, DIGITS F"
            .to_owned(),
    ] {
        let response = admin.send(&statement(&sql));
        assert_eq!(response.status, 200, "{sql}\n{response}");
    }
}

/// Works the server from several sides, then ends it.
fn work_until_killed(server: &mut Server, promises: &Promises, next: &AtomicU64, after: Duration) {
    let admin = server.admin();
    let slow = "SELECT SUM(A.N * B.N) FROM NUMBERS A, NUMBERS B, NUMBERS C";
    let response = admin.send(&statement(slow).query("async", "true"));
    promises.running.lock().unwrap().push(response.handle());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| insert_rows(&admin, promises, next, &stop));
        scope.spawn(|| change_tables(&admin, promises, next, &stop));
        scope.spawn(|| write_results(&admin, promises, &stop));
        std::thread::sleep(after);
        stop.store(true, Ordering::Relaxed);
        server.kill();
    });
}

fn check_rows(admin: &Client, promises: &Promises) {
    for (row, id) in promises.open_rows.lock().unwrap().drain(..) {
        let response = admin.send_until_done(&statement(&insert(row)).request_id(id).query("retry", "true"));
        if response.status == 200 {
            promises.rows.lock().unwrap().push(row);
        }
    }
    let cells = admin.send(&statement("SELECT ID, COUNT(*) FROM LEDGER GROUP BY ID")).json();
    let total = cells["resultSetMetaData"]["numRows"].as_u64();
    let twice = admin.send(&statement("SELECT ID FROM LEDGER GROUP BY ID HAVING COUNT(*) > 1")).rows();
    assert!(twice.is_empty(), "rows were inserted twice: {twice:?}");
    let rows = promises.rows.lock().unwrap();
    assert!(total >= Some(rows.len() as u64), "{} rows were acknowledged, {total:?} are there", rows.len());
    let listed: Vec<String> = rows.iter().map(u64::to_string).collect();
    for chunk in listed.chunks(500) {
        let sql = format!("SELECT COUNT(*) FROM LEDGER WHERE ID IN ({})", chunk.join(", "));
        let found = admin.send(&statement(&sql)).rows()[0][0].clone();
        assert_eq!(found, Some(chunk.len().to_string()), "acknowledged rows are gone");
    }
}

fn check_tables(admin: &Client, promises: &Promises) {
    for (table, columns) in promises.tables.lock().unwrap().iter() {
        let response = admin.send(&statement(&format!("SELECT * FROM {table}")));
        let body = response.json();
        let described = body["resultSetMetaData"]["rowType"].as_array().cloned().unwrap_or_default();
        let names: Vec<&str> = described.iter().filter_map(|column| column["name"].as_str()).collect();
        assert_eq!(&names, columns, "{table} was acknowledged: {response}");
        let first: Vec<&Value> = ["precision", "scale", "nullable"].map(|field| &described[0][field]).into();
        assert_eq!(first, [&json!(7), &json!(2), &json!(false)], "{table} lost what was declared");
    }
    for table in promises.dropped.lock().unwrap().iter() {
        let response = admin.send(&statement(&format!("SELECT * FROM {table}")));
        assert_eq!(response.code(), "002003", "{table} was dropped: {response}");
    }
}

fn check_results(admin: &Client, promises: &Promises) {
    for handle in promises.results.lock().unwrap().iter() {
        let first = admin.status(handle);
        assert_eq!(first.status, 200, "{first}");
        let parts = first.json()["resultSetMetaData"]["partitionInfo"].as_array().map_or(0, Vec::len);
        let mut next_row = 0;
        for partition in 0..parts {
            let request = Request::get(&format!("{STATEMENTS}/{handle}")).query("partition", &partition.to_string());
            for row in admin.send(&request).rows() {
                assert_eq!(row[0], Some(next_row.to_string()), "partition {partition} of {handle}");
                next_row += 1;
            }
        }
        assert_eq!(next_row, RESULT_ROWS, "{handle} lost rows");
    }
    for handle in promises.running.lock().unwrap().iter() {
        let response = admin.status(handle);
        assert_eq!(response.status, 422, "a statement that was running must have failed: {response}");
        assert_ne!(response.code(), "000709", "a statement that was running is forgotten");
    }
}

#[test]
fn nothing_acknowledged_is_lost() {
    let mut random = Seeded(seed());
    println!("FAULT_SEED={}", seed());
    let mut server = Server::start();
    prepare(&server.admin());
    let (promises, next) = (Promises::default(), AtomicU64::new(0));
    for round in 0..ROUNDS {
        let after = Duration::from_millis(100 + random.below(500));
        work_until_killed(&mut server, &promises, &next, after);
        server = server.kill_and_restart();
        let admin = server.admin();
        check_rows(&admin, &promises);
        check_tables(&admin, &promises);
        check_results(&admin, &promises);
        println!(
            "round {round}: {} rows, {} results",
            promises.rows.lock().unwrap().len(),
            promises.results.lock().unwrap().len()
        );
        // What was checked once need not be fetched whole every round.
        promises.results.lock().unwrap().clear();
    }
}

/// The same request id, before and after a restart.
#[test]
fn a_retry_across_a_restart_runs_nothing_twice() {
    let server = Server::start();
    prepare(&server.admin());
    let id = Uuid::new_v4();
    let request = statement(&insert(1)).request_id(id);
    let first = server.admin().send(&request);
    assert_eq!(first.status, 200, "{first}");
    let server = server.kill_and_restart();
    let second = server.admin().send(&request.query("retry", "true"));
    assert_eq!(second.status, 200, "{second}");
    assert_eq!(second.handle(), first.handle());
    assert_eq!(second.json()["createdOn"], first.json()["createdOn"]);
    assert_eq!(server.admin().send(&statement("SELECT COUNT(*) FROM LEDGER")).rows()[0][0].as_deref(), Some("1"));
}

/// Statements that are committed while nobody can record that, and one that is not: the next start knows which is which.
#[test]
fn the_outcome_of_what_was_committed_is_known_after_a_crash() {
    let mut server = Server::start();
    let admin = server.admin();
    prepare(&admin);
    for sql in ["CREATE TABLE T (ID INT, S VARCHAR)", "CREATE STAGE FILES", "CREATE TABLE LOADED (ID INT, S VARCHAR)"] {
        assert_eq!(admin.send(&statement(sql)).status, 200);
    }
    for sql in ["INSERT INTO T SELECT D, 'x' FROM DIGITS", "INSERT INTO LOADED VALUES (0, 'x')"] {
        assert_eq!(admin.send(&statement(sql)).status, 200);
    }
    let mut file =
        Request::new("PUT", &format!("/api/v2/databases/{DATABASE}/schemas/PUBLIC/stages/FILES/files/a.csv"));
    file.body = b"1,a\n2,b\n".to_vec();
    assert_eq!(admin.send(&file).status, 200);
    let committed = [
        ("INSERT INTO LEDGER SELECT D, SYSTEM$WAIT(1) FROM DIGITS WHERE D < 3", "numRowsInserted", 3),
        ("CREATE TABLE MADE AS SELECT SYSTEM$WAIT(1) AS S", "Table MADE successfully created.", 0),
        (
            "MERGE INTO T USING (SELECT D, SYSTEM$WAIT(1) AS W FROM DIGITS WHERE D < 2) X ON T.ID = X.D WHEN MATCHED THEN \
          UPDATE SET S = X.W",
            "numRowsUpdated",
            2,
        ),
        ("COPY INTO LOADED FROM @FILES/a.csv", "numRowsInserted", 2),
    ];
    let mut handles: Vec<String> = Vec::new();
    for (sql, ..) in committed {
        let response = admin.send(&statement(sql).query("async", "true"));
        assert_eq!(response.status, 202, "{response}");
        handles.push(response.handle());
    }
    let lost =
        admin.send(&statement("DELETE FROM DIGITS WHERE SYSTEM$WAIT(600) = 'x'").query("async", "true")).handle();
    let tool = rusqlite::Connection::open(server.data_dir().join("firn.sqlite")).unwrap();
    tool.execute_batch("BEGIN IMMEDIATE").unwrap();
    wait_until_in_log(&server, &handles);
    server.kill();
    tool.execute_batch("ROLLBACK").unwrap();
    drop(tool);
    let server = server.kill_and_restart();
    let admin = server.admin();
    for (handle, (sql, shown, count)) in handles.iter().zip(committed) {
        let response = admin.status(handle);
        assert_eq!(response.status, 200, "{sql}: {response}");
        match count {
            0 => assert_eq!(response.rows()[0][0].as_deref(), Some(shown)),
            _ => assert_eq!(response.json()["stats"][shown], json!(count), "{sql}: {response}"),
        }
    }
    let lost = admin.status(&lost);
    assert_eq!((lost.status, lost.code().as_str()), (422, "000603"), "{lost}");
    assert!(lost.to_string().contains("none of its changes were committed"), "{lost}");
    for (table, rows) in [("LEDGER", "3"), ("MADE", "1"), ("LOADED", "3"), ("DIGITS", "10")] {
        let count = admin.send(&statement(&format!("SELECT COUNT(*) FROM {table}"))).rows();
        assert_eq!(count[0][0].as_deref(), Some(rows), "{table}");
    }
}

/// Waits until the database's write-ahead log has the outcomes of these statements.
fn wait_until_in_log(server: &Server, handles: &[String]) {
    let log = server.data_dir().join(format!("databases/{DATABASE}.duckdb.wal"));
    let has = |content: &[u8], handle: &str| content.windows(handle.len()).any(|part| part == handle.as_bytes());
    let mut missing = handles.to_vec();
    let are_there = || {
        let content = std::fs::read(&log).unwrap_or_default();
        missing.retain(|handle| !has(&content, handle));
        missing.is_empty()
    };
    assert!(comes_true(are_there), "not all of {handles:?} were committed\n{}", server.log());
}

/// Results of one partition that are too large for a row of the registry.
#[test]
fn a_result_of_one_file_survives() {
    let server = Server::start();
    let sql = "SELECT SEQ4() AS N FROM TABLE(GENERATOR(ROWCOUNT => 3000)) ORDER BY N";
    let first = server.admin().sql(sql);
    assert_eq!(first.status, 200, "{first}");
    let mut server = server.kill_and_restart();
    assert_eq!(server.admin().status(&first.handle()).rows(), first.rows());
    server.terminate();
    assert_eq!(server.start_again().admin().status(&first.handle()).rows(), first.rows());
}

/// Values that were given out do not come again, whatever looks at the sequence first.
#[test]
fn sequences_go_on_after_a_crash_and_after_a_stop() {
    const CHANGES: [(&str, &str, &str); 6] = [
        ("CREATE SCHEMA {Q}.C CLONE {Q}.PUBLIC", "{Q}.C", "T"),
        ("CREATE DATABASE {Q}_C CLONE {Q}", "{Q}_C.PUBLIC", "T"),
        ("ALTER SEQUENCE {Q}.PUBLIC.S SET COMMENT = 'x'", "{Q}.PUBLIC", "T"),
        ("ALTER SEQUENCE {Q}.PUBLIC.S SET INCREMENT = 1", "{Q}.PUBLIC", "T"),
        ("ALTER SCHEMA {Q}.PUBLIC RENAME TO {Q}.P2", "{Q}.P2", "T"),
        ("CREATE TABLE {Q}.PUBLIC.T2 CLONE {Q}.PUBLIC.T", "{Q}.PUBLIC", "T2"),
    ];
    let cases = || (0..).map(|number| format!("Q{number}")).zip(CHANGES);
    for is_crash in [true, false] {
        let mut server = Server::start();
        let admin = server.admin();
        for (q, _) in cases() {
            admin.rows(&format!("CREATE DATABASE {q}"));
            admin.rows(&format!("CREATE SEQUENCE {q}.PUBLIC.S"));
            admin.rows(&format!("CREATE TABLE {q}.PUBLIC.T (ID INT AUTOINCREMENT, V INT)"));
            for value in 1..=5 {
                admin.rows(&format!("INSERT INTO {q}.PUBLIC.T (V) VALUES ({value})"));
                assert_eq!(admin.cell(&format!("SELECT {q}.PUBLIC.S.NEXTVAL")), value.to_string());
            }
        }
        let server = match is_crash {
            true => server.kill_and_restart(),
            false => {
                server.terminate();
                server.start_again()
            }
        };
        let admin = server.admin();
        for (q, (change, schema, table)) in cases() {
            let (change, schema) = (change.replace("{Q}", &q), schema.replace("{Q}", &q));
            let shown = admin.rows(&format!("SHOW SEQUENCES IN SCHEMA {q}.PUBLIC ->> SELECT \"next_value\" FROM $1"));
            assert_eq!(shown[0][0].as_deref(), Some("6"), "{change}, a crash: {is_crash}");
            admin.rows(&change);
            assert_eq!(admin.cell(&format!("SELECT {schema}.S.NEXTVAL")), "6", "{change}, a crash: {is_crash}");
            admin.rows(&format!("INSERT INTO {schema}.{table} (V) VALUES (6)"));
            let last = admin.cell(&format!("SELECT MAX(ID) FROM {schema}.{table}"));
            assert_eq!(last, "6", "{change}, a crash: {is_crash}");
        }
    }
}

/// Users, roles, tokens and warehouses survive too.
#[test]
fn the_account_survives() {
    let server = Server::start();
    let admin = server.admin();
    for sql in
        ["CREATE ROLE KEPT_ROLE", "CREATE USER KEPT DEFAULT_ROLE = KEPT_ROLE", "GRANT ROLE KEPT_ROLE TO USER KEPT"]
    {
        admin.rows(sql);
    }
    admin.rows("CREATE WAREHOUSE KEPT_WAREHOUSE");
    let token = admin.rows("ALTER USER KEPT ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let server = server.kill_and_restart();
    assert_eq!(server.client(&token).cell("SELECT CURRENT_ROLE()"), "KEPT_ROLE");
    assert_eq!(server.admin().rows("SHOW WAREHOUSES LIKE 'KEPT_WAREHOUSE'").len(), 1);
}

/// The statement registry is a file that other tools may open. While one of them holds a lock on it, no outcome is reported
/// that could be lost, and afterwards it is there.
#[test]
fn an_outcome_that_cannot_be_recorded_is_reported_later() {
    let server = Server::start();
    let admin = server.admin();
    let handle = admin.submit_async("SELECT SYSTEM$WAIT(1)");
    let tool = rusqlite::Connection::open(server.data_dir().join("firn.sqlite")).unwrap();
    tool.execute_batch("BEGIN IMMEDIATE").unwrap();
    let lost = |log: &str| log.lines().any(|line| line.contains("cannot be recorded") && line.contains(&handle));
    while !lost(&server.log()) {
        assert_eq!(admin.status(&handle).status, 202);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(admin.status(&handle).status, 202);
    assert_eq!(admin.sql("SELECT 5").status, 500, "a success that could be lost is not reported");
    tool.execute_batch("ROLLBACK").unwrap();
    let outcome = admin.outcome(&handle);
    assert_eq!(outcome.status, 200, "{outcome}");
    assert_eq!(admin.cell("SELECT 5"), "5");
}

//! The disk: quotas, a disk that is full and has room again or fails and works again, and what a start has to replay.

#[path = "disk/failing.rs"]
mod failing;
#[path = "disk/low_room.rs"]
mod low_room;

use std::fs;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::{Value, json};
use uuid::Uuid;

const DISK_FULL: &str = "53100";

/// Leaves so many bytes free on the server's disk. The server may write meanwhile and take room that was free.
fn fill(server: &Server, left: u64) {
    let ballast = server.own_data_dir().join("ballast");
    for _ in 0..20 {
        let bytes = free_bytes(server).saturating_sub(left);
        match fs::write(&ballast, vec![b'x'; bytes as usize]) {
            Err(error) if error.kind() == ErrorKind::StorageFull => fs::remove_file(&ballast).unwrap(),
            written => return written.unwrap(),
        }
    }
    panic!("the server goes on writing");
}

fn free_bytes(server: &Server) -> u64 {
    let output = Command::new("stat").args(["-f", "-c", "%a %S"]).arg(server.own_data_dir()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (blocks, block_bytes) = text.trim().split_once(' ').unwrap();
    let free = blocks.parse::<u64>().unwrap() * block_bytes.parse::<u64>().unwrap();
    assert!(free < 1 << 30, "this is not the small disk");
    free
}

fn make_room(server: &Server) {
    fs::remove_file(server.own_data_dir().join("ballast")).unwrap();
}

/// A client sees neither a path of the host nor a state that asks for another try.
fn check_full(response: &Response) {
    let body = response.json();
    let message = body["message"].as_str().unwrap_or_default();
    assert_eq!(body["sqlState"], DISK_FULL, "{response}");
    assert!([422, 507].contains(&response.status), "{response}");
    assert!(!message.contains(" /") && !message.contains("\"/"), "a path is shown: {response}");
}

fn put(client: &Client, stage: &str, file: &str, bytes: usize) -> Response {
    let path = format!("/api/v2/databases/FIRN/schemas/PUBLIC/stages/{stage}/files/{file}");
    client.send(&Request { body: vec![b'x'; bytes], ..Request::new("PUT", &path) })
}

/// Repeats what cannot be done while a database is being opened again.
fn sql_in_time(client: &Client, sql: &str) -> Response {
    let mut response = client.sql(sql);
    comes_true(|| {
        if response.status != 200 {
            response = client.sql(sql);
        }
        response.status == 200
    });
    assert_eq!(response.status, 200, "{sql}: {response}");
    response
}

#[test]
fn a_full_disk_is_reported_and_room_is_used_again() {
    let server = Server::start_on_small_disk(32 << 20, &[("FIRN_SWEEP_INTERVAL_MS", "500")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE ROOM");
    admin.rows("CREATE TABLE ROOM.PUBLIC.T (N INT, S VARCHAR)");
    admin.rows("CREATE TABLE ROOM.PUBLIC.BIG AS SELECT SEQ4() AS N, RANDSTR(50, RANDOM()) AS S FROM TABLE(GENERATOR(ROWCOUNT => 20000))");
    admin.rows("INSERT INTO ROOM.PUBLIC.T VALUES (0, 'first')");
    admin.rows("CREATE STAGE S");
    fill(&server, 300 << 10);
    for sql in [
        "INSERT INTO ROOM.PUBLIC.T SELECT * FROM ROOM.PUBLIC.BIG",
        "CREATE TABLE ROOM.PUBLIC.MORE AS SELECT * FROM ROOM.PUBLIC.BIG",
        "UPDATE ROOM.PUBLIC.BIG SET S = S || S",
        "SELECT S FROM ROOM.PUBLIC.BIG",
        "COPY INTO @S/out FROM (SELECT S FROM ROOM.PUBLIC.BIG) FILE_FORMAT = (COMPRESSION = NONE)",
    ] {
        check_full(&admin.sql(sql));
    }
    check_full(&put(&admin, "S", "large", 2 << 20));
    check_full(&put(&admin, "~", "large", 2 << 20));
    assert_eq!(admin.cell("SELECT COUNT(*) FROM ROOM.PUBLIC.T"), "1", "what is there can be read");
    assert_eq!(server.stranger().send(&Request::get("/healthz")).status, 200);

    make_room(&server);
    sql_in_time(&admin, "INSERT INTO ROOM.PUBLIC.T SELECT * FROM ROOM.PUBLIC.BIG");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM ROOM.PUBLIC.T"), "20001");
    assert_eq!(put(&admin, "S", "large", 2 << 20).status, 200);
    assert_eq!(admin.sql("SELECT S FROM ROOM.PUBLIC.BIG").status, 200);
}

/// No byte is left for the registry of statements either.
#[test]
fn an_outcome_that_finds_no_room_is_known_later() {
    let server = Server::start_on_small_disk(16 << 20, &[]);
    let admin = server.admin();
    admin.rows("CREATE TABLE T (N INT)");
    fill(&server, 0);
    let (mut succeeded, mut failed) = (Vec::new(), Vec::new());
    let texts = |number: u32| {
        [
            format!("INSERT INTO T VALUES ({number})"),
            format!("SELECT {number}, COUNT(*) FROM T"),
            format!("SELECT NONE_{number} FROM T"),
        ]
    };
    for sql in (0..40).flat_map(texts) {
        let response = admin.sql(&sql);
        let body = response.json();
        match (response.status, body["sqlState"].as_str()) {
            (200, _) => {}
            (507, _) => {
                check_full(&response);
                assert!(response.text().contains("do not send it again"), "{sql}: {response}");
                succeeded.push(response.handle());
            }
            (422, Some("42000")) => failed.push((response.handle(), body["message"].clone())),
            _ => {
                check_full(&response);
                failed.push((response.handle(), body["message"].clone()));
            }
        }
    }
    assert!(!succeeded.is_empty(), "the registry has room");
    let found = |(handle, message): &(String, Value)| {
        let outcome = admin.outcome(handle);
        assert_eq!(outcome.status, 422, "{outcome}");
        assert_eq!(outcome.json()["message"], *message, "{outcome}");
    };
    failed.iter().for_each(found);
    make_room(&server);
    for handle in &succeeded {
        let outcome = admin.outcome(handle);
        assert_eq!(outcome.status, 200, "{outcome}");
    }
    sql_in_time(&admin, "INSERT INTO T VALUES (100)");
    // Those that failed are on disk a second later.
    let failures = "SELECT COUNT(*) FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 10000))
        WHERE EXECUTION_STATUS LIKE 'FAILED%'";
    for _ in 0..100 {
        if admin.cell(failures) == failed.len().to_string() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(admin.cell(failures), failed.len().to_string());
    failed.iter().for_each(found);
}

fn database_bytes(server: &Server, database: &str) -> u64 {
    let folder = server.own_data_dir().join("databases");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let of_database = files.filter(|file| file.file_name().to_string_lossy().starts_with(database));
    of_database.map(|file| file.metadata().unwrap().len()).sum()
}

fn check_shortened(server: &Server, database: &str) {
    let is_short = || database_bytes(server, database) < 16 << 20;
    assert!(comes_true(is_short), "the files of {database} have {} bytes", database_bytes(server, database));
}

/// Rows that no compression makes smaller.
const MANY_ROWS: &str =
    "SELECT RANDOM() AS A, RANDOM() AS B, RANDOM() AS C FROM TABLE(GENERATOR(ROWCOUNT => 100000000))";

/// Who fills the disk is stopped before it is full, and the room comes back without a restart.
#[test]
fn a_statement_that_fills_the_disk_is_stopped_and_its_room_returned() {
    let server = Server::start_on_small_disk(256 << 20, &[]);
    let admin = server.admin();
    for database in ["LARGE", "OTHER"] {
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!("CREATE TABLE {database}.PUBLIC.T (A INT, B INT, C INT)"));
    }
    check_full(&admin.outcome(&admin.submit_async(&format!("CREATE TABLE LARGE.PUBLIC.ROWS AS {MANY_ROWS}"))));
    admin.rows("INSERT INTO OTHER.PUBLIC.T VALUES (1, 1, 1)");
    check_shortened(&server, "LARGE");
    let block = format!(
        "BEGIN
           INSERT INTO LARGE.PUBLIC.T {MANY_ROWS};
         EXCEPTION WHEN STATEMENT_ERROR THEN
           INSERT INTO LARGE.PUBLIC.T VALUES (1, 1, 1);
           RETURN SQLSTATE;
         END"
    );
    let outcome = admin.outcome(&admin.submit_async(&block));
    assert_eq!(outcome.rows(), [[Some(DISK_FULL.to_owned())]], "{outcome}");
    check_shortened(&server, "LARGE");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM LARGE.PUBLIC.T"), "1");
}

#[test]
fn the_room_of_a_cancelled_statement_is_returned() {
    let server = Server::start_on_small_disk(256 << 20, &[]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE LARGE");
    let handle = admin.submit_async(&format!("CREATE TABLE LARGE.PUBLIC.ROWS AS {MANY_ROWS}"));
    while database_bytes(&server, "LARGE") < 32 << 20 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(admin.cancel(&handle).status, 200);
    assert_eq!(admin.outcome(&handle).json()["sqlState"], "57014");
    check_shortened(&server, "LARGE");
}

/// A log that cannot be written back makes the engine close the database. It is opened again without a restart.
#[test]
fn a_database_that_was_closed_is_opened_again() {
    let settings = [("FIRN_SWEEP_INTERVAL_MS", "300"), ("FIRN_MEMORY_LIMIT", "100MB")];
    let server = Server::start_on_small_disk(64 << 20, &settings);
    let admin = server.admin();
    admin.rows("CREATE DATABASE CLOSED");
    admin.rows("CREATE TABLE CLOSED.PUBLIC.T (N INT, S VARCHAR)");
    let insert =
        "INSERT INTO CLOSED.PUBLIC.T SELECT SEQ4(), RANDSTR(80, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => 10000))";
    admin.rows(insert);
    fill(&server, 600 << 10);
    let mut rows: u64 = 10_000;
    let mut was_closed = false;
    // Small changes that the log takes, until a checkpoint finds no room.
    for number in 0..6_000 {
        let response = admin.sql(&format!("INSERT INTO CLOSED.PUBLIC.T VALUES ({number}, 'small')"));
        match response.status {
            200 => rows += 1,
            507 if response.text().contains("do not send it again") => rows += 1,
            _ => {
                check_full(&response);
                was_closed |= response.text().contains("was closed");
            }
        }
        if was_closed {
            break;
        }
    }
    assert!(was_closed, "the database was never closed");
    make_room(&server);
    sql_in_time(&admin, "SELECT COUNT(*) FROM CLOSED.PUBLIC.T");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM CLOSED.PUBLIC.T"), rows.to_string(), "what was acknowledged is there");
    sql_in_time(&admin, insert);
    let ready = || server.stranger().send(&Request::get("/readyz"));
    comes_true(|| ready().status == 200);
    assert_eq!(ready().json(), json!({"status": "ready"}));
}

/// The engine closes a database whose checkpoint finds no room. Whether the statement was committed or not,
/// its request id says so once the database is open again.
#[test]
fn the_outcome_of_a_statement_that_closed_its_database_is_exact() {
    const ROWS: usize = 20_000;
    let server = Server::start_on_small_disk(64 << 20, &[("FIRN_SWEEP_INTERVAL_MS", "300")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE CLOSED");
    admin.rows("CREATE TABLE CLOSED.PUBLIC.T (N INT, S VARCHAR)");
    let request = |id: Uuid| {
        let sql = format!(
            "INSERT INTO CLOSED.PUBLIC.T SELECT SEQ4(), RANDSTR(80, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => {ROWS}))"
        );
        Request::statement(&sql, json!({})).request_id(id)
    };
    let mut ids = Vec::new();
    let mut was_closed = false;
    for number in 0..60 {
        if number == 5 {
            // The log still grows, up to the length at which it is written back; that finds no room.
            fill(&server, 10 << 20);
        }
        let id = Uuid::new_v4();
        ids.push(id);
        let response = admin.send(&request(id));
        if response.status != 200 {
            was_closed |= response.text().contains("was closed");
            if was_closed {
                break;
            }
        }
    }
    println!("closed: {was_closed}, after {} statements", ids.len());
    make_room(&server);
    sql_in_time(&admin, "SELECT COUNT(*) FROM CLOSED.PUBLIC.T");
    std::thread::sleep(Duration::from_millis(1_000));
    let succeeded = ids.iter().filter(|id| admin.send(&request(**id).query("retry", "true")).status == 200).count();
    assert_eq!(
        admin.cell("SELECT COUNT(*) FROM CLOSED.PUBLIC.T"),
        (succeeded * ROWS).to_string(),
        "{succeeded} succeeded"
    );
}

#[test]
fn stages_have_quotas() {
    let settings = [("FIRN_STAGE_USER_BYTES_MAX", "10000"), ("FIRN_STAGES_BYTES_MAX", "25000")];
    let server = Server::start_with(&settings);
    let admin = server.admin();
    admin.rows("CREATE STAGE S");
    let refused = |response: Response, setting: &str| {
        assert_eq!((response.status, response.json()["sqlState"].clone()), (413, json!("53400")), "{response}");
        assert!(response.text().contains(setting), "{response}");
    };
    assert_eq!(put(&admin, "~", "a", 8_000).status, 200);
    refused(put(&admin, "~", "b", 3_000), "stage_user_bytes_max");
    assert_eq!(put(&admin, "~", "a", 9_000).status, 200, "it takes the place of the first");
    assert_eq!(put(&admin, "S", "c", 14_000).status, 200);
    refused(put(&admin, "S", "d", 3_000), "stages_bytes_max");
    let unloaded = admin.sql("COPY INTO @S/out FROM (SELECT RANDSTR(100, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => 100))) FILE_FORMAT = (COMPRESSION = NONE)");
    assert_eq!((unloaded.status, unloaded.json()["sqlState"].clone()), (422, json!("53400")), "{unloaded}");
    admin.rows("REMOVE @S/c");
    assert_eq!(put(&admin, "S", "d", 3_000).status, 200);
    // What is there counts after a restart too.
    let server = server.kill_and_restart();
    refused(put(&server.admin(), "~", "b", 3_000), "stage_user_bytes_max");
}

/// The user's own stage is asked for in a database and schema that exist.
#[test]
fn the_stage_of_a_user_is_in_no_database_that_does_not_exist() {
    let server = Server::start();
    let admin = server.admin();
    for place in ["NONE/schemas/PUBLIC", "FIRN/schemas/NONE"] {
        for method in ["PUT", "GET", "DELETE"] {
            let path = format!("/api/v2/databases/{place}/stages/~/files/a");
            let body = if method == "PUT" { b"x".to_vec() } else { Vec::new() };
            let response = admin.send(&Request { body, ..Request::new(method, &path) });
            assert_eq!(response.status, 404, "{method} {place}: {response}");
        }
    }
    assert_eq!(put(&admin, "~", "a", 5).status, 200);
}

/// One user's results take the room of that user's older ones, not of others'.
#[test]
fn results_have_a_quota_per_user() {
    let settings = [("FIRN_RESULTS_USER_BYTES_MAX", "300000"), ("FIRN_SWEEP_INTERVAL_MS", "200")];
    let server = Server::start_with(&settings);
    let admin = server.admin();
    admin.rows("CREATE ROLE R");
    admin.rows("CREATE USER OTHER DEFAULT_ROLE = R");
    admin.rows("GRANT ROLE R TO USER OTHER");
    let token = admin.rows("ALTER USER OTHER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let other = server.client(&token);
    let large = "SELECT UUID_STRING() FROM TABLE(GENERATOR(ROWCOUNT => 5000))";
    let of_other = other.sql_with(large, json!({"warehouse": "COMPUTE_WH"}));
    assert_eq!(of_other.status, 200, "{of_other}");
    let handles: Vec<String> = (0..6).map(|_| admin.sql(large).handle()).collect();
    let is_gone = |handle: &str| admin.status(handle).code() == "000709";
    assert!(comes_true(|| is_gone(&handles[0])), "the oldest result is still there");
    assert_eq!(admin.status(&handles[5]).status, 200, "the latest is gone");
    assert_eq!(other.status(&of_other.handle()).status, 200, "another user's result is gone");
}

/// The texts of one user's statements make that user's older ones go, not others'.
#[test]
fn histories_have_a_quota_per_user() {
    let settings = [("FIRN_HISTORY_USER_BYTES_MAX", "2000000"), ("FIRN_SWEEP_INTERVAL_MS", "60000")];
    let server = Server::start_with(&settings);
    let admin = server.admin();
    admin.rows("CREATE ROLE R");
    admin.rows("CREATE USER OTHER DEFAULT_ROLE = R");
    admin.rows("GRANT ROLE R TO USER OTHER");
    let token = admin.rows("ALTER USER OTHER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let of_other = server.client(&token).sql("SELECT 1").handle();
    let long = |number: usize| format!("SELECT {number} AS N /* {} */", "x".repeat(100_000));
    let handles: Vec<String> = (0..60).map(|number| admin.sql(&long(number)).handle()).collect();
    let is_gone = |handle: &str| admin.status(handle).code() == "000709";
    assert!(comes_true(|| is_gone(&handles[30])), "6 MB of texts are still there");
    assert_eq!(admin.status(&handles[59]).status, 200, "the latest is gone");
    assert_eq!(server.client(&token).status(&of_other).status, 200, "another user's statement is gone");
}

/// After a crash a start replays a bounded number of changes, however many there were.
#[test]
fn logs_are_checkpointed_before_they_are_long_to_replay() {
    const CHANGES: usize = 6_000;
    let server = Server::start();
    server.admin().rows("CREATE TABLE T (N INT, S VARCHAR)");
    std::thread::scope(|scope| {
        for part in 0..3 {
            let admin = server.admin();
            scope.spawn(move || {
                for number in 0..CHANGES / 3 {
                    admin.rows(&format!("INSERT INTO T VALUES ({number}, 'row {number} of {part}')"));
                }
            });
        }
    });
    let log = server.data_dir().join("databases/FIRN.duckdb.wal");
    let bytes = fs::metadata(&log).map_or(0, |metadata| metadata.len());
    // A change takes more than a hundred bytes of log; less than half of all are left.
    assert!(bytes < (CHANGES * 100 / 2) as u64, "the log has {bytes} bytes");
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell("SELECT COUNT(*) FROM T"), CHANGES.to_string());
}

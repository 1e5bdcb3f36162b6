//! Files that are damaged or removed while the server runs: no wrong answer, no panic, an error that says what to do, and no
//! change that would be lost.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use firn_tests::client::STATEMENTS;
use firn_tests::{Client, Request, Response, Server};
use serde_json::json;
use uuid::Uuid;

use super::stopped;

const DAMAGED: &str = "XX001";
const PAGE_BYTES: usize = 4096;

fn check_error(response: &Response, sql_state: &str, parts: &[&str]) {
    let body = response.json();
    let message = body["message"].as_str().unwrap_or_default();
    assert_eq!((response.code().as_str(), &body["sqlState"]), ("000603", &json!(sql_state)), "{response}");
    assert!(parts.iter().all(|part| message.contains(part)), "{response}");
    assert!(!message.contains(" /") && !message.contains("\"/"), "a path is shown: {response}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn partition(admin: &Client, handle: &str, number: usize, encoding: &str) -> Response {
    let request = Request::get(&format!("{STATEMENTS}/{handle}")).query("partition", &number.to_string());
    admin.send(&request.header("accept-encoding", encoding))
}

type Damage = (&'static str, fn(&[u8]) -> Vec<u8>);

const DAMAGES: [Damage; 5] = [
    ("a digit", |whole| {
        // Still well-formed: nobody but the sum can know.
        let mut bytes = whole.to_vec();
        let digit = bytes.iter().position(u8::is_ascii_digit).unwrap_or(0);
        bytes[digit] ^= 1;
        bytes
    }),
    ("the middle", |whole| {
        let mut bytes = whole.to_vec();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        bytes
    }),
    ("cut", |whole| whole[..whole.len() / 2].to_vec()),
    ("empty", |_| Vec::new()),
    ("longer", |whole| [whole, b"0"].concat()),
];

#[test]
fn a_damaged_result_is_never_served() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE TABLE T AS SELECT SEQ4() AS N, 'row ' || SEQ4() AS S FROM TABLE(GENERATOR(ROWCOUNT => 20000))");
    let sql = "SELECT N, S FROM T ORDER BY N";
    let first = admin.sql(sql);
    let handle = first.handle();
    let files = files_below(&server.data_dir().join("results"));
    assert!(files.len() >= 2, "{files:?}");
    for (number, file) in files.iter().enumerate() {
        let whole = fs::read(file).unwrap();
        for (name, damage) in DAMAGES {
            fs::write(file, damage(&whole)).unwrap();
            for encoding in ["gzip", "identity"] {
                let response = partition(&admin, &handle, number, encoding);
                assert_eq!(response.status, 500, "{name} in partition {number}: {response}");
                check_error(&response, DAMAGED, &[&handle, "run the statement again"]);
            }
            let scanned = admin.sql(&format!("SELECT SUM(N) FROM TABLE(RESULT_SCAN('{handle}'))"));
            assert_eq!(scanned.status, 422, "{name} in partition {number}: {scanned}");
            check_error(&scanned, DAMAGED, &["again"]);
        }
        // The way out that the message names: the result does not come from the damaged files again.
        let again = admin.sql(sql);
        assert_eq!(again.rows(), first.rows());
        let parts = again.json()["resultSetMetaData"]["partitionInfo"].as_array().map_or(0, Vec::len);
        assert_eq!(parts, files.len());
        for number in 1..parts {
            assert_eq!(partition(&admin, &again.handle(), number, "gzip").status, 200);
        }
        fs::write(file, &whole).unwrap();
        assert_eq!(partition(&admin, &handle, number, "gzip").status, 200, "what is whole again is served");
    }
    assert!(server.log().contains("a result cannot be read"), "{}", server.log());
}

fn check_gone(admin: &Client, handle: &str, partitions: usize) {
    for number in 0..partitions {
        let response = partition(admin, handle, number, "gzip");
        assert_eq!(response.status, 500, "partition {number}: {response}");
        check_error(&response, DAMAGED, &[handle, "run the statement again"]);
    }
    let file = admin.send(&Request::get(&format!("{STATEMENTS}/{handle}/download")));
    assert_eq!(file.status, 500, "{file}");
    check_error(&file, DAMAGED, &[handle, "run the statement again"]);
    let scanned = admin.sql(&format!("SELECT SUM(N) FROM TABLE(RESULT_SCAN('{handle}'))"));
    assert_eq!(scanned.status, 422, "{scanned}");
    check_error(&scanned, DAMAGED, &["again"]);
}

/// The statement is known, and so is its end: its result is not unknown but lost.
#[test]
fn a_result_that_is_gone_is_refused_as_damaged() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE TABLE T AS SELECT SEQ4() AS N, 'row ' || SEQ4() AS S FROM TABLE(GENERATOR(ROWCOUNT => 20000))");
    let sql = "SELECT N, S FROM T ORDER BY N";
    let first = admin.sql(sql);
    let handle = first.handle();
    let files = files_below(&server.data_dir().join("results"));
    let last = files.len() - 1;
    assert!(last >= 1, "{files:?}");
    fs::remove_file(&files[last]).unwrap();
    assert_eq!(partition(&admin, &handle, 0, "gzip").status, 200, "the others are served");
    check_error(&partition(&admin, &handle, last, "gzip"), DAMAGED, &[&handle, "run the statement again"]);
    fs::remove_dir_all(files[0].parent().unwrap()).unwrap();
    check_gone(&admin, &handle, files.len());
    assert_eq!(admin.sql(sql).rows(), first.rows(), "the result does not come from the files again");
    let server = server.kill_and_restart();
    check_gone(&server.admin(), &handle, files.len());
}

/// Opening it would wait until somebody writes into it, and the end of the server would wait for that.
#[test]
fn a_fifo_in_the_place_of_a_result_is_not_waited_for() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE TABLE T AS SELECT SEQ4() AS N, 'row ' || SEQ4() AS S FROM TABLE(GENERATOR(ROWCOUNT => 20000))");
    let handle = admin.sql("SELECT N, S FROM T ORDER BY N").handle();
    let files = files_below(&server.data_dir().join("results"));
    for file in &files {
        fs::remove_file(file).unwrap();
        assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
    }
    check_gone(&admin, &handle, files.len());
    let begun = Instant::now();
    assert!(server.terminate().success(), "{}", server.log());
    assert!(begun.elapsed() < Duration::from_secs(20), "the stop took {:?}", begun.elapsed());
    check_gone(&server.start_again().admin(), &handle, files.len());
}

/// A file of a stage that is no regular one is none of its files; the note of a sum is made anew.
#[test]
fn a_fifo_in_the_place_of_a_staged_file_is_not_waited_for() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE D");
    admin.rows("CREATE STAGE D.PUBLIC.S");
    for name in ["a.csv", "b.csv"] {
        let file = format!("/api/v2/databases/D/schemas/PUBLIC/stages/S/files/{name}");
        let put = Request { body: b"1,2\n".to_vec(), ..Request::new("PUT", &file) };
        assert_eq!(admin.send(&put).status, 200);
    }
    assert!(server.terminate().success(), "{}", server.log());
    let make_fifo = |place: &Path| {
        fs::remove_file(place).unwrap();
        assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
    };
    let named = |name: &str| {
        let files = files_below(&server.data_dir().join("stages")).into_iter();
        files.filter(|path| path.to_string_lossy().contains(name)).collect::<Vec<_>>()
    };
    let is_sum = |path: &&PathBuf| path.to_string_lossy().contains("/sums/");
    make_fifo(named("b.csv").iter().find(is_sum).unwrap());
    named("a.csv").iter().for_each(|place| make_fifo(place));
    let mut started = server.start_again();
    let admin = started.admin();
    assert_eq!(admin.rows("LIST @D.PUBLIC.S").len(), 1);
    assert_eq!(admin.cell("SELECT COUNT(*) FROM @D.PUBLIC.S"), "1");
    let read = |name: &str| {
        let file = format!("/api/v2/databases/D/schemas/PUBLIC/stages/S/files/{name}");
        admin.send(&Request::get(&file).header("accept", "*/*"))
    };
    assert_eq!(read("b.csv").body, b"1,2\n");
    assert_eq!(read("a.csv").status, 404, "{}", read("a.csv"));
    assert!(started.terminate().success(), "{}", started.log());
}

/// Overwrites pages of a file in its place, as a failing disk does.
fn damage_pages(file: &Path, pages: impl Iterator<Item = usize>) {
    let file = OpenOptions::new().write(true).open(file).unwrap();
    for page in pages {
        file.write_all_at(&[0x5a; PAGE_BYTES], (page * PAGE_BYTES) as u64).unwrap();
    }
}

/// Whichever page it is: the start names the file and the way out, and changes nothing.
#[test]
fn a_damaged_page_of_the_state_file_stops_the_start() {
    let server = stopped();
    let state = server.data_dir().join("firn.sqlite");
    let sound = fs::read(&state).unwrap();
    let pages = sound.len() / PAGE_BYTES;
    for page in [0, 1, 2, pages / 3, pages / 2, pages - 2, pages - 1] {
        fs::write(&state, &sound).unwrap();
        damage_pages(&state, [page].into_iter());
        let damaged = fs::read(&state).unwrap();
        let (status, output) = server.start_a_second_one();
        assert!(!status.success(), "page {page} of {pages}: {output}");
        assert!(output.contains("firn.sqlite") && output.contains("backup"), "page {page}: {output}");
        assert!(!output.contains("panicked"), "{output}");
        assert!(fs::read(&state).unwrap() == damaged, "page {page}: the file was changed");
    }
    fs::write(&state, &sound).unwrap();
    assert_eq!(server.start_again().admin().cell("SELECT COUNT(*) FROM WHOLE.PUBLIC.T"), "50000");
}

/// What is in memory is served; what has to be read from the file is refused by name.
#[test]
fn damaged_pages_of_the_state_file_are_reported_while_the_server_runs() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE TABLE T AS SELECT 1 AS N");
    let long = |number: usize| format!("SELECT {number} AS N /* {} */", "x".repeat(20_000));
    let handles: Vec<String> = (0..200).map(|number| admin.sql(&long(number)).handle()).collect();
    assert!(server.terminate().success(), "{}", server.log());
    let server = server.start_again();
    let admin = server.admin();
    let state = server.data_dir().join("firn.sqlite");
    let pages = fs::metadata(&state).unwrap().len() as usize / PAGE_BYTES;
    damage_pages(&state, 1..pages);
    let mut reported = 0;
    for (number, handle) in handles.iter().enumerate() {
        let response = admin.status(handle);
        match response.status {
            200 => assert_eq!(response.rows()[0][0], Some(number.to_string()), "a wrong answer: {response}"),
            _ => {
                assert_eq!(response.status, 500, "{response}");
                check_error(&response, DAMAGED, &["state file is damaged", "backup"]);
                reported += 1;
            }
        }
    }
    assert!(reported > 0, "the damage was never read");
    for sql in ["SELECT COUNT(*) FROM T", "INSERT INTO T VALUES (2)", "CREATE ROLE R", "SHOW ROLES"] {
        let response = admin.sql(sql);
        assert!([200, 422, 500].contains(&response.status) && !response.code().is_empty(), "{sql}: {response}");
        let message = response.json()["message"].as_str().unwrap_or_default().to_owned();
        assert!(!message.contains(" /") && !message.contains("\"/"), "a path is shown: {response}");
    }
    assert_eq!(server.stranger().send(&Request::get("/healthz")).status, 200);
    let log = server.log();
    assert!(log.contains("the state file is damaged") && !log.contains("panicked"), "{log}");
}

/// An index that disagrees with its table is no damage of a page. The server serves, and says that it is not sound.
#[test]
fn a_damaged_index_of_the_state_file_is_reported_after_the_start() {
    let mut server = Server::start();
    let id = Uuid::new_v4();
    let handle = server.admin().send(&Request::statement("SELECT 1", json!({})).request_id(id)).handle();
    assert!(server.terminate().success(), "{}", server.log());
    let state = server.data_dir().join("firn.sqlite");
    let mut bytes = fs::read(&state).unwrap();
    let handle = Uuid::parse_str(&handle).unwrap();
    // In the row of the table the handle is right before it.
    let is_in_index = |place: &usize| !bytes[place - 40..*place].windows(16).any(|part| part == handle.as_bytes());
    let mut places = (0..bytes.len() - 16).filter(|place| bytes[*place..place + 16] == id.as_bytes()[..]);
    let place = places.rfind(is_in_index).expect("the index has the request id");
    bytes[place + 7] ^= 1;
    fs::write(&state, bytes).unwrap();
    let server = server.start_again();
    let ready = || server.stranger().send(&Request::get("/readyz"));
    for _ in 0..100 {
        if ready().status == 503 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ready().status, 503, "{}", ready());
    assert!(ready().text().contains("state file"), "{}", ready());
    let log = server.log();
    assert!(log.contains("the state file is damaged") && log.contains("statements_by_request"), "{log}");
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

/// A change of a database whose file is gone would be acknowledged and lost.
#[test]
fn changes_of_a_database_whose_file_was_removed_are_refused() {
    let server = stopped().start_again();
    let admin = server.admin();
    admin.rows("INSERT INTO HURT.PUBLIC.T VALUES (-1)");
    let file = server.data_dir().join("databases/HURT.duckdb");
    let away = server.data_dir().join("away");
    let changes = [
        "INSERT INTO HURT.PUBLIC.T VALUES (1)",
        "DELETE FROM HURT.PUBLIC.T",
        "CREATE TABLE HURT.PUBLIC.U (N INT)",
        "DROP TABLE HURT.PUBLIC.T",
        "CREATE SCHEMA HURT.MORE",
        "CREATE TABLE HURT.PUBLIC.U AS SELECT * FROM WHOLE.PUBLIC.T",
    ];
    let check_refused = |what: &str| {
        for sql in changes {
            let response = admin.sql(sql);
            assert_eq!(response.status, 422, "{what}: {sql}: {response}");
            check_error(&response, "58030", &["HURT.duckdb", "removed or replaced", "CLONE HURT", "restart"]);
        }
        assert_eq!(admin.cell("SELECT COUNT(*) FROM HURT.PUBLIC.T"), "50001", "{what}: what is there can be read");
        assert_eq!(admin.sql("INSERT INTO WHOLE.PUBLIC.T SELECT N FROM HURT.PUBLIC.T WHERE N < 0").status, 200);
    };
    fs::rename(&file, &away).unwrap();
    check_refused("removed");
    fs::copy(&away, &file).unwrap();
    check_refused("replaced");
    admin.rows("CREATE DATABASE RESCUED CLONE HURT");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM RESCUED.PUBLIC.T"), "50001");
    fs::rename(&away, &file).unwrap();
    admin.rows("INSERT INTO HURT.PUBLIC.T VALUES (1)");
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell("SELECT COUNT(*) FROM HURT.PUBLIC.T"), "50002");
    server.admin().rows("INSERT INTO HURT.PUBLIC.T VALUES (2)");
    fs::remove_file(&file).unwrap();
    server.admin().rows("DROP DATABASE HURT");
}

/// Blocks of a database have sums of their own.
#[test]
fn a_damaged_block_of_a_database_is_reported() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE HURT");
    admin.rows("CREATE TABLE HURT.PUBLIC.T AS SELECT SEQ4() AS N, RANDSTR(50, RANDOM()) AS S FROM TABLE(GENERATOR(ROWCOUNT => 100000))");
    assert!(server.terminate().success(), "{}", server.log());
    let server = server.start_again();
    let admin = server.admin();
    let file = server.data_dir().join("databases/HURT.duckdb");
    let pages = fs::metadata(&file).unwrap().len() as usize / PAGE_BYTES;
    // A page in the middle of each block of 256 KB.
    damage_pages(&file, (3..pages).filter(|page| page % 64 == 40));
    let response = admin.sql("SELECT SUM(N), MIN(S) FROM HURT.PUBLIC.T");
    assert_eq!(response.status, 422, "{response}");
    check_error(&response, DAMAGED, &["damaged", "backup"]);
    assert_eq!(admin.cell("SELECT 1"), "1");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

/// What reads a staged file, each with the status that it fails with; the last are for the stage's only file.
fn reads_of_staged_file(admin: &Client) -> Vec<Response> {
    let file = "/api/v2/databases/D/schemas/PUBLIC/stages/S/files/a.csv";
    let range = Request::get(file).header("range", "bytes=0-0");
    let statements = [
        "SELECT $1, $2 FROM @D.PUBLIC.S/a.csv",
        "SELECT COUNT(*) FROM @D.PUBLIC.S",
        "COPY INTO D.PUBLIC.T FROM @D.PUBLIC.S FORCE = TRUE",
        "COPY INTO D.PUBLIC.T FROM (SELECT $1, $2 FROM @D.PUBLIC.S) FORCE = TRUE",
        "COPY INTO D.PUBLIC.T FROM @D.PUBLIC.S FORCE = TRUE VALIDATION_MODE = RETURN_ERRORS",
    ];
    let requests = [admin.send(&Request::get(file)), admin.send(&range)];
    requests.into_iter().chain(statements.iter().map(|sql| admin.sql(sql))).collect()
}

#[test]
fn a_staged_file_that_was_changed_is_never_read() {
    let server = Server::start();
    let admin = server.admin();
    for made in [
        "CREATE DATABASE D",
        "CREATE TABLE D.PUBLIC.T (A INT, B INT)",
        "CREATE STAGE D.PUBLIC.S",
        "CREATE STAGE D.PUBLIC.U",
    ] {
        admin.rows(made);
    }
    let put = |body: &[u8]| {
        let file = "/api/v2/databases/D/schemas/PUBLIC/stages/S/files/a.csv";
        let put = Request { body: body.to_vec(), ..Request::new("PUT", file) }.query("overwrite", "true");
        assert_eq!(admin.send(&put).status, 200);
    };
    let check_served = |admin: &Client| {
        let statuses: Vec<u16> = reads_of_staged_file(admin).iter().map(|response| response.status).collect();
        assert_eq!(statuses, [200, 206, 200, 200, 200, 200, 200]);
    };
    let check_refused = |admin: &Client, name: &str| {
        for response in reads_of_staged_file(admin) {
            assert!([422, 500].contains(&response.status), "{name}: {response}");
            check_error(&response, DAMAGED, &["a.csv", "put it again"]);
        }
    };
    put(b"1,2\n3,4\n");
    check_served(&admin);
    let stages = server.data_dir().join("stages");
    let is_content = |path: &PathBuf| fs::read(path).is_ok_and(|bytes| bytes == b"1,2\n3,4\n");
    let file = files_below(&stages).into_iter().find(is_content).unwrap();
    let put_time = fs::metadata(&file).unwrap().modified().unwrap();
    for (name, damage) in DAMAGES {
        fs::write(&file, damage(b"1,2\n3,4\n")).unwrap();
        check_refused(&admin, name);
        // With the time of the file that was put, as a tool may set it.
        OpenOptions::new().write(true).open(&file).unwrap().set_modified(put_time).unwrap();
        check_refused(&admin, name);
        fs::write(&file, b"1,2\n3,4\n").unwrap();
        check_served(&admin);
    }
    let count = admin.cell("SELECT COUNT(*) FROM D.PUBLIC.T");
    // A file that was unloaded has a sum, too.
    admin.rows("COPY INTO @D.PUBLIC.U/out FROM (SELECT 7 AS A, 8 AS B) FILE_FORMAT = (COMPRESSION = NONE)");
    let unloaded =
        files_below(&stages).into_iter().find(|path| fs::read(path).is_ok_and(|bytes| bytes == b"7,8\n")).unwrap();
    fs::write(unloaded, b"9,9\n").unwrap();
    check_error(&admin.sql("SELECT $1 FROM @D.PUBLIC.U"), DAMAGED, &["out", "put it again"]);
    // A change while the server was stopped.
    fs::write(&file, b"1,2\n3,5\n").unwrap();
    OpenOptions::new().write(true).open(&file).unwrap().set_modified(put_time).unwrap();
    let server = server.kill_and_restart();
    check_refused(&server.admin(), "stopped");
    assert_eq!(server.admin().cell("SELECT COUNT(*) FROM D.PUBLIC.T"), count);
    let file = "/api/v2/databases/D/schemas/PUBLIC/stages/S/files/a.csv";
    let put = Request { body: b"5,6\n".to_vec(), ..Request::new("PUT", file) }.query("overwrite", "true");
    assert_eq!(server.admin().send(&put).status, 200);
    check_served(&server.admin());
}

//! A disk that fails: errors and short counts at every write, at syncs and at reads, and a disk that turned read-only. What
//! cannot be done is reported by name, and once the disk works all goes on without a restart.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use firn_tests::client::STATEMENTS;
use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

use super::{put, sql_in_time};

const CONTROL_BYTES: usize = 256;

/// States of a disk that failed, that is full, and of files that are not what was written.
const DISK_STATES: [&str; 3] = ["58030", "53100", "XX001"];

/// A library between the server and the system that makes chosen files fail.
struct FailingDisk {
    folder: TempDir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    WritesFail,
    ReadOnly,
    ShortWrites,
    /// Half of the bytes are on disk when the write fails.
    TornWrites,
    /// As well, and the disk is read-only from then on.
    TornReadOnly,
    SyncsFail,
    ReadsFail,
    SlowWrites,
}

impl FailingDisk {
    /// `None` where no C compiler is at hand; the test says that it is skipped.
    fn build() -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("firn-failing-").tempdir().expect("a temporary folder");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/disk/failing.c");
        let library = folder.path().join("failing.so");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).args([source, "-ldl"]).output();
        match built {
            Ok(output) if output.status.success() => {}
            Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                eprintln!("skipped: a failing disk needs a C compiler, and `cc` cannot be run ({error})");
                return None;
            }
        }
        fs::write(folder.path().join("control"), [0; CONTROL_BYTES]).unwrap();
        Some(Self { folder })
    }

    /// What a process needs to be set to use this disk.
    fn variables(&self) -> [(&'static str, String); 2] {
        let file = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        [("LD_PRELOAD", file("failing.so")), ("FAULT_CONTROL", file("control"))]
    }

    fn start(&self) -> Server {
        let [library, control] = &self.variables();
        Server::start_with(&[(library.0, &library.1), (control.0, &control.1), ("FIRN_SWEEP_INTERVAL_MS", "300")])
    }

    /// From now on files fail whose path has this part. The file is mapped, so it is not written anew.
    fn fail(&self, fault: Fault, part: &str) {
        let mode = match fault {
            Fault::WritesFail => b'e',
            Fault::ReadOnly => b'r',
            Fault::ShortWrites => b's',
            Fault::TornWrites => b't',
            Fault::TornReadOnly => b'b',
            Fault::SyncsFail => b'y',
            Fault::ReadsFail => b'i',
            Fault::SlowWrites => b'w',
        };
        self.work();
        let mut rest = [0; CONTROL_BYTES - 1];
        rest[..part.len()].copy_from_slice(part.as_bytes());
        self.control().write_all_at(&rest, 1).unwrap();
        self.control().write_all_at(&[mode], 0).unwrap();
    }

    fn work(&self) {
        self.control().write_all_at(&[0], 0).unwrap();
    }

    fn control(&self) -> fs::File {
        OpenOptions::new().write(true).open(self.folder.path().join("control")).unwrap()
    }
}

fn prepare(admin: &Client) {
    admin.rows("CREATE DATABASE D");
    admin.rows("CREATE TABLE D.PUBLIC.T (N INT)");
    admin.rows("CREATE TABLE D.PUBLIC.BIG AS SELECT SEQ4() AS N, RANDSTR(50, RANDOM()) AS S FROM TABLE(GENERATOR(ROWCOUNT => 20000))");
    admin.rows("CREATE STAGE S");
    assert_eq!(put(admin, "S", "before", 1_000).status, 200);
}

/// It succeeds, or says that the disk is the cause, without a path of the host.
fn check(what: &str, response: &Response) {
    if response.status == 200 {
        return;
    }
    let body = response.json();
    let message = body["message"].as_str().unwrap_or_default();
    assert!([422, 500, 507].contains(&response.status), "{what}: {response}");
    assert!(!response.code().is_empty(), "{what}: {response}");
    assert!(!message.contains(" /") && !message.contains("\"/") && !message.contains("'/"), "{what}: {response}");
    let state = body["sqlState"].as_str().unwrap_or_default();
    assert!(DISK_STATES.contains(&state), "{what} does not name the disk: {response}");
}

fn insert(id: Uuid, number: usize) -> Request {
    Request::statement(&format!("INSERT INTO D.PUBLIC.T VALUES ({number})"), json!({})).request_id(id)
}

/// Everything that writes somewhere.
fn use_all(admin: &Client, turn: usize, what: &str) {
    for sql in [
        format!("CREATE TABLE D.PUBLIC.MADE_{turn} (N INT)"),
        "SELECT S FROM D.PUBLIC.BIG".to_owned(),
        "UPDATE D.PUBLIC.BIG SET N = N + 1 WHERE N < 100".to_owned(),
        format!("COPY INTO @S/out{turn} FROM (SELECT S FROM D.PUBLIC.BIG) FILE_FORMAT = (COMPRESSION = NONE)"),
        format!("CREATE DATABASE MADE_{turn}"),
        format!("DROP DATABASE IF EXISTS MADE_{turn}"),
        format!("CREATE ROLE MADE_{turn}"),
        "LIST @S".to_owned(),
        "SELECT COUNT(*) FROM D.PUBLIC.BIG".to_owned(),
    ] {
        check(&format!("{what}: {sql}"), &admin.sql(&sql));
    }
    check(&format!("{what}: PUT"), &put(admin, "S", &format!("file{turn}"), 300_000));
}

/// With every request id exactly one row is there, or none and the request has failed.
fn check_rows(admin: &Client, ids: &[Uuid], what: &str) {
    sql_in_time(admin, "SELECT COUNT(*) FROM D.PUBLIC.T");
    let retried = |(number, id): (usize, &Uuid)| admin.send_until_done(&insert(*id, number).query("retry", "true"));
    let succeeded = ids.iter().enumerate().map(retried).filter(|response| response.status == 200).count();
    let rows = admin.cell("SELECT COUNT(*) FROM D.PUBLIC.T");
    assert_eq!(rows, succeeded.to_string(), "{what}: {succeeded} of {} succeeded", ids.len());
    let twice = admin.rows("SELECT N FROM D.PUBLIC.T GROUP BY N HAVING COUNT(*) > 1");
    assert!(twice.is_empty(), "{what}: {twice:?}");
}

#[test]
fn a_disk_that_fails_is_reported_and_used_again() {
    let Some(disk) = FailingDisk::build() else { return };
    let mut server = disk.start();
    prepare(&server.admin());
    let mut ids = Vec::new();
    for fault in [Fault::WritesFail, Fault::ReadOnly, Fault::TornWrites, Fault::SyncsFail] {
        for part in ["/databases/", "/firn.sqlite", "/results/", "/stages/"] {
            // After which the server starts anew: a test of its own.
            if (fault, part) == (Fault::SyncsFail, "/databases/") {
                continue;
            }
            let (what, turn) = (format!("{fault:?} at {part}"), ids.len());
            println!("{what}");
            let admin = server.admin();
            disk.fail(fault, part);
            for _ in 0..5 {
                ids.push(Uuid::new_v4());
                check(&what, &admin.send(&insert(ids[ids.len() - 1], ids.len() - 1)));
            }
            use_all(&admin, turn, &what);
            assert_eq!(server.stranger().send(&Request::get("/healthz")).status, 200, "{what}");
            disk.work();
            check_rows(&admin, &ids, &what);
            sql_in_time(&admin, &format!("CREATE TABLE D.PUBLIC.AFTER_{turn} AS SELECT * FROM D.PUBLIC.BIG"));
            assert_eq!(admin.sql("SELECT N, S FROM D.PUBLIC.BIG").status, 200, "{what}");
            assert_eq!(put(&admin, "S", "after", 300_000).status, 200, "{what}");
        }
        server = server.kill_and_restart();
        check_rows(&server.admin(), &ids, &format!("{fault:?}, after a restart"));
    }
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

/// What was written of a commit that fails cannot be taken back on such a disk. The server waits for a disk that works.
#[test]
fn a_disk_that_turns_read_only_beneath_many_writers_does_not_end_the_server() {
    let Some(disk) = FailingDisk::build() else { return };
    let server = disk.start();
    prepare(&server.admin());
    let ids = Mutex::new(Vec::new());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let admin = server.admin();
                while !is_over.load(Ordering::Relaxed) {
                    let id = Uuid::new_v4();
                    let number = {
                        let mut ids = ids.lock().unwrap();
                        ids.push(id);
                        ids.len() - 1
                    };
                    check("an insert", &admin.send(&insert(id, number)));
                }
            });
        }
        for fault in [Fault::ReadOnly, Fault::TornReadOnly, Fault::TornReadOnly] {
            thread::sleep(Duration::from_millis(300));
            disk.fail(fault, "/databases/");
            thread::sleep(Duration::from_millis(700));
            disk.work();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let ids = ids.into_inner().unwrap();
    check_rows(&server.admin(), &ids, "while it runs");
    let server = server.kill_and_restart();
    check_rows(&server.admin(), &ids, "after a restart");
}

/// The statements of a set are what they are, whatever becomes of their records.
#[test]
fn a_set_goes_on_while_the_state_file_takes_no_record() {
    let Some(disk) = FailingDisk::build() else { return };
    let server = disk.start();
    let admin = server.admin();
    prepare(&admin);
    for (turn, fault) in [Fault::WritesFail, Fault::TornWrites, Fault::ReadOnly].into_iter().enumerate() {
        let id = Uuid::new_v4();
        let (first, second) = (2 * turn, 2 * turn + 1);
        let sql = format!(
            "BEGIN; INSERT INTO D.PUBLIC.T VALUES ({first}); SELECT SYSTEM$WAIT(2); INSERT INTO D.PUBLIC.T VALUES ({second}); COMMIT"
        );
        let set = || Request::statement(&sql, json!({"parameters": {"MULTI_STATEMENT_COUNT": "0"}})).request_id(id);
        let answer = thread::scope(|scope| {
            let answer = scope.spawn(|| server.admin().send(&set()));
            thread::sleep(Duration::from_millis(800));
            disk.fail(fault, "/firn.sqlite");
            answer.join().unwrap()
        });
        assert_eq!((answer.status, answer.json()["sqlState"].as_str()), (500, Some("58030")), "{fault:?}: {answer}");
        disk.work();
        let ask = || admin.send_until_done(&set().query("retry", "true"));
        comes_true(|| ask().status == 200);
        let done = ask();
        assert_eq!(done.status, 200, "{fault:?}: {done}");
        let count = format!("SELECT COUNT(*) FROM D.PUBLIC.T WHERE N IN ({first}, {second})");
        assert_eq!(admin.cell(&count), "2", "{fault:?}");
        let handles = done.json()["statementHandles"].as_array().cloned().unwrap_or_default();
        assert_eq!(handles.len(), 5, "{fault:?}: {done}");
        for handle in handles {
            assert_eq!(admin.status(handle.as_str().unwrap_or_default()).status, 200, "{fault:?}: {handle}");
        }
    }
}

/// A statement that lists all databases does not fail with the one that a checkpoint has closed before.
#[test]
fn a_closed_database_does_not_stop_statements_over_others() {
    let Some(disk) = FailingDisk::build() else { return };
    let [library, control] = &disk.variables();
    let server = Server::start_with(&[(library.0, &library.1), (control.0, &control.1)]);
    let admin = server.admin();
    for database in ["FAILING", "WORKING"] {
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!("CREATE TABLE {database}.PUBLIC.T (N INT)"));
    }
    admin.rows("INSERT INTO FAILING.PUBLIC.T VALUES (1)");
    disk.fail(Fault::WritesFail, "/databases/FAILING");
    // As many changes as are replayed at most: all databases are checkpointed.
    for _ in 0..5 {
        admin.rows("BEGIN FOR i IN 1 TO 600 DO INSERT INTO WORKING.PUBLIC.T VALUES (:i); END FOR; END");
    }
    disk.work();
    assert_eq!(admin.cell("SELECT CONTAINS(GET_DDL('SCHEMA', 'WORKING.PUBLIC'), 'TABLE T')"), "true");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FAILING.PUBLIC.T"), "1");
    assert!(server.log().contains("a database was opened again"), "no checkpoint failed: {}", server.log());
}

/// The engine does not go on after a failed sync of a database. The server starts anew by itself, with all that was
/// acknowledged.
#[test]
fn a_server_whose_databases_cannot_be_synced_starts_anew() {
    let Some(disk) = FailingDisk::build() else { return };
    let server = disk.start();
    prepare(&server.admin());
    let ids: Vec<Uuid> = (0..6).map(|_| Uuid::new_v4()).collect();
    let admin = server.admin();
    for (number, id) in ids.iter().enumerate().take(3) {
        assert_eq!(admin.send(&insert(*id, number)).status, 200);
    }
    disk.fail(Fault::SyncsFail, "/databases/");
    let refused = admin.send(&insert(ids[3], 3));
    assert_ne!(refused.status, 200, "{refused}");
    check("a sync", &refused);
    disk.work();
    // It listens on another port, as no port was given.
    let starts = || server.log().lines().filter(|line| line.contains("listening on")).count();
    comes_true(|| starts() == 2);
    let log = server.log();
    assert_eq!(starts(), 2, "{log}");
    assert!(log.contains("the disk failed at a sync"), "{log}");
    let line = log.lines().rfind(|line| line.contains("listening on")).unwrap_or_default();
    let (_, address) = line.split_once("listening on ").unwrap();
    let admin = Client::new(address.trim(), Some(firn_tests::server::ADMIN_TOKEN));
    check_rows(&admin, &ids, "started anew");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM D.PUBLIC.BIG"), "20000");
    sql_in_time(&admin, "INSERT INTO D.PUBLIC.T VALUES (100)");
}

/// A write may take less than it was given; nobody notices.
#[test]
fn short_writes_lose_nothing() {
    let Some(disk) = FailingDisk::build() else { return };
    let server = disk.start();
    let admin = server.admin();
    disk.fail(Fault::ShortWrites, server.data_dir().to_str().unwrap());
    prepare(&admin);
    for number in 0..20 {
        assert_eq!(admin.send(&insert(Uuid::new_v4(), number)).status, 200);
    }
    let before = admin.rows("SELECT COUNT(*), SUM(N), SUM(HASH(S)) FROM D.PUBLIC.BIG");
    let result = admin.sql("SELECT N, S FROM D.PUBLIC.BIG ORDER BY N");
    let content: Vec<u8> = (0..500_000_u32).flat_map(u32::to_le_bytes).collect();
    let path = "/api/v2/databases/FIRN/schemas/PUBLIC/stages/S/files/large";
    assert_eq!(admin.send(&Request { body: content.clone(), ..Request::new("PUT", path) }).status, 200);
    let server = server.kill_and_restart();
    let admin = server.admin();
    assert_eq!(admin.cell("SELECT COUNT(*) FROM D.PUBLIC.T"), "20");
    assert_eq!(admin.rows("SELECT COUNT(*), SUM(N), SUM(HASH(S)) FROM D.PUBLIC.BIG"), before);
    for partition in ["0", "1"] {
        let request = Request::get(&format!("{STATEMENTS}/{}", result.handle())).query("partition", partition);
        let fetched = admin.send(&request);
        assert_eq!(fetched.status, 200, "{fetched}");
        assert!(!fetched.rows().is_empty(), "partition {partition}");
    }
    assert!(admin.send(&Request::get(path).header("accept", "*/*")).body == content, "a staged file has changed");
}

#[test]
fn reads_that_fail_are_reported_and_tried_again() {
    let Some(disk) = FailingDisk::build() else { return };
    let mut stopped = disk.start();
    prepare(&stopped.admin());
    let result = stopped.admin().sql("SELECT N, S FROM D.PUBLIC.BIG ORDER BY N").handle();
    // What the engine has in memory, as after the replay of a log, it does not read again.
    assert!(stopped.terminate().success(), "{}", stopped.log());
    let server = stopped.start_again();
    let admin = server.admin();
    let download = || {
        let path = "/api/v2/databases/FIRN/schemas/PUBLIC/stages/S/files/before";
        admin.try_send(&Request::get(path).header("accept", "*/*"))
    };
    let refused = |what: &str, response: &Response| {
        assert_ne!(response.status, 200, "{what}: {response}");
        check(what, response);
    };
    disk.fail(Fault::ReadsFail, "/results/");
    for partition in ["0", "1"] {
        let request = Request::get(&format!("{STATEMENTS}/{result}")).query("partition", partition);
        refused("a result", &admin.send(&request));
    }
    disk.fail(Fault::ReadsFail, "/stages/");
    let loaded = admin.sql("SELECT COUNT(*) FROM @S/before (FILE_FORMAT => 'F')");
    assert_ne!(loaded.status, 200, "{loaded}");
    // The answer may have begun; then it does not end.
    assert!(download().map_or(true, |response| response.status != 200), "a file that cannot be read was sent");
    disk.fail(Fault::ReadsFail, "/databases/D.duckdb");
    refused("a table", &admin.sql("SELECT SUM(N), MIN(S) FROM D.PUBLIC.BIG"));
    disk.work();
    sql_in_time(&admin, "SELECT SUM(N), MIN(S) FROM D.PUBLIC.BIG");
    assert_eq!(admin.status(&result).status, 200);
    assert_eq!(download().unwrap().body.len(), 1_000);
}

/// A start on a disk that fails says what is wrong, or serves what can be served and the rest later.
#[test]
fn a_start_on_a_failing_disk_says_what_is_wrong() {
    let Some(disk) = FailingDisk::build() else { return };
    let mut server = disk.start();
    prepare(&server.admin());
    assert!(server.terminate().success(), "{}", server.log());
    let data_dir = server.data_dir().to_str().unwrap().to_owned();
    for (fault, part, said) in [
        (Fault::ReadOnly, data_dir.as_str(), ["Read-only file system", data_dir.as_str()]),
        (Fault::ReadsFail, "/firn.sqlite", ["state file", "disk I/O error"]),
        (Fault::ReadOnly, "/firn.sqlite", ["state f", "Read-only file system"]),
    ] {
        disk.fail(fault, part);
        let (status, output) = server.start_a_second_one();
        assert!(!status.success(), "{fault:?} at {part}: {output}");
        assert!(said.iter().all(|word| output.contains(word)), "{fault:?} at {part}: {output}");
        assert!(!output.contains("panicked"), "{output}");
    }
    for fault in [Fault::ReadsFail, Fault::ReadOnly] {
        disk.fail(fault, "/databases/D.duckdb");
        let mut started = server.start_again();
        let admin = started.admin();
        let refused = admin.sql("SELECT COUNT(*) FROM D.PUBLIC.BIG");
        assert_ne!(refused.status, 200, "{fault:?}: {refused}");
        check("a database", &refused);
        admin.rows("CREATE OR REPLACE TABLE FIRN.PUBLIC.OTHER AS SELECT 1 AS N");
        disk.work();
        let response = sql_in_time(&admin, "SELECT COUNT(*) FROM D.PUBLIC.BIG");
        assert_eq!(response.rows()[0][0].as_deref(), Some("20000"), "{fault:?}");
        assert!(started.terminate().success(), "{}", started.log());
    }
}

/// SIGTERM while files are copied: what is restored goes, and the command says so.
#[test]
fn a_signal_breaks_a_restore_off() {
    let Some(disk) = FailingDisk::build() else { return };
    let mut server = disk.start();
    prepare(&server.admin());
    assert!(server.terminate().success(), "{}", server.log());
    let place = |name: &str| disk.folder.path().join(name);
    let begin = |arguments: &[&str]| {
        let mut command = Command::new(firn_tests::server::binary());
        command.args(arguments).envs(disk.variables()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("start firn")
    };
    let firn = |arguments: &[&str]| begin(arguments).wait_with_output().expect("wait for firn");
    let (to, backup, data) = (place("backups"), place("backups/one"), place("data"));
    let data_dir = server.data_dir().to_str().unwrap();
    let made = firn(&["backup", "--data-dir", data_dir, "--to", to.to_str().unwrap(), "--name", "one"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let arguments = ["restore", "--from", backup.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
    disk.fail(Fault::SlowWrites, "/restoring/");
    let process = begin(&arguments);
    while !data.join("restoring/firn.sqlite").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").arg(process.id().to_string()).status().unwrap().success());
    let broken_off = process.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&broken_off.stderr).into_owned();
    assert!(!broken_off.status.success() && said.contains("broken off by a signal"), "{said}");
    assert!(!data.exists(), "something stays");
    disk.work();
    assert!(firn(&arguments).status.success());
}

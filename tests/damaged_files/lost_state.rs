//! A state file that does not know the databases beside it: nothing of them is removed.

use std::fs;
use std::path::{Path, PathBuf};

use firn_tests::{Request, Response, Server};

use super::{WHOLE, stopped};

const FILE: &str = "/api/v2/databases/WHOLE/schemas/PUBLIC/stages/S/files/a.csv";

fn log(server: &Server) -> PathBuf {
    server.data_dir().join("firn.sqlite-wal")
}

fn check_whole(server: &Server) {
    let admin = server.admin();
    assert_eq!(admin.cell(&format!("SELECT COUNT(*) FROM {WHOLE}")), "50000");
    let file: Response = admin.send(&Request::get(FILE).header("accept", "*/*"));
    assert_eq!((file.status, file.body.as_slice()), (200, b"1,2".as_slice()), "{file}");
}

fn check_refused(server: &Server, parts: &[&str]) {
    let (status, output) = server.start_a_second_one();
    assert!(!status.success(), "{output}");
    for part in parts {
        assert!(output.contains(part), "the message does not say {part}: {output}");
    }
    assert!(!output.contains("This is the first start"), "{output}");
}

#[test]
fn a_state_file_that_lost_the_account_with_its_log_stops_the_start() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE WHOLE");
    admin.rows("CREATE TABLE WHOLE.PUBLIC.T AS SELECT SEQ4() AS N FROM TABLE(GENERATOR(ROWCOUNT => 50000))");
    admin.rows("CREATE STAGE WHOLE.PUBLIC.S");
    assert_eq!(admin.send(&Request { body: b"1,2".to_vec(), ..Request::new("PUT", FILE) }).status, 200);
    server.kill();
    let sound = fs::read(log(&server)).unwrap();
    let damages: [fn(&Path); 3] = [
        |log| fs::remove_file(log).unwrap(),
        |log| fs::write(log, []).unwrap(),
        |log| fs::write(log, "no log at all".repeat(9_000)).unwrap(),
    ];
    for damage in damages {
        damage(&log(&server));
        check_refused(
            &server,
            &["firn.sqlite", "no account", "database files", "firn.sqlite-wal", "not a first start"],
        );
    }
    // The index of the log is made anew without its file.
    let _ = fs::remove_file(server.data_dir().join("firn.sqlite-shm"));
    fs::write(log(&server), sound).unwrap();
    check_whole(&server.start_again());
}

#[test]
fn the_state_file_of_another_folder_stops_the_start() {
    let server = stopped();
    let own = fs::read(server.data_dir().join("firn.sqlite")).unwrap();
    for change in ["CREATE DATABASE ELSEWHERE", "DROP DATABASE FIRN"] {
        let mut other = Server::start();
        other.admin().rows(change);
        assert!(other.terminate().success(), "{}", other.log());
        fs::copy(other.data_dir().join("firn.sqlite"), server.data_dir().join("firn.sqlite")).unwrap();
        check_refused(&server, &["firn.sqlite", "another folder", "WHOLE.duckdb", "HURT.duckdb"]);
    }
    fs::write(server.data_dir().join("firn.sqlite"), own).unwrap();
    check_whole(&server.start_again());
}

#[test]
fn databases_that_the_state_file_has_lost_are_named_and_left_alone() {
    let mut server = stopped().start_again();
    let admin = server.admin();
    admin.rows("CREATE DATABASE LATER");
    admin.rows("CREATE STAGE LATER.PUBLIC.S");
    let file = FILE.replace("WHOLE", "LATER");
    assert_eq!(admin.send(&Request { body: b"1,2".to_vec(), ..Request::new("PUT", &file) }).status, 200);
    server.kill();
    let sound = fs::read(log(&server)).unwrap();
    let state = fs::read(server.data_dir().join("firn.sqlite")).unwrap();
    fs::write(log(&server), []).unwrap();
    let folders = || fs::read_dir(server.data_dir().join("stages")).unwrap().count();
    let before = folders();
    let mut started = server.start_again();
    let report = started.log();
    let said = report.lines().find(|line| line.contains("LATER.duckdb")).unwrap_or_default();
    for part in ["ERROR", "does not know", "left alone", "backup"] {
        assert!(said.contains(part), "the start does not say {part}: {report}");
    }
    check_whole(&started);
    // Which stages were those of the database, nobody knows.
    started.admin().rows("DROP STAGE HURT.PUBLIC.S");
    started.admin().rows("CREATE DATABASE ANOTHER");
    assert!(folders() >= before - 1, "stages of a database that may come back are gone");
    started.kill();
    for (name, content) in [("firn.sqlite", state), ("firn.sqlite-wal", sound)] {
        fs::write(server.data_dir().join(name), content).unwrap();
    }
    let _ = fs::remove_file(server.data_dir().join("firn.sqlite-shm"));
    let server = server.start_again();
    let found = server.admin().send(&Request::get(&file).header("accept", "*/*"));
    assert_eq!((found.status, found.body.as_slice()), (200, b"1,2".as_slice()), "{found}");
}

/// As a server leaves it that was killed before the catalog had the database, or after it had it no longer.
#[test]
fn what_a_crash_left_of_a_database_is_removed() {
    let server = stopped();
    let databases = server.data_dir().join("databases");
    fs::copy(databases.join("WHOLE.duckdb"), databases.join("BROKEN_OFF.duckdb")).unwrap();
    for marked in ["BROKEN_OFF", "WHOLE"] {
        fs::write(databases.join(format!("{marked}.duckdb.unsettled")), []).unwrap();
    }
    let server = server.start_again();
    check_whole(&server);
    let left: Vec<String> = fs::read_dir(&databases)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("BROKEN_OFF") || name.ends_with(".unsettled"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!server.log().contains("does not know"), "{}", server.log());
    server.admin().rows("CREATE DATABASE MADE DATA_RETENTION_TIME_IN_DAYS = 0");
    server.admin().rows("CREATE OR REPLACE DATABASE MADE DATA_RETENTION_TIME_IN_DAYS = 0");
    server.admin().rows("DROP DATABASE MADE");
    let marks = fs::read_dir(&databases)
        .unwrap()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".unsettled")));
    assert_eq!(marks.count(), 0, "a mark outlives its change");
}

//! Backups while everything is written, and while the server dies.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use firn_tests::server::ADMIN_TOKEN;
use firn_tests::{Client, Request, Server};
use serde_json::json;

use super::{back_up, firn, folder, put, restored, server_with_backups, succeeds};

const BACKUPS: usize = 6;
const ACCOUNTS: u64 = 100;

/// Money goes from one account to another; the sum stays.
fn transfer(client: &Client, database: &str, stop: &AtomicBool) {
    let mut turn = 0;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        let (from, to) = (turn * 7 % ACCOUNTS, turn * 13 % ACCOUNTS);
        let script = format!(
            "BEGIN; UPDATE {database}.PUBLIC.ACCOUNTS SET MONEY = MONEY - 5 WHERE ID = {from}; \
             UPDATE {database}.PUBLIC.ACCOUNTS SET MONEY = MONEY + 5 WHERE ID = {to}; COMMIT"
        );
        let response = client.sql_with(&script, json!({"parameters": {"MULTI_STATEMENT_COUNT": "4"}}));
        assert_eq!(response.status, 200, "{response}");
    }
}

/// A number in ONE, then in TWO: TWO is never ahead.
fn follow(client: &Client, stop: &AtomicBool) {
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        client.rows(&format!("INSERT INTO ONE.PUBLIC.STEPS VALUES ({number})"));
        client.rows(&format!("INSERT INTO TWO.PUBLIC.STEPS VALUES ({number})"));
    }
}

/// A file on the stage, then its name in a table; the name goes before the file does.
fn stage_files(client: &Client, stop: &AtomicBool) {
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        put(client, &format!("f{number:06}"), format!("{number:06}").as_bytes());
        client.rows(&format!("INSERT INTO SHOP.PUBLIC.FILES VALUES ('f{number:06}')"));
        if number > 20 {
            let old = number - 20;
            client.rows(&format!("DELETE FROM SHOP.PUBLIC.FILES WHERE NAME = 'f{old:06}'"));
            client.rows(&format!("REMOVE @SHOP.PUBLIC.S/f{old:06}"));
        }
    }
}

/// Tables of many blocks are made and dropped, whose blocks the engine uses again.
fn make_tables(client: &Client, stop: &AtomicBool) {
    let mut number = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        client.rows(&format!(
            "CREATE OR REPLACE TABLE ONE.PUBLIC.BULK{} AS SELECT {number} AS TURN, SEQ4() AS N, RANDSTR(20, RANDOM()) AS S \
             FROM TABLE(GENERATOR(ROWCOUNT => 150000))",
            number % 2
        ));
    }
}

/// Statements whose outcome somebody may ask for.
fn note_handles(client: &Client, handles: &Mutex<Vec<String>>, next: &AtomicU64, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let response = client.sql(&format!("INSERT INTO TWO.PUBLIC.NOTED VALUES ({number})"));
        assert_eq!(response.status, 200, "{response}");
        handles.lock().unwrap().push(response.handle());
    }
}

fn prepare(admin: &Client) {
    for database in ["ONE", "TWO", "SHOP"] {
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!("CREATE TABLE {database}.PUBLIC.STEPS (N INT)"));
        admin.rows(&format!(
            "CREATE TABLE {database}.PUBLIC.ACCOUNTS AS SELECT SEQ4() AS ID, 1000 AS MONEY \
             FROM TABLE(GENERATOR(ROWCOUNT => {ACCOUNTS}))"
        ));
    }
    admin.rows("CREATE STAGE SHOP.PUBLIC.S");
    admin.rows("CREATE TABLE SHOP.PUBLIC.FILES (NAME VARCHAR)");
    admin.rows("CREATE TABLE TWO.PUBLIC.NOTED (N INT)");
}

fn check(copy: &Server, handles: &[String]) {
    let admin = copy.admin();
    for database in ["ONE", "TWO"] {
        let sum = admin.cell(&format!("SELECT SUM(MONEY) FROM {database}.PUBLIC.ACCOUNTS"));
        assert_eq!(sum, (ACCOUNTS * 1000).to_string(), "half a transfer in {database}");
    }
    let steps = |database: &str| -> u64 {
        admin.cell(&format!("SELECT COALESCE(MAX(N), 0) FROM {database}.PUBLIC.STEPS")).parse().unwrap()
    };
    let (one, two) = (steps("ONE"), steps("TWO"));
    assert!(two == one || two + 1 == one, "ONE has {one} steps, TWO {two}");
    for row in admin.rows("SELECT NAME FROM SHOP.PUBLIC.FILES") {
        let name = row[0].clone().unwrap();
        let path = format!("/api/v2/databases/SHOP/schemas/PUBLIC/stages/S/files/{name}");
        let file = admin.send(&Request::get(&path).header("accept", "*/*"));
        assert_eq!((file.status, file.text().as_str()), (200, &name[1..]), "{name}: {file}");
    }
    for row in admin.rows("SHOW TABLES LIKE 'BULK%' IN SCHEMA ONE.PUBLIC") {
        let name = row[1].clone().unwrap();
        let found = admin.rows(&format!(
            "SELECT COUNT(*), COUNT(DISTINCT N), COUNT(DISTINCT TURN), MIN(LENGTH(S)), MAX(LENGTH(S)) FROM ONE.PUBLIC.{name}"
        ));
        let expected = ["150000", "150000", "1", "20", "20"].map(|cell| Some(cell.to_owned()));
        assert_eq!(found[0], expected, "{name} is damaged");
    }
    // What was acknowledged before the backup began has its outcome and its row.
    for handle in handles {
        let outcome = admin.status(handle);
        assert_eq!(outcome.status, 200, "{outcome}");
    }
    let rows: usize = admin.cell("SELECT COUNT(*) FROM TWO.PUBLIC.NOTED").parse().unwrap();
    assert!(rows >= handles.len(), "{rows} rows of {} acknowledged ones", handles.len());
    admin.rows("CREATE TABLE ONE.PUBLIC.AFTERWARDS AS SELECT 1 AS N");
}

#[test]
fn a_backup_beside_writers_is_of_one_moment() {
    let (server, backups) = server_with_backups();
    prepare(&server.admin());
    let (stop, handles, next) = (AtomicBool::new(false), Mutex::new(Vec::new()), AtomicU64::new(0));
    let mut acknowledged: Vec<Vec<String>> = Vec::new();
    std::thread::scope(|scope| {
        let (server, stop, handles, next) = (&server, &stop, &handles, &next);
        scope.spawn(move || transfer(&server.admin(), "ONE", stop));
        scope.spawn(move || transfer(&server.admin(), "TWO", stop));
        scope.spawn(move || follow(&server.admin(), stop));
        scope.spawn(move || stage_files(&server.admin(), stop));
        scope.spawn(move || make_tables(&server.admin(), stop));
        scope.spawn(move || note_handles(&server.admin(), handles, next, stop));
        std::thread::sleep(Duration::from_secs(2));
        for number in 0..BACKUPS {
            acknowledged.push(handles.lock().unwrap().clone());
            println!("{}", back_up(server, &format!("b{number}")));
        }
        stop.store(true, Ordering::Relaxed);
    });
    for (number, handles) in acknowledged.iter().enumerate() {
        println!("backup {number} holds {} outcomes", handles.len());
        check(&restored(&backups.path().join(format!("b{number}"))), handles);
    }
    check(&server, &handles.into_inner().unwrap());
}

/// An open transaction neither holds up a backup nor is in it.
#[test]
fn an_open_transaction_is_not_waited_for() {
    let (server, backups) = server_with_backups();
    let admin = server.admin();
    prepare(&admin);
    let slow = "BEGIN; INSERT INTO ONE.PUBLIC.STEPS VALUES (1); CALL SYSTEM$WAIT(5); INSERT INTO ONE.PUBLIC.STEPS VALUES (2); COMMIT";
    let fields = json!({"parameters": {"MULTI_STATEMENT_COUNT": "5"}});
    let request = Request::statement(slow, fields).query("async", "true");
    let handle = admin.send(&request).handle();
    std::thread::sleep(Duration::from_millis(800));
    back_up(&server, "open");
    assert_eq!(admin.status(&handle).status, 202, "the transaction has ended too early");
    let copy = restored(&backups.path().join("open"));
    assert_eq!(copy.admin().cell("SELECT COUNT(*) FROM ONE.PUBLIC.STEPS"), "0");
    assert_eq!(admin.outcome(&handle).status, 200);
    assert_eq!(admin.cell("SELECT COUNT(*) FROM ONE.PUBLIC.STEPS"), "2");
}

/// CREATE and DROP DATABASE wait for the copies, and afterwards work.
#[test]
fn databases_come_and_go_beside_a_backup() {
    let (server, backups) = server_with_backups();
    let admin = server.admin();
    prepare(&admin);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (server, stop) = (&server, &stop);
        scope.spawn(move || {
            let admin = server.admin();
            while !stop.load(Ordering::Relaxed) {
                for sql in [
                    "CREATE DATABASE COMING",
                    "CREATE TABLE COMING.PUBLIC.T AS SELECT 1 AS N",
                    "ALTER DATABASE COMING RENAME TO GOING",
                    "DROP DATABASE GOING",
                ] {
                    admin.rows(sql);
                }
            }
        });
        for number in 0..4 {
            back_up(server, &format!("b{number}"));
        }
        stop.store(true, Ordering::Relaxed);
    });
    for number in 0..4 {
        let copy = restored(&backups.path().join(format!("b{number}")));
        let admin = copy.admin();
        for row in admin.rows("SHOW DATABASES") {
            let name = row[1].clone().unwrap();
            admin.rows(&format!("SHOW TABLES IN DATABASE \"{name}\""));
        }
        assert!(!copy.log().contains("set aside"), "{}", copy.log());
    }
}

/// A kill leaves no half backup under a name, and the next one cleans up.
#[test]
fn a_server_that_dies_leaves_no_half_backup() {
    let (mut server, backups) = server_with_backups();
    let admin = server.admin();
    prepare(&admin);
    for number in 0..30 {
        put(&admin, &format!("f{number}"), &vec![b'x'; 2 << 20]);
    }
    for round in 0..4 {
        let name = format!("round{round}");
        let request = Request::post("/api/v2/backups").json(&json!({"name": name}));
        assert_eq!(server.admin().send(&request).status, 202);
        std::thread::sleep(Duration::from_millis(20 * round));
        server = server.kill_and_restart();
        if backups.path().join(&name).exists() {
            restored(&backups.path().join(&name));
        }
        assert!(!server.data_dir().join("backup-pins").exists());
    }
    back_up(&server, "last");
    let names = fs::read_dir(backups.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|name| name.starts_with(".unfinished")).collect();
    assert!(left.is_empty(), "{left:?}");
    let copy = restored(&backups.path().join("last"));
    assert_eq!(copy.admin().cell("SELECT COUNT(*) FROM ONE.PUBLIC.ACCOUNTS"), "100");
}

/// SIGTERM does not wait for a backup.
#[test]
fn a_server_that_stops_breaks_a_backup_off() {
    let (mut server, backups) = server_with_backups();
    let admin = server.admin();
    prepare(&admin);
    for number in 0..40 {
        put(&admin, &format!("f{number}"), &vec![b'x'; 4 << 20]);
    }
    let begun = admin.send(&Request::post("/api/v2/backups").json(&json!({"name": "cut"})));
    assert_eq!(begun.status, 202, "{begun}");
    assert!(server.terminate().success(), "{}", server.log());
    let cut = backups.path().join("cut");
    assert!(!cut.exists() || cut.join("manifest.json").exists());
    let left = fs::read_dir(backups.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".unfinished"));
    assert_eq!(left.count(), 0);
}

/// A target without room: the error says so, nothing stays there, and the server goes on.
#[test]
fn a_full_target_harms_nobody() {
    let data = folder("firn-full-");
    let backups = folder("firn-small-target-");
    let (data_dir, target) = (data.path().to_str().unwrap(), backups.path().to_str().unwrap());
    // The small disk is seen by the server and by what asks it, in a namespace of their own.
    let script = format!(
        "mount -t tmpfs -o size=3m none {target} && exec {} serve --listen 127.0.0.1:0 --data-dir {data_dir} --backup-dir {target}",
        firn_tests::server::binary().display()
    );
    let server = Server::start_by_script(&script);
    let admin = server.admin();
    prepare(&admin);
    put(&admin, "large", &vec![b'x'; 8 << 20]);
    let output = firn(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN, "--name", "large"]);
    let said = super::text(&output);
    assert!(!output.status.success() && said.contains("no room is left"), "{said}");
    admin.rows("INSERT INTO ONE.PUBLIC.STEPS VALUES (1)");
    let place = format!("/proc/{}/root{target}", server.process_id());
    let left: Vec<String> =
        fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(left, [".lock"]);
    admin.rows("REMOVE @SHOP.PUBLIC.S/large");
    for database in ["ONE", "TWO"] {
        admin.rows(&format!("DROP DATABASE {database}"));
    }
    // What is left may still be more than the small disk takes; either way the answer is clear.
    let output = firn(&["backup", "--url", server.base_url(), "--token", ADMIN_TOKEN, "--name", "again"]);
    assert!(output.status.success() || super::text(&output).contains("no room is left"), "{}", super::text(&output));
    succeeds(&["backup", "--help"]);
}

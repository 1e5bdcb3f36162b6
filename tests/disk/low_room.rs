//! A disk that has little room left: what takes much is refused while small statements go on, and on a full one room can be
//! made.

use std::fs;
use std::path::Path;

use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::json;

use super::{DISK_FULL, MANY_ROWS, check_full, database_bytes, fill, free_bytes, make_room, put, sql_in_time};

const DISK_BYTES: u64 = 256 << 20;
/// What is left to small statements on such a disk.
const RESERVE_BYTES: u64 = DISK_BYTES / 4;
/// What may be taken of it before a statement is stopped, and by the records of statements.
const SLACK_BYTES: u64 = 16 << 20;

/// Some 30 MB that no compression makes smaller.
fn create_database(admin: &Client, name: &str) {
    admin.rows(&format!("CREATE DATABASE {name}"));
    admin.rows(&format!(
        "CREATE TABLE {name}.PUBLIC.BIG AS SELECT RANDSTR(300, RANDOM()) AS S FROM TABLE(GENERATOR(ROWCOUNT => 100000))"
    ));
}

/// Small statements of others go on.
fn check_reserve(server: &Server, admin: &Client) {
    let free = free_bytes(server);
    assert!(free > RESERVE_BYTES - SLACK_BYTES, "{free} bytes are left");
    admin.rows("CREATE OR REPLACE TABLE FIRN.PUBLIC.SMALL AS SELECT 1 AS N");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FIRN.PUBLIC.SMALL"), "1");
}

fn ready(server: &Server) -> Response {
    server.stranger().send(&Request::get("/readyz"))
}

#[test]
fn a_clone_of_a_database_leaves_the_reserve() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[]);
    let admin = server.admin();
    create_database(&admin, "SOURCE");
    let is_cloned = |number: &usize| {
        let response = admin.sql(&format!("CREATE DATABASE CLONE{number} CLONE SOURCE"));
        let is_cloned = response.status == 200;
        if !is_cloned {
            check_full(&response);
        }
        is_cloned
    };
    let cloned = (0..9).take_while(is_cloned).count();
    assert!((1..9).contains(&cloned), "{cloned} clones");
    check_reserve(&server, &admin);
    assert_eq!(database_bytes(&server, &format!("CLONE{cloned}")), 0, "a part of the last clone stays");
    check_full(&admin.sql("CREATE DATABASE ONE_MORE CLONE SOURCE"));
    check_full(&admin.sql("CREATE OR REPLACE DATABASE CLONE0 CLONE SOURCE"));
    assert_eq!(admin.cell("SELECT COUNT(*) FROM CLONE0.PUBLIC.BIG"), "100000");
    check_reserve(&server, &admin);
}

#[test]
fn files_of_stages_leave_the_reserve() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[]);
    let admin = server.admin();
    create_database(&admin, "SOURCE");
    admin.rows("CREATE STAGE S");
    for (size, name) in [(20 << 20, "large"), (1 << 20, "middling"), (64 << 10, "small")] {
        let refused =
            (0..40).map(|number| put(&admin, "~", &format!("{name}{number}"), size)).find(|put| put.status != 200);
        let refused = refused.expect("files take the whole disk");
        assert_eq!(refused.status, 507, "{refused}");
        check_full(&refused);
        check_reserve(&server, &admin);
    }
    for format in ["TYPE = CSV COMPRESSION = NONE", "TYPE = PARQUET"] {
        let unloaded = admin.sql(&format!("COPY INTO @S/out FROM SOURCE.PUBLIC.BIG FILE_FORMAT = ({format})"));
        check_full(&unloaded);
        check_reserve(&server, &admin);
    }
    assert_eq!(admin.rows("LIST @S").len(), 0);
    admin.rows("REMOVE @~");
    admin.rows("COPY INTO @S/out FROM SOURCE.PUBLIC.BIG FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE)");
}

/// An unload that begins with enough room is stopped when that is used up, and takes nothing in the end.
#[test]
fn an_unload_is_stopped_at_the_reserve() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[]);
    let admin = server.admin();
    create_database(&admin, "SOURCE");
    admin.rows("CREATE STAGE S");
    fill(&server, RESERVE_BYTES + (12 << 20));
    let before = free_bytes(&server);
    let unload = "COPY INTO @S/out FROM SOURCE.PUBLIC.BIG FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE)";
    check_full(&admin.outcome(&admin.submit_async(unload)));
    assert!(comes_true(|| free_bytes(&server) + (4 << 20) > before), "{} bytes are left", free_bytes(&server));
    check_reserve(&server, &admin);
}

#[test]
fn results_leave_the_reserve_and_small_ones_are_stored() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[]);
    let admin = server.admin();
    create_database(&admin, "SOURCE");
    let select = |number: usize| admin.sql(&format!("SELECT S, {number} FROM SOURCE.PUBLIC.BIG"));
    let refused = (0..20).map(select).find(|response| response.status != 200).expect("results take the whole disk");
    check_full(&refused);
    check_reserve(&server, &admin);
    fill(&server, RESERVE_BYTES / 4 * 3);
    let small = admin.sql("SELECT S FROM SOURCE.PUBLIC.BIG LIMIT 200");
    assert_eq!(small.status, 200, "60 kB are shown: {small}");
    let said = ready(&server);
    assert_eq!((said.status, said.json()["status"].clone()), (200, json!("ready")), "{said}");
    assert!(said.text().contains("the disk is nearly full"), "{said}");
}

#[test]
fn spilling_that_finds_no_room_is_a_full_disk() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[("FIRN_MEMORY_LIMIT", "150MB")]);
    let admin = server.admin();
    let spilling = format!("SELECT COUNT(*) FROM (SELECT DISTINCT A, B, C FROM ({MANY_ROWS}))");
    let response = admin.outcome(&admin.submit_async(&spilling));
    assert_eq!(response.json()["sqlState"], DISK_FULL, "{response}");
    admin.rows("CREATE TABLE FIRN.PUBLIC.SMALL AS SELECT 1 AS N");
}

/// Uses up what the state file and the logs still have, until nothing can be written.
fn use_up(server: &Server, admin: &Client) {
    let is_refused = |_: usize| admin.sql("INSERT INTO OTHER.PUBLIC.T VALUES (1)").status != 200;
    fill(server, 0);
    let refused = (0..2_000).filter(|number| is_refused(*number)).take(20).count();
    assert_eq!(refused, 20, "the disk is not full");
}

fn drop_large_database(server: &Server, admin: &Client) {
    let before = free_bytes(server);
    sql_in_time(admin, "ALTER DATABASE LARGE SET DATA_RETENTION_TIME_IN_DAYS = 0");
    sql_in_time(admin, "DROP DATABASE LARGE");
    assert!(free_bytes(server) > before + (16 << 20), "{} bytes are left", free_bytes(server));
    sql_in_time(admin, "INSERT INTO OTHER.PUBLIC.T VALUES (2)");
}

#[test]
fn on_a_full_disk_a_database_can_be_dropped() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[("FIRN_SWEEP_INTERVAL_MS", "300")]);
    let admin = server.admin();
    create_database(&admin, "LARGE");
    // The log is written back with the next change.
    admin.rows("INSERT INTO LARGE.PUBLIC.BIG VALUES ('one more')");
    admin.rows("CREATE DATABASE OTHER");
    admin.rows("CREATE TABLE OTHER.PUBLIC.T (N INT)");
    admin.rows("CREATE TABLE OTHER.PUBLIC.SHORT_LIVED (N INT) DATA_RETENTION_TIME_IN_DAYS = 0");
    use_up(&server, &admin);
    let said = ready(&server);
    assert_eq!((said.status, said.json()["status"].clone()), (503, json!("broken")), "{said}");
    assert!(said.text().contains("the disk is full"), "{said}");
    sql_in_time(&admin, "DROP TABLE OTHER.PUBLIC.SHORT_LIVED");
    drop_large_database(&server, &admin);
    make_room(&server);
    let reserved = server.own_data_dir().join("reserved-room");
    let is_whole = || fs::metadata(&reserved).is_ok_and(|found| found.len() == RESERVE_BYTES / 8);
    assert!(comes_true(is_whole), "no room is set aside again");
    assert!(comes_true(|| ready(&server).json() == json!({"status": "ready"})), "{}", ready(&server));
}

/// The server starts with the room that is set aside; without any it says what is wrong.
#[test]
fn a_start_on_a_full_disk_makes_room_or_says_that_it_is_full() {
    let folder = tempfile::Builder::new().prefix("firn-full-").tempdir().expect("a temporary folder");
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(place("data")).unwrap();
    let script = START_ON_FULL_DISK
        .replace("$DATA", &place("data"))
        .replace("$OUT", &place("out"))
        .replace("$FIRN", &firn_tests::server::binary().display().to_string());
    let server = Server::start_by_script(&script);
    let said = fs::read_to_string(place("out")).unwrap();
    assert!(said.contains("is full") && said.contains("start needs"), "{said}");
    assert!(!said.contains("bring the file"), "{said}");
    let admin = server.admin();
    sql_in_time(&admin, "CREATE OR REPLACE TABLE FIRN.PUBLIC.SMALL AS SELECT 1 AS N");
    let data = format!("/proc/{}/root{}", server.process_id(), place("data"));
    assert!(Path::new(&data).join("reserved-room").exists(), "no room is set aside again");
}

/// A first server is stopped and the disk filled, first without the room that is set aside.
const START_ON_FULL_DISK: &str = r#"
    mount -t tmpfs -o size=64m none $DATA
    serve="$FIRN serve --listen 127.0.0.1:0 --data-dir $DATA"
    $serve > $OUT 2>&1 & first=$!
    until grep -q 'is ready' $OUT; do sleep 0.1; done
    kill $first; wait $first
    rm $DATA/reserved-room; cat /dev/zero > $DATA/filler 2>/dev/null
    if $serve > $OUT 2>&1; then exit 1; fi
    truncate -s -2M $DATA/filler; head -c 2M /dev/zero > $DATA/reserved-room; cat /dev/zero >> $DATA/filler 2>/dev/null
    exec $serve
"#;

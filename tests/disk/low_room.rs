//! A disk that has little room left: what takes much is refused while small statements go on, and on a full one room can be
//! made.

use std::fs;
use std::path::Path;
use std::time::Duration;

use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::json;
use uuid::Uuid;

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

/// Texts of statements, and those that blocks compute, are recorded; both could take the disk that others need.
#[test]
fn texts_of_statements_leave_the_reserve() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[]);
    let admin = server.admin();
    admin.rows("CREATE USER TALKER");
    let token = admin.rows("ALTER USER TALKER ADD PROGRAMMATIC ACCESS TOKEN T").remove(0).remove(1);
    let user = server.client(&token.unwrap_or_default());
    fill(&server, RESERVE_BYTES + (6 << 20));
    let text = |number: usize| format!("SELECT {number} /* {} */", "0123456789abcdef".repeat(50_000));
    let refused = (0..80).map(|number| user.sql(&text(number))).find(|response| response.status != 200);
    let refused = refused.expect("texts take the whole disk");
    check_full(&refused);
    assert!(refused.text().contains("only statements of up to"), "{refused}");
    check_reserve(&server, &admin);
    assert_eq!(user.cell("SELECT 1"), "1");
    admin.rows(
        "BEGIN FOR I IN 1 TO 80 DO EXECUTE IMMEDIATE 'SELECT 1 /* ' || REPEAT('0123456789abcdef', 50000) || ' */'; END FOR; END",
    );
    check_reserve(&server, &admin);
}

/// Spilling ends at the reserve, also where less is free than when the server started.
#[test]
fn spilling_that_finds_no_room_is_a_full_disk() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[("FIRN_MEMORY_LIMIT", "150MB")]);
    let admin = server.admin();
    let spilling = format!("SELECT COUNT(*) FROM (SELECT DISTINCT A, B, C FROM ({MANY_ROWS}))");
    for left in [None, Some(RESERVE_BYTES + (32 << 20))] {
        if let Some(left) = left {
            fill(&server, left);
            // The limit follows within a second.
            std::thread::sleep(Duration::from_millis(1_500));
        }
        let handle = admin.submit_async(&spilling);
        let mut least = free_bytes(&server);
        while server.admin().send(&Request::get(&format!("/api/v2/statements/{handle}"))).status == 202 {
            least = least.min(free_bytes(&server));
        }
        let response = admin.outcome(&handle);
        assert_eq!(response.json()["sqlState"], DISK_FULL, "{response}");
        assert!(least > RESERVE_BYTES - (4 << 20), "{least} bytes were left");
        assert!(least < RESERVE_BYTES + (24 << 20), "nothing was spilled: {least} bytes were left");
        check_reserve(&server, &admin);
    }
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

/// Neither what comes before nor the drop itself writes the log back, which needs as much room as the log has.
#[test]
fn on_a_full_disk_a_database_with_a_long_log_can_be_dropped() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[("FIRN_SWEEP_INTERVAL_MS", "300")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE OTHER");
    admin.rows("CREATE TABLE OTHER.PUBLIC.T (N INT)");
    create_database(&admin, "LARGE");
    admin.rows("INSERT INTO LARGE.PUBLIC.BIG VALUES ('one more')");
    let insert = "INSERT INTO LARGE.PUBLIC.BIG SELECT RANDSTR(300, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => 9000))";
    while log_bytes(&server, "LARGE") < 12 << 20 {
        admin.rows(insert);
    }
    use_up(&server, &admin);
    drop_large_database(&server, &admin);
    assert_eq!(database_bytes(&server, "LARGE"), 0, "a file of it stays");
    make_room(&server);
    assert!(comes_true(|| ready(&server).json() == json!({"status": "ready"})), "{}", ready(&server));
}

/// Statements that are not authorised, find nothing or remove nothing do not get the room that is set aside.
#[test]
fn who_may_not_make_room_does_not_use_up_what_is_set_aside() {
    let server = Server::start_on_small_disk(DISK_BYTES, &[("FIRN_SWEEP_INTERVAL_MS", "300000")]);
    let admin = server.admin();
    for sql in [
        "CREATE DATABASE OTHER",
        "CREATE TABLE OTHER.PUBLIC.T (N INT)",
        "CREATE STAGE OTHER.PUBLIC.S",
        "CREATE DATABASE DROPPED",
        "DROP DATABASE DROPPED",
        "CREATE USER STRANGER",
    ] {
        admin.rows(sql);
    }
    let token = admin.rows("ALTER USER STRANGER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let stranger = server.client(&token);
    assert_eq!(put(&admin, "~", "a", 100).status, 200);
    use_up(&server, &admin);
    let reserved = || fs::metadata(server.own_data_dir().join("reserved-room")).map_or(0, |found| found.len());
    let before = reserved();
    assert!(before > 1 << 20, "{before} bytes are set aside");
    for sql in [
        "DROP DATABASE OTHER",
        "DROP DATABASE IF EXISTS OTHER",
        "DROP TABLE OTHER.PUBLIC.T",
        "DROP TABLE IF EXISTS OTHER.PUBLIC.T",
        "TRUNCATE TABLE OTHER.PUBLIC.T",
        "TRUNCATE TABLE IF EXISTS OTHER.PUBLIC.T",
        "DROP STAGE OTHER.PUBLIC.S",
        "REMOVE @OTHER.PUBLIC.S",
        "REMOVE @~",
        "UNDROP DATABASE DROPPED",
        "UNDROP TABLE OTHER.PUBLIC.T",
        "ALTER DATABASE OTHER SET DATA_RETENTION_TIME_IN_DAYS = 0",
        "ALTER TABLE OTHER.PUBLIC.T SET DATA_RETENTION_TIME_IN_DAYS = 0",
    ] {
        let response = stranger.sql(sql);
        assert_eq!(reserved(), before, "{sql}: {response}");
    }
    let id = Uuid::new_v4();
    stranger.send(&Request::statement("DROP DATABASE OTHER", json!({})).request_id(id));
    assert_eq!(reserved(), before, "a request with an id");
    for sql in ["REMOVE @~", "DROP STAGE OTHER.PUBLIC.S", "TRUNCATE TABLE OTHER.PUBLIC.T", "UNDROP DATABASE DROPPED"] {
        sql_in_time(&admin, sql);
    }
}

fn log_bytes(server: &Server, database: &str) -> u64 {
    let files = fs::read_dir(server.own_data_dir().join("databases")).unwrap().map(|entry| entry.unwrap());
    let mut logs = files.filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with(database) && name.ends_with(".wal")
    });
    logs.next().map_or(0, |log| log.metadata().unwrap().len())
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

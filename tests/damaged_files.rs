//! Files that are damaged or gone when the server starts: it says what is wrong, serves what is whole, and changes nothing.

#[path = "damaged_files/lost_state.rs"]
mod lost_state;
#[path = "damaged_files/while_running.rs"]
mod while_running;

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use firn_tests::{Client, Request, Server};

const WHOLE: &str = "WHOLE.PUBLIC.T";

/// A stopped server with two databases, one of which will be damaged.
fn stopped() -> Server {
    let mut server = Server::start();
    let admin = server.admin();
    for database in ["WHOLE", "HURT"] {
        admin.rows(&format!("CREATE DATABASE {database}"));
        admin.rows(&format!(
            "CREATE TABLE {database}.PUBLIC.T AS SELECT SEQ4() AS N FROM TABLE(GENERATOR(ROWCOUNT => 50000))"
        ));
        admin.rows(&format!("CREATE STAGE {database}.PUBLIC.S"));
        let file = format!("/api/v2/databases/{database}/schemas/PUBLIC/stages/S/files/a.csv");
        let put = Request { body: b"1,2".to_vec(), ..Request::new("PUT", &file) };
        assert_eq!(admin.send(&put).status, 200);
    }
    admin.rows("CREATE ROLE SOMEBODY");
    admin.rows("CREATE USER SOMEBODY DEFAULT_ROLE = SOMEBODY");
    admin.rows("GRANT ROLE SOMEBODY TO USER SOMEBODY");
    assert!(server.terminate().success(), "{}", server.log());
    server
}

/// A way of damaging a database file, and its name.
type Damage = (&'static str, fn(&Path));

fn damages() -> Vec<Damage> {
    fn overwrite(file: &Path, from: usize, to: usize) {
        let mut bytes = fs::read(file).unwrap();
        let to = to.min(bytes.len());
        bytes[from.min(to)..to].fill(0x5a);
        fs::write(file, bytes).unwrap();
    }
    vec![
        ("empty", |file| fs::write(file, []).unwrap()),
        ("another file", |file| fs::write(file, "this is a text and no database at all".repeat(1000)).unwrap()),
        ("no header", |file| overwrite(file, 0, 4096)),
        ("broken headers", |file| overwrite(file, 4096, 12288)),
        ("cut", |file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() / 3]).unwrap();
        }),
        ("broken blocks", |file| overwrite(file, 12288, usize::MAX)),
        ("missing", |file| fs::remove_file(file).unwrap()),
    ]
}

/// Everything that needs the database names it and says what to do.
fn check_refusals(admin: &Client) {
    for sql in [
        "SELECT * FROM HURT.PUBLIC.T",
        "SELECT * FROM WHOLE.PUBLIC.T, HURT.PUBLIC.T",
        "INSERT INTO HURT.PUBLIC.T VALUES (1)",
        "CREATE TABLE HURT.PUBLIC.U (N INT)",
        "CREATE SCHEMA HURT.MORE",
        "TRUNCATE TABLE IF EXISTS HURT.PUBLIC.T",
        "DESCRIBE TABLE HURT.PUBLIC.T",
        "SHOW TABLES IN DATABASE HURT",
        "SHOW SCHEMAS IN DATABASE HURT",
        "SELECT * FROM HURT.INFORMATION_SCHEMA.TABLES",
        "LIST @HURT.PUBLIC.S",
        "ALTER DATABASE HURT RENAME TO OTHER",
        "ALTER DATABASE WHOLE SWAP WITH HURT",
        "CREATE DATABASE COPIED CLONE HURT",
    ] {
        let refused = admin.sql(sql);
        let message = refused.json()["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!(refused.status, 422, "{sql}: {refused}");
        for part in ["HURT", "set aside", "backup", "DROP DATABASE"] {
            assert!(message.contains(part), "{sql} does not say {part}: {message}");
        }
        assert!(!message.contains(" /"), "{sql} shows a path: {message}");
    }
    let two = serde_json::json!({"parameters": {"MULTI_STATEMENT_COUNT": "2"}});
    for sql in ["USE SCHEMA HURT.PUBLIC; SELECT 1", "USE DATABASE HURT; SELECT 1"] {
        let refused = admin.sql_with(sql, two.clone());
        assert!(refused.status == 422 && refused.text().contains("set aside"), "{sql}: {refused}");
    }
    for place in [serde_json::json!({"database": "HURT"}), serde_json::json!({"database": "HURT", "schema": "PUBLIC"})]
    {
        let refused = admin.sql_with("SELECT COUNT(*) FROM T", place.clone());
        assert!(refused.status == 422 && refused.text().contains("database HURT is set aside"), "{place}: {refused}");
    }
    let listed = admin.send(&Request::get("/api/v2/databases/HURT/schemas/PUBLIC/stages/S/files"));
    assert!(listed.text().contains("set aside"), "{listed}");
}

/// The others are served as if nothing had happened.
fn check_others(server: &Server) {
    let admin = server.admin();
    assert_eq!(admin.cell(&format!("SELECT COUNT(*) FROM {WHOLE}")), "50000");
    assert_eq!(
        admin.sql_with("SELECT COUNT(*) FROM T", serde_json::json!({"database": "WHOLE", "schema": "PUBLIC"})).status,
        200
    );
    // A client may send the damaged database as its default with every request.
    let elsewhere = admin
        .sql_with("SELECT COUNT(*) FROM WHOLE.PUBLIC.T", serde_json::json!({"database": "HURT", "schema": "PUBLIC"}));
    assert_eq!(elsewhere.status, 200, "{elsewhere}");
    assert_eq!(admin.rows("LIST @WHOLE.PUBLIC.S").len(), 1);
    assert!(admin.rows("SHOW TABLES IN ACCOUNT").iter().any(|row| row.contains(&Some("WHOLE".to_owned()))));
    let ready = server.stranger().send(&Request::get("/readyz"));
    assert_eq!(ready.status, 200, "{ready}");
    assert!(ready.text().contains("set aside: 1"), "{ready}");
}

fn check_listing(admin: &Client) {
    let shown = admin.sql("SHOW DATABASES LIKE 'HURT'");
    let columns = shown.json()["resultSetMetaData"]["rowType"].clone();
    let place = |name: &str| columns.as_array().unwrap().iter().position(|column| column["name"] == name).unwrap();
    let rows = shown.rows();
    assert_eq!(rows.len(), 1, "it is still there: {shown}");
    assert_eq!(rows[0][place("options")].as_deref(), Some("SET ASIDE"), "{shown}");
}

#[test]
fn a_damaged_database_is_set_aside() {
    let mut server = stopped();
    let file = server.data_dir().join("databases/HURT.duckdb");
    let (whole, sound) = (server.data_dir().join("databases/WHOLE.duckdb"), fs::read(&file).unwrap());
    for (name, damage) in damages() {
        println!("{name}");
        fs::write(&file, &sound).unwrap();
        damage(&file);
        let damaged = fs::read(&file).ok();
        let mut started = server.start_again();
        check_refusals(&started.admin());
        check_others(&started);
        check_listing(&started.admin());
        assert!(
            started.log().lines().any(|line| line.contains("HURT") && line.contains("set aside")),
            "{}",
            started.log()
        );
        assert!(started.terminate().success(), "{name}: {}", started.log());
        assert_eq!(fs::read(&file).ok(), damaged, "{name}: the file was changed");
        assert!(whole.exists());
        server = started;
    }
    // The file is back: so is everything in it, the files of its stages too.
    fs::write(&file, &sound).unwrap();
    let server = server.start_again();
    let admin = server.admin();
    assert_eq!(admin.cell("SELECT COUNT(*) FROM HURT.PUBLIC.T"), "50000");
    assert_eq!(admin.rows("LIST @HURT.PUBLIC.S").len(), 1);
    assert_eq!(server.stranger().send(&Request::get("/readyz")).json(), serde_json::json!({"status": "ready"}));
}

/// A FIFO would be waited for until somebody writes into it.
#[test]
fn what_is_no_file_is_set_aside() {
    let mut server = stopped();
    let file = server.data_dir().join("databases/HURT.duckdb");
    let (log, away) = (server.data_dir().join("databases/HURT.duckdb.wal"), server.data_dir().join("away"));
    let make_fifo = |place: &Path| assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
    let make_folder = |place: &Path| fs::create_dir(place).unwrap();
    let make_socket = |place: &Path| drop(UnixListener::bind(place).unwrap());
    type Make<'a> = &'a dyn Fn(&Path);
    let special: [(&str, Make<'_>); 3] =
        [("a FIFO", &make_fifo), ("a folder", &make_folder), ("a socket", &make_socket)];
    for (name, make) in special {
        for place in [&file, &log] {
            if *place == file {
                fs::rename(&file, &away).unwrap();
            }
            make(place);
            let mut started = server.start_again();
            check_refusals(&started.admin());
            check_others(&started);
            let said = |line: &str| line.contains("HURT") && line.contains("set aside") && line.contains(name);
            assert!(started.log().lines().any(said), "{}", started.log());
            assert!(started.terminate().success(), "{name}: {}", started.log());
            match place.is_dir() {
                true => fs::remove_dir(place).unwrap(),
                false => fs::remove_file(place).unwrap(),
            }
            if *place == file {
                fs::rename(&away, &file).unwrap();
            }
            server = started;
        }
    }
    assert_eq!(server.start_again().admin().cell("SELECT COUNT(*) FROM HURT.PUBLIC.T"), "50000");
}

/// A FIFO would be waited for, and what is written through a link goes into a file of somebody else.
#[test]
fn what_is_in_the_place_of_the_folder_s_own_files_stops_the_start() {
    let server = stopped();
    let data = server.data_dir();
    let (away, target) = (data.join("away"), data.join("target"));
    fs::write(&target, "kept").unwrap();
    let make_fifo = |place: &Path| assert!(Command::new("mkfifo").arg(place).status().unwrap().success());
    let make_folder = |place: &Path| fs::create_dir(place).unwrap();
    let make_socket = |place: &Path| drop(UnixListener::bind(place).unwrap());
    let make_link = |place: &Path| symlink(&target, place).unwrap();
    let make_file = |place: &Path| fs::write(place, "").unwrap();
    type Make<'a> = &'a dyn Fn(&Path);
    let special: [(&str, Make<'_>); 4] =
        [("a FIFO", &make_fifo), ("a folder", &make_folder), ("a socket", &make_socket), ("a link", &make_link)];
    let own = ["firn.sqlite-wal", "firn.sqlite-shm", "reserved-room", "lock"].map(|name| (name, &special[..]));
    let linked = ["firn.sqlite", "stage-credentials.key"].map(|name| (name, &special[..3]));
    let of_folders: [(&str, Make<'_>); 2] = [("a file", &make_file), ("a FIFO", &make_fifo)];
    let folders = ["databases", "stages", "results", "temp"].map(|name| (name, &of_folders[..]));
    for (name, made) in own.into_iter().chain(linked).chain(folders) {
        let place = data.join(name);
        for (kind, make) in made {
            let was_there = fs::rename(&place, &away).is_ok();
            make(&place);
            let (status, output) = server.start_a_second_one();
            assert!(!status.success(), "{name}: {output}");
            assert!(output.contains(&format!("{name}` is {kind}")), "{name} as {kind}: {output}");
            match fs::symlink_metadata(&place).unwrap().is_dir() {
                true => fs::remove_dir(&place).unwrap(),
                false => fs::remove_file(&place).unwrap(),
            }
            if was_there {
                fs::rename(&away, &place).unwrap();
            }
        }
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    fs::remove_file(&target).unwrap();
    check_whole_server(&server.start_again());
}

fn check_whole_server(server: &Server) {
    for name in ["WHOLE", "HURT"] {
        assert_eq!(server.admin().cell(&format!("SELECT COUNT(*) FROM {name}.PUBLIC.T")), "50000");
    }
}

/// Each file is that of one database, whatever it is called.
#[test]
fn exchanged_files_are_set_aside() {
    let server = stopped();
    let folder = server.data_dir().join("databases");
    let exchange = || {
        for (from, to) in [("WHOLE", "BETWEEN"), ("HURT", "WHOLE"), ("BETWEEN", "HURT")] {
            fs::rename(folder.join(format!("{from}.duckdb")), folder.join(format!("{to}.duckdb"))).unwrap();
        }
    };
    let contents = || ["WHOLE", "HURT"].map(|name| fs::read(folder.join(format!("{name}.duckdb"))).unwrap());
    exchange();
    let before = contents();
    let mut started = server.start_again();
    for name in ["WHOLE", "HURT"] {
        let refused = started.admin().sql(&format!("SELECT * FROM {name}.PUBLIC.T"));
        assert!(refused.status == 422 && refused.text().contains("set aside"), "{refused}");
        let said = |line: &str| line.contains(name) && line.contains("another database");
        assert!(started.log().lines().any(said), "{}", started.log());
    }
    assert!(started.terminate().success(), "{}", started.log());
    assert!(contents() == before, "the files were changed");
    exchange();
    let started = started.start_again();
    let admin = started.admin();
    for name in ["WHOLE", "HURT"] {
        assert_eq!(admin.cell(&format!("SELECT COUNT(*) FROM {name}.PUBLIC.T")), "50000");
    }
    // What gives a database another name or brings it back leaves its file its own.
    for statement in [
        "ALTER DATABASE HURT SWAP WITH WHOLE",
        "ALTER DATABASE HURT RENAME TO RENAMED",
        "CREATE DATABASE CLONED CLONE WHOLE",
        "DROP DATABASE WHOLE",
        "UNDROP DATABASE WHOLE",
        "CREATE OR REPLACE DATABASE CLONED CLONE RENAMED",
    ] {
        admin.rows(statement);
    }
    let started = started.kill_and_restart();
    for name in ["WHOLE", "RENAMED", "CLONED"] {
        assert_eq!(started.admin().cell(&format!("SELECT COUNT(*) FROM {name}.PUBLIC.T")), "50000");
    }
}

/// To a role that has nothing to do with the database it is as hidden as one that is whole.
#[test]
fn a_damaged_database_is_hidden_like_any_other() {
    let server = stopped();
    let file = server.data_dir().join("databases/HURT.duckdb");
    fs::write(&file, "damaged").unwrap();
    let server = server.start_again();
    let token = server.admin().rows("ALTER USER SOMEBODY ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let somebody = server.client(&token);
    for sql in [
        "SELECT * FROM {}.PUBLIC.T",
        "SHOW TABLES IN DATABASE {}",
        "INSERT INTO {}.PUBLIC.T VALUES (1)",
        "DROP DATABASE {}",
    ] {
        let answers = ["HURT", "WHOLE"].map(|name| somebody.sql(&sql.replace("{}", name)));
        let [damaged, whole] = answers.map(|answer| answer.json()["message"].as_str().unwrap_or_default().to_owned());
        assert_eq!(damaged.replace("HURT", "WHOLE"), whole, "{sql}");
    }
    assert!(somebody.rows("SHOW DATABASES").is_empty());
}

/// The ways out that the message names.
#[test]
fn a_damaged_database_can_be_given_up_or_replaced() {
    let server = stopped();
    let file = server.data_dir().join("databases/HURT.duckdb");
    fs::write(&file, "damaged").unwrap();
    let server = server.start_again();
    let admin = server.admin();
    admin.rows("CREATE OR REPLACE DATABASE HURT");
    admin.rows("CREATE TABLE HURT.PUBLIC.T AS SELECT 5 AS N");
    assert_eq!(admin.cell("SELECT N FROM HURT.PUBLIC.T"), "5");
    assert_eq!(fs::read(&file).unwrap(), b"damaged", "the damaged file is retained like that of any dropped database");
    let mut server = server.kill_and_restart();
    assert_eq!(server.admin().cell("SELECT N FROM HURT.PUBLIC.T"), "5");
    assert!(server.terminate().success());

    let file = server.data_dir().join("databases/WHOLE.duckdb");
    fs::remove_file(&file).unwrap();
    let server = server.start_again();
    let admin = server.admin();
    assert_eq!(admin.sql(&format!("SELECT * FROM {WHOLE}")).status, 422);
    admin.rows("DROP DATABASE WHOLE");
    assert_eq!(admin.sql(&format!("SELECT * FROM {WHOLE}")).code(), "002003");
    admin.rows("CREATE DATABASE WHOLE");
    admin.rows("CREATE TABLE WHOLE.PUBLIC.T AS SELECT 6 AS N");
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell(&format!("SELECT N FROM {WHOLE}")), "6");
}

/// Databases without the file that knows them are not a first start.
#[test]
fn a_missing_state_file_stops_the_start() {
    let server = stopped();
    let state = server.data_dir().join("firn.sqlite");
    let away = server.data_dir().join("away.sqlite");
    fs::rename(&state, &away).unwrap();
    for leave in [|_: &Path| (), |state: &Path| fs::write(state, []).unwrap()] {
        leave(&state);
        let (status, output) = server.start_a_second_one();
        assert!(!status.success(), "{output}");
        for part in ["firn.sqlite", "is missing", "4 database files", "not a first start", "backup", "--data-dir"] {
            assert!(output.contains(part), "the message does not say {part}: {output}");
        }
        assert!(!output.contains("This is the first start"), "{output}");
    }
    fs::rename(&away, &state).unwrap();
    assert_eq!(server.start_again().admin().cell(&format!("SELECT COUNT(*) FROM {WHOLE}")), "50000");
}

#[test]
fn a_damaged_state_file_stops_the_start() {
    let server = stopped();
    let state = server.data_dir().join("firn.sqlite");
    let damaged = "this is no state file at all ".repeat(500);
    fs::write(&state, &damaged).unwrap();
    let (status, output) = server.start_a_second_one();
    assert!(!status.success(), "{output}");
    assert!(output.contains("firn.sqlite") && output.contains("backup"), "{output}");
    assert_eq!(fs::read_to_string(&state).unwrap(), damaged);
}

/// SQLite reads its log up to the first damaged frame: what was recorded before is there, and what is missing is no secret.
#[test]
fn damaged_frames_of_the_state_s_log_are_reported() {
    let mut server = stopped().start_again();
    let admin = server.admin();
    let users: Vec<String> = (0..20).map(|number| format!("LOGGED_{number:02}")).collect();
    users.iter().for_each(|user| drop(admin.rows(&format!("CREATE USER {user}"))));
    server.kill();
    let log = server.data_dir().join("firn.sqlite-wal");
    let sound = fs::read(&log).unwrap();
    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8].fill(0x5a);
    fs::write(&log, &damaged).unwrap();
    let mut started = server.start_again();
    let report = started.log();
    let said = report.lines().find(|line| line.contains("firn.sqlite-wal")).unwrap_or_default();
    for part in ["damaged", "missing", "backup", "firn.sqlite-wal.damaged-1"] {
        assert!(said.contains(part), "the start does not say {part}: {report}");
    }
    assert_eq!(fs::read(server.data_dir().join("firn.sqlite-wal.damaged-1")).unwrap(), damaged);
    let shown = started.admin().rows("SHOW USERS LIKE 'LOGGED%'");
    let left: Vec<String> = shown.into_iter().filter_map(|row| row[0].clone()).collect();
    assert_eq!(left, users[..left.len()], "those before the damaged frame");
    assert!(left.len() < users.len(), "{left:?}");
    assert_eq!(started.admin().cell(&format!("SELECT COUNT(*) FROM {WHOLE}")), "50000");

    // A frame that was not completely written is what a killed process leaves behind.
    started.kill();
    let whole = fs::read(&log).unwrap();
    fs::write(&log, &whole[..whole.len() - 100]).unwrap();
    let again = started.start_again();
    assert!(!again.log().contains("firn.sqlite-wal"), "{}", again.log());
    assert_eq!(again.admin().cell(&format!("SELECT COUNT(*) FROM {WHOLE}")), "50000");
}

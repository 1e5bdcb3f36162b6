//! Starting and stopping: the first start, the data folder, the configuration, the log.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use firn_tests::client::STATEMENTS;
use firn_tests::server::{ADMIN_TOKEN, Shared, binary};
use firn_tests::{Client, Request, Response, Server, comes_true};
use serde_json::json;

static SHARED: Shared = Shared::with(&[]);

#[test]
fn a_second_server_on_the_same_folder_says_so_and_exits() {
    let server = SHARED.get();
    let (status, output) = server.start_a_second_one();
    assert!(!status.success());
    let folder = server.data_dir().display().to_string();
    assert!(output.contains(&folder), "the message names the folder: {output}");
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

/// Whoever removes the `lock` file opens the folder to nobody.
#[test]
fn a_second_server_is_refused_without_the_lock_file_too() {
    let server = Server::start();
    fs::remove_file(server.data_dir().join("lock")).unwrap();
    for _ in 0..2 {
        let (status, output) = server.start_a_second_one();
        assert!(!status.success(), "{output}");
        assert!(output.contains("in use by another firn server"), "{output}");
    }
    assert_eq!(server.admin().cell("SELECT 1"), "1");
}

/// A server that does not start leaves nothing behind and changes nothing.
#[test]
fn a_server_that_cannot_start_leaves_nothing_behind() {
    let server = SHARED.get();
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let folder = tempfile::tempdir().unwrap();
    let start = |listen: &str, data_dir: &Path, more: &[&str]| {
        let mut command = Command::new(binary());
        command.args(["serve", "--demo", "--listen", listen]).args(more).arg("--data-dir").arg(data_dir);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()), "{said}");
        said
    };
    let fresh = folder.path().join("a/b");
    let said = start(&address, &fresh, &[]);
    assert!(said.contains(&address) && said.contains("--listen"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a data folder was made");
    // Whoever starts the same server twice reads that in the message.
    let process = format!("process {}", server.process_id());
    for listen in [address.as_str(), "127.0.0.1:0"] {
        let before = listing(server.data_dir());
        let said = start(listen, server.data_dir(), &[]);
        assert!(said.contains(&process) && said.contains(&server.data_dir().display().to_string()), "{said}");
        assert_eq!(listing(server.data_dir()), before);
    }
    let wrong = folder.path().join("no.pem").display().to_string();
    start("127.0.0.1:0", &fresh, &["--tls-cert", &wrong, "--tls-key", &wrong]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a data folder was made");
    fs::create_dir_all(fresh.join("databases")).unwrap();
    fs::write(fresh.join("databases/d.duckdb"), "").unwrap();
    let said = start("127.0.0.1:0", &fresh, &[]);
    assert!(said.contains("firn.sqlite"), "{said}");
    assert_eq!(listing(&fresh), ["databases"]);
}

fn listing(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn sigterm_drains_and_stops() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE STOPPED");
    admin.rows("CREATE TABLE STOPPED.PUBLIC.T AS SELECT 1 AS N");
    assert!(server.terminate().success(), "{}", server.log());
    let server = server.kill_and_restart();
    assert_eq!(server.admin().cell("SELECT N FROM STOPPED.PUBLIC.T"), "1");
}

/// A monitor that has suspended a warehouse does so after a crash too.
#[test]
fn what_was_used_of_a_quota_survives_a_crash() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE RESOURCE MONITOR M WITH CREDIT_QUOTA = 0.0000000001 TRIGGERS ON 100 PERCENT DO SUSPEND");
    admin.rows("ALTER WAREHOUSE COMPUTE_WH SET RESOURCE_MONITOR = M");
    admin.rows("CREATE TABLE T AS SELECT 1 AS N");
    let server = server.kill_and_restart();
    let refused = server.admin().sql("SELECT N FROM T");
    assert_eq!(refused.json()["code"], "090073", "{refused}");
    let monitors = server.admin().sql("SHOW RESOURCE MONITORS");
    assert!(monitors.text().contains("100%"), "{monitors}");
}

#[test]
fn neither_tokens_nor_literals_are_logged() {
    let server = Server::start_with(&[("FIRN_LOG_LEVEL", "debug")]);
    let admin = server.admin();
    admin.sql("SELECT 'a-literal-of-the-user'");
    admin.sql("SELECT 'a-literal-of-the-user' FROM NOWHERE");
    admin.sql_with("SELECT ?", json!({"bindings": {"1": {"type": "TEXT", "value": "a-bound-value"}}}));
    admin.sql_with("SELECT ?", json!({"bindings": {"1": {"type": "FIXED", "value": "a-bound-value"}}}));
    server.client("a-wrong-token-that-was-sent").sql("SELECT 1");
    admin.rows("CREATE USER LOGGED");
    let secret = admin.rows("ALTER USER LOGGED ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    server.client(&secret).sql("SELECT 1");
    let log = server.log();
    for text in ["a-literal-of-the-user", "a-bound-value", "a-wrong-token-that-was-sent", ADMIN_TOKEN, &secret] {
        assert!(!log.contains(text), "the log holds `{text}`:\n{log}");
    }
}

/// Secrets are stored as hashes only: none is found in the data folder.
#[test]
fn secrets_are_not_on_disk() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE USER HASHED");
    let secret = admin.rows("ALTER USER HASHED ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    server.kill();
    let mut folders = vec![server.data_dir().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            for text in [secret.as_str(), ADMIN_TOKEN] {
                let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                assert!(!found, "{} holds a secret", entry.path().display());
            }
        }
    }
}

/// Without a given token one is made, shown once with a line to paste, and never again.
#[test]
fn a_first_start_shows_its_token_once() {
    let server = Server::start_with(&[("FIRN_ADMIN_TOKEN", "")]);
    let log = server.log();
    let pasted = log.lines().find(|line| line.contains("Authorization: Bearer ")).expect("a curl line");
    let (_, token) = pasted.split_once("Bearer ").unwrap();
    let token = token.split('"').next().unwrap().to_owned();
    let link = format!("{}/#token={token}", server.base_url());
    assert!(log.lines().any(|line| line.trim() == link), "no link to the console: {log}");
    assert!(log.contains(&format!("The console is at {}/\n", server.base_url())), "{log}");
    assert_eq!(server.client(&token).cell("SELECT CURRENT_USER()"), "ADMIN");
    assert_eq!(server.client(&token).cell("SELECT CURRENT_ROLE()"), "ACCOUNTADMIN");
    let server = server.kill_and_restart();
    assert!(!server.log().contains(&token), "the token is shown again");
    assert!(server.log().contains("The console is at http://"), "{}", server.log());
    assert_eq!(server.client(&token).cell("SELECT CURRENT_USER()"), "ADMIN");
}

#[test]
fn a_first_start_makes_a_warehouse_and_a_database() {
    let server = SHARED.get();
    let admin = server.admin();
    assert!(!admin.rows("SHOW WAREHOUSES").is_empty());
    assert!(!admin.rows("SHOW DATABASES").is_empty());
    let table = admin.sql("CREATE OR REPLACE TABLE IN_THE_DEFAULT_NAMESPACE (N INT)");
    assert_eq!(table.status, 200, "ADMIN has a database and schema to work in: {table}");
}

#[test]
fn the_demo_database_has_rows_and_is_made_once() {
    let server = Server::start_with(&[("FIRN_DEMO", "true")]);
    let admin = server.admin();
    let tables = admin
        .rows("SELECT TABLE_SCHEMA, TABLE_NAME FROM DEMO.INFORMATION_SCHEMA.TABLES WHERE TABLE_TYPE = 'BASE TABLE'");
    assert!(tables.len() >= 3, "a few related tables: {tables:?}");
    let count = |server: &Server| -> Vec<String> {
        let named = |row: &Vec<Option<String>>| (row[0].clone().unwrap(), row[1].clone().unwrap());
        let queries = tables.iter().map(named);
        queries
            .map(|(schema, table)| server.admin().cell(&format!("SELECT COUNT(*) FROM DEMO.{schema}.{table}")))
            .collect()
    };
    let before = count(&server);
    assert!(before.iter().all(|rows| rows != "0"), "every table has rows: {before:?}");
    let server = server.kill_and_restart();
    assert_eq!(count(&server), before);
}

#[test]
fn a_statement_that_outlives_the_drain_is_reported_failed() {
    let mut server = Server::start_with(&[("FIRN_DRAIN_WAIT_MS", "100")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE DRAINED");
    admin.rows(
        "CREATE TABLE DRAINED.PUBLIC.D AS SELECT COLUMN1 AS D FROM VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)",
    );
    let tables: Vec<String> = (0..14).map(|index| format!("DRAINED.PUBLIC.D T{index}")).collect();
    let handle = admin.submit_async(&format!("SELECT SUM(T0.D * T13.D) FROM {}", tables.join(", ")));
    assert!(server.terminate().success(), "{}", server.log());
    let server = server.kill_and_restart();
    let response = server.admin().status(&handle);
    assert_eq!(response.status, 422, "{response}");
    assert_ne!(response.code(), "000709", "{response}");
}

/// A crash in the middle of a transaction undoes the whole of it, and the outcome of the set says so.
#[test]
fn a_set_that_a_crash_has_cut_short_says_what_was_rolled_back() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE CUT");
    admin.rows("CREATE TABLE CUT.PUBLIC.T (N INT)");
    let slow =
        "SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 10000000)) A, TABLE(GENERATOR(ROWCOUNT => 10000000)) B";
    let insert = |n: u8| format!("INSERT INTO CUT.PUBLIC.T VALUES ({n})");
    let set = format!("{}; BEGIN; {}; {slow}; COMMIT", insert(1), insert(2));
    let fields = json!({"parameters": {"MULTI_STATEMENT_COUNT": "5"}});
    let handle = admin.send(&Request::statement(&set, fields).query("async", "true")).handle();
    let second_insert = "SELECT COUNT(*) FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY()) \
                         WHERE QUERY_TEXT = 'INSERT INTO CUT.PUBLIC.T VALUES (2)'";
    while admin.cell(second_insert) == "0" {
        std::thread::sleep(Duration::from_millis(20));
    }
    let server = server.kill_and_restart();
    let ended = server.admin().status(&handle);
    assert_eq!(ended.status, 422, "{ended}");
    let message = ended.json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("Statement 4 of 5: "), "{message}");
    assert!(message.ends_with("the statements before BEGIN, which is statement 2, were executed."), "{message}");
    assert_eq!(server.admin().rows("SELECT N FROM CUT.PUBLIC.T"), [[Some("1".to_owned())]]);
}

/// Whoever waits for a statement, or watches over the server, is answered as long as the process lives.
#[test]
fn a_server_that_drains_answers_until_its_end() {
    let mut server = Server::start_with(&[("FIRN_DRAIN_WAIT_MS", "30000")]);
    let (admin, stranger) = (server.admin(), server.stranger());
    let done = admin.sql("SELECT 7").handle();
    let handle = admin.submit_async("SELECT SYSTEM$WAIT(3)");
    server.ask_to_stop();
    while stranger.send(&Request::get("/readyz")).status == 200 {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Each of these is a connection of its own.
    let fresh = || server.admin();
    assert_eq!(fresh().send(&Request::get("/readyz")).json(), json!({"status": "stopping"}));
    assert_eq!(fresh().send(&Request::get("/healthz")).status, 200);
    assert_eq!(fresh().status(&handle).status, 202);
    assert_eq!(fresh().status(&done).status, 200);
    let refused = fresh().sql("SELECT 1");
    assert_eq!((refused.status, refused.code().as_str()), (503, "390503"), "{refused}");
    assert!(refused.headers.contains_key("retry-after"), "{refused}");
    let poll = Request::get(&format!("{STATEMENTS}/{handle}"));
    while let Ok(response) = fresh().try_send(&poll) {
        assert!([200, 202].contains(&response.status), "{response}");
    }
    assert!(server.wait().success(), "{}", server.log());
    let server = server.kill_and_restart();
    assert_eq!(server.admin().status(&handle).status, 200, "the statement had its time");
}

/// A watcher learns of files that are gone although what is open still works.
#[test]
fn readiness_notices_files_that_are_gone() {
    let server = Server::start();
    server.admin().rows("CREATE DATABASE WATCHED");
    let ready = || server.stranger().send(&Request::get("/readyz"));
    assert_eq!(ready().json(), json!({"status": "ready"}));
    for (file, problem) in [
        ("firn.sqlite", "the state file cannot be used"),
        ("databases/WATCHED.duckdb", "databases that cannot be used: 1"),
    ] {
        let (place, away) = (server.data_dir().join(file), server.data_dir().join("away"));
        fs::rename(&place, &away).unwrap();
        let broken = wait_for(ready, 503);
        assert_eq!(broken.json(), json!({"status": "broken", "problems": [problem]}), "{file}");
        assert_eq!(server.stranger().send(&Request::get("/healthz")).status, 200);
        fs::rename(&away, &place).unwrap();
        wait_for(ready, 200);
    }
    assert!(server.log().contains("WATCHED"), "the log names the database: {}", server.log());
}

/// What is broken is noticed, and what is whole again, within seconds.
fn wait_for(ask: impl Fn() -> Response, status: u16) -> Response {
    let mut response = ask();
    comes_true(|| {
        response = ask();
        response.status == status
    });
    assert_eq!(response.status, status, "{response}");
    response
}

/// What the engine does in one step cannot be interrupted; neither a cancel nor a stop waits for it for ever.
#[test]
fn a_statement_that_does_not_stop_holds_up_nobody() {
    let mut server = Server::start_with(&[("FIRN_DRAIN_WAIT_MS", "100"), ("FIRN_SYNC_WAIT_MS", "300")]);
    let admin = server.admin();
    // The engine tries every place for every wildcard, minutes for every row, and all rows are one step.
    let handle = admin.submit_async(
        "SELECT COUNT(*) FROM (SELECT REPEAT('a', 5000) || SEQ4() AS T FROM TABLE(GENERATOR(ROWCOUNT => 2000))) \
         WHERE T LIKE '%a%a%a_b'",
    );
    std::thread::sleep(Duration::from_secs(1));
    let cancelled = admin.cancel(&handle);
    assert_eq!((cancelled.status, cancelled.handle()), (503, handle.clone()), "{cancelled}");
    assert!(cancelled.headers.contains_key("retry-after"), "{cancelled}");
    // What is not stopped in time has ended for everybody, as nothing comes of it.
    let ended = wait_for(|| admin.status(&handle), 422);
    assert_eq!(ended.code(), "000604", "{ended}");
    let begun = Instant::now();
    assert!(server.terminate().success(), "{}", server.log());
    assert!(begun.elapsed() < Duration::from_secs(10), "the stop took {:?}", begun.elapsed());
    let server = server.kill_and_restart();
    let response = server.admin().status(&handle);
    assert_eq!((response.status, response.code().as_str()), (422, "000604"), "{response}");
}

/// The way of docs/operations.md: stop, copy the folder, start on the copy; `results` may be left out.
#[test]
fn a_copy_of_the_stopped_server_s_folder_is_a_backup() {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    admin.rows("CREATE TABLE KEPT.PUBLIC.T (ID INT AUTOINCREMENT, V VARCHAR(10) NOT NULL)");
    admin.rows("CREATE VIEW KEPT.PUBLIC.W AS SELECT V FROM KEPT.PUBLIC.T");
    admin.rows("INSERT INTO KEPT.PUBLIC.T (V) VALUES ('a'), ('b')");
    let small = admin.sql("SELECT COUNT(*) FROM KEPT.PUBLIC.T").handle();
    let ten = "(SELECT COLUMN1 AS D FROM VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
    let large = admin.sql(&format!("SELECT UUID_STRING() FROM {ten} A, {ten} B, {ten} C, {ten} D")).handle();
    assert!(server.terminate().success());
    fs::remove_dir_all(server.data_dir().join("results")).unwrap();

    let restored = server.restore_copy();
    let admin = restored.admin();
    assert_eq!(admin.cell("SELECT LISTAGG(V, ',') WITHIN GROUP (ORDER BY V) FROM KEPT.PUBLIC.W"), "a,b");
    admin.rows("INSERT INTO KEPT.PUBLIC.T (V) VALUES ('c')");
    assert_eq!(admin.cell("SELECT MAX(ID) FROM KEPT.PUBLIC.T"), "3");
    assert_eq!(admin.status(&small).rows()[0][0].as_deref(), Some("2"));
    let lost = admin.status(&large);
    assert_eq!((lost.status, lost.json()["sqlState"].as_str()), (500, Some("XX001")), "{lost}");
    assert!(lost.text().contains("run the statement again"), "{lost}");
}

#[test]
fn unknown_and_malformed_settings_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("firn.toml");
    for (text, named) in [
        ("colour = 'blue'", "colour"),
        ("listen = 5", "listen"),
        ("sync_wait_ms = 'soon'", "sync_wait_ms"),
        ("sweep_interval_ms = 0", "sweep_interval_ms"),
        ("log_level = 'shout'", "log_level"),
    ] {
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(binary());
        command.args(["serve", "--listen", "127.0.0.1:0"]).arg("--data-dir").arg(folder.path().join("data"));
        let output = command.arg("--config").arg(&file).output().unwrap();
        assert!(!output.status.success(), "{text} was accepted");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(named), "{text}: {said}");
    }
}

/// An interruption that comes while a statement commits, or after it, does not turn it into one that was stopped.
#[test]
fn what_is_reported_as_cancelled_was_not_committed() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE STOPS");
    admin.rows("CREATE TABLE STOPS.PUBLIC.T (K INT)");
    let mut random = firn_tests::random::Random(7);
    for key in 0..60 {
        let handle = admin.submit_async(&format!("INSERT INTO STOPS.PUBLIC.T VALUES ({key})"));
        std::thread::sleep(std::time::Duration::from_millis(random.below(20)));
        admin.cancel(&handle);
        let outcome = admin.outcome(&handle);
        let stored = admin.cell(&format!("SELECT COUNT(*) FROM STOPS.PUBLIC.T WHERE K = {key}"));
        let expected = if outcome.status == 200 { "1" } else { "0" };
        assert_eq!(stored, expected, "{outcome}");
    }
}

fn count(admin: &Client, sql: &str) -> usize {
    admin.cell(sql).parse().unwrap()
}

/// A clone comes whole, with its grants, or not at all; the database that it would replace stays then.
#[test]
fn a_cancelled_clone_of_a_database_has_no_effect() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE ROLE READER");
    admin.rows("CREATE DATABASE ORIGIN");
    for table in 0..40 {
        admin.rows(&format!("CREATE TABLE ORIGIN.PUBLIC.T{table} (K INT)"));
    }
    admin.rows("GRANT SELECT ON ALL TABLES IN SCHEMA ORIGIN.PUBLIC TO ROLE READER");
    let mut random = firn_tests::random::Random(11);
    for round in 0..12 {
        admin.rows("CREATE OR REPLACE DATABASE COPY");
        admin.rows("CREATE TABLE COPY.PUBLIC.OLD (K INT)");
        let handle = admin.submit_async("CREATE OR REPLACE DATABASE COPY CLONE ORIGIN");
        std::thread::sleep(std::time::Duration::from_millis(random.below(400)));
        admin.cancel(&handle);
        let outcome = admin.outcome(&handle);
        let grants = "SELECT COUNT(*) FROM COPY.INFORMATION_SCHEMA.TABLE_PRIVILEGES WHERE GRANTEE = 'READER'";
        let tables = "SELECT COUNT(*) FROM COPY.INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'PUBLIC'";
        let expected = if outcome.status == 200 { (40, 40) } else { (1, 0) };
        assert_eq!((count(&admin, tables), count(&admin, grants)), expected, "round {round}: {outcome}");
    }
}

#[test]
fn a_cancelled_change_of_owners_changes_none() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE OWNED");
    for table in 0..60 {
        admin.rows(&format!("CREATE TABLE OWNED.PUBLIC.T{table} (K INT)"));
    }
    let mut random = firn_tests::random::Random(13);
    for round in 0..12 {
        let role = format!("OWNER_{round}");
        admin.rows(&format!("CREATE ROLE {role}"));
        let change = format!("GRANT OWNERSHIP ON ALL TABLES IN SCHEMA OWNED.PUBLIC TO ROLE {role} COPY CURRENT GRANTS");
        let handle = admin.submit_async(&change);
        std::thread::sleep(std::time::Duration::from_millis(random.below(120)));
        admin.cancel(&handle);
        let outcome = admin.outcome(&handle);
        let owned = format!("SELECT COUNT(*) FROM OWNED.INFORMATION_SCHEMA.TABLES WHERE TABLE_OWNER = '{role}'");
        let expected = if outcome.status == 200 { 60 } else { 0 };
        assert_eq!(count(&admin, &owned), expected, "round {round}: {outcome}");
    }
}

//! What a session keeps from request to request, and transactions that outlast them.

use firn_tests::driver::Driver;
use firn_tests::{Server, comes_true};
use serde_json::json;

fn with_table(server: &Server) {
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    admin.rows("CREATE TABLE KEPT.PUBLIC.T (A INT)");
}

fn open(server: &Server) -> Driver {
    Driver::open_with(server, &[("databaseName", "KEPT"), ("schemaName", "PUBLIC")], &json!({}))
}

const COUNT: &str = "SELECT COUNT(*) FROM T";

#[test]
fn a_session_keeps_what_its_statements_leave() {
    let server = Server::start();
    with_table(&server);
    let driver = open(&server);
    driver.run("CREATE TEMPORARY TABLE OWN AS SELECT 7 AS A");
    assert_eq!(driver.cell("SELECT A FROM OWN"), "7");
    driver.run("SET X = 5");
    assert_eq!(driver.cell("SELECT $X + 1"), "6");
    driver.run("ALTER SESSION SET TIMEZONE = 'Europe/Oslo'");
    assert_eq!(driver.cell("SELECT TO_VARCHAR('2024-01-01 12:00:00 +0000'::TIMESTAMP_LTZ, 'HH24')"), "13");
    let used = driver.run("USE SCHEMA INFORMATION_SCHEMA");
    assert_eq!(used["finalSchemaName"], "INFORMATION_SCHEMA");
    driver.run("USE SCHEMA PUBLIC");
    let id = driver.run("SELECT 41 AS B")["queryId"].as_str().unwrap().to_owned();
    assert_eq!(driver.cell("SELECT LAST_QUERY_ID()"), id);
    driver.run("SELECT 42 AS B");
    assert_eq!(driver.cell("SELECT B FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))"), "42");
    assert_eq!(driver.cell("SELECT CURRENT_SESSION()"), driver.session_id.to_string());
    let other = open(&server);
    assert_eq!(other.code("SELECT A FROM OWN"), "002003");
}

#[test]
fn a_statement_parameter_is_for_its_statement() {
    let server = Server::start();
    let driver = Driver::open(&server);
    driver.run("ALTER SESSION SET QUERY_TAG = 'of the session'");
    let tag = "SHOW PARAMETERS LIKE 'QUERY_TAG' IN SESSION";
    let fields = json!({"parameters": {"QUERY_TAG": "of it", "_PLAN_UUID": "x", "NO_SUCH": 5}});
    assert_eq!(driver.run_with(tag, &fields)["rowset"][0][1], "of it");
    assert_eq!(driver.run(tag)["rowset"][0][1], "of the session");
}

#[test]
fn a_transaction_outlasts_its_requests() {
    let server = Server::start();
    with_table(&server);
    let (driver, other) = (open(&server), open(&server));
    driver.run("BEGIN");
    driver.run("INSERT INTO T VALUES (1)");
    assert_eq!((driver.cell(COUNT).as_str(), other.cell(COUNT).as_str()), ("1", "0"));
    assert_ne!(driver.cell("SELECT CURRENT_TRANSACTION()"), "NULL");
    driver.run("ROLLBACK");
    assert_eq!(driver.cell(COUNT), "0");
    driver.run("BEGIN TRANSACTION");
    driver.run("INSERT INTO T VALUES (1)");
    // What fails undoes itself alone.
    assert_eq!(driver.code("INSERT INTO T SELECT 'x'::INT"), "100038");
    assert_eq!(driver.code("SELECT * FROM NOWHERE"), "002003");
    driver.run("INSERT INTO T VALUES (2)");
    driver.run("COMMIT");
    assert_eq!(other.cell(COUNT), "2");
    assert_eq!(driver.cell("SELECT CURRENT_TRANSACTION()"), "NULL");
}

#[test]
fn without_autocommit_statements_begin_transactions() {
    let server = Server::start();
    with_table(&server);
    let parameters = json!({"SESSION_PARAMETERS": {"AUTOCOMMIT": false}});
    let driver = Driver::open_with(&server, &[("databaseName", "KEPT"), ("schemaName", "PUBLIC")], &parameters);
    let other = open(&server);
    driver.run("INSERT INTO T VALUES (1)");
    assert_eq!(other.cell(COUNT), "0");
    driver.run("COMMIT");
    assert_eq!(other.cell(COUNT), "1");
    driver.run("INSERT INTO T VALUES (2)");
    driver.run("CREATE TABLE OTHER (A INT)");
    assert_eq!(other.cell(COUNT), "2", "DDL commits");
    driver.run("INSERT INTO T VALUES (3)");
    driver.run("ALTER SESSION SET AUTOCOMMIT = TRUE");
    assert_eq!(other.cell(COUNT), "3", "so does setting it");
    driver.run("ALTER SESSION SET AUTOCOMMIT = FALSE");
    driver.run("INSERT INTO T VALUES (4)");
    driver.log_out();
    assert_eq!(other.cell(COUNT), "3", "the end of a session rolls back");
}

#[test]
fn an_idle_transaction_is_rolled_back_and_its_session_is_told() {
    let server = Server::start_with(&[("FIRN_TRANSACTION_IDLE_MS_MAX", "300")]);
    with_table(&server);
    let (driver, other) = (open(&server), open(&server));
    driver.run("BEGIN");
    driver.run("DELETE FROM T");
    driver.run("INSERT INTO T VALUES (1)");
    // It waits for the lock, and gets it without a sign of the first one.
    other.run("DELETE FROM T");
    assert_eq!(driver.code("COMMIT"), "000625");
    assert_eq!(driver.cell(COUNT), "0");
    driver.run("BEGIN");
    assert_eq!(driver.cell(COUNT), "0");
    let is_over = || other.run("SHOW TRANSACTIONS IN ACCOUNT")["total"] == 0;
    assert!(comes_true(is_over));
    driver.run("COMMIT");
}

#[test]
fn a_transaction_ends_with_a_session_that_is_aborted() {
    let server = Server::start();
    with_table(&server);
    let (driver, other) = (open(&server), open(&server));
    driver.run("BEGIN");
    driver.run("INSERT INTO T VALUES (1)");
    other.run(&format!("SELECT SYSTEM$ABORT_SESSION({})", driver.session_id));
    assert_eq!(driver.query("COMMIT")["code"], "390111");
    assert_eq!(other.cell(COUNT), "0");
    assert_eq!(other.run("SHOW TRANSACTIONS IN ACCOUNT")["total"], 0);
}

#[test]
fn statements_of_one_session_take_turns() {
    let server = Server::start();
    with_table(&server);
    let driver = open(&server);
    driver.run("CREATE TEMPORARY TABLE OWN (A INT)");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let driver = driver.clone();
            scope.spawn(move || driver.run(&format!("INSERT INTO OWN VALUES ({number})")));
        }
    });
    assert_eq!(driver.cell("SELECT COUNT(*) FROM OWN"), "8");
}

/// A long one without temporary objects or a transaction holds up no other.
#[test]
fn a_query_runs_beside_another_of_its_session() {
    let server = Server::start();
    with_table(&server);
    let driver = open(&server);
    let slow = "SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 100000)) A, TABLE(GENERATOR(ROWCOUNT => 10000000)) B";
    let id = driver.run_with(slow, &json!({"asyncExec": true}))["queryId"].as_str().unwrap().to_owned();
    assert_eq!(driver.cell("SELECT 1"), "1");
    assert_eq!(driver.cell("SELECT LAST_QUERY_ID(-2)"), id, "what runs beside the session is one of its statements");
    let state = || driver.get(&format!("/monitoring/queries//{id}"))["data"]["queries"][0]["status"].clone();
    assert_eq!(state(), "RUNNING");
    assert_eq!(driver.post(&format!("/queries/{id}/abort-request"), &json!({}))["success"], true);
    assert_eq!(state(), "ABORTED");
}

#[test]
fn what_ran_beside_a_busy_session_comes_after_what_kept_it_busy() {
    let server = Server::start();
    with_table(&server);
    let driver = open(&server);
    let states = "SHOW SESSIONS ->> SELECT COUNT_IF(\"kind\" = 'DRIVER' AND \"state\" = 'busy') FROM $1";
    let is_busy = || server.admin().cell(states) == "1";
    std::thread::scope(|scope| {
        let busy = driver.clone();
        let made = scope.spawn(move || busy.run("CREATE TABLE MADE AS SELECT SYSTEM$WAIT(3) AS W")["queryId"].clone());
        assert!(comes_true(is_busy));
        let beside = driver.run("SELECT 2")["queryId"].clone();
        let made = made.join().expect("it runs to its end");
        let past = driver.run("SELECT LAST_QUERY_ID(-2), LAST_QUERY_ID(-1)")["rowset"][0].clone();
        assert_eq!(past, json!([made, beside]));
    });
}

#[test]
fn a_transaction_of_an_idle_session_is_aborted() {
    let server = Server::start();
    with_table(&server);
    let driver = open(&server);
    driver.run("BEGIN");
    driver.run("INSERT INTO T VALUES (1)");
    let number = driver.cell("SELECT CURRENT_TRANSACTION()");
    let admin = server.admin();
    let aborted = admin.cell(&format!("SELECT SYSTEM$ABORT_TRANSACTION({number})"));
    assert_eq!(aborted, format!("Transaction [{number}] aborted."));
    assert_eq!(admin.cell("SHOW LOCKS IN ACCOUNT ->> SELECT COUNT(*) FROM $1"), "0");
    assert_eq!(driver.code(COUNT), "000625");
    assert_eq!(driver.cell(COUNT), "0");
    let again = admin.sql(&format!("SELECT SYSTEM$ABORT_TRANSACTION({number})"));
    assert_eq!((again.status, again.json()["code"].as_str()), (422, Some("002003")));
}

#[test]
fn the_token_of_a_session_that_was_ended_lets_nobody_in() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let api = server.client(&driver.session_token);
    assert_eq!(api.sql("SELECT 1").status, 200);
    server.admin().rows(&format!("SELECT SYSTEM$ABORT_SESSION({})", driver.session_id));
    assert_eq!(api.sql("SELECT 1").status, 401);
    assert_eq!(driver.code("SELECT 1"), "390111");
}

//! Kept sessions: what outlasts a request, and for whom.

use std::time::Duration;

use firn_tests::{Client, Request, Response, Server};
use serde_json::{Value, json};

const SESSIONS: &str = "/api/v2/sessions";

fn opened(client: &Client, body: &Value) -> String {
    let response = client.send(&Request::post(SESSIONS).json(body));
    assert_eq!(response.status, 201, "{response}");
    response.json()["sessionId"].as_str().unwrap().to_owned()
}

fn request(session: &str, statement: &str, fields: Value) -> Request {
    Request::statement(statement, fields).header("x-service-session", session)
}

fn sql(client: &Client, session: &str, statement: &str) -> Response {
    client.send(&request(session, statement, json!({})))
}

fn cell(client: &Client, session: &str, statement: &str) -> String {
    let response = sql(client, session, statement);
    assert_eq!(response.status, 200, "{statement}: {response}");
    response.rows()[0][0].clone().unwrap_or_else(|| "NULL".to_owned())
}

fn status(client: &Client, session: &str) -> Value {
    let response = client.send(&Request::get(&format!("{SESSIONS}/{session}")));
    assert_eq!(response.status, 200, "{response}");
    response.json()
}

fn close(client: &Client, session: &str) -> Response {
    client.send(&Request::new("DELETE", &format!("{SESSIONS}/{session}")))
}

#[test]
fn a_session_outlasts_its_requests() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    let session = opened(&admin, &json!({}));
    let run = |statement: &str| cell(&admin, &session, statement);
    run("SET LIMIT_OF_ROWS = 5");
    assert_eq!(run("SELECT $LIMIT_OF_ROWS + 1"), "6");
    run("USE DATABASE KEPT");
    assert_eq!(run("SELECT CURRENT_DATABASE() || '.' || CURRENT_SCHEMA()"), "KEPT.PUBLIC");
    run("CREATE TEMPORARY TABLE T AS SELECT 7 AS A");
    run("INSERT INTO T VALUES (8)");
    assert_eq!(run("SELECT SUM(A) FROM T"), "15");
    run("ALTER SESSION SET TIMEZONE = 'Europe/Oslo'");
    assert_eq!(run("SELECT TO_VARCHAR('2024-01-01 12:00:00 +0000'::TIMESTAMP_LTZ, 'HH24')"), "13");
    admin.rows("GRANT USAGE ON DATABASE KEPT TO ROLE PUBLIC");
    admin.rows("GRANT USAGE ON SCHEMA KEPT.PUBLIC TO ROLE PUBLIC");
    run("USE ROLE PUBLIC");
    assert_eq!(run("SELECT CURRENT_ROLE()"), "PUBLIC");
    let told = status(&admin, &session);
    assert_eq!((&told["role"], &told["database"], &told["state"]), (&"PUBLIC".into(), &"KEPT".into(), &"idle".into()));
    run("USE ROLE ACCOUNTADMIN");
    let numbers: Vec<String> = (0..2).map(|_| run("SELECT CURRENT_SESSION()")).collect();
    assert_eq!(numbers[0], numbers[1]);
    // Nothing of it is elsewhere.
    assert_eq!(admin.sql("SELECT $LIMIT_OF_ROWS").status, 422);
    assert_eq!(admin.sql("SELECT * FROM KEPT.PUBLIC.T").status, 422);
    let other = opened(&admin, &json!({"database": "KEPT", "role": "ACCOUNTADMIN"}));
    assert_eq!(sql(&admin, &other, "SELECT * FROM T").status, 422);
    assert_eq!(close(&admin, &session).status, 204);
    assert_eq!(sql(&admin, &session, "SELECT 1").code(), "390111");
    assert_eq!(close(&admin, &session).status, 422);
}

#[test]
fn a_failure_leaves_the_session_as_it_was() {
    let server = Server::start();
    let admin = server.admin();
    let session = opened(&admin, &json!({"database": "FIRN", "schema": "PUBLIC"}));
    cell(&admin, &session, "SET A = 1");
    assert_eq!(sql(&admin, &session, "SELECT NOTHING").status, 422);
    let set = json!({"parameters": {"MULTI_STATEMENT_COUNT": "3"}});
    let failed = admin.send(&request(&session, "SET A = 2; USE SCHEMA INFORMATION_SCHEMA; SELECT NOTHING", set));
    assert_eq!(failed.status, 422, "{failed}");
    assert_eq!(cell(&admin, &session, "SELECT $A"), "2", "what was done before the failure stays done");
    assert_eq!(cell(&admin, &session, "SELECT CURRENT_SCHEMA()"), "INFORMATION_SCHEMA");
    admin.rows("CREATE TABLE FIRN.PUBLIC.ROWS_LEFT (A INT)");
    cell(&admin, &session, "USE SCHEMA PUBLIC");
    assert_eq!(sql(&admin, &session, "BEGIN").code(), "391911", "a transaction ends with its request");
    let two = json!({"parameters": {"MULTI_STATEMENT_COUNT": "2"}});
    assert_eq!(admin.send(&request(&session, "BEGIN; INSERT INTO ROWS_LEFT VALUES (1)", two)).status, 200);
    assert_eq!(cell(&admin, &session, "SELECT COUNT(*) FROM ROWS_LEFT"), "0");
    cell(&admin, &session, "INSERT INTO ROWS_LEFT VALUES (2)");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FIRN.PUBLIC.ROWS_LEFT"), "1");
    let procedure =
        "CREATE PROCEDURE FIRN.PUBLIC.FAILS() RETURNS INT LANGUAGE SQL EXECUTE AS OWNER AS 'BEGIN SELECT NOTHING; END'";
    admin.rows(procedure);
    assert_eq!(sql(&admin, &session, "CALL FAILS()").status, 422);
    cell(&admin, &session, "USE ROLE PUBLIC");
    assert_eq!(cell(&admin, &session, "SELECT CURRENT_ROLE()"), "PUBLIC", "no rights of the procedure's are left");
}

#[test]
fn one_request_at_a_time_has_a_session() {
    let server = Server::start();
    let admin = server.admin();
    let session = opened(&admin, &json!({}));
    let running = admin.send(&request(&session, "SELECT SYSTEM$WAIT(2)", json!({})).query("async", "true"));
    assert_eq!(running.status, 202, "{running}");
    assert_eq!(status(&admin, &session)["state"], "busy");
    let second = sql(&admin, &session, "SELECT 1");
    assert_eq!((second.status, second.code().as_str()), (409, "391914"), "{second}");
    assert_eq!(admin.outcome(&running.handle()).status, 200);
    assert!(firn_tests::comes_true(|| sql(&admin, &session, "SELECT 1").status == 200));
    let cancelled = admin.send(&request(&session, "SELECT SYSTEM$WAIT(600)", json!({})).query("async", "true"));
    assert_eq!(admin.cancel(&cancelled.handle()).status, 200);
    assert!(firn_tests::comes_true(|| sql(&admin, &session, "SELECT 1").status == 200));
}

#[test]
fn a_session_is_its_openers_alone() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE USER KEPT_OTHER");
    let token = |sql: &str| admin.rows(sql)[0][1].clone().unwrap();
    let other = server.client(&token("ALTER USER KEPT_OTHER ADD PROGRAMMATIC ACCESS TOKEN T"));
    let tied = server.client(&token("ALTER USER ADMIN ADD PROGRAMMATIC ACCESS TOKEN TIED ROLE_RESTRICTION = 'PUBLIC'"));
    let session = opened(&admin, &json!({}));
    let unknown = sql(&other, "00000000-0000-4000-8000-000000000000", "SELECT 1");
    for stranger in [&other, &tied] {
        let response = sql(stranger, &session, "SELECT 1");
        assert_eq!((response.status, response.code()), (422, "390111".to_owned()), "{response}");
        let text = |response: &Response, id: &str| response.json()["message"].as_str().unwrap().replace(id, "ID");
        assert_eq!(text(&response, &session), text(&unknown, "00000000-0000-4000-8000-000000000000"));
        assert_eq!(close(stranger, &session).status, 422);
        assert_eq!(stranger.send(&Request::get(&format!("{SESSIONS}/{session}"))).status, 422);
    }
    assert_eq!(sql(&admin, "nonsense", "SELECT 1").status, 422);
    assert_eq!(cell(&admin, &session, "SELECT 1"), "1");
}

#[test]
fn sessions_end_by_themselves_and_are_limited() {
    let server = Server::start();
    let admin = server.admin();
    let short = opened(&admin, &json!({"idleTimeout": 1}));
    assert_eq!(cell(&admin, &short, "SELECT 1"), "1");
    std::thread::sleep(Duration::from_millis(1_200));
    assert_eq!(sql(&admin, &short, "SELECT 1").code(), "390111");
    let sessions: Vec<String> = (0..16).map(|_| opened(&admin, &json!({}))).collect();
    let one_more = admin.send(&Request::post(SESSIONS).json(&json!({})));
    assert_eq!((one_more.status, one_more.code().as_str()), (429, "391915"), "{one_more}");
    assert_eq!(close(&admin, &sessions[0]).status, 204);
    opened(&admin, &json!({}));
    for body in [
        json!({"idleTimeout": 0}),
        json!({"idleTimeout": 99_999}),
        json!({"role": "NONE_SUCH"}),
        json!({"database": "NO"}),
    ] {
        let refused = admin.send(&Request::post(SESSIONS).json(&body));
        assert!([400, 429].contains(&refused.status), "{body}: {refused}");
    }
}

#[test]
fn a_session_goes_on_after_a_statement_that_was_stopped() {
    let server = Server::start();
    let admin = server.admin();
    let session = opened(&admin, &json!({"database": "FIRN", "schema": "PUBLIC"}));
    admin.rows("CREATE TABLE FIRN.PUBLIC.STOPPED (A INT)");
    cell(&admin, &session, "CREATE TEMPORARY TABLE T AS SELECT 7 AS A");
    let idle = || assert!(firn_tests::comes_true(|| status(&admin, &session)["state"] == "idle"));
    let running = admin.send(&request(&session, "SELECT SYSTEM$WAIT(60)", json!({})).query("async", "true"));
    assert_eq!(running.status, 202, "{running}");
    assert_eq!(admin.cancel(&running.handle()).status, 200);
    idle();
    assert_eq!(cell(&admin, &session, "SELECT A FROM T"), "7");
    let script = "BEGIN; INSERT INTO STOPPED VALUES (1); SELECT SYSTEM$WAIT(60)";
    let fields = json!({"timeout": 1, "parameters": {"MULTI_STATEMENT_COUNT": "3"}});
    assert_eq!(admin.send(&request(&session, script, fields)).status, 408);
    idle();
    assert_eq!(cell(&admin, &session, "SELECT COUNT(*) FROM STOPPED"), "0");
    cell(&admin, &session, "INSERT INTO STOPPED VALUES (2)");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FIRN.PUBLIC.STOPPED"), "1");
    assert_eq!(cell(&admin, &session, "SELECT A FROM T"), "7");
}

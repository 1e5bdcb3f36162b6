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

/// What was chosen stays chosen, whatever the role may do with it.
#[test]
fn a_session_keeps_its_names_when_its_role_may_not_use_them() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    admin.rows("CREATE SCHEMA KEPT.S");
    admin.rows("CREATE TABLE KEPT.S.T AS SELECT 7 AS A");
    let session = opened(&admin, &json!({"database": "KEPT", "schema": "S"}));
    let run = |statement: &str| cell(&admin, &session, statement);
    run("USE ROLE PUBLIC");
    assert_eq!(run("SELECT CURRENT_DATABASE() || '.' || CURRENT_SCHEMA()"), "KEPT.S");
    let refused = sql(&admin, &session, "SELECT A FROM T");
    assert!(refused.status == 422 && refused.text().contains("does not exist or not authorized"), "{refused}");
    assert_eq!(sql(&admin, &session, "SHOW TABLES").status, 422);
    run("USE ROLE ACCOUNTADMIN");
    assert_eq!(run("SELECT A FROM T"), "7");
    admin.rows("DROP DATABASE KEPT");
    assert_eq!(run("SELECT CURRENT_DATABASE()"), "KEPT");
    assert_eq!(sql(&admin, &session, "SELECT A FROM T").status, 422);
    admin.rows("UNDROP DATABASE KEPT");
    assert_eq!(run("SELECT A FROM T"), "7");
    // What a request names has to be there.
    let elsewhere = admin.send(&request(&session, "SELECT 1", json!({"database": "NOWHERE"})));
    assert!(elsewhere.status == 422 && elsewhere.text().contains("NOWHERE"), "{elsewhere}");
    assert_eq!(run("SELECT A FROM T"), "7");
}

#[test]
fn a_database_without_the_default_schema_is_used_without_a_schema() {
    let server = Server::start();
    let admin = server.admin();
    let session = opened(&admin, &json!({}));
    let run = |statement: &str| cell(&admin, &session, statement);
    run("USE DATABASE SNOWFLAKE");
    assert_eq!(run("SELECT CURRENT_DATABASE() || '/' || COALESCE(CURRENT_SCHEMA(), 'none')"), "SNOWFLAKE/none");
    assert_eq!(status(&admin, &session)["schema"], Value::Null);
    let request = json!({"database": "SNOWFLAKE"});
    let named = admin.send(&Request::statement("SELECT COALESCE(CURRENT_SCHEMA(), 'none')", request));
    assert_eq!(named.rows(), [[Some("none".to_owned())]], "{named}");
    admin.rows("CREATE DATABASE BARE");
    admin.rows("DROP SCHEMA BARE.PUBLIC");
    run("USE DATABASE BARE");
    assert_eq!(run("SELECT COALESCE(CURRENT_SCHEMA(), 'none')"), "none");
    run("CREATE SCHEMA BARE.PUBLIC");
    run("USE DATABASE BARE");
    assert_eq!(run("SELECT COALESCE(CURRENT_SCHEMA(), 'none')"), "PUBLIC");
}

#[test]
fn temporary_objects_are_listed_to_their_session_alone() {
    let server = Server::start();
    let admin = server.admin();
    let session = opened(&admin, &json!({"database": "FIRN", "schema": "PUBLIC"}));
    let other = opened(&admin, &json!({"database": "FIRN", "schema": "PUBLIC"}));
    let count = "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_TYPE = 'LOCAL TEMPORARY'";
    let columns = "SELECT COUNT(*) FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'LISTED'";
    assert_eq!(cell(&admin, &session, count), "0");
    cell(&admin, &session, "CREATE TEMPORARY TABLE LISTED (A INT, B INT)");
    assert_eq!([count, columns].map(|sql| cell(&admin, &session, sql)), ["1", "2"]);
    assert_eq!([count, columns].map(|sql| cell(&admin, &other, sql)), ["0", "0"]);
    // A stored definition shows none.
    cell(&admin, &session, &format!("CREATE VIEW COUNTED AS {count}"));
    assert_eq!(cell(&admin, &session, "SELECT * FROM COUNTED"), "0");
    cell(&admin, &session, "DROP TABLE LISTED");
    assert_eq!([count, columns].map(|sql| cell(&admin, &session, sql)), ["0", "0"]);
}

/// Whatever another session does with the schema or the database, what is temporary there ends with it, is in the way of nobody, and
/// is not in another one that gets the name.
#[test]
fn temporary_objects_end_with_their_schema() {
    let server = Server::start();
    let admin = server.admin();
    let ways: [(&str, &[&str]); 9] = [
        ("dropped", &["DROP SCHEMA W.S", "CREATE SCHEMA W.S"]),
        (
            "dropped at once",
            &["ALTER SCHEMA W.S SET DATA_RETENTION_TIME_IN_DAYS = 0", "DROP SCHEMA W.S RESTRICT", "CREATE SCHEMA W.S"],
        ),
        ("replaced", &["CREATE OR REPLACE SCHEMA W.S"]),
        ("renamed", &["ALTER SCHEMA W.S RENAME TO W.S2", "CREATE SCHEMA W.S"]),
        ("swapped", &["CREATE SCHEMA W.OTHER", "ALTER SCHEMA W.S SWAP WITH W.OTHER"]),
        ("database dropped", &["DROP DATABASE W", "CREATE DATABASE W", "CREATE SCHEMA W.S"]),
        ("database replaced", &["CREATE OR REPLACE DATABASE W", "CREATE SCHEMA W.S"]),
        (
            "database renamed",
            &["ALTER DATABASE W RENAME TO W2", "CREATE DATABASE W", "CREATE SCHEMA W.S", "DROP DATABASE W2"],
        ),
        // A clone has the schemas of its source by their ids.
        (
            "database swapped with its clone",
            &["CREATE DATABASE W2 CLONE W", "ALTER DATABASE W SWAP WITH W2", "DROP DATABASE W2"],
        ),
    ];
    for (way, statements) in ways {
        admin.rows("CREATE OR REPLACE DATABASE W");
        admin.rows("CREATE SCHEMA W.S");
        let session = opened(&admin, &json!({"database": "W", "schema": "S"}));
        let run = |statement: &str| sql(&admin, &session, statement);
        let made = [
            "CREATE TEMPORARY TABLE T (A INT AUTOINCREMENT, B INT DEFAULT 5)",
            "INSERT INTO T (B) VALUES (7)",
            "CREATE TEMPORARY VIEW V AS SELECT B FROM T",
            "CREATE TEMPORARY STAGE G",
            "CREATE TEMPORARY FILE FORMAT F TYPE = CSV",
            "CREATE TEMPORARY TABLE FIRN.PUBLIC.ELSEWHERE AS SELECT 1 AS A",
        ];
        for statement in made {
            assert_eq!(run(statement).status, 200, "{way}: {statement}");
        }
        for statement in statements {
            admin.rows(statement);
        }
        for statement in [
            "SELECT * FROM T",
            "SELECT * FROM V",
            "INSERT INTO T VALUES (1, 2)",
            "LIST @G",
            "DROP TABLE T",
            "DESCRIBE FILE FORMAT F",
            "CREATE TABLE COPIED AS SELECT * FROM T",
        ] {
            let refused = run(statement);
            assert_eq!((refused.status, refused.code().as_str()), (422, "002003"), "{way}: {statement}: {refused}");
        }
        assert_eq!(run("SHOW TABLES").rows().len(), 0, "{way}");
        admin.rows("CREATE TABLE W.S.T AS SELECT 'permanent' AS A");
        assert_eq!(cell(&admin, &session, "SELECT * FROM T"), "permanent", "{way}");
        for statement in made.iter().take(5) {
            assert_eq!(run(statement).status, 200, "{way}: again {statement}");
        }
        assert_eq!(cell(&admin, &session, "SELECT SUM(B) FROM V"), "7", "{way}");
        assert_eq!(cell(&admin, &session, "SELECT A FROM FIRN.PUBLIC.ELSEWHERE"), "1", "{way}");
        assert_eq!(close(&admin, &session).status, 204, "{way}");
    }
}

/// A name that meant a temporary table does not give its rights for a permanent one.
#[test]
fn who_had_a_temporary_table_may_not_read_the_permanent_one_of_its_name() {
    let server = Server::start();
    let admin = server.admin();
    for statement in [
        "CREATE DATABASE D",
        "CREATE ROLE LOW",
        "CREATE USER LOW DEFAULT_ROLE = LOW DEFAULT_WAREHOUSE = COMPUTE_WH",
        "GRANT ROLE LOW TO USER LOW",
        "GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE LOW",
        "GRANT USAGE ON DATABASE D TO ROLE LOW",
        "GRANT USAGE, CREATE TABLE ON SCHEMA D.PUBLIC TO ROLE LOW",
    ] {
        admin.rows(statement);
    }
    let low = server.client(&admin.rows("ALTER USER LOW ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap());
    let session = opened(&low, &json!({"database": "D", "schema": "PUBLIC"}));
    assert_eq!(sql(&low, &session, "CREATE TEMPORARY TABLE PAY AS SELECT 1 AS A").status, 200);
    for statement in [
        "CREATE OR REPLACE SCHEMA D.PUBLIC",
        "GRANT USAGE, CREATE TABLE ON SCHEMA D.PUBLIC TO ROLE LOW",
        "CREATE TABLE D.PUBLIC.PAY AS SELECT 100 AS A",
    ] {
        admin.rows(statement);
    }
    for statement in ["SELECT A FROM PAY", "CREATE TEMPORARY TABLE C AS SELECT A FROM PAY", "DELETE FROM PAY"] {
        let refused = sql(&low, &session, statement);
        assert!(refused.status == 422 && refused.text().contains("does not exist or not authorized"), "{refused}");
    }
}

#[test]
fn closing_a_session_cancels_what_runs_in_it() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE TABLE FIRN.PUBLIC.ENDED (A INT)");
    let names = json!({"database": "FIRN", "schema": "PUBLIC"});
    let session = opened(&admin, &names);
    let script = "BEGIN; INSERT INTO ENDED VALUES (1); SELECT SYSTEM$WAIT(60); COMMIT";
    let fields = json!({"parameters": {"MULTI_STATEMENT_COUNT": "4"}});
    let running = admin.send(&request(&session, script, fields).query("async", "true"));
    assert_eq!(running.status, 202, "{running}");
    let other = opened(&admin, &names);
    let elsewhere = admin.send(&request(&other, "SELECT SYSTEM$WAIT(2)", json!({})).query("async", "true"));
    assert_eq!(close(&admin, &session).status, 204);
    let ended = admin.status(&running.handle());
    assert_eq!((ended.status, ended.code().as_str()), (422, "000604"), "{ended}");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FIRN.PUBLIC.ENDED"), "0");
    assert_eq!(sql(&admin, &session, "SELECT 1").code(), "390111");
    assert_eq!(admin.outcome(&elsewhere.handle()).status, 200, "another session's statement goes on");
    let writing = opened(&admin, &names);
    let replace =
        "CREATE OR REPLACE TABLE ENDED AS SELECT SEQ4() AS A FROM TABLE(GENERATOR(ROWCOUNT => 1000000000000))";
    let running = admin.send(&request(&writing, replace, json!({})).query("async", "true"));
    assert_eq!(close(&admin, &writing).status, 204);
    let ended = admin.status(&running.handle());
    assert_eq!((ended.status, ended.code().as_str()), (422, "000604"), "{ended}");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FIRN.PUBLIC.ENDED"), "0");
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
    let listed = |client: &Client| client.send(&Request::get(SESSIONS)).json()["sessions"].as_array().unwrap().len();
    assert_eq!([listed(&admin), listed(&other), listed(&tied)], [1, 0, 0]);
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

/// Also one that comes back under the same name.
#[test]
fn sessions_of_a_user_who_is_shut_out_end_for_good() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    for sql in
        ["CREATE USER KEPT_USER DEFAULT_WAREHOUSE = COMPUTE_WH", "GRANT ALL ON SCHEMA KEPT.PUBLIC TO ROLE PUBLIC"]
    {
        admin.rows(sql);
    }
    admin.rows("GRANT USAGE ON DATABASE KEPT TO ROLE PUBLIC");
    let token = |name: &str| {
        let made = format!("ALTER USER KEPT_USER ADD PROGRAMMATIC ACCESS TOKEN {name}");
        admin.rows(&made)[0][1].clone().unwrap()
    };
    let user = server.client(&token("T"));
    let place = json!({"database": "KEPT", "schema": "PUBLIC"});
    let check_ended = |client: &Client, session: &str| {
        let response = sql(client, session, "SELECT $V");
        assert_eq!((response.status, response.code().as_str()), (422, "390111"), "{response}");
        let listed = client.send(&Request::get(SESSIONS));
        assert_eq!(listed.json()["sessions"].as_array().unwrap().len(), 0, "{listed}");
    };
    let session = opened(&user, &place);
    cell(&user, &session, "SET V = 7");
    cell(&user, &session, "CREATE TEMPORARY TABLE T AS SELECT 7 AS N");
    // What is no end of the user ends no session.
    admin.rows("ALTER USER KEPT_USER SET COMMENT = 'c' MINS_TO_UNLOCK = 0");
    let of_admin = opened(&admin, &json!({}));
    assert_eq!(cell(&user, &session, "SELECT $V + N FROM T"), "14");
    let busy = opened(&user, &place);
    let running = user.send(&request(&busy, "SELECT SYSTEM$WAIT(600)", json!({})).query("async", "true"));
    assert_eq!(running.status, 202, "{running}");
    admin.rows("ALTER USER KEPT_USER SET DISABLED = TRUE");
    assert_eq!(sql(&user, &session, "SELECT 1").status, 401);
    admin.rows("ALTER USER KEPT_USER SET DISABLED = FALSE");
    check_ended(&user, &session);
    check_ended(&user, &busy);
    assert_eq!(user.outcome(&running.handle()).status, 422);
    for end in ["CREATE OR REPLACE USER KEPT_USER DEFAULT_WAREHOUSE = COMPUTE_WH", "DROP USER KEPT_USER"] {
        let user = server.client(&token("U"));
        let session = opened(&user, &place);
        cell(&user, &session, "SET V = 7");
        admin.rows(end);
        admin.rows("CREATE USER IF NOT EXISTS KEPT_USER DEFAULT_WAREHOUSE = COMPUTE_WH");
        check_ended(&server.client(&token("AGAIN")), &session);
    }
    assert_eq!(cell(&admin, &of_admin, "SELECT 1"), "1");
}

#[test]
fn whose_role_was_revoked_takes_another_one() {
    let server = Server::start();
    let admin = server.admin();
    for statement in ["CREATE ROLE R1", "CREATE ROLE R2", "CREATE USER TWO DEFAULT_ROLE = R1"] {
        admin.rows(statement);
    }
    for role in ["R1", "R2"] {
        admin.rows(&format!("GRANT ROLE {role} TO USER TWO"));
    }
    let token = admin.rows("ALTER USER TWO ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let two = server.client(&token);
    let session = opened(&two, &json!({}));
    assert_eq!(cell(&two, &session, "SELECT CURRENT_ROLE()"), "R1");
    admin.rows("REVOKE ROLE R1 FROM USER TWO");
    assert_eq!(sql(&two, &session, "SELECT CURRENT_ROLE()").status, 422);
    assert_eq!(sql(&two, &session, "USE ROLE R1").status, 422);
    assert_eq!(sql(&two, &session, "USE ROLE R2").status, 200);
    assert_eq!(cell(&two, &session, "SELECT CURRENT_ROLE()"), "R2");
    admin.rows("ALTER USER TWO SET DISABLED = TRUE");
    assert_eq!(sql(&two, &session, "USE ROLE R2").status, 401);
}

#[test]
fn the_history_knows_the_session() {
    let server = Server::start();
    let admin = server.admin();
    let session = opened(&admin, &json!({"database": "FIRN", "schema": "PUBLIC"}));
    let number = cell(&admin, &session, "SELECT CURRENT_SESSION()");
    assert_eq!(cell(&admin, &session, "SELECT CURRENT_SESSION()"), number);
    let set = request(&session, "SELECT 2; SELECT 3", json!({"parameters": {"MULTI_STATEMENT_COUNT": "2"}}));
    assert_eq!(admin.send(&set).status, 200);
    let texts =
        format!("SELECT QUERY_TEXT FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY()) WHERE SESSION_ID = '{number}'");
    let found = sql(&admin, &session, &texts).rows();
    for text in ["SELECT CURRENT_SESSION()", "SELECT 2", "SELECT 3"] {
        assert!(found.iter().any(|row| row[0].as_deref() == Some(text)), "{text}: {found:?}");
    }
    let own = "SELECT COUNT(*) > 3 FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY_BY_SESSION())";
    assert_eq!(cell(&admin, &session, own), "true");
    let other = opened(&admin, &json!({"database": "FIRN", "schema": "PUBLIC"}));
    assert_ne!(cell(&admin, &other, "SELECT CURRENT_SESSION()"), number);
}

#[test]
fn the_numbers_of_sessions_are_settings() {
    let server = Server::start_with(&[("FIRN_SESSIONS_PER_USER_MAX", "2"), ("FIRN_SESSIONS_MAX", "3")]);
    let admin = server.admin();
    admin.rows("CREATE USER ADA");
    let ada = server.client(&admin.rows("ALTER USER ADA ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap());
    let open = |client: &Client| client.send(&Request::post(SESSIONS).json(&json!({}))).status;
    assert_eq!([open(&admin), open(&admin), open(&admin)], [201, 201, 429]);
    assert_eq!([open(&ada), open(&ada)], [201, 429]);
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

#[test]
fn how_long_sessions_stay_is_a_setting() {
    let server = Server::start_with(&[("FIRN_SESSION_IDLE_S", "70"), ("FIRN_SESSION_IDLE_S_MAX", "90")]);
    let admin = server.admin();
    let open = |body: Value| admin.send(&Request::post("/api/v2/sessions").json(&body));
    let opened = open(json!({}));
    assert_eq!((opened.status, &opened.json()["idleTimeout"]), (201, &json!(70)), "{opened}");
    assert_eq!(open(json!({"idleTimeout": 90})).status, 201);
    let refused = open(json!({"idleTimeout": 91}));
    assert_eq!(refused.status, 400);
    assert!(refused.json()["message"].as_str().unwrap().contains("from 1 to 90"), "{refused}");
}

//! Requests with `X-Firn-Read-Only: true`: whatever way a change takes, it is refused.

use firn_tests::{Client, Request, Response, Server};
use serde_json::json;

const FILE: &str = "/api/v2/databases/RO/schemas/PUBLIC/stages/S/files/a.csv";

const SETUP: [&str; 16] = [
    "CREATE DATABASE RO",
    "CREATE SEQUENCE RO.PUBLIC.SEQ",
    "CREATE TABLE RO.PUBLIC.T (A INT, B INT)",
    "INSERT INTO RO.PUBLIC.T VALUES (1, 2)",
    "CREATE STAGE RO.PUBLIC.S",
    "CREATE VIEW RO.PUBLIC.V AS SELECT RO.PUBLIC.SEQ.NEXTVAL AS N",
    "CREATE VIEW RO.PUBLIC.OVER_V AS SELECT N FROM RO.PUBLIC.V",
    "CREATE FUNCTION RO.PUBLIC.F() RETURNS INT AS 'SELECT RO.PUBLIC.SEQ.NEXTVAL'",
    "CREATE FUNCTION RO.PUBLIC.TF() RETURNS TABLE (N INT) AS 'SELECT RO.PUBLIC.SEQ.NEXTVAL'",
    "CREATE VIEW RO.PUBLIC.V_OF_F AS SELECT RO.PUBLIC.F() AS N",
    "CREATE PROCEDURE RO.PUBLIC.P() RETURNS INT LANGUAGE SQL AS 'BEGIN RETURN RO.PUBLIC.F(); END'",
    "CREATE TABLE RO.PUBLIC.MASKED (A INT)",
    "INSERT INTO RO.PUBLIC.MASKED VALUES (1)",
    "CREATE MASKING POLICY RO.PUBLIC.M AS (A INT) RETURNS INT -> RO.PUBLIC.F()",
    "ALTER TABLE RO.PUBLIC.MASKED ALTER COLUMN A SET MASKING POLICY RO.PUBLIC.M",
    "CREATE SEMANTIC VIEW RO.PUBLIC.SV TABLES (T AS RO.PUBLIC.T PRIMARY KEY (A)) METRICS (T.TOTAL AS SUM(B))",
];

/// Ways to the next value of a sequence.
const VALUES: [&str; 12] = [
    "SELECT RO.PUBLIC.SEQ.NEXTVAL",
    "SELECT * FROM RO.PUBLIC.V",
    "SELECT * FROM RO.PUBLIC.OVER_V",
    "WITH C AS (SELECT N FROM RO.PUBLIC.V) SELECT * FROM C",
    "SELECT RO.PUBLIC.F()",
    "SELECT * FROM TABLE(RO.PUBLIC.TF())",
    "SELECT * FROM RO.PUBLIC.V_OF_F",
    "CALL RO.PUBLIC.P()",
    "BEGIN RETURN RO.PUBLIC.F(); END",
    "EXECUTE IMMEDIATE 'SELECT RO.PUBLIC.F()'",
    "SHOW TABLES ->> SELECT RO.PUBLIC.F()",
    "SELECT A FROM RO.PUBLIC.MASKED",
];

fn read_only(request: Request) -> Request {
    request.header("x-firn-read-only", "true")
}

fn sql(client: &Client, statement: &str) -> Response {
    client.send(&read_only(Request::statement(statement, json!({}))))
}

fn next_value(client: &Client) -> String {
    let shown = client.rows("SHOW SEQUENCES IN SCHEMA RO.PUBLIC ->> SELECT \"next_value\" FROM $1");
    shown[0][0].clone().unwrap_or_default()
}

#[test]
fn a_sequence_gives_no_value_by_any_way() {
    let server = Server::start();
    let admin = server.admin();
    SETUP.iter().for_each(|statement| drop(admin.rows(statement)));
    // A plan or result that another request has left changes nothing.
    VALUES.iter().for_each(|statement| drop(admin.sql(statement)));
    let before = next_value(&admin);
    for statement in VALUES {
        let response = sql(&admin, statement);
        assert_eq!(response.status, 422, "{statement}: {response}");
        // An expression of a block fails with an error of its own, which quotes this one.
        assert!(response.text().contains("The request may only read, and NEXTVAL"), "{statement}: {response}");
    }
    assert_eq!(next_value(&admin), before);
    for statement in ["SELECT * FROM RO.PUBLIC.T", "DESCRIBE VIEW RO.PUBLIC.V", "DESCRIBE SEQUENCE RO.PUBLIC.SEQ"] {
        assert_eq!(sql(&admin, statement).status, 200, "{statement}");
    }
}

#[test]
fn no_endpoint_changes_anything() {
    let server = Server::start();
    let admin = server.admin();
    SETUP.iter().for_each(|statement| drop(admin.rows(statement)));
    admin.rows("CREATE USER RO_USER PASSWORD = 'Correct-horse-7'");
    let file = |method: &str| {
        let mut request = Request::new(method, FILE).header("content-type", "application/octet-stream");
        request.body = b"1".to_vec();
        request
    };
    assert_eq!(admin.send(&file("PUT")).status, 200);
    let verified = json!({"semantic_view": "RO.PUBLIC.SV", "question": "What is the total?",
        "sql": "SELECT * FROM SEMANTIC_VIEW(RO.PUBLIC.SV METRICS T.TOTAL)"});
    let login = json!({"user": "RO_USER", "password": "Correct-horse-7", "newPassword": "Another-horse-8"});
    for (what, request) in [
        ("upload", file("PUT")),
        ("removal", file("DELETE")),
        ("verified query", Request::post("/api/v2/assistant/analyst/verified-queries").json(&verified)),
        ("backup", Request::post("/api/v2/backups").json(&json!({}))),
        ("password", Request::post("/api/v2/login").json(&login)),
    ] {
        let response = admin.send(&read_only(request));
        assert_eq!(response.status, 422, "{what}: {response}");
        assert!(response.text().contains("391913"), "{what}: {response}");
    }
    assert_eq!(admin.send(&read_only(Request::get(FILE))).text(), "1");
    let session =
        read_only(Request::post("/api/v2/login").json(&json!({"user": "RO_USER", "password": "Correct-horse-7"})));
    assert_eq!(admin.send(&session).status, 200, "the password is still the first one");
}

#[test]
fn a_value_that_is_unknown_is_refused() {
    let server = Server::start();
    let admin = server.admin();
    let insert = Request::statement("CREATE TABLE FIRN.PUBLIC.NEVER (A INT)", json!({}));
    for given in ["1", "yes", "", "true, true"] {
        let response = admin.send(&insert.clone().header("x-firn-read-only", given));
        assert_eq!((response.status, response.code().as_str()), (400, "390142"), "'{given}': {response}");
    }
    for given in ["true", "TRUE"] {
        assert_eq!(admin.send(&insert.clone().header("x-firn-read-only", given)).code(), "391913", "{given}");
    }
    assert_eq!(admin.send(&insert.header("x-firn-read-only", "false")).status, 200);
}

//! Data folders of versions before, which `scripts/make_data_fixture.sh` made: this server opens each with all that it holds.

use std::path::Path;
use std::process::Command;

use firn_tests::{Client, Request, Response, Server};
use serde_json::json;
use uuid::Uuid;

/// A server on the data folder of that version.
fn server_of(version: &str) -> Server {
    let data = tempfile::Builder::new().prefix("firn-upgrade-").tempdir().expect("a temporary folder");
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/data-{version}.tar.gz"));
    let unpacked = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(data.path()).status().expect("run tar");
    assert!(unpacked.success(), "the fixture cannot be unpacked");
    Server::start_on(data)
}

fn in_shop(client: &Client, sql: &str) -> Response {
    client.sql_with(sql, json!({"database": "SHOP", "schema": "PUBLIC", "warehouse": "COMPUTE_WH"}))
}

fn check_rows(client: &Client, sql: &str, expected: &[&[&str]]) {
    let response = in_shop(client, sql);
    assert_eq!(response.status, 200, "{sql}: {response}");
    let rows: Vec<Vec<String>> =
        response.rows().into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect();
    assert_eq!(rows, expected, "{sql}");
}

fn check_objects(admin: &Client) {
    for (sql, expected) in [
        ("SELECT COUNT(*) FROM CUSTOMERS", "501"),
        ("SELECT NAME || ' ' || BORN || ' ' || BALANCE FROM CUSTOMERS WHERE ID = 1", "Ada 1815-12-10 10.50"),
        (
            "SELECT TO_CHAR(SEEN, 'YYYY-MM-DD HH24:MI:SS TZHTZM') FROM CUSTOMERS WHERE ID = 1",
            "2026-01-02 03:04:05 +0100",
        ),
        ("SELECT TO_JSON(INFO) FROM CUSTOMERS WHERE ID = 1", r#"{"a":[1,{"b":null}]}"#),
        ("SELECT TO_VARCHAR(FACE, 'HEX') FROM CUSTOMERS WHERE ID = 1", "00FF"),
        ("SELECT ST_X(SPOT) FROM PLACES", "13.4"),
        ("SELECT TAGS[1]::VARCHAR || PROPS:k::VARCHAR FROM PLACES", "x2"),
        ("SELECT NAME FROM RICH", "Ada"),
        ("SELECT N FROM HIDDEN", "501"),
        ("SELECT NUMBERS.NEXTVAL", "105"),
        ("SELECT TWICE(21)", "42"),
        ("CALL ADD_CUSTOMER(1000)", "added"),
        ("SELECT NAME FROM CUSTOMERS WHERE ID = 1000", "called"),
        ("SELECT S FROM ARCHIVE.OLD", "kept"),
        ("SELECT LISTAGG(S, '+') WITHIN GROUP (ORDER BY N) FROM LOADED", "one+two"),
        ("SELECT LISTAGG($2, '+') FROM @FILES/in/rows.csv (FILE_FORMAT => LINES)", "one+two"),
        (
            "SELECT COMMENT FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'CUSTOMERS' AND COLUMN_NAME = 'NAME'",
            "as printed",
        ),
    ] {
        check_rows(admin, sql, &[&[expected]]);
    }
    // What was loaded before is not loaded again.
    let copied = in_shop(admin, "COPY INTO LOADED FROM @FILES/in/rows.csv FILE_FORMAT = (FORMAT_NAME = LINES)");
    assert_eq!(copied.status, 200, "{copied}");
    check_rows(admin, "SELECT COUNT(*) FROM LOADED", &[&["2"]]);
    in_shop(admin, "DROP TABLE LOADED");
    check_rows(admin, "UNDROP TABLE LOADED", &[&["Table LOADED successfully restored."]]);
}

/// Users, roles, grants and policies.
fn check_account(server: &Server, admin: &Client) {
    let login = Request::post("/api/v2/login").json(&json!({"user": "anna", "password": "Wvr7-kLmn-2"}));
    let session = server.stranger().send(&login);
    assert_eq!(session.status, 200, "{session}");
    let anna = server.client(session.json()["token"].as_str().unwrap());
    check_rows(&anna, "SELECT COUNT(*), MIN(MAIL), MAX(ID) FROM CUSTOMERS", &[&["9", "***", "9"]]);
    assert_eq!(in_shop(&anna, "SELECT * FROM ARCHIVE.OLD").status, 422);
    assert_eq!(in_shop(&anna, "DELETE FROM CUSTOMERS").status, 422);
    in_shop(admin, "CREATE TABLE AFTERWARDS AS SELECT 1 AS N");
    check_rows(&anna, "SELECT N FROM AFTERWARDS", &[&["1"]]);
    let names = |sql: &str, column: usize| -> Vec<String> {
        in_shop(admin, sql).rows().into_iter().map(|row| row[column].clone().unwrap_or_default()).collect()
    };
    assert!(names("SHOW WAREHOUSES", 0).contains(&"SLOW".to_owned()));
    assert!(names("SHOW ROLES", 1).contains(&"CHIEF".to_owned()));
    assert!(names("SHOW NETWORK POLICIES", 1).contains(&"ANYWHERE".to_owned()));
    assert!(names("SHOW DATABASE ROLES IN DATABASE SHOP", 1).contains(&"READERS".to_owned()));
    let parameter = admin.rows("SHOW PARAMETERS LIKE 'TIMEZONE' IN ACCOUNT");
    assert_eq!(parameter[0][1].as_deref(), Some("Europe/Berlin"));
}

/// Outcomes, results and the audit trail.
fn check_history(admin: &Client) {
    for (number, rows) in [(1, 1), (2, 20_000)] {
        let id = Uuid::parse_str(&format!("00000000-0000-4000-8000-00000000000{number}")).unwrap();
        let again = Request::statement("SELECT 'the text of a retry does not count'", json!({}));
        let response = admin.send(&again.request_id(id).query("retry", "true"));
        assert_eq!(response.status, 200, "{response}");
        let body = response.json();
        assert_eq!(body["resultSetMetaData"]["numRows"], rows, "{response}");
        assert_eq!(body["data"][0][0], format!("upgrade-handle-{number}"), "{response}");
        let last = body["resultSetMetaData"]["partitionInfo"].as_array().unwrap().len() - 1;
        let path = format!("/api/v2/statements/{}", response.handle());
        let partition = admin.send(&Request::get(&path).query("partition", &last.to_string()));
        assert_eq!(partition.status, 200, "{partition}");
    }
    let history = "SELECT COUNT(*) FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 10000)) \
                   WHERE QUERY_TEXT LIKE 'CREATE WAREHOUSE SLOW%'";
    check_rows(admin, history, &[&["1"]]);
    let audit =
        "SELECT COUNT(*) FROM SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY WHERE QUERY_TEXT LIKE 'CREATE WAREHOUSE SLOW%'";
    check_rows(admin, audit, &[&["1"]]);
}

#[test]
fn a_data_folder_of_0_1_0_is_opened_with_all_that_it_holds() {
    let server = server_of("0.1.0");
    assert!(!server.log().contains("set aside"), "{}", server.log());
    let admin = server.admin();
    check_history(&admin);
    check_objects(&admin);
    check_account(&server, &admin);
    let server = server.kill_and_restart();
    check_rows(&server.admin(), "SELECT COUNT(*) FROM CUSTOMERS", &[&["502"]]);
}

//! The answers to statements: every field that some driver reads.

use firn_tests::driver::{Driver, envelope, request};
use firn_tests::{Client, Request, Server, comes_true};
use serde_json::{Value, json};
use uuid::Uuid;

const SLOW: &str =
    "SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 100000)) A, TABLE(GENERATOR(ROWCOUNT => 10000000)) B";

#[test]
fn a_result_has_all_fields() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let text = "SELECT 1.50 AS N, TRUE AS B, FALSE AS C, NULL::BOOLEAN AS D, 'true' AS T, '2024-01-02'::DATE AS DAY, \
                '2024-01-02 03:04:05.123456789'::TIMESTAMP_NTZ AS M, PARSE_JSON('{\"a\":[1]}') AS V";
    let data = driver.run(text);
    let row = data["rowset"][0].as_array().expect("a row");
    assert_eq!(
        row[..6],
        ["1.50", "1", "0", "", "true", "19724"].map(|text| match text {
            "" => Value::Null,
            text => json!(text),
        })
    );
    assert_eq!((&data["total"], &data["returned"], &data["statementTypeId"]), (&json!(1), &json!(1), &json!(0x1000)));
    assert_eq!((&data["queryResultFormat"], &data["version"]), (&json!("json"), &json!(1)));
    assert!(Uuid::try_parse(data["queryId"].as_str().unwrap_or_default()).is_ok(), "{data}");
    for field in ["finalDatabaseName", "finalSchemaName", "finalWarehouseName", "finalRoleName", "databaseProvider"] {
        assert!(data.get(field).is_some(), "{field}");
    }
    assert_eq!(data["finalRoleName"], "ACCOUNTADMIN");
    assert!(data["parameters"].as_array().is_some_and(|all| !all.is_empty()));
    for column in data["rowtype"].as_array().expect("columns") {
        for field in ["name", "type", "nullable", "length", "byteLength", "precision", "scale"] {
            assert!(column.get(field).is_some(), "{field}: {column}");
        }
    }
}

/// The client formats cells, and casts to text follow the session.
#[test]
fn formats_of_the_session_are_for_texts_alone() {
    let server = Server::start();
    let driver = Driver::open(&server);
    driver.run("ALTER SESSION SET DATE_OUTPUT_FORMAT = 'DD.MM.YYYY', BINARY_OUTPUT_FORMAT = 'BASE64'");
    let data = driver.run("SELECT '2024-01-02'::DATE, '2024-01-02'::DATE::VARCHAR, 'ab'::BINARY");
    assert_eq!(data["rowset"][0], json!(["19724", "02.01.2024", "AB"]));
}

#[test]
fn changes_of_rows_answer_with_their_counts() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    let driver = Driver::open_with(&server, &[("databaseName", "KEPT")], &json!({}));
    let kind = |data: &Value| data["statementTypeId"].as_u64().unwrap_or_default();
    assert_eq!(kind(&driver.run("CREATE TABLE T (A INT, B VARCHAR)")), 0x6000);
    let inserted = driver.run("INSERT INTO T VALUES (1, 'a'), (2, 'b')");
    assert_eq!((kind(&inserted), &inserted["rowset"]), (0x3100, &json!([["2"]])));
    assert_eq!(inserted["stats"]["numRowsInserted"], 2);
    assert_eq!(kind(&driver.run("UPDATE T SET B = 'c'")), 0x3200);
    assert_eq!(kind(&driver.run("DELETE FROM T WHERE A = 1")), 0x3300);
    assert_eq!(kind(&driver.run("SHOW TABLES")), 0x4400);
    assert_eq!(kind(&driver.run("DESC TABLE T")), 0x4500);
    assert_eq!(kind(&driver.run("USE SCHEMA PUBLIC")), 0x4302);
    assert_eq!(kind(&driver.run("COMMIT")), 0x5100);
}

#[test]
fn errors_name_code_state_and_query() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let answer = driver.query("SELECT * FROM NOWHERE.PUBLIC.T");
    assert_eq!((&answer["success"], &answer["code"]), (&json!(false), &json!("002003")));
    let data = &answer["data"];
    assert!(data["sqlState"].is_string() && data["queryId"].is_string() && data["errorCode"] == "002003", "{answer}");
    assert!(data.get("errorMessage").is_none() && data.get("age").is_some() && data.get("internalError").is_some());
    let again = driver.get(&format!("/queries/{}/result", data["queryId"].as_str().unwrap()));
    assert_eq!((&again["code"], &again["message"]), (&answer["code"], &answer["message"]));
    let syntax = driver.query("SELEC 1");
    assert_eq!((&syntax["code"], &syntax["data"]["sqlState"]), (&json!("001003"), &json!("42000")));
    assert_eq!(driver.get(&format!("/queries/{}/result", Uuid::new_v4()))["code"], "000709");
    assert_eq!(driver.get("/queries/x/result")["code"], "000709");
}

#[test]
fn a_request_that_is_sent_again_does_not_run_again() {
    let server = Server::start();
    server.admin().rows("CREATE DATABASE KEPT");
    let driver = Driver::open_with(&server, &[("databaseName", "KEPT")], &json!({}));
    driver.run("CREATE TABLE T (A INT)");
    let id = Uuid::new_v4();
    let first = driver.query_as(id, "INSERT INTO T VALUES (1)", &json!({}));
    let again = driver.query_as(id, "INSERT INTO T VALUES (1)", &json!({}));
    assert_eq!(first["data"]["queryId"], again["data"]["queryId"]);
    assert_eq!(driver.cell("SELECT COUNT(*) FROM T"), "1");
}

#[test]
fn several_statements_have_a_result_each() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let text = "SELECT 1 AS A; SELECT 'x' AS B, TRUE AS C;";
    assert_eq!(driver.code(text), "000008");
    for count in [0, 2] {
        let data = driver.run_with(text, &json!({"parameters": {"MULTI_STATEMENT_COUNT": count}}));
        assert_eq!(data["statementTypeId"], 0xA000);
        assert_eq!(data["rowset"], json!([["Multiple statements executed successfully."]]));
        assert_eq!(data["resultTypes"], "4096,4096");
        let ids: Vec<&str> = data["resultIds"].as_str().expect("ids").split(',').collect();
        let second = driver.get(&format!("/queries/{}/result", ids[1]))["data"].clone();
        assert_eq!(second["rowset"], json!([["x", "1"]]));
    }
    let one = driver.run_with("SELECT 1", &json!({"parameters": {"MULTI_STATEMENT_COUNT": 0}}));
    assert!(one.get("resultIds").is_none() && one["statementTypeId"] == 0x1000, "{one}");
    driver.run("ALTER SESSION SET MULTI_STATEMENT_COUNT = 0");
    let fields = json!({"bindings": {"1": {"type": "FIXED", "value": "7"}, "2": {"type": "TEXT", "value": "z"}}});
    let data = driver.run_with("SELECT ? AS A; SELECT ? AS B", &fields);
    let ids: Vec<&str> = data["resultIds"].as_str().expect("ids").split(',').collect();
    let rows = |id: &str| driver.get(&format!("/queries/{id}/result"))["data"]["rowset"].clone();
    assert_eq!((rows(ids[0]), rows(ids[1])), (json!([["7"]]), json!([["z"]])));
    let failed = driver.query("SELECT 1; SELECT * FROM NOWHERE.X.Y");
    assert_eq!(failed["code"], "100132", "{failed}");
}

#[test]
fn values_of_every_type_are_bound() {
    let server = Server::start();
    server.admin().rows("CREATE DATABASE KEPT");
    let driver = Driver::open_with(&server, &[("databaseName", "KEPT")], &json!({}));
    let check = |type_name: &str, value: Value, text: &str, expected: &str| {
        let fields = json!({"bindings": {"1": {"type": type_name, "value": value}}});
        assert_eq!(driver.run_with(text, &fields)["rowset"][0][0], expected, "{type_name} {value}");
    };
    check("FIXED", json!("1.20"), "SELECT ?", "1.20");
    check("REAL", json!("1.5"), "SELECT ?", "1.5");
    check("BOOLEAN", json!("true"), "SELECT ?", "1");
    check("DATE", json!("1704153600000"), "SELECT ?::VARCHAR", "2024-01-02");
    check("TIMESTAMP_TZ", json!("0"), "SELECT ?::VARCHAR", "1970-01-01 00:00:00.000 Z");
    check("BINARY", json!("ab"), "SELECT ?", "AB");
    check("VARIANT", json!("{\"a\":5}"), "SELECT (?):a::INT", "5");
    check("ARRAY", json!("[1,2]"), "SELECT ARRAY_SIZE(?)", "2");
    check("ANY", Value::Null, "SELECT COALESCE(?, 'none')", "none");
    driver.run("CREATE TABLE T (A INT, B VARCHAR)");
    let fields = json!({"bindings": {
        "1": {"type": "FIXED", "value": ["1", "2", null]}, "2": {"type": "TEXT", "value": ["a", null, "c"]}}});
    assert_eq!(driver.run_with("INSERT INTO T VALUES (?, ?)", &fields)["rowset"], json!([["3"]]));
    let fields = json!({"bindings": {"NAME": {"type": "TEXT", "value": "T"}, "n": {"type": "FIXED", "value": "2"}}});
    let named = driver.run_with("SELECT COUNT(*) FROM IDENTIFIER(:NAME) WHERE A = :N", &fields);
    assert_eq!(named["rowset"], json!([["1"]]));
    let fields = json!({"bindings": {"1": {"type": "TEXT", "value": "T"}}});
    assert_eq!(driver.run_with("SELECT COUNT(*) FROM IDENTIFIER(?)", &fields)["rowset"], json!([["3"]]));
}

#[test]
fn what_is_described_is_not_run() {
    let server = Server::start();
    server.admin().rows("CREATE DATABASE KEPT");
    let driver = Driver::open_with(&server, &[("databaseName", "KEPT")], &json!({}));
    driver.run("CREATE TABLE T (A INT, B VARCHAR(5))");
    let before = driver.run("SELECT 1")["queryId"].clone();
    let describe = |text: &str| {
        let data = driver.run_with(text, &json!({"describeOnly": true}));
        assert_eq!((&data["total"], &data["returned"], &data["rowset"]), (&json!(0), &json!(0), &json!([])), "{text}");
        let names = data["rowtype"].as_array().expect("columns").iter().map(|one| one["name"].clone());
        (names.collect::<Vec<Value>>(), data)
    };
    let (names, data) = describe("SELECT A, B, A + 1 AS C FROM T ORDER BY A LIMIT 5");
    assert_eq!((names, &data["rowtype"][1]["length"]), (vec![json!("A"), json!("B"), json!("C")], &json!(5)));
    let (names, data) = describe("INSERT INTO T VALUES (?, ?)");
    assert_eq!(names, vec![json!("number of rows inserted")]);
    assert_eq!((&data["numberOfBinds"], &data["arrayBindSupported"]), (&json!(2), &json!(true)));
    assert_eq!(data["metaDataOfBinds"].as_array().map(Vec::len), Some(2));
    describe("DELETE FROM T");
    describe("UPDATE T SET A = 1");
    describe("MERGE INTO T USING (SELECT 1 AS X) S ON T.A = S.X WHEN MATCHED THEN DELETE");
    describe("SHOW TABLES");
    describe("CREATE TABLE OTHER (A INT)");
    describe("DROP TABLE T");
    describe("SELECT ? AS X");
    assert_eq!(driver.cell("SELECT COUNT(*) FROM T"), "0");
    driver.run("SELECT 2");
    assert_ne!(before, Value::Null);
    assert_eq!(driver.code("SELECT * FROM OTHER"), "002003");
    let wrong = driver.query_with("SELECT NO_SUCH FROM T", &json!({"describeOnly": true}));
    assert_eq!(wrong["code"], "000904", "{wrong}");
}

fn fetched(client: &Client, url: &str) -> (u16, String) {
    let (_, path) = url.split_once("://").and_then(|(_, rest)| rest.split_once('/')).expect("a whole address");
    let response = client.send(&Request::new("GET", &format!("/{path}")));
    (response.status, response.text())
}

#[test]
fn later_rows_come_in_chunks() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let text =
        "SELECT SEQ4() AS N, SEQ4() % 2 = 0 AS B, RPAD('a\"]', 60, 'x') AS T FROM TABLE(GENERATOR(ROWCOUNT => 60000))";
    let data = driver.run(text);
    let chunks = data["chunks"].as_array().expect("chunks").clone();
    assert!(chunks.len() > 2 && data["chunkHeaders"].is_object(), "{}", data["chunks"]);
    let mut rows = data["rowset"].as_array().expect("rows").clone();
    let stranger = server.stranger();
    for chunk in &chunks {
        let url = chunk["url"].as_str().expect("an address");
        assert!(url.starts_with(server.base_url()), "{url}");
        let (status, text) = fetched(&stranger, url);
        assert_eq!(status, 200);
        assert!(chunk["uncompressedSize"].as_u64().is_some_and(|size| size >= text.len() as u64));
        let there: Vec<Value> = serde_json::from_str(&format!("[{text}]")).expect("rows");
        assert_eq!(chunk["rowCount"].as_u64(), Some(there.len() as u64));
        rows.extend(there);
    }
    assert_eq!(data["total"].as_u64(), Some(rows.len() as u64));
    let is_right = |(index, row): (usize, &Value)| {
        row[0] == json!(index.to_string()) && row[1] == json!(((index + 1) % 2).to_string())
    };
    assert!(rows.iter().enumerate().all(is_right));
    let url = chunks[0]["url"].as_str().expect("an address");
    let later = url.replace("/chunks/1?", "/chunks/2?");
    let forged = [
        later.as_str(),
        &url.replace("expires=1", "expires=2"),
        &url.replace("user=", "user=1"),
        &url[..url.len() - 1],
    ];
    for forged in forged {
        assert_eq!(fetched(&stranger, forged).0, 403, "{forged}");
    }
    let again = driver.get(&format!("/queries/{}/result", data["queryId"].as_str().unwrap()));
    assert_eq!(again["data"]["total"], data["total"]);
}

#[test]
fn the_address_of_chunks_can_be_configured() {
    let server = Server::start_with(&[("FIRN_PUBLIC_URL", "https://firn.example.com/base/")]);
    let driver = Driver::open(&server);
    let data = driver.run("SELECT RPAD('', 1000, 'x') FROM TABLE(GENERATOR(ROWCOUNT => 1000))");
    let url = data["chunks"][0]["url"].as_str().expect("an address");
    assert!(url.starts_with("https://firn.example.com/base/queries/"), "{url}");
}

#[test]
fn statements_run_by_themselves_and_are_cancelled() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let answer = driver.query_with("SELECT 5 AS A", &json!({"asyncExec": true}));
    assert_eq!((&answer["success"], &answer["code"]), (&json!(true), &json!("333334")), "{answer}");
    let id = answer["data"]["queryId"].as_str().expect("an id").to_owned();
    assert_eq!(answer["data"]["getResultUrl"], format!("/queries/{id}/result"));
    let state = || driver.get(&format!("/monitoring/queries/{id}"))["data"]["queries"][0]["status"].clone();
    assert!(comes_true(|| state() == "SUCCESS"));
    assert_eq!(driver.get(&format!("/queries/{id}/result"))["data"]["rowset"], json!([["5"]]));
    assert_eq!(driver.cell(&format!("SELECT A FROM TABLE(RESULT_SCAN('{id}'))")), "5");
    let nobodys = driver.get(&format!("/monitoring/queries/{}", Uuid::new_v4()));
    assert_eq!(nobodys["data"]["queries"], json!([]));
    let request_id = Uuid::new_v4();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| driver.query_as(request_id, SLOW, &json!({})));
        let abort = || driver.post("/queries/v1/abort-request", &json!({"requestId": request_id.to_string()}));
        assert!(comes_true(|| abort()["success"] == true));
        let answer = waiting.join().expect("an answer");
        assert_eq!((&answer["code"], &answer["data"]["sqlState"]), (&json!("000604"), &json!("57014")), "{answer}");
        assert!(answer["message"].as_str().is_some_and(|text| text.contains("SQL execution canceled")), "{answer}");
    });
    let other = Driver::open(&server);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| driver.query(SLOW));
        let cancel = format!("SELECT SYSTEM$CANCEL_ALL_QUERIES({})", driver.session_id);
        assert!(comes_true(|| other.cell(&cancel) != "0 cancelled."));
        assert_eq!(waiting.join().expect("an answer")["code"], "000604");
    });
}

#[test]
fn long_statements_are_answered_before_they_end() {
    let server = Server::start_with(&[("FIRN_SYNC_WAIT_MS", "100")]);
    let driver = Driver::open(&server);
    let body = json!({"sqlText": SLOW});
    let sent = request("POST", "/queries/v1/query-request", &driver.session_token).json(&body);
    let answer = envelope(&driver.send(&sent.request_id(Uuid::new_v4())));
    assert_eq!((&answer["success"], &answer["code"]), (&json!(true), &json!("333333")), "{answer}");
    let address = answer["data"]["getResultUrl"].as_str().expect("a path").to_owned();
    assert_eq!(driver.get(&address)["code"], "333333");
    let id = answer["data"]["queryId"].as_str().expect("an id");
    driver.post(&format!("/queries/{id}/abort-request"), &json!({}));
    assert_eq!(driver.get(&address)["code"], "000604");
}

/// Another user's statement looks like none.
#[test]
fn foreign_statements_are_unknown() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE USER OTHER");
    let secret = admin.rows("ALTER USER OTHER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().expect("a secret");
    let mine = Driver::open(&server).run("SELECT 'secret'")["queryId"].as_str().expect("an id").to_owned();
    let login = firn_tests::driver::login_body(&secret, &json!({}));
    let other = Driver::of_answer(&server, &Driver::try_open(&server, &[], &login));
    assert_eq!(other.get(&format!("/queries/{mine}/result"))["code"], "000709");
    assert_eq!(other.get(&format!("/monitoring/queries/{mine}"))["data"]["queries"], json!([]));
    assert_eq!(other.post(&format!("/queries/{mine}/abort-request"), &json!({}))["code"], "000709");
}

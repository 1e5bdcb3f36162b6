//! What bounds a question: its warehouse's turn, the time it may take, the sizes of its parts, and a client that goes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use firn_tests::{Client, Request, Server};
use serde_json::{Value, json};

const MESSAGE: &str = "/api/v2/assistant/analyst/message";
const MODEL: &str = "
name: digits
tables:
- name: digits
  base_table: {database: FIRN, schema: PUBLIC, table: DIGITS}
  dimensions: [{name: d, expr: D, data_type: NUMBER}]
verified_queries:
- {name: all, question: How many digits are there?, sql: SELECT COUNT(*) AS n FROM digits}
";
/// Looking at this table takes longer than any test waits.
const SLOW_MODEL: &str = "
name: slow
tables:
- name: slow
  base_table:
    definition: SELECT SUM(A.D * B.D) AS n FROM FIRN.PUBLIC.MANY A CROSS JOIN FIRN.PUBLIC.MANY B
  dimensions: [{name: n, data_type: TEXT}]
";

fn server(settings: &[(&str, &str)]) -> Server {
    let server = Server::start_with(settings);
    let admin = server.admin();
    admin.rows("CREATE TABLE FIRN.PUBLIC.DIGITS AS SELECT 1 AS D UNION ALL SELECT 2");
    admin.rows("CREATE TABLE FIRN.PUBLIC.MANY AS SELECT SEQ4()::FLOAT AS D FROM TABLE(GENERATOR(ROWCOUNT => 3000000))");
    admin.rows("CREATE WAREHOUSE ONE MAX_CONCURRENCY_LEVEL = 1");
    server
}

fn question(model: &str, more: Value) -> Value {
    let mut body = json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "how many slow are there?"}]}],
        "semantic_model": model});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// A request on a connection of its own, whose answer nobody has read yet.
fn sent(server: &Server, client_token: &str, body: &Value) -> TcpStream {
    let address = server.base_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "POST {MESSAGE} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {client_token}\r\nuser-agent: t/1\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream
}

fn token(admin: &Client) -> String {
    admin.rows("CREATE USER ASKER DEFAULT_ROLE = ACCOUNTADMIN");
    admin.rows("GRANT ROLE ACCOUNTADMIN TO USER ASKER");
    admin.rows("ALTER USER ASKER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap()
}

#[test]
fn a_client_that_goes_stops_the_work_and_frees_the_warehouse() {
    let server = server(&[("FIRN_ANALYST_LOOK_WAIT_MS", "600000"), ("FIRN_ANALYST_ANSWER_WAIT_MS", "600000")]);
    let admin = server.admin();
    let token = token(&admin);
    for stream in [false, true] {
        let asked = sent(&server, &token, &question(SLOW_MODEL, json!({"warehouse": "ONE", "stream": stream})));
        std::thread::sleep(Duration::from_millis(700));
        let waiting = admin
            .send(&Request::statement("SELECT 1", json!({"warehouse": "ONE", "timeout": 60})).query("async", "true"));
        let handle = waiting.handle();
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(admin.status(&handle).status, 202, "the question holds the warehouse's only slot");
        drop(asked);
        // The question itself would take longer than the statement may wait.
        assert_eq!(admin.outcome(&handle).status, 200, "{stream}: the work went on");
    }
}

#[test]
fn a_slow_client_gets_the_whole_stream() {
    let server = server(&[]);
    let token = token(&server.admin());
    let body = json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "How many digits are there?"}]}],
        "semantic_model": MODEL, "stream": true});
    let mut stream = sent(&server, &token, &body);
    std::thread::sleep(Duration::from_millis(300));
    let mut text = Vec::new();
    let mut piece = [0; 7];
    while !String::from_utf8_lossy(&text).contains("event: done\ndata: {}\n\n") {
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&piece[..read]);
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_question_takes_no_longer_than_it_may() {
    let server = server(&[("FIRN_ANALYST_ANSWER_WAIT_MS", "400")]);
    let admin = server.admin();
    let whole = admin.send(&Request::post(MESSAGE).json(&question(SLOW_MODEL, json!({}))));
    assert_eq!((whole.status, whole.code().as_str()), (503, "392703"), "{whole}");
    let streamed = admin.send(&Request::post(MESSAGE).json(&question(SLOW_MODEL, json!({"stream": true}))));
    assert_eq!(streamed.status, 200);
    let text = streamed.text();
    assert!(text.trim_end().rsplit("\n\n").next().unwrap().starts_with("event: error\n"), "{text}");
    assert!(text.contains("\"code\":\"392703\""), "{text}");
}

#[test]
fn a_busy_warehouse_turns_questions_away() {
    let server = server(&[("FIRN_QUEUE_LENGTH_MAX", "0")]);
    let admin = server.admin();
    let slow = "SELECT SUM(A.D * B.D) FROM FIRN.PUBLIC.MANY A CROSS JOIN FIRN.PUBLIC.MANY B";
    let busy = admin.send(&Request::statement(slow, json!({"warehouse": "ONE"})).query("async", "true")).handle();
    std::thread::sleep(Duration::from_millis(500));
    let turned_away = admin.send(&Request::post(MESSAGE).json(&question(MODEL, json!({"warehouse": "ONE"}))));
    assert_eq!(turned_away.status, 429, "{turned_away}");
    assert!(turned_away.headers.contains_key("retry-after"), "{turned_away}");
    assert!(turned_away.json()["request_id"].is_string(), "{turned_away}");
    let elsewhere = admin.send(&Request::post(MESSAGE).json(&question(MODEL, json!({}))));
    assert_eq!(elsewhere.status, 200, "{elsewhere}");
    admin.cancel(&busy);
    let unknown = admin.send(&Request::post(MESSAGE).json(&question(MODEL, json!({"warehouse": "NONE"}))));
    assert_eq!((unknown.status, unknown.code().as_str()), (400, "002043"), "{unknown}");
}

#[test]
fn too_many_requests_are_refused_as_for_statements() {
    let server = Server::start_with(&[("FIRN_REQUESTS_PER_SECOND_MAX", "1")]);
    let admin = server.admin();
    let ask = |_| admin.send(&Request::post(MESSAGE).json(&question(MODEL, json!({}))));
    let answers: Vec<_> = (0..6).map(ask).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("one is too many");
    assert_eq!(refused.code(), "390505", "{refused}");
    assert!(refused.headers.contains_key("retry-after"), "{refused}");
}

#[test]
fn sizes_are_limited_by_the_configuration() {
    let server = server(&[
        ("FIRN_ANALYST_TEXT_CHARACTERS_MAX", "40"),
        ("FIRN_ANALYST_MESSAGES_MAX", "3"),
        ("FIRN_ANALYST_MODELS_MAX", "2"),
    ]);
    let admin = server.admin();
    let user = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}]});
    let refused = |body: Value, expected: &str| {
        let response = admin.send(&Request::post(MESSAGE).json(&body));
        assert_eq!((response.status, response.code().as_str()), (400, "390142"), "{response}");
        assert!(response.json()["message"].as_str().unwrap().contains(expected), "{response}");
    };
    refused(json!({"messages": [user(&"x".repeat(41))], "semantic_model": MODEL}), "longer than 40 characters");
    refused(json!({"messages": vec![user("x"); 4], "semantic_model": MODEL}), "has 4 entries; 3 go");
    let models = vec![json!({"semantic_model": MODEL}); 3];
    refused(json!({"messages": [user("x")], "semantic_models": models}), "1 to 2 go");
    let feedback = json!({"request_id": "x", "positive": true, "feedback_message": "x".repeat(41)});
    let response = admin.send(&Request::post("/api/v2/assistant/analyst/feedback").json(&feedback));
    assert_eq!(response.status, 400, "{response}");
    let whole = json!({"messages": [user("How many digits are there?")], "semantic_models": vec![json!({"semantic_model": MODEL}); 2]});
    assert_eq!(admin.send(&Request::post(MESSAGE).json(&whole)).status, 200);
}

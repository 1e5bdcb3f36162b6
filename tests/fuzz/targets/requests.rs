//! Whole requests to a running server: it answers each, never with a failure of its own, and lives on.

use firn_fuzz::campaign::Campaign;
use firn_fuzz::corpus;
use firn_tests::{Client, Request, Server};
use serde_json::json;

const PATHS: [&str; 4] = [
    "/api/v2/statements",
    "/api/v2/assistant/analyst/message",
    "/api/v2/assistant/analyst/feedback",
    "/api/v2/assistant/analyst/verified-queries",
];

/// Statements may take what they ask for, as far as these allow.
const SETTINGS: [(&str, &str); 2] = [("FIRN_STATEMENT_TIMEOUT_S_MAX", "5"), ("FIRN_MEMORY_LIMIT", "512MiB")];

fn send(client: &Client, request: &Request) {
    let response = client.try_send(request).unwrap_or_else(|error| panic!("no answer: {error}"));
    let is_failure = response.status >= 500 && !matches!(response.status, 503 | 507);
    assert!(!is_failure && !response.text().contains("nternal error"), "{response}");
}

#[test]
fn any_body_is_answered() {
    let server = Server::start_with(&SETTINGS);
    let client = server.admin();
    Campaign { name: "requests", rounds: 300 }.run(&corpus::bodies(), |body| {
        // Which endpoint it goes to depends on the text alone.
        let mut request = Request::post(PATHS[body.len() % PATHS.len()]);
        request.headers.insert("content-type".to_owned(), "application/json".to_owned());
        request.body = body.as_bytes().to_vec();
        send(&client, &request);
    });
    assert_eq!(client.cell("SELECT 1"), "1");
}

#[test]
fn any_statement_is_answered() {
    let server = Server::start_with(&SETTINGS);
    let client = server.admin();
    client.rows("CREATE DATABASE FUZZED");
    Campaign { name: "statements", rounds: 200 }.run(&corpus::statements(), |text| {
        let fields = json!({"database": "FUZZED", "schema": "PUBLIC", "parameters": {"MULTI_STATEMENT_COUNT": 0}});
        send(&client, &Request::statement(text, fields));
    });
    assert_eq!(client.cell("SELECT 1"), "1");
}

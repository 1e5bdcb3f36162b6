//! Walks every operation of the served OpenAPI document without a token and with another user's
//! statement. An operation that is not in the table below fails the walk.

use std::collections::BTreeSet;

use firn_tests::{Client, Request, Response, Server};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Clone, Copy, PartialEq)]
enum Access {
    /// Answers anyone.
    Public,
    /// Needs a user and a password in its body.
    Password,
    /// Needs a token.
    Caller,
    /// Needs a token, and a statement that is the caller's own.
    Owner,
}

const OPERATIONS: [(&str, &str, Access); 44] = [
    ("POST", "/api/v2/login", Access::Password),
    ("POST", "/api/v2/logout", Access::Caller),
    ("POST", "/api/v2/statements", Access::Caller),
    ("GET", "/api/v2/statements", Access::Caller),
    ("GET", "/api/v2/statements/{statementHandle}", Access::Owner),
    ("GET", "/api/v2/statements/{statementHandle}/profile", Access::Owner),
    ("GET", "/api/v2/statements/{statementHandle}/download", Access::Owner),
    ("POST", "/api/v2/statements/{statementHandle}/download-link", Access::Owner),
    ("POST", "/api/v2/statements/{statementHandle}/cancel", Access::Owner),
    ("GET", "/api/v2/history", Access::Caller),
    ("GET", "/api/v2/history/users", Access::Caller),
    ("GET", "/api/v2/history/load", Access::Caller),
    ("POST", "/api/v2/sessions", Access::Caller),
    ("GET", "/api/v2/sessions", Access::Caller),
    ("GET", "/api/v2/sessions/{sessionId}", Access::Caller),
    ("DELETE", "/api/v2/sessions/{sessionId}", Access::Caller),
    ("GET", "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files", Access::Caller),
    ("GET", "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", Access::Caller),
    ("HEAD", "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", Access::Caller),
    ("PUT", "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", Access::Caller),
    ("DELETE", "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", Access::Caller),
    ("GET", "/api/v2/stages/~/files", Access::Caller),
    ("GET", "/api/v2/stages/~/files/{path}", Access::Caller),
    ("HEAD", "/api/v2/stages/~/files/{path}", Access::Caller),
    ("PUT", "/api/v2/stages/~/files/{path}", Access::Caller),
    ("DELETE", "/api/v2/stages/~/files/{path}", Access::Caller),
    ("POST", "/api/v2/assistant/analyst/message", Access::Caller),
    ("POST", "/api/v2/assistant/analyst/feedback", Access::Caller),
    ("POST", "/api/v2/assistant/analyst/validate", Access::Caller),
    ("POST", "/api/v2/assistant/analyst/verified-queries", Access::Caller),
    ("POST", "/api/v2/assistant/analyst/verified-query-suggestions", Access::Caller),
    ("POST", "/api/v2/assistant/analyst/filters-and-metrics-suggestions", Access::Caller),
    ("POST", "/api/v2/cortex/analyst/message", Access::Caller),
    ("POST", "/api/v2/cortex/analyst/feedback", Access::Caller),
    ("POST", "/api/v2/cortex/analyst/verified-query-suggestions", Access::Caller),
    ("POST", "/api/v2/cortex/analyst/filters-and-metrics-suggestions", Access::Caller),
    ("POST", "/mcp", Access::Caller),
    ("POST", "/api/v2/backups", Access::Caller),
    ("GET", "/api/v2/backups/{name}", Access::Caller),
    ("GET", "/api/v2/openapi.json", Access::Public),
    ("GET", "/api/v2/docs", Access::Public),
    ("GET", "/healthz", Access::Public),
    ("GET", "/readyz", Access::Public),
    ("GET", "/metrics", Access::Public),
];

fn request(method: &str, template: &str, handle: &str) -> Request {
    let mut path = template.replace("{statementHandle}", handle);
    for (name, value) in [
        ("{database}", "FIRN"),
        ("{schema}", "PUBLIC"),
        ("{stage}", "S"),
        ("{path}", "x"),
        ("{name}", "x"),
        ("{sessionId}", "x"),
    ] {
        path = path.replace(name, value);
    }
    if (method, template) == ("GET", "/api/v2/statements") {
        path.push_str("?state=running");
    }
    if template == "/api/v2/history/load" {
        path.push_str("?from=0");
    }
    let request = Request::new(method, &path).header("accept", "*/*");
    if method == "POST" && !template.contains('{') { request.json(&json!({"statement": "SELECT 1"})) } else { request }
}

fn document(server: &Server) -> Value {
    let response = server.stranger().send(&Request::get("/api/v2/openapi.json"));
    assert_eq!(response.status, 200, "{response}");
    response.json()
}

/// A second user, who owns nothing.
fn other_user(server: &Server) -> Client {
    let admin = server.admin();
    admin.rows("CREATE USER SOMEONE_ELSE");
    let rows = admin.rows("ALTER USER SOMEONE_ELSE ADD PROGRAMMATIC ACCESS TOKEN T");
    server.client(rows[0][1].as_deref().unwrap())
}

#[test]
fn the_table_and_the_document_agree() {
    let server = Server::start();
    let document = document(&server);
    let paths = document["paths"].as_object().expect("the document has paths");
    let verbs = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];
    let mut documented = BTreeSet::new();
    for (path, item) in paths {
        let methods = item.as_object().unwrap().keys().filter(|key| verbs.contains(&key.as_str()));
        documented.extend(methods.map(|method| (method.to_uppercase(), path.clone())));
    }
    let known: BTreeSet<(String, String)> =
        OPERATIONS.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
    let missing: Vec<_> = documented.difference(&known).collect();
    assert!(missing.is_empty(), "operations without a row in OPERATIONS: {missing:?}");
    let is_undescribed_by_design =
        |path: &str| ["/api/v2/openapi.json", "/api/v2/docs"].contains(&path) || path.starts_with("/api/v2/cortex/");
    for (method, path) in known.difference(&documented) {
        assert!(is_undescribed_by_design(path), "{method} {path} is not in the document");
    }
}

#[test]
fn without_a_token_only_public_operations_answer() {
    let server = Server::start();
    let mine = server.admin().sql("SELECT 1").handle();
    let mut refusals = BTreeSet::new();
    for (method, path, access) in OPERATIONS {
        let response = server.stranger().send(&request(method, path, &mine));
        if access == Access::Public {
            assert_eq!(response.status, 200, "{method} {path}: {response}");
        } else if access == Access::Password {
            assert_eq!(response.status, 400, "{method} {path}: {response}");
        } else {
            assert_eq!(response.status, 401, "{method} {path}: {response}");
            // An answer to HEAD has no body.
            if method != "HEAD" {
                let body = response.json();
                refusals.insert((body["code"].to_string(), body["message"].to_string()));
            }
        }
    }
    assert_eq!(refusals.len(), 1, "a missing token is reported in more than one way: {refusals:?}");
}

#[test]
fn another_users_statement_looks_like_none() {
    let server = Server::start();
    let someone = other_user(&server);
    let finished = server.admin().sql("SELECT 'secret'").handle();
    let failed = server.admin().sql("SELECT * FROM NOWHERE_AT_ALL").handle();
    for (method, path, access) in OPERATIONS {
        if access != Access::Owner {
            continue;
        }
        let unknown = Uuid::new_v4().to_string();
        let expected = comparable(&someone.send(&request(method, path, &unknown)), &unknown);
        for handle in [&finished, &failed] {
            let response = someone.send(&request(method, path, handle));
            assert_eq!(response.status, 422, "{method} {path}: {response}");
            assert_eq!(response.code(), "000709", "{method} {path}: {response}");
            assert_eq!(comparable(&response, handle), expected, "{method} {path} distinguishes a foreign handle");
        }
    }
    assert_eq!(server.admin().status(&finished).status, 200);
}

/// An answer without what differs from request to request anyway.
fn comparable(response: &Response, handle: &str) -> (u16, Vec<String>, String) {
    let headers = response.headers.iter().filter(|(name, _)| *name != "date");
    (
        response.status,
        headers.map(|(name, value)| format!("{name}: {value}")).collect(),
        response.text().replace(handle, "HANDLE"),
    )
}

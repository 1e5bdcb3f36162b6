//! Requests that name objects outside of SQL.

use firn_tests::Request;
use serde_json::json;

use super::names::Kind;

type Asked = (Kind, &'static str, fn(&str) -> Request);

pub fn all() -> Vec<Asked> {
    vec![
        (Kind::Database, "the field database", |name| selected(&json!({"database": name}))),
        (Kind::Schema, "the field schema", |name| {
            let (database, schema) = name.split_once('.').unwrap_or(("SEEN", name));
            selected(&json!({"database": database, "schema": schema}))
        }),
        (Kind::Warehouse, "the field warehouse", |name| selected(&json!({"warehouse": name}))),
        (Kind::Role, "the field role", |name| selected(&json!({"role": name}))),
        (Kind::Stage, "GET of files", |name| Request::get(&files(name))),
        (Kind::Stage, "GET of a file", |name| Request::get(&format!("{}/a", files(name)))),
        (Kind::Stage, "HEAD of a file", |name| Request::new("HEAD", &format!("{}/a", files(name)))),
        (Kind::Stage, "PUT of a file", |name| {
            let mut request = Request::new("PUT", &format!("{}/b", files(name)));
            request.body = b"1".to_vec();
            request
        }),
        (Kind::Stage, "DELETE of a file", |name| Request::new("DELETE", &format!("{}/a", files(name)))),
        (Kind::SemanticView, "a question to a semantic view", |name| question("semantic_view", name)),
        (Kind::Stage, "a question to a model on a stage", |name| {
            question("semantic_model_file", &format!("@{name}/model.yaml"))
        }),
    ]
}

fn selected(fields: &serde_json::Value) -> Request {
    Request::statement("SELECT CURRENT_USER()", fields.clone())
}

/// The address of a stage's files; a name that is not complete is one in `SEEN.OPENED`.
fn files(name: &str) -> String {
    let mut parts: Vec<&str> = name.split('.').collect();
    let missing = 3 - parts.len();
    parts.splice(0..0, ["SEEN", "OPENED"].into_iter().take(missing));
    format!("/api/v2/databases/{}/schemas/{}/stages/{}/files", parts[0], parts[1], parts[2])
}

fn question(field: &str, name: &str) -> Request {
    let content = json!([{"type": "text", "text": "How many are there?"}]);
    let mut body = json!({"messages": [{"role": "user", "content": content}]});
    body[field] = name.into();
    Request::post("/api/v2/assistant/analyst/message").json(&body)
}

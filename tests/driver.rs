//! A client of the session protocol that official drivers speak, with one session.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::ADMIN_TOKEN;
use crate::{Client, Request, Response, Server};

pub const LOGIN: &str = "/session/v1/login-request";
pub const QUERY: &str = "/queries/v1/query-request";

#[derive(Clone)]
pub struct Driver {
    client: Client,
    pub session_token: String,
    pub master_token: String,
    pub session_id: u64,
}

/// A request as drivers send it.
pub fn request(method: &str, path: &str, token: &str) -> Request {
    let authorization = format!("Snowflake Token=\"{token}\"");
    Request::new(method, path).header("accept", "application/snowflake").header("authorization", &authorization)
}

/// A login with an access token, and further fields of its data.
pub fn login_body(token: &str, fields: &Value) -> Value {
    let mut data = json!({"AUTHENTICATOR": "PROGRAMMATIC_ACCESS_TOKEN", "TOKEN": token, "LOGIN_NAME": ""});
    for (name, value) in fields.as_object().into_iter().flatten() {
        data[name] = value.clone();
    }
    json!({ "data": data })
}

/// Every answer is an envelope with status 200.
pub fn envelope(response: &Response) -> Value {
    assert_eq!(response.status, 200, "{response}");
    let body = response.json();
    for field in ["data", "code", "message", "success"] {
        assert!(body.get(field).is_some(), "{field} is missing: {response}");
    }
    for field in ["code", "message"] {
        assert!(body[field].is_null() || body[field].is_string(), "{field} is no text: {response}");
    }
    assert!(body["success"].is_boolean(), "{response}");
    body
}

impl Driver {
    pub fn open(server: &Server) -> Self {
        Self::open_with(server, &[], &json!({}))
    }

    /// A session of ADMIN with parameters of the address and fields of the body.
    pub fn open_with(server: &Server, address: &[(&str, &str)], fields: &Value) -> Self {
        let answer = Self::try_open(server, address, &login_body(ADMIN_TOKEN, fields));
        assert_eq!(answer["success"], true, "{answer}");
        Self::of_answer(server, &answer)
    }

    pub fn try_open(server: &Server, address: &[(&str, &str)], body: &Value) -> Value {
        let login = request("POST", LOGIN, "None").json(body);
        let login = address.iter().fold(login, |login, (name, value)| login.query(name, value));
        envelope(&server.stranger().send(&login))
    }

    pub fn of_answer(server: &Server, answer: &Value) -> Self {
        let text =
            |name: &str| answer["data"][name].as_str().unwrap_or_else(|| panic!("no {name}: {answer}")).to_owned();
        Self {
            client: server.stranger(),
            session_token: text("token"),
            master_token: text("masterToken"),
            session_id: answer["data"]["sessionId"].as_u64().expect("sessionId is an integer"),
        }
    }

    pub fn send(&self, request: &Request) -> Response {
        self.client.send(request)
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        envelope(&self.send(&request("POST", path, &self.session_token).json(body)))
    }

    pub fn get(&self, path: &str) -> Value {
        envelope(&self.send(&request("GET", path, &self.session_token)))
    }

    /// The answer to a statement, with further fields of the body.
    pub fn query_with(&self, text: &str, fields: &Value) -> Value {
        self.query_as(Uuid::new_v4(), text, fields)
    }

    pub fn query_as(&self, request_id: Uuid, text: &str, fields: &Value) -> Value {
        let mut body = fields.clone();
        body["sqlText"] = text.into();
        let sent = request("POST", QUERY, &self.session_token).json(&body).request_id(request_id);
        let mut answer = envelope(&self.send(&sent));
        while answer["code"] == "333333" {
            let address = answer["data"]["getResultUrl"].as_str().expect("a path of the result").to_owned();
            answer = self.get(&address);
        }
        answer
    }

    pub fn query(&self, text: &str) -> Value {
        self.query_with(text, &json!({}))
    }

    /// The answer's data of a statement that has to succeed.
    pub fn run(&self, text: &str) -> Value {
        self.run_with(text, &json!({}))
    }

    pub fn run_with(&self, text: &str, fields: &Value) -> Value {
        let answer = self.query_with(text, fields);
        assert_eq!(answer["success"], true, "{text}: {answer}");
        answer["data"].clone()
    }

    /// The first cell of a statement that has to succeed, `NULL` for none.
    pub fn cell(&self, text: &str) -> String {
        self.run(text)["rowset"][0][0].as_str().unwrap_or("NULL").to_owned()
    }

    /// The code of a statement that has to fail.
    pub fn code(&self, text: &str) -> String {
        let answer = self.query(text);
        assert_eq!(answer["success"], false, "{text}: {answer}");
        answer["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn log_out(&self) -> Value {
        let request = request("POST", "/session", &self.session_token).query("delete", "true").json(&json!({}));
        envelope(&self.send(&request))
    }
}

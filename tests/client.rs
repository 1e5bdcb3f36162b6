//! A plain HTTP client that sends exactly the given request and returns exactly the response.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;
use ureq::config::AutoHeaderValue;
use uuid::Uuid;

pub const STATEMENTS: &str = "/api/v2/statements";

/// How long a client polls a running statement before it gives up.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Clone)]
pub struct Client {
    agent: Agent,
    base_url: String,
    token: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    /// Names in lower case. A default header is left out by removing it.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Already decompressed; `headers` has the original encoding.
    pub body: Vec<u8>,
}

impl Client {
    pub fn new(base_url: &str, token: Option<&str>) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(AutoHeaderValue::None)
            .accept(AutoHeaderValue::None)
            .accept_encoding(AutoHeaderValue::None)
            .timeout_global(Some(PATIENCE))
            .build()
            .into();
        Self { agent, base_url: base_url.to_owned(), token: token.map(str::to_owned) }
    }

    pub fn with_token(&self, token: Option<&str>) -> Self {
        Self { token: token.map(str::to_owned), ..self.clone() }
    }

    /// Sends the request with this client's token, unless it carries one of its own.
    pub fn send(&self, request: &Request) -> Response {
        self.try_send(request).unwrap_or_else(|error| panic!("{} {}: {error}", request.method, request.path))
    }

    /// For servers that may die under the request.
    pub fn try_send(&self, request: &Request) -> Result<Response, ureq::Error> {
        let mut builder = ureq::http::Request::builder().method(request.method.as_str()).uri(format!(
            "{}{}",
            self.base_url,
            request.target()
        ));
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(token) = self.token.as_ref().filter(|_| !request.headers.contains_key("authorization")) {
            builder = builder.header("authorization", format!("Bearer {token}"));
        }
        let answer = if request.body.is_empty() {
            self.agent.run(builder.body(())?)?
        } else {
            self.agent.run(builder.body(request.body.as_slice())?)?
        };
        Response::read(answer)
    }

    /// Submits a statement with further body fields and waits for its outcome.
    pub fn sql_with(&self, statement: &str, fields: Value) -> Response {
        self.send(&Request::statement(statement, fields))
    }

    pub fn sql(&self, statement: &str) -> Response {
        self.sql_with(statement, json!({}))
    }

    /// Runs a statement and waits for its end, however short a time the server waits for it itself.
    pub fn sql_to_its_end(&self, statement: &str) -> Response {
        self.sql_to_its_end_with(statement, json!({}))
    }

    pub fn sql_to_its_end_with(&self, statement: &str, fields: Value) -> Response {
        let response = self.sql_with(statement, fields);
        match response.status {
            202 => self.outcome(&response.handle()),
            _ => response,
        }
    }

    /// Runs a statement that has to succeed and returns its rows.
    pub fn rows(&self, statement: &str) -> Vec<Vec<Option<String>>> {
        let response = self.sql_to_its_end(statement);
        assert_eq!(response.status, 200, "{statement}\n{response}");
        response.rows()
    }

    /// The only cell of a statement that has to succeed.
    pub fn cell(&self, statement: &str) -> String {
        let rows = self.rows(statement);
        rows[0][0].clone().unwrap_or_else(|| panic!("{statement} gave NULL"))
    }

    pub fn submit_async(&self, statement: &str) -> String {
        let response = self.send(&Request::statement(statement, json!({})).query("async", "true"));
        assert_eq!(response.status, 202, "{statement}\n{response}");
        response.handle()
    }

    pub fn status(&self, handle: &str) -> Response {
        self.send(&Request::get(&format!("{STATEMENTS}/{handle}")))
    }

    pub fn cancel(&self, handle: &str) -> Response {
        self.send(&Request::post(&format!("{STATEMENTS}/{handle}/cancel")))
    }

    /// Polls until the statement is no longer running.
    pub fn outcome(&self, handle: &str) -> Response {
        self.send_until_done(&Request::get(&format!("{STATEMENTS}/{handle}")))
    }

    /// Repeats a request while it is answered with 202.
    pub fn send_until_done(&self, request: &Request) -> Response {
        let start = Instant::now();
        loop {
            let response = self.send(request);
            if response.status != 202 || start.elapsed() > PATIENCE {
                return response;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Request {
    pub fn new(method: &str, path: &str) -> Self {
        let headers = [("user-agent", "firn-tests/1.0"), ("accept", "application/json")];
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: Vec::new(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            body: Vec::new(),
        }
    }

    pub fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub fn post(path: &str) -> Self {
        Self::new("POST", path)
    }

    pub fn statement(statement: &str, mut fields: Value) -> Self {
        fields["statement"] = statement.into();
        Self::post(STATEMENTS).json(&fields)
    }

    pub fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into_bytes();
        self.header("content-type", "application/json")
    }

    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn request_id(self, id: Uuid) -> Self {
        self.query("requestId", &id.to_string())
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_ascii_lowercase(), value.to_owned());
        self
    }

    fn target(&self) -> String {
        let mut target = self.path.clone();
        for (index, (name, value)) in self.query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            target.push_str(name);
            target.push('=');
            target.push_str(&percent_encoded(value));
        }
        target
    }
}

fn percent_encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

impl Response {
    fn read(answer: ureq::http::Response<ureq::Body>) -> Result<Self, ureq::Error> {
        let status = answer.status().as_u16();
        let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let mut headers = BTreeMap::new();
        for (name, value) in answer.headers() {
            headers
                .entry(name.as_str().to_owned())
                .and_modify(|seen: &mut String| *seen = format!("{seen}, {}", text(value)))
                .or_insert_with(|| text(value));
        }
        let mut body = answer.into_body().with_config().limit(1 << 30).read_to_vec()?;
        if headers.get("content-encoding").is_some_and(|encoding| encoding == "gzip") {
            body = gunzip(&body);
        }
        Ok(Self { status, headers, body })
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn handle(&self) -> String {
        let body = self.json();
        body["statementHandle"].as_str().unwrap_or_else(|| panic!("no statementHandle in {self}")).to_owned()
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn rows(&self) -> Vec<Vec<Option<String>>> {
        serde_json::from_value(self.json()["data"].clone()).unwrap_or_else(|error| panic!("{error} in {self}"))
    }
}

impl std::fmt::Display for Response {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.text();
        let shown: String = text.chars().take(2_000).collect();
        write!(formatter, "HTTP {} {shown}", self.status)
    }
}

/// Gzip keeps the unpacked size, modulo 2^32, in its last four bytes.
pub fn gunzip(packed: &[u8]) -> Vec<u8> {
    let size = packed.last_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let mut unpacked = vec![0; size as usize];
    let written = libdeflater::Decompressor::new().gzip_decompress(packed, &mut unpacked).expect("a whole gzip body");
    unpacked.truncate(written);
    unpacked
}

pub fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut packed = vec![0; compressor.gzip_compress_bound(plain.len())];
    let written = compressor.gzip_compress(plain, &mut packed).expect("the bound is large enough");
    packed.truncate(written);
    packed
}

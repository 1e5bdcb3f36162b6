//! Requests of firn's API, whatever carries them.

use bytes::Bytes;
use serde_json::Value;

/// A request with it asks for its statement to be cancelled if nobody waits for the answer any more.
pub const CANCEL_IF_LEFT: &str = "X-Firn-Cancel-If-Left";

/// Sends requests in the name of one caller.
pub trait Api: Send + Sync + 'static {
    fn send(&self, request: Request) -> impl Future<Output = Result<Answer, Unreachable>> + Send;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    /// With the query.
    pub path: String,
    /// Headers beside those of every request.
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Bytes,
}

/// Why there is no answer, in words.
#[derive(Clone, Debug)]
pub struct Unreachable(pub String);

impl Request {
    pub fn get(path: String) -> Self {
        Self { method: Method::Get, path, headers: Vec::new(), body: None }
    }

    pub fn post(path: &str, body: Value) -> Self {
        Self { method: Method::Post, path: path.to_owned(), headers: Vec::new(), body: Some(body) }
    }

    pub fn with_header(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.headers.extend(value.map(|value| (name, value.to_owned())));
        self
    }
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

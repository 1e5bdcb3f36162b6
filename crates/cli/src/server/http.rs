//! Requests to a server, and its answers as they come.

use std::error::Error;
use std::io::Read;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::failure::Failure;

const CONNECT_WAIT: Duration = Duration::from_secs(10);
/// For an answer that is waited for: longer than the server waits for a statement or takes for a question.
const ANSWER_WAIT: Duration = Duration::from_secs(150);
pub const USER_AGENT: &str = concat!("firn/", env!("CARGO_PKG_VERSION"));

/// The code of a role that the caller may not take.
const ROLE_NOT_GRANTED_CODE: &str = "390186";

pub struct Http {
    agent: Agent,
    url: String,
}

/// A whole answer.
pub struct Answer {
    pub status: u16,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

impl Http {
    pub fn new(url: &str) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).timeout_connect(Some(CONNECT_WAIT)).build();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned() }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    pub fn post(&self, path: &str, token: &str, role: Option<&str>, body: &Value) -> Result<Answer, Box<dyn Error>> {
        whole(self.send(path, token, role, body)?)
    }

    /// As `post`, for an answer that is read while it arrives.
    pub fn send(
        &self,
        path: &str,
        token: &str,
        role: Option<&str>,
        body: &Value,
    ) -> Result<Response<Body>, Box<dyn Error>> {
        let mut request = self.agent.post(format!("{}{path}", self.url)).header("User-Agent", USER_AGENT);
        request = request.header("Accept", "application/json, text/event-stream");
        if !token.is_empty() {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some(role) = role {
            request = request.header("X-Service-Role", role);
        }
        request.send_json(body).map_err(|error| unreachable(&self.url, &error))
    }

    pub fn get(&self, path: &str, token: &str, role: Option<&str>) -> Result<Answer, Box<dyn Error>> {
        let mut request = self.agent.get(format!("{}{path}", self.url)).header("User-Agent", USER_AGENT);
        request = request.header("Authorization", format!("Bearer {token}")).header("Accept", "application/json");
        request = request.header("Accept-Encoding", "gzip");
        if let Some(role) = role {
            request = request.header("X-Service-Role", role);
        }
        whole(request.call().map_err(|error| unreachable(&self.url, &error))?)
    }

    /// GET without a body, else POST, with further headers; the answer has to come in time.
    pub fn exchange(
        &self,
        path: &str,
        token: &str,
        headers: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Answer, Box<dyn Error>> {
        let with_all = |mut request: ureq::http::request::Builder| {
            request = request.header("User-Agent", USER_AGENT).header("Authorization", format!("Bearer {token}"));
            request = request.header("Accept", "application/json").header("Accept-Encoding", "gzip");
            headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
        };
        let url = format!("{}{path}", self.url);
        let answered = match body {
            Some(body) => {
                let request = with_all(ureq::http::Request::post(url)).header("Content-Type", "application/json");
                let request = request.body(serde_json::to_vec(body)?)?;
                let timed = self.agent.configure_request(request).timeout_global(Some(ANSWER_WAIT)).build();
                self.agent.run(timed)
            }
            None => {
                let request = with_all(ureq::http::Request::get(url)).body(())?;
                let timed = self.agent.configure_request(request).timeout_global(Some(ANSWER_WAIT)).build();
                self.agent.run(timed)
            }
        };
        whole(answered.map_err(|error| unreachable(&self.url, &error))?)
    }
}

pub fn whole(answer: Response<Body>) -> Result<Answer, Box<dyn Error>> {
    let status = answer.status().as_u16();
    let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
    let retry_after = header("Retry-After").and_then(|value| value.parse().ok()).map(Duration::from_secs);
    let is_gzip = header("Content-Encoding").is_some_and(|encoding| encoding.contains("gzip"));
    let mut body = Vec::new();
    let mut reader = answer.into_body().into_with_config().limit(u64::MAX).reader();
    let read = match is_gzip {
        true => GzDecoder::new(reader).read_to_end(&mut body),
        false => reader.read_to_end(&mut body),
    };
    read.map_err(|error| Failure::NoEntry(format!("the server's answer broke off ({error})")))?;
    Ok(Answer { status, retry_after, body })
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// What went wrong, where the answer is no success.
    pub fn refusal(&self) -> Box<dyn Error> {
        let body = self.json();
        let message = match body["message"].as_str() {
            Some(message) => message.replace('\n', " "),
            None => format!("the server answered {}", self.status),
        };
        let is_foreign_role = body["code"] == ROLE_NOT_GRANTED_CODE;
        match self.status {
            _ if is_foreign_role => Box::new(Failure::NoEntry(message)),
            401 | 403 => Box::new(Failure::NoEntry(message)),
            408 | 422 => Box::new(Failure::Statement(message)),
            _ => message.into(),
        }
    }
}

pub fn unreachable(url: &str, error: &ureq::Error) -> Box<dyn Error> {
    let way_out = "start a server with `firn serve`, or name one with --url or a profile";
    Box::new(Failure::NoEntry(format!("no answer from {url} ({error}); {way_out}")))
}

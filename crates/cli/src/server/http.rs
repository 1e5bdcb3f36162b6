//! Requests to a server, and its answers as they come.

use std::error::Error;
use std::io::Read;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;
use ureq::http::{Response, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body};

use super::forward_proxy::{self, ProxyAnswer};
use crate::connection::Proxy;
use crate::failure::Failure;

const CONNECT_WAIT: Duration = Duration::from_secs(10);
/// For an answer to begin: longer than the server waits for a statement or takes for a question.
pub const ANSWER_WAIT: Duration = Duration::from_secs(150);
pub const USER_AGENT: &str = concat!("firn/", env!("CARGO_PKG_VERSION"));

pub const ROLE_HEADER: &str = "X-Service-Role";

const TLS_WAY_OUT: &str =
    "http:// is for servers without TLS, and --ca-file names the certificate of an authority of one's own";

/// The code of a role that the caller may not take.
const ROLE_NOT_GRANTED_CODE: &str = "390186";

pub struct Http {
    agent: Agent,
    url: String,
    proxy: Option<Proxy>,
}

/// A whole answer.
pub struct Answer {
    pub status: u16,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

impl Http {
    /// `certificates` are those that a server's own may be signed with, as PEM; without any, those of the public authorities.
    pub fn new(
        url: &str,
        certificates: Option<&[u8]>,
        proxy: Option<&Proxy>,
        answer_wait: Duration,
    ) -> Result<Self, Box<dyn Error>> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_WAIT))
            .timeout_recv_response(Some(answer_wait));
        if let Some(certificates) = certificates {
            config = config.tls_config(TlsConfig::builder().root_certs(roots(certificates)?).build());
        }
        let agent = match proxy {
            Some(proxy) if url.starts_with("http:") => forward_proxy::agent(config, proxy, url),
            proxy => config.proxy(proxy.map(|proxy| proxy.proxy.clone())).build().into(),
        };
        Ok(Self { agent, url: url.trim_end_matches('/').to_owned(), proxy: proxy.cloned() })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// An answer that no server of this kind gives, as of a proxy or a page to log in at.
    pub fn foreign_answer(&self) -> Box<dyn Error> {
        let through = through(self.proxy.as_ref());
        Box::new(Failure::NoEntry(format!(
            "what answers at {}{through} is no firn server; check the address",
            self.url
        )))
    }

    /// Why there is no answer.
    pub fn unreachable(&self, error: &ureq::Error) -> Box<dyn Error> {
        unreachable(&self.url, self.proxy.as_ref(), error)
    }

    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    pub fn post(
        &self,
        path: &str,
        token: &str,
        header: Option<(&str, &str)>,
        body: &Value,
    ) -> Result<Answer, Box<dyn Error>> {
        whole(self.send(path, token, header, body)?)
    }

    /// As `post`, for an answer that is read while it arrives.
    pub fn send(
        &self,
        path: &str,
        token: &str,
        header: Option<(&str, &str)>,
        body: &Value,
    ) -> Result<Response<Body>, Box<dyn Error>> {
        let mut request = self.agent.post(format!("{}{path}", self.url)).header("User-Agent", USER_AGENT);
        request = request.header("Accept", "application/json, text/event-stream");
        if !token.is_empty() {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        request.send_json(body).map_err(|error| self.unreachable(&error))
    }

    pub fn get(&self, path: &str, token: &str, role: Option<&str>) -> Result<Answer, Box<dyn Error>> {
        let mut request = self.agent.get(format!("{}{path}", self.url)).header("User-Agent", USER_AGENT);
        request = request.header("Authorization", format!("Bearer {token}")).header("Accept", "application/json");
        request = request.header("Accept-Encoding", "gzip");
        if let Some(role) = role {
            request = request.header(ROLE_HEADER, role);
        }
        whole(request.call().map_err(|error| self.unreachable(&error))?)
    }

    pub fn delete(&self, path: &str, token: &str) -> Result<Answer, Box<dyn Error>> {
        let request = self.agent.delete(format!("{}{path}", self.url)).header("User-Agent", USER_AGENT);
        let request = request.header("Authorization", format!("Bearer {token}")).header("Accept", "application/json");
        whole(request.call().map_err(|error| self.unreachable(&error))?)
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
        whole(answered.map_err(|error| self.unreachable(&error))?)
    }
}

fn roots(pem: &[u8]) -> Result<RootCerts, Box<dyn Error>> {
    let read = parse_pem(pem).collect::<Result<Vec<_>, _>>();
    let read = read.map_err(|error| Failure::usage(format!("ca_file: it is no PEM ({error})")))?;
    let certificate = |item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    };
    let certificates: Vec<Certificate<'static>> = read.into_iter().filter_map(certificate).collect();
    if certificates.is_empty() {
        return Err(Failure::usage("ca_file: there is no certificate in it"));
    }
    Ok(RootCerts::new_with_certs(&certificates))
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

/// How requests go, to be put behind the address of the server.
fn through(proxy: Option<&Proxy>) -> String {
    proxy.map(|proxy| format!(" through {proxy}")).unwrap_or_default()
}

const PROXY_WAY_OUT: &str = "NO_PROXY names servers that are reached without a proxy, --proxy another one";

fn unreachable(url: &str, proxy: Option<&Proxy>, error: &ureq::Error) -> Box<dyn Error> {
    if let ureq::Error::Other(other) = error
        && let Some(answer) = other.downcast_ref::<ProxyAnswer>()
    {
        let way_out = match answer.status {
            StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                "its address needs a user and a password: http://USER:PASSWORD@HOST:PORT"
            }
            _ => PROXY_WAY_OUT,
        };
        return Box::new(Failure::NoEntry(format!("no answer from {url}: {answer}; {way_out}")));
    }
    let way_out = match error {
        ureq::Error::Http(_) => "the token, or a name, has a sign that cannot be sent",
        ureq::Error::Timeout(ureq::Timeout::RecvResponse) => "something listens there, but does not answer in time",
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => TLS_WAY_OUT,
        ureq::Error::Io(error) if error.to_string().contains("certificate") => TLS_WAY_OUT,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => TLS_WAY_OUT,
        _ if proxy.is_some() => PROXY_WAY_OUT,
        _ => "start a server with `firn serve`, or name one with --url or a profile",
    };
    let through = through(proxy);
    Box::new(Failure::NoEntry(format!("no answer from {url}{through} ({error}); {way_out}")))
}

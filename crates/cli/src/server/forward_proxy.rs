//! Requests to a server without TLS through a proxy, as these expect them: the proxy is what is connected to, and the request's
//! first line has the whole address. `ureq` would ask the proxy for a tunnel, which many refuse to any port but 443.

use base64::prelude::{BASE64_STANDARD, Engine};
use ureq::config::ConfigBuilder;
use ureq::http::header::{CONTENT_TYPE, HOST, HeaderName};
use ureq::http::uri::{Authority, Scheme};
use ureq::http::{HeaderValue, Request, Response, StatusCode, Uri};
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::typestate::AgentScope;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport};
use ureq::{Agent, Body, SendBody};

use crate::connection::Proxy;

const PROXY_AUTHORIZATION: HeaderName = HeaderName::from_static("proxy-authorization");

/// An agent whose every request goes through the proxy.
pub fn agent(config: ConfigBuilder<AgentScope>, proxy: &Proxy, url: &str) -> Agent {
    let origin = origin(url);
    let config = config
        .proxy(None)
        .middleware(Forward { proxy: proxy.clone() })
        // A connection begins with the head of a request, which is how the transport finds it.
        .max_idle_connections(0)
        // Where a redirection leads is no server that was asked for.
        .max_redirects(0)
        .max_redirects_will_error(false);
    let connector = DefaultConnector::default().chain(AbsoluteForm { origin });
    Agent::with_parts(config.build(), connector, DefaultResolver::default())
}

fn origin(url: &str) -> String {
    let place = url.strip_prefix("http://").unwrap_or(url);
    format!("http://{}", place.split(['/', '?']).next().unwrap_or_default())
}

/// What a proxy answered in the place of the server.
#[derive(Debug, thiserror::Error)]
#[error("{proxy}, or what is behind it, answered {status}{with}")]
pub struct ProxyAnswer {
    proxy: String,
    pub status: StatusCode,
    with: &'static str,
}

struct Forward {
    proxy: Proxy,
}

impl Forward {
    /// Sends the request to the proxy; what it is for is in its Host.
    fn addressed(&self, request: &mut Request<SendBody>) -> Result<(), ureq::Error> {
        let asked = request.uri().clone();
        let mut parts = asked.clone().into_parts();
        let is_encrypted = self.proxy.proxy.uri().scheme() == Some(&Scheme::HTTPS);
        parts.scheme = Some(if is_encrypted { Scheme::HTTPS } else { Scheme::HTTP });
        let place = format!("{}:{}", self.proxy.proxy.host(), self.proxy.proxy.port());
        parts.authority = Some(Authority::try_from(place).map_err(|error| ureq::Error::Http(error.into()))?);
        *request.uri_mut() = Uri::from_parts(parts).map_err(|error| ureq::Error::Http(error.into()))?;
        let header = |text: &str| HeaderValue::from_str(text).map_err(|error| ureq::Error::Http(error.into()));
        let headers = request.headers_mut();
        headers.insert(HOST, header(asked.authority().map_or("", Authority::as_str))?);
        if let Some(user) = self.proxy.proxy.username() {
            let password = self.proxy.proxy.password().unwrap_or_default();
            let entry = BASE64_STANDARD.encode(format!("{user}:{password}"));
            headers.insert(PROXY_AUTHORIZATION, header(&format!("Basic {entry}"))?);
        }
        Ok(())
    }
}

impl Middleware for Forward {
    fn handle(&self, mut request: Request<SendBody>, next: MiddlewareNext<'_>) -> Result<Response<Body>, ureq::Error> {
        self.addressed(&mut request)?;
        let answer = next.handle(request)?;
        let (status, content_type) = (answer.status(), content_type(&answer));
        let is_page = content_type.starts_with("text/html");
        // A server says in JSON what is wrong, sends nobody elsewhere, and never asks for the proxy's password.
        let is_of_server = status.is_success() || content_type.starts_with("application/json");
        match is_of_server && !is_page && status != StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            true => Ok(answer),
            false => {
                let proxy = self.proxy.to_string();
                let with = if is_page { " with a page" } else { "" };
                Err(ureq::Error::Other(Box::new(ProxyAnswer { proxy, status, with })))
            }
        }
    }
}

fn content_type(answer: &Response<Body>) -> &str {
    answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Writes the whole address into the first line of what is sent over a connection.
#[derive(Debug)]
struct AbsoluteForm {
    /// Scheme, host and port of the server.
    origin: String,
}

impl<In: Transport> Connector<In> for AbsoluteForm {
    type Out = Forwarded<In>;

    fn connect(&self, _details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        Ok(chained.map(|below| Forwarded { below, origin: Some(self.origin.clone()) }))
    }
}

#[derive(Debug)]
struct Forwarded<T> {
    below: T,
    /// What is still to be written behind the method, with which a connection begins.
    origin: Option<String>,
}

impl<T: Transport> Transport for Forwarded<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.below.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        let Some(origin) = self.origin.take() else { return self.below.transmit_output(amount, timeout) };
        let mut head = self.below.buffers().output()[..amount].to_vec();
        if let Some(end) = head.iter().position(|byte| *byte == b' ') {
            head.splice(end + 1..end + 1, origin.bytes());
        }
        let piece_bytes_max = self.below.buffers().output().len();
        for piece in head.chunks(piece_bytes_max) {
            self.below.buffers().output()[..piece.len()].copy_from_slice(piece);
            self.below.transmit_output(piece.len(), timeout)?;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.below.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.below.is_open()
    }

    fn is_tls(&self) -> bool {
        self.below.is_tls()
    }
}

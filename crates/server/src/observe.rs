//! Logs and counts every request: who asked for what from where and how it went, never what was in it.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{Extensions, HeaderName, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use firn_catalog::network_policies::Network;
use firn_statements::StatementHandle;

use crate::state::AppState;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Of the request's caller, once the token was found to be right.
#[derive(Clone, Default)]
pub struct RequestUser(Arc<OnceLock<String>>);

impl RequestUser {
    pub fn set(&self, name: &str) {
        // One request has one user.
        let _ = self.0.set(name.to_owned());
    }
}

/// Where a request comes from.
#[derive(Clone, Copy)]
struct ClientAddress(IpAddr);

/// Of whoever is at the other end of the connection, or whom a trusted proxy there names.
pub fn client_address(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ClientAddress>().map(|ClientAddress(address)| *address)
}

fn find_address(request: &Request, trusted: &[Network]) -> Option<IpAddr> {
    let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
    let named: Vec<&str> = request
        .headers()
        .get_all(FORWARDED_FOR)
        .iter()
        .map(|value| value.to_str().unwrap_or_default())
        .flat_map(|value| value.split(','))
        .collect();
    behind_proxies(peer.ip().to_canonical(), &named, trusted)
}

/// Every proxy adds the address it was reached from. The last one that no trusted proxy has is the client's; what stands
/// before it, anybody can have written. `None` if a trusted proxy names it in a way that cannot be read.
fn behind_proxies(peer: IpAddr, named: &[&str], trusted: &[Network]) -> Option<IpAddr> {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let mut address = peer;
    for text in named.iter().rev() {
        if !is_trusted(address) {
            break;
        }
        address = named_address(text.trim())?.to_canonical();
    }
    Some(address)
}

/// An address, also one in brackets or with a port.
fn named_address(text: &str) -> Option<IpAddr> {
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    text.parse().ok().or_else(with_port).or_else(in_brackets)
}

/// What the log shows for a request whose client left before it was answered; no client ever sees it.
const CLIENT_LEFT: u16 = 499;

pub async fn observe(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let address = find_address(&request, &app.trusted_proxies);
    if let Some(address) = address {
        request.extensions_mut().insert(ClientAddress(address));
    }
    let user = RequestUser::default();
    request.extensions_mut().insert(user.clone());
    let observed = Observed {
        start: Instant::now(),
        method: request.method().clone(),
        path: request.extensions().get::<MatchedPath>().cloned(),
        address,
        user,
        app,
        is_answered: false,
    };
    let response = next.run(request).await;
    observed.answered(&response);
    response
}

/// A request that is being answered. It is dropped when its client leaves.
struct Observed {
    app: AppState,
    start: Instant,
    method: Method,
    path: Option<MatchedPath>,
    address: Option<IpAddr>,
    user: RequestUser,
    is_answered: bool,
}

impl Observed {
    fn answered(mut self, response: &Response) {
        self.is_answered = true;
        self.note(response.status(), response.extensions().get::<StatementHandle>());
    }

    fn note(&self, status: StatusCode, handle: Option<&StatementHandle>) {
        let took = self.start.elapsed();
        let path = self.path.as_ref().map_or("unknown", MatchedPath::as_str);
        self.app.metrics.count_request(path, &self.method, status, took);
        tracing::info!(
            method = %self.method,
            path,
            status = status.as_u16(),
            ms = took.as_micros() as f64 / 1_000.0,
            address = self.address.map(tracing::field::display),
            user = self.user.0.get().map(String::as_str),
            statement.handle = handle.map(tracing::field::display),
            "request"
        );
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        if let (false, Ok(status)) = (self.is_answered, StatusCode::from_u16(CLIENT_LEFT)) {
            self.note(status, None);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted = [Network::parse("10.0.0.0/8").unwrap()];
        for (peer, named, expected) in [
            ("203.0.113.1", &["198.51.100.9"][..], Some("203.0.113.1")),
            ("10.0.0.1", &["198.51.100.9"], Some("198.51.100.9")),
            ("10.0.0.1", &["198.51.100.9:5555"], Some("198.51.100.9")),
            ("10.0.0.1", &["1.1.1.1", " 198.51.100.9", "10.0.0.2"], Some("198.51.100.9")),
            ("10.0.0.1", &["198.51.100.9", "unknown"], None),
            ("10.0.0.1", &[], Some("10.0.0.1")),
            ("10.0.0.1", &["2001:db8::7"], Some("2001:db8::7")),
            ("10.0.0.1", &["[2001:db8::7]"], Some("2001:db8::7")),
            ("10.0.0.1", &["[2001:db8::7]:443"], Some("2001:db8::7")),
        ] {
            let address = behind_proxies(peer.parse().unwrap(), named, &trusted);
            assert_eq!(address, expected.map(|text| text.parse::<IpAddr>().unwrap()), "{peer} {named:?}");
        }
        let unknown = behind_proxies("10.0.0.1".parse().unwrap(), &["1.1.1.1"], &[]);
        assert_eq!(unknown, "10.0.0.1".parse().ok());
    }
}

//! The address by which a client reached the server: answers name it in the URLs of what is to be fetched.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header::HOST;
use axum::http::request::Parts;

use crate::state::AppState;

/// What is known of it before any request.
#[derive(Clone, Debug)]
pub struct PublicAddress {
    /// Without a slash at its end.
    pub configured: Option<String>,
    pub has_tls: bool,
}

impl PublicAddress {
    /// As configured, else by what the request says: in its Host header, or with HTTP/2 as its authority.
    fn of_request(&self, parts: &Parts) -> String {
        if let Some(configured) = &self.configured {
            return configured.clone();
        }
        let header = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = header.or_else(|| parts.uri.authority().map(|authority| authority.as_str())).unwrap_or("localhost");
        let scheme = if self.has_tls { "https" } else { "http" };
        format!("{scheme}://{host}")
    }
}

/// `http://127.0.0.1:8090`.
pub struct ReachedBy(pub String);

impl FromRequestParts<AppState> for ReachedBy {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        Ok(Self(app.addresses.of_request(parts)))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use axum::http::request::Builder;

    use super::PublicAddress;

    #[test]
    fn the_host_is_in_the_header_or_in_the_address() {
        let check = |request: Builder, configured: Option<&str>, expected: &str| {
            let (parts, ()) = request.body(()).unwrap_or_default().into_parts();
            let address = PublicAddress { configured: configured.map(str::to_owned), has_tls: true };
            assert_eq!(address.of_request(&parts), expected);
        };
        let first = || Request::builder().uri("/queries/v1/query-request").header("host", "a.example:8090");
        let second = || Request::builder().uri("https://b.example:8091/queries/v1/query-request");
        check(first(), None, "https://a.example:8090");
        check(second(), None, "https://b.example:8091");
        check(second(), Some("https://proxy.example"), "https://proxy.example");
    }
}

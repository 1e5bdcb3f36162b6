//! The address by which a client reached the server: answers name it in the URLs of what is to be fetched.

use axum::http::HeaderMap;
use axum::http::header::HOST;

/// What is known of it before any request.
#[derive(Clone, Debug)]
pub struct PublicAddress {
    /// Without a slash at its end.
    pub configured: Option<String>,
    pub has_tls: bool,
}

impl PublicAddress {
    /// `http://127.0.0.1:8090`: as configured, else by the Host header.
    pub fn of_request(&self, headers: &HeaderMap) -> String {
        if let Some(configured) = &self.configured {
            return configured.clone();
        }
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        let scheme = if self.has_tls { "https" } else { "http" };
        format!("{scheme}://{host}")
    }
}

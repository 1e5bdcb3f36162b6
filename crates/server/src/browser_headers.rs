//! Headers that tell a browser what not to do with an answer: it is of the type that it says, no other site is sent its
//! address, and none shows it in a frame.

use axum::extract::Request;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Of answers that are not for reading in a browser.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Of a file that somebody has put on a stage: no script of it runs, and it has no origin.
pub const SANDBOX: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

pub async fn restrict_browsers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    restrict(response.headers_mut());
    response
}

fn restrict(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NOTHING);
}

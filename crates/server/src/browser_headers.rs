//! Headers that tell a browser what not to do with an answer: it is of the type that it says, no other site is sent its
//! address, none shows it in a frame, and what the API answers is stored nowhere.

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

/// Of answers that are not for reading in a browser.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Of a file that somebody has put on a stage: no script of it runs, and it has no origin.
pub const SANDBOX: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

pub async fn restrict_browsers(request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    restrict(response.headers_mut());
    // A staged file has a tag, by which a client may ask whether what it has is still the same.
    if is_api && !response.headers().contains_key(ETAG) {
        response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

fn restrict(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NOTHING);
}

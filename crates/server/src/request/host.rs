//! The Host header, which HTTP/1.1 asks for.

use axum::extract::Request;
use axum::http::Version;
use axum::http::header::HOST;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

pub async fn require_host(request: Request, next: Next) -> Response {
    let count = request.headers().get_all(HOST).iter().count();
    match request.version() {
        Version::HTTP_11 if count != 1 => ApiError::InvalidHost.into_response(),
        _ => next.run(request).await,
    }
}

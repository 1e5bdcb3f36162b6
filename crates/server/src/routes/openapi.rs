//! The description of the API, for programs and for people.

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::openapi::{document_json, page_html, page_policy};

pub async fn document() -> Response {
    with_type("application/json", document_json())
}

pub async fn page() -> Response {
    let mut response = with_type("text/html; charset=utf-8", page_html());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, page_policy().clone());
    response
}

fn with_type(media_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(media_type))], text).into_response()
}

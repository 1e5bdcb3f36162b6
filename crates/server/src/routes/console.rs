//! The pages and files of the console.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;
use crate::state::AppState;

/// Addresses that a person may open, reload or send to others; what follows them is read by the page.
pub const PAGES: [&str; 6] = ["/", "/worksheets", "/analyst", "/data", "/history", "/admin"];

pub async fn page(State(app): State<AppState>) -> Response {
    app.console.as_ref().map_or_else(unknown, |console| console.page())
}

pub async fn asset(State(app): State<AppState>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let file = app.console.as_ref().and_then(|console| console.file(&format!("assets/{name}"), &headers));
    file.unwrap_or_else(unknown)
}

fn unknown() -> Response {
    ApiError::UnknownPath.into_response()
}

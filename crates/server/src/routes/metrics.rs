//! The server's numbers, for Prometheus.

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::state::AppState;

/// Gives the server's metrics in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", tag = "service", security(()),
    responses((status = 200, description = "Metrics.", body = String, content_type = "text/plain")))]
pub async fn metrics(State(app): State<AppState>) -> Response {
    let text = app.metrics.render(&app.statements.counters());
    ([(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"))], text).into_response()
}

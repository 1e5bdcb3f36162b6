//! Logs and counts every request: what was asked and how it went, never what was in it.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use firn_statements::StatementHandle;

use crate::state::AppState;

pub async fn observe(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;

    let took = start.elapsed();
    let path = path.as_ref().map_or("unknown", MatchedPath::as_str);
    let status = response.status();
    app.metrics.count_request(path, &method, status, took);
    let handle = response.extensions().get::<StatementHandle>().map(tracing::field::display);
    tracing::info!(
        %method,
        path,
        status = status.as_u16(),
        ms = took.as_micros() as f64 / 1_000.0,
        statement.handle = handle,
        "request"
    );
    response
}

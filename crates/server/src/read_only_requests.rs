//! Requests with `X-Firn-Read-Only: true`. What a statement changes is decided where it runs; what else would change something is
//! refused here.

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use firn_statements::request::Changes;

use crate::error::ApiError;
use crate::request::headers::changes;
use crate::routes::analyst::AnalystError;

/// Endpoints with other methods than GET that change nothing, or decide themselves.
const READING: [&str; 15] = [
    "/mcp",
    "/api/v2/login",
    "/api/v2/logout",
    "/api/v2/sessions",
    "/api/v2/sessions/{session_id}",
    "/api/v2/statements",
    "/api/v2/statements/{statement_handle}/cancel",
    "/api/v2/statements/{statement_handle}/download-link",
    "/api/v2/assistant/analyst/message",
    "/api/v2/assistant/analyst/validate",
    "/api/v2/assistant/analyst/verified-query-suggestions",
    "/api/v2/assistant/analyst/filters-and-metrics-suggestions",
    "/api/v2/cortex/analyst/message",
    "/api/v2/cortex/analyst/verified-query-suggestions",
    "/api/v2/cortex/analyst/filters-and-metrics-suggestions",
];

pub async fn refuse_changes(request: Request, next: Next) -> Response {
    if only_reads(&request) {
        return next.run(request).await;
    }
    let refusal = match changes(request.headers()) {
        Ok(Changes::Allowed) => return next.run(request).await,
        Ok(Changes::Refused) => ApiError::MayOnlyRead(request.method().to_string()),
        Err(refusal) => refusal,
    };
    match AnalystError::is_for(request.uri().path()) {
        true => AnalystError::unasked(refusal).into_response(),
        false => refusal.into_response(),
    }
}

fn only_reads(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    !matches!(*request.method(), Method::POST | Method::PUT | Method::DELETE)
        || path.is_none_or(|path| READING.contains(&path))
}

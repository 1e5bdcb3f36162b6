//! `GET /api/v2/statements`.

use axum::Json;
use axum::extract::State;
use axum::http::header::ALLOW;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::bodies::{ErrorBody, RunningStatement, RunningStatements, StatementProgress};
use crate::error::ApiError;
use crate::request::ApiCaller;
use crate::request::query::value_of;
use crate::state::AppState;

const LIMIT_DEFAULT: usize = 100;
const LIMIT_MAX: usize = 1_000;

/// Lists the caller's statements that run or wait for their turn, the latest first.
///
/// What has ended is in `INFORMATION_SCHEMA.QUERY_HISTORY`.
#[utoipa::path(get, path = "/api/v2/statements", tag = "statements", operation_id = "listStatements",
    params(
        ("state" = String, Query, description = "`running`; nothing else is listed here.", example = "running"),
        ("limit" = Option<i64>, Query, nullable = false, minimum = 1, maximum = 1000, description = "At most this many statements; 100 when absent."),
    ),
    responses(
        (status = 200, description = "The statements.", body = RunningStatements),
        (status = 400, description = "A query parameter is not as described.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 405, description = "The state is missing: without one, statements are only submitted here."),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
    ))]
pub async fn list(
    State(app): State<AppState>,
    caller: Result<ApiCaller, ApiError>,
    uri: Uri,
) -> Result<Response, ApiError> {
    // The contract has the path for submitting alone.
    let Some(state) = value_of(&uri, "state")? else {
        return Ok((StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, HeaderValue::from_static("POST"))]).into_response());
    };
    let ApiCaller(caller) = caller?;
    if state != "running" {
        return Err(ApiError::InvalidQueryParameter(format!(
            "Query parameter state is '{state}'; it takes running. INFORMATION_SCHEMA.QUERY_HISTORY has what ended."
        )));
    }
    let limit = match value_of(&uri, "limit")? {
        None => LIMIT_DEFAULT,
        Some(text) => text.parse().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit)).ok_or_else(|| {
            ApiError::InvalidQueryParameter(format!(
                "Query parameter limit is '{text}'; it takes a number from 1 to {LIMIT_MAX}."
            ))
        })?,
    };
    let statements = app.statements.running_of(&caller, limit)?.into_iter().map(|view| RunningStatement {
        statement_handle: view.handle.to_string(),
        state: "running",
        text: view.text,
        created_on: view.created_on_ms,
        elapsed_ms: view.elapsed_ms,
        progress: StatementProgress::of(view.progress),
    });
    Ok(Json(RunningStatements { statements: statements.collect() }).into_response())
}

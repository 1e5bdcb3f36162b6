//! `GET /api/v2/statements/{statementHandle}`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::NamedStatement;
use crate::answer::{Asked, answer};
use crate::bodies::{ErrorBody, FetchedResult, QueryFailureStatus, QueryStatus};
use crate::error::ApiError;
use crate::request::{ApiCaller, QueryParameters};
use crate::state::AppState;

/// Returns the state of a statement, and a partition of its result when it has one.
#[utoipa::path(get, path = "/api/v2/statements/{statementHandle}", tag = "statements", operation_id = "fetchStatement",
    params(
        ("statementHandle" = String, Path, description = "The handle the statement was given.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
        ("requestId" = Option<String>, Query, format = "uuid", nullable = false, description = "Identifies the request."),
        ("partition" = Option<i64>, Query, nullable = false, minimum = 0, description = "Which partition of the result; 0 is the first and the default."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The statement succeeded.", body = FetchedResult,
            headers(("Link" = String, description = "The partitions of the result: first, prev, next, last."))),
        (status = 202, description = "The statement is running; ask again later.", body = QueryStatus),
        (status = 400, description = "The request is malformed, or there is no such partition.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The statement failed or was cancelled, or the handle is unknown.", body = QueryFailureStatus),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn fetch(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    query: QueryParameters,
    NamedStatement(handle): NamedStatement,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let view = app.statements.fetch(&caller, handle, query.partition).await?;
    Ok(answer(view, Asked::ByFetching, query.request_id, &headers))
}

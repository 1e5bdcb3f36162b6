//! `POST /api/v2/statements/{statementHandle}/cancel`.

use axum::extract::State;
use axum::response::Response;

use super::NamedStatement;
use crate::answer::cancelled;
use crate::bodies::{CancelStatus, ErrorBody, QueryFailureStatus};
use crate::error::ApiError;
use crate::request::{ApiCaller, QueryParameters};
use crate::state::AppState;

/// Stops a running statement. Stopping it again changes nothing.
#[utoipa::path(post, path = "/api/v2/statements/{statementHandle}/cancel", tag = "statements",
    operation_id = "cancelStatement",
    params(
        ("statementHandle" = String, Path, description = "The handle the statement was given.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
        ("requestId" = Option<String>, Query, format = "uuid", nullable = false, description = "Identifies the request."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The statement is cancelled.", body = CancelStatus),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The handle is unknown, or the statement has ended.", body = QueryFailureStatus),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The statement has not stopped yet, or the server is stopping; ask again.", body = ErrorBody),
    ))]
pub async fn cancel(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    _query: QueryParameters,
    NamedStatement(handle): NamedStatement,
) -> Result<Response, ApiError> {
    let view = app.statements.cancel(&caller, handle).await?;
    Ok(cancelled(view))
}

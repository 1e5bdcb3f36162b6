//! `POST /api/v2/statements`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use firn_statements::SubmitRequest;

use crate::answer::{Asked, answer};
use crate::bodies::{ErrorBody, QueryFailureStatus, QueryStatus, ResultSet};
use crate::error::ApiError;
use crate::request::headers::{changes, if_left, sender, session};
use crate::request::{ApiCaller, QueryParameters, RequestBody, StatementBody};
use crate::state::AppState;

/// Submits one or several SQL statements and waits for their outcome, or not.
///
/// A statement that ends within the synchronous wait (45 seconds) is answered with its result; else,
/// and with `async=true`, with 202 and a handle to ask again with.
#[utoipa::path(post, path = "/api/v2/statements", tag = "statements", operation_id = "submitStatement",
    params(
        ("requestId" = Option<String>, Query, format = "uuid", nullable = false, description = "Identifies the request, for sending it again."),
        ("async" = Option<bool>, Query, nullable = false, description = "true: answer at once with the handle."),
        ("nullable" = Option<bool>, Query, nullable = false, description = "false: SQL NULL is the string `null`."),
        ("retry" = Option<bool>, Query, nullable = false, description = "true: this request was sent before under the same requestId; it does not run twice."),
        ("X-Firn-Client-Generated" = Option<String>, Header, nullable = false, description = "`true` marks statements that a program sends for itself; QUERY_HISTORY shows them so."),
        ("X-Firn-Read-Only" = Option<String>, Header, nullable = false, description = "`true`: statements that would change something are refused."),
        ("X-Service-Session" = Option<String>, Header, nullable = false, format = "uuid", description = "The kept session to run in."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    request_body = StatementBody,
    responses(
        (status = 200, description = "The statement succeeded.", body = ResultSet,
            headers(("Link" = String, description = "The partitions of the result: first, prev, next, last."))),
        (status = 202, description = "The statement is running.", body = QueryStatus),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 408, description = "The statement passed its time limit and was cancelled.", body = QueryStatus),
        (status = 409, description = "The session runs another request.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The statement failed.", body = QueryFailureStatus),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn submit(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    query: QueryParameters,
    headers: HeaderMap,
    RequestBody(body): RequestBody,
) -> Result<Response, ApiError> {
    let request = SubmitRequest {
        client_address: caller.address,
        server_address: app.listening,
        sender: sender(&headers),
        changes: changes(&headers)?,
        if_left: if_left(&headers)?,
        session: session(&headers)?,
        ..StatementBody::decode(&body)?.into_request(query)
    };
    let view = app.statements.submit(&caller, request).await?;
    Ok(answer(view, Asked::BySubmitting, query.request_id, &headers))
}

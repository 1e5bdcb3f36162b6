//! `GET /api/v2/statements/{statementHandle}/profile`.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use firn_statements::profile::{Operator, ProfileView};

use super::NamedStatement;
use crate::answer::{Asked, answer};
use crate::bodies::{ErrorBody, OperatorDetails, ProfiledOperator, QueryFailureStatus, QueryStatus, StatementProfile};
use crate::error::ApiError;
use crate::request::ApiCaller;
use crate::state::AppState;

/// Returns the operators that a statement ran, with their rows and times.
///
/// There is a profile of statements that ran with the parameter `PROFILE`, and of `EXPLAIN ANALYZE`.
#[utoipa::path(get, path = "/api/v2/statements/{statementHandle}/profile", tag = "statements", operation_id = "profileStatement",
    params(
        ("statementHandle" = String, Path, description = "The handle the statement was given.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The operators, parents before children.", body = StatementProfile),
        (status = 202, description = "The statement is running; ask again later.", body = QueryStatus),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The statement failed, has no profile, or the handle is unknown.", body = QueryFailureStatus),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn profile(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    NamedStatement(handle): NamedStatement,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let profile = match app.statements.profile(&caller, handle).await? {
        ProfileView::Profile(profile) => profile,
        ProfileView::Without(view) => return Ok(answer(view, Asked::ByFetching, None, &headers)),
    };
    let body = StatementProfile {
        statement_handle: handle.to_string(),
        milliseconds: profile.milliseconds,
        operators: profile.operators.into_iter().map(shown).collect(),
    };
    Ok(Json(body).into_response())
}

fn shown(operator: Operator) -> ProfiledOperator {
    ProfiledOperator {
        id: operator.id,
        parent: operator.parent,
        operator: operator.operation,
        details: OperatorDetails { object: operator.object, expressions: operator.expressions },
        rows: operator.rows,
        milliseconds: operator.milliseconds,
        share: operator.share,
    }
}

//! `POST /api/v2/assistant/analyst/message`.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use firn_statements::ReadStop;

use super::{AnalystCaller, AnalystError, naming};
use crate::analyst::answer::Detail;
use crate::analyst::reply::FieldNames;
use crate::analyst::reply::{Reply, json_of};
use crate::analyst::request::Delivery;
use crate::analyst::{Asking, MessageBody, stream};
use crate::bodies::AnalystErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::RequestBody;
use crate::request::query::flag_of;
use crate::state::AppState;

/// Answers a question about data that a semantic model describes: with text and SQL, or with text and what can be asked.
///
/// The SQL has been checked for the caller's role and reads only. With `stream`, the answer comes as server-sent events.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/message", tag = "analyst", operation_id = "askAnalyst",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("explain" = Option<bool>, Query, nullable = false, description = "true: `response_metadata` tells what words were linked to and how else the question could be read."),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body = MessageBody,
    responses(
        (status = 200, description = "The answer.", content(
            (Reply = "application/json"),
            (String = "text/event-stream"),
        ), headers(("X-Request-Id" = String, description = "The `request_id` of the answer; also as X-Snowflake-Request-Id."))),
        (status = 400, description = "The request or the semantic model is malformed.", body = AnalystErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = AnalystErrorBody),
        (status = 403, description = "The API is switched off, or the role may not read what the question is about.", body = AnalystErrorBody),
        (status = 404, description = "There is no such semantic model or view, or it is not the caller's to use.", body = AnalystErrorBody),
        (status = 413, description = "The body is too large.", body = AnalystErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = AnalystErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = AnalystErrorBody),
        (status = 500, description = "The server failed.", body = AnalystErrorBody),
        (status = 503, description = "The server is stopping, or the answer took too long.", body = AnalystErrorBody),
    ))]
pub async fn ask(
    app: State<AppState>,
    caller: AnalystCaller,
    query: ExplainParameter,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    answer(app, caller, query, body, FieldNames::Neutral).await
}

/// The same on the vendor's path, with the vendor's field names.
pub async fn ask_in_vendor_names(
    app: State<AppState>,
    caller: AnalystCaller,
    query: ExplainParameter,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    answer(app, caller, query, body, FieldNames::Vendor).await
}

/// `explain=true`, or nothing; a wrong value is reported with the request's identifier.
pub struct ExplainParameter(Result<Detail, ApiError>);

impl<S: Send + Sync> FromRequestParts<S> for ExplainParameter {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let asked = flag_of(&parts.uri, "explain");
        Ok(Self(asked.map(|asked| if asked { Detail::Explained } else { Detail::Answer })))
    }
}

async fn answer(
    State(app): State<AppState>,
    AnalystCaller { caller, role, request_id }: AnalystCaller,
    ExplainParameter(detail): ExplainParameter,
    body: Result<RequestBody, ApiError>,
    names: FieldNames,
) -> Result<Response, AnalystError> {
    let with_id = |cause| AnalystError { request_id, cause };
    let RequestBody(body) = body.map_err(with_id)?;
    let request = MessageBody::decode(&body, &app.limits.analyst).map_err(with_id)?;
    let delivery = request.delivery;
    let detail = detail.map_err(with_id)?;
    let asking = Asking { app, caller, role, request_id, request, stop: Arc::<ReadStop>::default(), detail };
    let response = match delivery {
        Delivery::Stream => stream::response(asking, names),
        Delivery::Whole => {
            let reply = asking.answer(None).await.map_err(with_id)?;
            json_response(StatusCode::OK, &json_of(&reply, names))
        }
    };
    Ok(naming(request_id, response))
}

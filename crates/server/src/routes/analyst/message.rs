//! `POST /api/v2/assistant/analyst/message`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use firn_statements::ReadStop;

use super::{AnalystCaller, AnalystError};
use crate::analyst::reply::{Reply, json_of};
use crate::analyst::request::Delivery;
use crate::analyst::{Asking, FieldNames, MessageBody, stream};
use crate::bodies::AnalystErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::RequestBody;
use crate::state::AppState;

/// Answers a question about data that a semantic model describes: with text and SQL, or with text and what can be asked.
///
/// The SQL has been checked for the caller's role and reads only. With `stream`, the answer comes as server-sent events.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/message", tag = "analyst", operation_id = "askAnalyst",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body = MessageBody,
    responses(
        (status = 200, description = "The answer.", content(
            (Reply = "application/json"),
            (String = "text/event-stream"),
        )),
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
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    answer(app, caller, body, FieldNames::Neutral).await
}

/// The same on the vendor's path, with the vendor's field names.
pub async fn ask_in_vendor_names(
    app: State<AppState>,
    caller: AnalystCaller,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    answer(app, caller, body, FieldNames::Vendor).await
}

async fn answer(
    State(app): State<AppState>,
    AnalystCaller { caller, role, request_id }: AnalystCaller,
    body: Result<RequestBody, ApiError>,
    names: FieldNames,
) -> Result<Response, AnalystError> {
    let told = |cause| AnalystError { request_id, cause };
    let RequestBody(body) = body.map_err(told)?;
    let request = MessageBody::decode(&body).map_err(told)?;
    let delivery = request.delivery;
    let asking = Asking { app, caller, role, request_id, request, stop: Arc::<ReadStop>::default() };
    match delivery {
        Delivery::Stream => Ok(stream::response(asking, names)),
        Delivery::Whole => {
            let reply = asking.answer(None).await.map_err(told)?;
            Ok(json_response(StatusCode::OK, &json_of(&reply, names)))
        }
    }
}

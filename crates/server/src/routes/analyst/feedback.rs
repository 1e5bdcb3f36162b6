//! `POST /api/v2/assistant/analyst/feedback`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use firn_statements::StatementError;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AnalystCaller, AnalystError, naming};
use crate::bodies::AnalystErrorBody;
use crate::error::ApiError;
use crate::request::{RequestBody, json_body};
use crate::state::AppState;

/// What the user says of an answer.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystFeedbackRequest)]
#[serde(expecting = "a JSON object")]
pub struct FeedbackBody {
    /// The `request_id` of the answer.
    #[schema(example = "75d343ee-699c-483f-83a1-e314609fb563")]
    request_id: String,
    positive: bool,
    feedback_message: Option<String>,
}

/// Keeps the user's word on an answer; the last one stands. SHOW ANALYST FEEDBACK lists them.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/feedback", tag = "analyst", operation_id = "giveAnalystFeedback",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    request_body = FeedbackBody,
    responses(
        (status = 200, description = "The feedback is stored."),
        (status = 400, description = "The request is malformed.", body = AnalystErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = AnalystErrorBody),
        (status = 403, description = "The API is switched off.", body = AnalystErrorBody),
        (status = 404, description = "The caller asked no such question.", body = AnalystErrorBody),
        (status = 413, description = "The body is too large.", body = AnalystErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = AnalystErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = AnalystErrorBody),
        (status = 500, description = "The server failed.", body = AnalystErrorBody),
        (status = 503, description = "The server is stopping.", body = AnalystErrorBody),
    ))]
pub async fn give(
    State(app): State<AppState>,
    AnalystCaller { caller, request_id, .. }: AnalystCaller,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    let with_id = |cause| AnalystError { request_id, cause };
    let RequestBody(body) = body.map_err(with_id)?;
    let feedback = decode(&body, app.limits.analyst.text_characters_max).map_err(with_id)?;
    let store = move || {
        let unknown = || ApiError::UnknownAnalystRequest(feedback.request_id.clone());
        let about = Uuid::try_parse(&feedback.request_id).map_err(|_| unknown())?;
        let message = feedback.feedback_message.as_deref();
        let stored = app.catalog.give_analyst_feedback(&caller, about, feedback.positive, message);
        match stored {
            Ok(true) => Ok(StatusCode::OK),
            Ok(false) => Err(unknown()),
            Err(error) => Err(ApiError::Statement(StatementError::from(error))),
        }
    };
    let stored = tokio::task::spawn_blocking(store).await.unwrap_or(Err(ApiError::Panicked));
    stored.map(|status| naming(request_id, status.into_response())).map_err(with_id)
}

fn decode(bytes: &[u8], characters_max: usize) -> Result<FeedbackBody, ApiError> {
    let feedback: FeedbackBody = json_body::decode(bytes)?;
    let message = feedback.feedback_message.as_deref().unwrap_or_default();
    if message.chars().count() > characters_max {
        let detail = format!("Field `feedback_message` is longer than {characters_max} characters.");
        return Err(ApiError::InvalidPayload(detail));
    }
    Ok(feedback)
}

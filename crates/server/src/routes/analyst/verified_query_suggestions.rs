//! `POST /api/v2/assistant/analyst/verified-query-suggestions`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnalystCaller, AnalystError, naming};
use crate::analyst::reply::Warning;
use crate::analyst::request::choice;
use crate::analyst::suggestions::queries::{MODES, Mode, QuerySuggestion, suggested};
use crate::analyst::suggestions::{SuggestionsFields, SuggestionsRequest, worked_out};
use crate::bodies::AnalystErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::{RequestBody, json_body};
use crate::state::AppState;

/// For which model, and from which records.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystVerifiedQuerySuggestionsRequest)]
#[serde(expecting = "a JSON object")]
pub struct SuggestionsBody {
    #[serde(flatten)]
    fields: SuggestionsFields,
    /// `ca_requests_based`, which is also what an absent one means: questions that were asked; or `query_history_based`:
    /// statements that ran.
    mode: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystVerifiedQuerySuggestionsResponse)]
pub struct Suggestions {
    #[schema(format = "uuid")]
    pub request_id: String,
    /// The best first.
    pub vq_suggestions: Vec<QuerySuggestion>,
    pub warnings: Vec<Warning>,
}

/// Questions that were asked and answered well, or statements that ran often, as verified queries that a model could have.
///
/// Only what the caller may see is counted: their own questions and statements, or everyone's for ACCOUNTADMIN; and only SQL
/// that the caller's role can run is offered.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/verified-query-suggestions", tag = "analyst", operation_id = "suggestVerifiedQueries",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body = SuggestionsBody,
    responses(
        (status = 200, description = "The suggestions.", body = Suggestions),
        (status = 400, description = "The request or the semantic model is malformed.", body = AnalystErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = AnalystErrorBody),
        (status = 403, description = "The API is switched off.", body = AnalystErrorBody),
        (status = 404, description = "There is no such semantic model or view, or it is not the caller's to use.", body = AnalystErrorBody),
        (status = 413, description = "The body is too large.", body = AnalystErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = AnalystErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = AnalystErrorBody),
        (status = 500, description = "The server failed.", body = AnalystErrorBody),
        (status = 503, description = "The server is stopping, or the work took too long.", body = AnalystErrorBody),
    ))]
pub async fn suggest(
    State(app): State<AppState>,
    AnalystCaller { caller, role, request_id }: AnalystCaller,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    let with_id = |cause| AnalystError { request_id, cause };
    let RequestBody(body) = body.map_err(with_id)?;
    let (request, mode) = decode(&body).map_err(with_id)?;
    let work = worked_out(app, caller, role, request, move |work| suggested(work, mode));
    let (vq_suggestions, warnings) = work.await.map_err(with_id)?;
    let answer = Suggestions { request_id: request_id.to_string(), vq_suggestions, warnings };
    Ok(naming(request_id, json_response(StatusCode::OK, &answer)))
}

fn decode(bytes: &[u8]) -> Result<(SuggestionsRequest, Mode), ApiError> {
    let body: SuggestionsBody = json_body::decode(bytes)?;
    let mode = choice("mode", body.mode.as_deref(), &MODES)?;
    Ok((body.fields.check()?, mode.unwrap_or(Mode::Requests)))
}

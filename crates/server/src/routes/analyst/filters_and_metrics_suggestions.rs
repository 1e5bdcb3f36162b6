//! `POST /api/v2/assistant/analyst/filters-and-metrics-suggestions`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::{AnalystCaller, AnalystError, naming};
use crate::analyst::reply::Warning;
use crate::analyst::suggestions::definitions::{DefinitionSuggestion, suggested};
use crate::analyst::suggestions::{SuggestionsFields, worked_out};
use crate::bodies::AnalystErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::{RequestBody, json_body};
use crate::state::AppState;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystDefinitionSuggestionsResponse)]
pub struct Suggestions {
    #[schema(format = "uuid")]
    pub request_id: String,
    /// The best first.
    pub suggestions: Vec<DefinitionSuggestion>,
    pub warnings: Vec<Warning>,
}

/// Filters, facts and metrics that statements of the history use over and over, as changes of a model that lacks them.
///
/// Only statements that the caller may see are counted: their own, or everyone's for ACCOUNTADMIN; and of these only what they
/// say of tables that the caller's role can read.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/filters-and-metrics-suggestions", tag = "analyst", operation_id = "suggestDefinitions",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body = SuggestionsFields,
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
    let fields: SuggestionsFields = json_body::decode(&body).map_err(with_id)?;
    let request = fields.check().map_err(with_id)?;
    let (suggestions, warnings) = worked_out(app, caller, role, request, suggested).await.map_err(with_id)?;
    let answer = Suggestions { request_id: request_id.to_string(), suggestions, warnings };
    Ok(naming(request_id, json_response(StatusCode::OK, &answer)))
}

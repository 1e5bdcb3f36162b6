//! `POST /api/v2/assistant/analyst/verified-queries`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use firn_analyst::semantic_model::VerifiedQuery;
use firn_catalog::Caller;
use firn_statements::{StatementError, StatementView};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{AnalystCaller, AnalystError, naming};
use crate::analyst::execution::Execution;
use crate::analyst::reply::VerifiedQueryUsed;
use crate::analyst::request::ModelSource;
use crate::analyst::verified_addition::{Addition, Step, add};
use crate::bodies::AnalystErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::{RequestBody, json_body};
use crate::state::AppState;

/// A question with its SQL: either of an answer, by its `request_id`, or as `question` and `sql`. It is stored in exactly one
/// of `semantic_view` and `semantic_model_file`.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystVerifiedQueryRequest)]
#[serde(expecting = "a JSON object")]
pub struct VerifiedQueryBody {
    /// The `request_id` of an answer of the caller's.
    #[schema(example = "75d343ee-699c-483f-83a1-e314609fb563")]
    request_id: Option<String>,
    question: Option<String>,
    /// One query; over the logical tables of the model, or over physical ones.
    sql: Option<String>,
    /// The question when absent.
    name: Option<String>,
    /// The caller's name when absent.
    verified_by: Option<String>,
    use_as_onboarding_question: Option<bool>,
    #[schema(example = "DEMO.PUBLIC.RETAIL")]
    semantic_view: Option<String>,
    #[schema(example = "@DEMO.PUBLIC.MODELS/sales.yaml")]
    semantic_model_file: Option<String>,
}

/// The stored query.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystVerifiedQueryResponse)]
pub struct VerifiedQueryAdded {
    #[schema(format = "uuid")]
    pub request_id: String,
    pub verified_query: VerifiedQueryUsed,
}

/// Keeps a question with its SQL as a verified query, with the caller's rights: the SQL must be one the caller can run, the
/// view or the stage one the caller may change.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/verified-queries", tag = "analyst", operation_id = "addVerifiedQuery",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body = VerifiedQueryBody,
    responses(
        (status = 200, description = "The verified query is stored.", body = VerifiedQueryAdded),
        (status = 400, description = "The request is malformed, or the SQL cannot be run.", body = AnalystErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = AnalystErrorBody),
        (status = 403, description = "The API is switched off, or the role may not change the view.", body = AnalystErrorBody),
        (status = 404, description = "There is no such question, view or file for the caller.", body = AnalystErrorBody),
        (status = 413, description = "The body is too large.", body = AnalystErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = AnalystErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = AnalystErrorBody),
        (status = 500, description = "The server failed.", body = AnalystErrorBody),
        (status = 503, description = "The server is stopping.", body = AnalystErrorBody),
    ))]
pub async fn keep(
    State(app): State<AppState>,
    AnalystCaller { caller, role, request_id }: AnalystCaller,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    let with_id = |cause| AnalystError { request_id, cause };
    let RequestBody(body) = body.map_err(with_id)?;
    let query = stored(app, caller, role, &body).await.map_err(with_id)?;
    let verified_query = VerifiedQueryUsed::from(&query);
    let added = VerifiedQueryAdded { request_id: request_id.to_string(), verified_query };
    Ok(naming(request_id, json_response(StatusCode::OK, &added)))
}

async fn stored(app: AppState, caller: Caller, role: Option<String>, body: &[u8]) -> Result<VerifiedQuery, ApiError> {
    let body: VerifiedQueryBody = json_body::decode(body)?;
    let (work_app, work_caller, work_role) = (AppState::clone(&app), caller.clone(), role.clone());
    let work = move || {
        let addition = body.addition(&work_app, &work_caller)?;
        add(&work_app, &work_caller, work_role.as_deref(), addition)
    };
    let step = tokio::task::spawn_blocking(work).await.unwrap_or(Err(ApiError::Panicked))?;
    let (statement, query) = match step {
        Step::Done(query) => return Ok(query),
        Step::Run { statement, query } => (statement, query),
    };
    let time_left = app.limits.analyst.answer_wait;
    let execution = Execution { app, caller, role, warehouse: None, time_left, report: None };
    match execution.change(statement).await? {
        StatementView::Succeeded(_) | StatementView::Running { .. } => Ok(query),
        StatementView::Failed(failed) | StatementView::TimedOut(failed) | StatementView::Cancelled(failed) => {
            let message = failed.message.replace('\n', " ");
            match failed.code.as_str() {
                "002003" | "003001" => Err(ApiError::NotAuthorised(message)),
                _ => Err(ApiError::InvalidPayload(format!("The semantic view cannot be changed: {message}"))),
            }
        }
    }
}

impl VerifiedQueryBody {
    fn addition(self, app: &AppState, caller: &Caller) -> Result<Addition, ApiError> {
        let invalid = |detail: &str| ApiError::InvalidPayload(detail.to_owned());
        let target = match (self.semantic_view, self.semantic_model_file) {
            (Some(view), None) => ModelSource::View(view),
            (None, Some(file)) => ModelSource::File(file),
            _ => return Err(invalid("Exactly one of semantic_view, semantic_model_file is needed.")),
        };
        let (question, sql) = match (self.request_id, self.question, self.sql) {
            (Some(id), None, None) => answered(app, caller, &id)?,
            (None, Some(question), Some(sql)) => (question, sql),
            _ => return Err(invalid("Either request_id, or question and sql are needed.")),
        };
        let question = question.trim().to_owned();
        if question.is_empty() || question.chars().count() > app.limits.analyst.text_characters_max {
            return Err(invalid("Field `question` is empty or too long."));
        }
        let query = VerifiedQuery {
            name: self.name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| question.clone()),
            question,
            sql,
            verified_at: None,
            verified_by: Some(self.verified_by.unwrap_or_else(|| caller.user.name.clone())),
            use_as_onboarding_question: self.use_as_onboarding_question == Some(true),
        };
        Ok(Addition { query, target })
    }
}

fn answered(app: &AppState, caller: &Caller, id: &str) -> Result<(String, String), ApiError> {
    let unknown = || ApiError::UnknownAnalystRequest(id.to_owned());
    let about = Uuid::try_parse(id).map_err(|_| unknown())?;
    let found = app.catalog.answered_question(caller, about);
    let found = found.map_err(|error| ApiError::Statement(StatementError::from(error)))?;
    match found.ok_or_else(unknown)? {
        (question, Some(sql)) => Ok((question, sql)),
        (_, None) => Err(ApiError::InvalidPayload(format!("The question of request {id} was not answered with SQL."))),
    }
}

//! `POST /api/v2/assistant/analyst/validate`.

use std::cell::RefCell;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use firn_analyst::instructions::Instructions;
use firn_analyst::semantic_model::{ModelError, ModelPlaces, ReadModel, place_of_warning, read_or_errors};
use firn_catalog::Caller;
use firn_statements::ReadStop;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnalystCaller, AnalystError, naming};
use crate::analyst::model_checks::{self, DataFinding};
use crate::analyst::model_sources;
use crate::analyst::request::{ModelEntry, ModelSource};
use crate::analyst::supervision::{Unfinished, watched};
use crate::bodies::AnalystErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::{RequestBody, json_body};
use crate::state::AppState;

/// A model: exactly one of `semantic_model`, `semantic_model_file` and `semantic_view`.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = AnalystValidationRequest)]
#[serde(expecting = "a JSON object")]
pub struct ValidationBody {
    #[serde(flatten)]
    model: ModelEntry,
    /// true: tables, columns, keys, relationships, metrics and verified queries are also checked against the data, as the
    /// caller sees them.
    connect: Option<bool>,
    /// The warehouse whose turn those checks wait for; the user's own when absent.
    warehouse: Option<String>,
}

/// What is wrong with the model, if anything.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystValidationResponse)]
pub struct Validation {
    #[schema(format = "uuid")]
    pub request_id: String,
    /// Whether questions can be asked of it: there are no errors.
    pub valid: bool,
    /// In the order of their places, at most 100 of the text.
    pub errors: Vec<Finding>,
    pub warnings: Vec<Finding>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalystValidationFinding)]
pub struct Finding {
    #[schema(example = "table `orders` has no `base_table`")]
    pub message: String,
    /// Where in the YAML, counted from 1; null of what is not about one place, and of semantic views.
    #[schema(example = 12)]
    pub line: Option<usize>,
    #[schema(example = 5)]
    pub column: Option<usize>,
}

/// Checks a semantic model without asking it anything, as `firn model validate` does.
#[utoipa::path(post, path = "/api/v2/assistant/analyst/validate", tag = "analyst", operation_id = "validateModel",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body = ValidationBody,
    responses(
        (status = 200, description = "What was found; a model with errors is an answer, too.", body = Validation),
        (status = 400, description = "The request is malformed, or the semantic view cannot be read.", body = AnalystErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = AnalystErrorBody),
        (status = 403, description = "The API is switched off.", body = AnalystErrorBody),
        (status = 404, description = "There is no such file or view, or it is not the caller's to use.", body = AnalystErrorBody),
        (status = 413, description = "The body is too large.", body = AnalystErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = AnalystErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = AnalystErrorBody),
        (status = 500, description = "The server failed.", body = AnalystErrorBody),
        (status = 503, description = "The server is stopping, or the checks took too long.", body = AnalystErrorBody),
    ))]
pub async fn validate(
    State(app): State<AppState>,
    AnalystCaller { caller, role, request_id }: AnalystCaller,
    body: Result<RequestBody, ApiError>,
) -> Result<Response, AnalystError> {
    let with_id = |cause| AnalystError { request_id, cause };
    let RequestBody(body) = body.map_err(with_id)?;
    let (errors, warnings) = found(app, caller, role, &body).await.map_err(with_id)?;
    let answer = Validation { request_id: request_id.to_string(), valid: errors.is_empty(), errors, warnings };
    Ok(naming(request_id, json_response(StatusCode::OK, &answer)))
}

type Findings = (Vec<Finding>, Vec<Finding>);

async fn found(app: AppState, caller: Caller, role: Option<String>, body: &[u8]) -> Result<Findings, ApiError> {
    let body: ValidationBody = json_body::decode(body)?;
    let source = body.model.source("the request", &[])?;
    let connects = body.connect == Some(true);
    let wait = app.limits.analyst.answer_wait;
    let slot = match connects {
        true => {
            let turn = app.statements.turn_to_read(&caller, role.as_deref(), body.warehouse.as_deref());
            Some(tokio::time::timeout(wait, turn).await.map_err(|_| ApiError::AnalystTooSlow)??)
        }
        false => None,
    };
    let stop = Arc::<ReadStop>::default();
    let reading = Arc::clone(&stop);
    let work = move || {
        let found = Check { app, caller, role, reading }.run(&source, connects);
        drop(slot);
        found
    };
    match watched(stop, wait, work).await {
        Ok(found) => found,
        Err(Unfinished::TooSlow) => Err(ApiError::AnalystTooSlow),
        Err(Unfinished::Panicked) => Err(ApiError::Panicked),
    }
}

struct Check {
    app: AppState,
    caller: Caller,
    role: Option<String>,
    reading: Arc<ReadStop>,
}

impl Check {
    fn run(self, source: &ModelSource, connects: bool) -> Result<Findings, ApiError> {
        let role = self.role.as_deref();
        let reader = RefCell::new(self.app.statements.reader(&self.caller, role, self.reading)?);
        let text = match source {
            ModelSource::Inline(yaml) => Some(yaml.clone()),
            ModelSource::File(path) => Some(model_sources::staged_text(&self.app, &self.caller, role, path)?),
            ModelSource::View(_) => None,
        };
        let read = match &text {
            Some(text) => read_or_errors(text),
            None => Ok(model_sources::load(&self.app, &self.caller, role, source, &reader)?.read),
        };
        let ReadModel { model, warnings } = match read {
            Ok(read) => read,
            Err(errors) => return Ok((errors.into_iter().map(Finding::from).collect(), Vec::new())),
        };
        let mut warnings: Vec<Finding> = warnings.iter().map(|warning| placed(warning)).collect();
        warnings.extend(Instructions::of(&model).warnings().map(unplaced));
        if !connects {
            return Ok((Vec::new(), warnings));
        }
        let in_data = model_checks::check(&model, &mut reader.borrow_mut())?;
        let places = text.as_deref().map(ModelPlaces::of);
        let in_text = |found: DataFinding| {
            let place = places.as_ref().and_then(|places| places.place_of(&found.part));
            Finding { message: found.message, line: place.map(|place| place.0), column: place.map(|place| place.1) }
        };
        warnings.extend(in_data.warnings.into_iter().map(in_text));
        Ok((in_data.errors.into_iter().map(in_text).collect(), warnings))
    }
}

impl From<ModelError> for Finding {
    fn from(error: ModelError) -> Self {
        Self { message: error.message, line: Some(error.line), column: Some(error.column) }
    }
}

fn placed(warning: &str) -> Finding {
    match place_of_warning(warning) {
        Some((line, column, message)) => {
            Finding { message: message.to_owned(), line: Some(line), column: Some(column) }
        }
        None => unplaced(warning.to_owned()),
    }
}

fn unplaced(message: String) -> Finding {
    Finding { message, line: None, column: None }
}

//! `/api/v2/assistant/analyst`: ask, and say how the answer was. The vendor's paths are the same handlers.

pub mod feedback;
pub mod filters_and_metrics_suggestions;
pub mod message;
pub mod validate;
pub mod verified_queries;
pub mod verified_query_suggestions;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use firn_catalog::Caller;
use uuid::Uuid;

use crate::error::ApiError;
use crate::request::{JsonCaller, role_header};
use crate::state::AppState;

/// Who asks, under which role, and the request's identifier.
pub struct AnalystCaller {
    caller: Caller,
    role: Option<String>,
    request_id: Uuid,
}

impl FromRequestParts<AppState> for AnalystCaller {
    type Rejection = AnalystError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, AnalystError> {
        let request_id = Uuid::new_v4();
        let with_id = |cause| AnalystError { request_id, cause };
        let JsonCaller(caller) = JsonCaller::from_request_parts(parts, app).await.map_err(with_id)?;
        app.statements.admit_request(&caller).map_err(|error| with_id(error.into()))?;
        Ok(Self { caller, role: role_of(&parts.headers), request_id })
    }
}

fn role_of(headers: &HeaderMap) -> Option<String> {
    role_header(headers).filter(|role| !role.is_empty())
}

/// An error that names its request.
pub struct AnalystError {
    request_id: Uuid,
    cause: ApiError,
}

impl AnalystError {
    /// Whether the endpoint answers with this kind of errors.
    pub fn is_for(path: &str) -> bool {
        PATHS.iter().any(|prefix| path.starts_with(prefix))
    }

    /// An error of a request that reached no handler.
    pub fn unasked(cause: ApiError) -> Self {
        Self { request_id: Uuid::new_v4(), cause }
    }
}

impl IntoResponse for AnalystError {
    fn into_response(self) -> Response {
        naming(self.request_id, self.cause.into_analyst_response(self.request_id))
    }
}

/// What the paths of the analyst begin with.
const PATHS: [&str; 2] = ["/api/v2/assistant/analyst/", "/api/v2/cortex/analyst/"];

/// The neutral name and the vendor's.
const REQUEST_ID_HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("x-request-id"), HeaderName::from_static("x-snowflake-request-id")];

/// The response with the request's identifier in its headers.
fn naming(request_id: Uuid, mut response: Response) -> Response {
    if let Ok(value) = HeaderValue::from_str(&request_id.to_string()) {
        for name in REQUEST_ID_HEADERS {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

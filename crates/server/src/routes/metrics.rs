//! The server's numbers, for Prometheus.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use firn_auth::AuthError;
use firn_catalog::secrets::hash_secret;

use crate::bodies::ErrorBody;
use crate::error::ApiError;
use crate::request::bearer_token;
use crate::state::AppState;

/// Gives the server's metrics in Prometheus' text format; asks for the token of the setting `metrics_token`, if it is set.
#[utoipa::path(get, path = "/metrics", tag = "service", security((), ("bearer" = [])),
    responses(
        (status = 200, description = "Metrics.", body = String, content_type = "text/plain"),
        (status = 401, description = "The token is missing or is not that of the setting.", body = ErrorBody),
    ))]
pub async fn metrics(State(app): State<AppState>, headers: HeaderMap) -> Result<Response, ApiError> {
    if let Some(wanted) = &app.metrics_token {
        let token = bearer_token(&headers).ok_or(ApiError::Unauthenticated(AuthError::Missing))?;
        // Hashes are compared: how long that takes says nothing of the token.
        if hash_secret(token) != *wanted {
            return Err(ApiError::Unauthenticated(AuthError::BadAccessToken));
        }
    }
    let text = app.metrics.render(&app.statements.counters());
    let content_type = [(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"))];
    Ok((content_type, text).into_response())
}

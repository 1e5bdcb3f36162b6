//! The envelope of every answer: `{data, code, message, success}` with status 200. Drivers repeat requests that are answered with
//! another status, some of them for ever.

use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use firn_auth::AuthError;
use firn_statements::view::FailedView;
use firn_statements::{StatementError, StatementHandle};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;

use crate::error::{ApiError, json_response};
use crate::request::RequestBody;
use crate::state::AppState;

pub const SESSION_GONE: &str = "390111";
pub const SESSION_EXPIRED: &str = "390112";

#[derive(Serialize)]
struct Envelope<T> {
    data: T,
    code: Option<String>,
    message: Option<String>,
    success: bool,
}

pub fn success(data: impl Serialize) -> Response {
    json_response(StatusCode::OK, &Envelope { data, code: None, message: None, success: true })
}

/// A success that says more with a code, such as that a statement still runs.
pub fn success_with(code: &str, message: &str, data: impl Serialize) -> Response {
    let (code, message) = (Some(code.to_owned()), Some(message.to_owned()));
    json_response(StatusCode::OK, &Envelope { data, code, message, success: true })
}

/// Why a request has no answer.
#[derive(Debug)]
pub struct DriverError {
    pub code: String,
    pub message: String,
    pub data: Value,
    handle: Option<StatementHandle>,
}

impl DriverError {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), data: Value::Null, handle: None }
    }

    pub fn session_gone() -> Self {
        Self::new(SESSION_GONE, AuthError::BadSession.to_string())
    }

    pub fn session_expired() -> Self {
        Self::new(SESSION_EXPIRED, "Session has expired; renew its token.")
    }

    /// A statement's own failure.
    pub fn of_statement(failed: &FailedView) -> Self {
        let data = json!({
            "errorCode": failed.code,
            "sqlState": failed.sql_state,
            "queryId": failed.handle.to_string(),
            "line": failed.location.map_or(-1, |found| i64::try_from(found.line).unwrap_or(-1)),
            "pos": failed.location.map_or(-1, |found| i64::try_from(found.position).unwrap_or(-1)),
            "type": "COMPILATION",
            "age": 0,
            "internalError": false,
        });
        Self { code: failed.code.clone(), message: failed.message.clone(), data, handle: Some(failed.handle) }
    }
}

impl From<ApiError> for DriverError {
    fn from(error: ApiError) -> Self {
        let summary = error.summary();
        let message = match &error {
            ApiError::Unauthenticated(error) => error.to_string(),
            _ => summary.message,
        };
        Self::new(summary.code, message)
    }
}

impl From<StatementError> for DriverError {
    fn from(error: StatementError) -> Self {
        match error {
            StatementError::UnknownSession(_) => Self::session_gone(),
            StatementError::Invalid { code, sql_state: Some(sql_state), message } => {
                let data = json!({
                    "errorCode": code,
                    "sqlState": sql_state,
                    "queryId": null,
                    "age": 0,
                    "internalError": false,
                });
                Self { data, ..Self::new(code, message) }
            }
            other => ApiError::from(other).into(),
        }
    }
}

impl IntoResponse for DriverError {
    fn into_response(self) -> Response {
        let Self { code, message, data, handle } = self;
        let envelope = Envelope { data, code: Some(code), message: Some(message), success: false };
        concerning(handle, json_response(StatusCode::OK, &envelope))
    }
}

/// Lets the request log name the statement.
pub fn concerning(handle: Option<StatementHandle>, mut response: Response) -> Response {
    if let Some(handle) = handle {
        response.extensions_mut().insert(handle);
    }
    response
}

/// A whole body, decompressed, not yet understood.
pub struct DriverBody(pub Bytes);

impl FromRequest<AppState> for DriverBody {
    type Rejection = DriverError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, DriverError> {
        let RequestBody(bytes) = RequestBody::from_request(request, app).await?;
        Ok(Self(bytes))
    }
}

/// The parameters of the address; the last one of a name counts, and an empty one is as good as none.
pub struct AddressParameters(HashMap<String, String>);

impl AddressParameters {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AddressParameters {
    type Rejection = DriverError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, DriverError> {
        let given = Query::<HashMap<String, String>>::try_from_uri(&parts.uri);
        Ok(Self(given.map(|Query(given)| given).unwrap_or_default()))
    }
}

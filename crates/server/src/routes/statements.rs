//! `/api/v2/statements`: submit, fetch, download, profile, cancel, list what runs.

pub mod cancel;
pub mod download;
pub mod fetch;
pub mod profile;
pub mod running;
pub mod submit;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use firn_statements::{StatementError, StatementHandle};

use crate::error::ApiError;

/// The statement a path names. A text that is no handle is a handle nobody has.
pub struct NamedStatement(pub StatementHandle);

impl<S: Send + Sync> FromRequestParts<S> for NamedStatement {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let text = match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(text)) => text,
            Err(_) => String::new(),
        };
        StatementHandle::parse(&text).map(Self).ok_or(ApiError::Statement(StatementError::UnknownHandle(text)))
    }
}

//! `DELETE …/files/{path}`.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use firn_statements::StageAccess;

use super::preconditions::precondition;
use super::{NamedStage, blocking};
use crate::bodies::ErrorBody;
use crate::error::ApiError;
use crate::request::FileCaller;
use crate::state::AppState;

/// Removes a file from a stage.
#[utoipa::path(delete, path = "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", tag = "stages",
    operation_id = "removeStageFile",
    params(
        ("database" = String, Path, description = "The database; unquoted names fold to upper case.", example = "FIRN"),
        ("schema" = String, Path, description = "The schema.", example = "PUBLIC"),
        ("stage" = String, Path, description = "A stage, `%table` for a table's, or `~` for the user's own.", example = "my_stage"),
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("If-Match" = Option<String>, Header, nullable = false, description = "The ETag that the file has."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 204, description = "The file is removed."),
        (status = 400, description = "A name or parameter is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such stage or file, or it is not the caller's to use.", body = ErrorBody),
        (status = 412, description = "The file is not the one that If-Match asks for.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn remove(
    State(app): State<AppState>,
    FileCaller(caller): FileCaller,
    named: NamedStage,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let path = named.file_path()?;
    let stage = named.open(&app, caller, StageAccess::Write).await?;
    blocking(move || Ok(stage.remove(&path, &precondition(&headers))?)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

//! `GET …/files`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use firn_statements::StageAccess;
use serde::Serialize;
use utoipa::ToSchema;

use super::{FileEntry, NamedStage, blocking};
use crate::bodies::ErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::FileCaller;
use crate::state::AppState;

const FILES_DEFAULT: usize = 1_000;
const FILES_MAX: usize = 10_000;

/// Files of a stage in the order of their paths.
#[derive(Serialize, ToSchema)]
pub struct FileList {
    files: Vec<FileEntry>,
    /// Give it as `after` for the files that follow; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next: Option<String>,
}

/// Lists the files of a stage.
#[utoipa::path(get, path = "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files", tag = "stages",
    operation_id = "listStageFiles",
    params(
        ("database" = String, Path, description = "The database; unquoted names fold to upper case.", example = "FIRN"),
        ("schema" = String, Path, description = "The schema.", example = "PUBLIC"),
        ("stage" = String, Path, description = "A stage, `%table` for a table's, or `~` for the user's own.", example = "my_stage"),
        ("prefix" = Option<String>, Query, nullable = false, description = "Only files whose path begins so."),
        ("after" = Option<String>, Query, nullable = false, description = "Only files whose path comes after this one."),
        ("limit" = Option<i64>, Query, nullable = false, minimum = 1, maximum = 10000, description = "At most this many files; 1000 when absent."),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The files.", body = FileList),
        (status = 400, description = "A name or parameter is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such stage, or it is not the caller's to use.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn list(
    State(app): State<AppState>,
    FileCaller(caller): FileCaller,
    named: NamedStage,
) -> Result<Response, ApiError> {
    let limit = match named.query.get("limit") {
        None => FILES_DEFAULT,
        Some(text) => text.parse().ok().filter(|limit| (1..=FILES_MAX).contains(limit)).ok_or_else(|| {
            ApiError::InvalidQueryParameter(format!(
                "Query parameter limit is '{text}'; it takes a number from 1 to {FILES_MAX}."
            ))
        })?,
    };
    let stage = named.open(&app, caller, StageAccess::Read).await?;
    let prefix = named.query.get("prefix").cloned().unwrap_or_default();
    let after = named.query.get("after").cloned();
    let list = move || -> Result<FileList, ApiError> {
        let mut found = stage.list(&prefix)?;
        if let Some(after) = after {
            found.retain(|file| file.path.as_str() > after.as_str());
        }
        let next = found.get(limit).and_then(|_| found.get(limit - 1)).map(|file| file.path.to_string());
        found.truncate(limit);
        let files = found.iter().map(|file| Ok(FileEntry::of(&stage, file, stage.md5(file)?)));
        Ok(FileList { files: files.collect::<Result<_, ApiError>>()?, next })
    };
    Ok(json_response(StatusCode::OK, &blocking(list).await?))
}

//! The user's own stage by an address without a database, for those whose role sees none. Each operation is that of any
//! other stage.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::list::FileList;
use super::{FileEntry, NamedStage, download, list, remove, upload};
use crate::bodies::ErrorBody;
use crate::error::ApiError;
use crate::request::{FileCaller, FileReader};
use crate::state::AppState;

/// Lists the files of the user's own stage.
#[utoipa::path(get, path = "/api/v2/stages/~/files", tag = "stages",
    operation_id = "listOwnFiles",
    params(
        ("prefix" = Option<String>, Query, nullable = false, description = "Only files whose path begins so."),
        ("after" = Option<String>, Query, nullable = false, description = "Only files whose path comes after this one."),
        ("limit" = Option<i64>, Query, nullable = false, minimum = 1, maximum = 10000, description = "At most this many files; 1000 when absent."),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    responses(
        (status = 200, description = "The files.", body = FileList),
        (status = 400, description = "A name or parameter is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn list(State(app): State<AppState>, caller: FileCaller, named: NamedStage) -> Result<Response, ApiError> {
    list::list(State(app), caller, named).await
}

/// Fetches a file from the user's own stage, or the part of it that `Range` names.
#[utoipa::path(get, path = "/api/v2/stages/~/files/{path}", tag = "stages",
    operation_id = "getOwnFile",
    params(
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("Range" = Option<String>, Header, nullable = false, description = "`bytes=first-last`, one range."),
    ),
    responses(
        (status = 200, description = "The file.", content_type = "application/octet-stream",
            headers(("ETag" = String, description = "The file's MD5 in quotes."))),
        (status = 206, description = "The part asked for.", content_type = "application/octet-stream"),
        (status = 304, description = "The file is the one that If-None-Match names."),
        (status = 400, description = "A name or parameter is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such file.", body = ErrorBody),
        (status = 416, description = "The file has no such range.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn download(
    State(app): State<AppState>,
    caller: FileReader,
    named: NamedStage,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    download::download(State(app), caller, named, headers).await
}

/// Returns the size and MD5 of a file of the user's own stage without the file.
#[utoipa::path(head, path = "/api/v2/stages/~/files/{path}", tag = "stages",
    operation_id = "headOwnFile",
    params(
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    responses(
        (status = 200, description = "Content-Length and ETag are the file's size and MD5."),
        (status = 400, description = "A name or parameter is malformed."),
        (status = 401, description = "The token is missing or invalid."),
        (status = 403, description = "The API is switched off."),
        (status = 404, description = "There is no such file."),
        (status = 429, description = "Too many requests; come back after Retry-After seconds."),
        (status = 500, description = "The server failed."),
        (status = 503, description = "The server is stopping."),
    ))]
pub async fn head(State(app): State<AppState>, caller: FileReader, named: NamedStage) -> Result<Response, ApiError> {
    download::head(State(app), caller, named).await
}

/// Brings a file to the user's own stage; one that is there under the same path is replaced once the new one is whole.
#[utoipa::path(put, path = "/api/v2/stages/~/files/{path}", tag = "stages",
    operation_id = "putOwnFile",
    params(
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "`*`: only if there is no such file yet."),
        ("If-Match" = Option<String>, Header, nullable = false, description = "The ETag that the file has; `*`: only if there is such a file."),
    ),
    request_body(content_type = "application/octet-stream", description = "The file as it is."),
    responses(
        (status = 200, description = "The file is there.", body = FileEntry),
        (status = 400, description = "A name or parameter is malformed, or the body broke off.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 412, description = "The file is not the one that If-Match or If-None-Match asks for.", body = ErrorBody),
        (status = 413, description = "The file is too large, or a quota of stages is used up.", body = ErrorBody),
        (status = 507, description = "The disk of the server is full.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn upload(
    State(app): State<AppState>,
    caller: FileCaller,
    named: NamedStage,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    upload::upload(State(app), caller, named, headers, body).await
}

/// Removes a file from the user's own stage.
#[utoipa::path(delete, path = "/api/v2/stages/~/files/{path}", tag = "stages",
    operation_id = "removeOwnFile",
    params(
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("If-Match" = Option<String>, Header, nullable = false, description = "The ETag that the file has."),
    ),
    responses(
        (status = 204, description = "The file is removed."),
        (status = 400, description = "A name or parameter is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such file.", body = ErrorBody),
        (status = 412, description = "The file is not the one that If-Match asks for.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn remove(
    State(app): State<AppState>,
    caller: FileCaller,
    named: NamedStage,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    remove::remove(State(app), caller, named, headers).await
}

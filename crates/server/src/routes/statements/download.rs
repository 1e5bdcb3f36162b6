//! `GET /api/v2/statements/{statementHandle}/download` and links to it.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use firn_catalog::{FileLink, LinkUse};
use firn_statements::{CUT_CODE, StatementError, StatementView};

use super::NamedStatement;
use crate::answer::{Asked, answer};
use crate::bodies::{DownloadLink, ErrorBody, QueryFailureStatus, QueryStatus};
use crate::browser_headers::SANDBOX;
use crate::clock::now_ms;
use crate::download::{Format, body, file_name};
use crate::error::ApiError;
use crate::request::query::value_of;
use crate::request::{ApiCaller, FileReader, shown_token};
use crate::state::AppState;

/// `true` on the file of a result that was cut at `result_bytes_max`.
const TRUNCATED: HeaderName = HeaderName::from_static("x-firn-truncated");

/// Long enough for a click.
const LINK_LIFETIME_MS: i64 = 60_000;

/// Returns the whole result of a statement as one file, streamed.
///
/// CSV has a heading and follows RFC 4180: NULL is nothing, an empty text is `""`. JSON lines have one object per row. Parquet has
/// the types of the columns.
#[utoipa::path(get, path = "/api/v2/statements/{statementHandle}/download", tag = "statements", operation_id = "downloadResult",
    params(
        ("statementHandle" = String, Path, description = "The handle the statement was given.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
        ("format" = Option<String>, Query, nullable = false, description = "`csv`, the default, `jsonl` or `parquet`.", example = "csv"),
        ("name" = Option<String>, Query, nullable = false, description = "What the file is called, without its extension; signs that file systems forbid are left out. By default the kind and the time of the statement.", example = "Monthly report"),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The file.", content_type = "text/csv"),
        (status = 202, description = "The statement is running; ask again later.", body = QueryStatus),
        (status = 400, description = "The format is not known.", body = ErrorBody),
        (status = 401, description = "The token or the link is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 422, description = "The statement failed or was cancelled, or the handle is unknown.", body = QueryFailureStatus),
        (status = 429, description = "Too many requests, or downloads of the user at the same time; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn download(
    State(app): State<AppState>,
    FileReader(caller): FileReader,
    NamedStatement(handle): NamedStatement,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let format = value_of(&uri, "format")?.unwrap_or_else(|| "csv".to_owned());
    let format = Format::parse(&format).ok_or_else(|| {
        ApiError::InvalidQueryParameter(format!(
            "Query parameter format is '{format}'; it takes csv, jsonl or parquet."
        ))
    })?;
    let too_many = ApiError::Statement(StatementError::TooManyRequests { retry_after_s: 1 });
    let turn = app.download_turns.begin(caller.user.id).ok_or(too_many)?;
    let view = match app.statements.fetch(&caller, handle, Some(0)).await? {
        StatementView::Succeeded(view) => view,
        other => return Ok(answer(other, Asked::ByFetching, None, &headers)),
    };
    let is_truncated = view.code == CUT_CODE;
    let stem = match value_of(&uri, "name")?.as_deref().and_then(file_name::safe_stem) {
        Some(stem) => stem,
        None => {
            let query_type = app.statements.query_type_of(&caller, handle).await?;
            file_name::stem_of(&query_type, view.created_on_ms)
        }
    };
    let mut response = body(app, caller, *view, format, turn)?.into_response();
    for (name, value) in file_headers(&stem, format, is_truncated)? {
        response.headers_mut().insert(name, value);
    }
    if is_truncated {
        response.headers_mut().insert(TRUNCATED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn file_headers(stem: &str, format: Format, is_truncated: bool) -> Result<[(HeaderName, HeaderValue); 4], ApiError> {
    let part = if is_truncated { "-truncated" } else { "" };
    let disposition = file_name::attachment(&format!("{stem}{part}"), format.extension());
    let disposition = HeaderValue::from_str(&disposition).map_err(|_| ApiError::UnreadablePartition)?;
    Ok([
        (CONTENT_TYPE, HeaderValue::from_static(format.media_type())),
        (CONTENT_DISPOSITION, disposition),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX)),
    ])
}

/// Returns an address of the download that needs no token for a minute: a click in a browser sends none. It ends with the token
/// or session that asked for it.
#[utoipa::path(post, path = "/api/v2/statements/{statementHandle}/download-link", tag = "statements", operation_id = "linkDownload",
    params(
        ("statementHandle" = String, Path, description = "The handle the statement was given.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The address; `&format=` and `&name=` may be added.", body = DownloadLink),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The handle is unknown.", body = QueryFailureStatus),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn link(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    NamedStatement(handle): NamedStatement,
    headers: HeaderMap,
) -> Result<Json<DownloadLink>, ApiError> {
    let role = app.statements.role_of(&caller, handle).await?;
    let made_with = shown_token(&headers).map_err(ApiError::Unauthenticated)?;
    let now_ms = now_ms();
    let expires_on_ms = now_ms + LINK_LIFETIME_MS;
    let login = app.link_logins.note(caller.user.id, made_with, (now_ms, expires_on_ms));
    let link = FileLink {
        link_use: LinkUse::Anyone,
        user_id: caller.user.id,
        role,
        expires_on_ms,
        address: format!("/api/v2/statements/{handle}/download"),
        login: Some(login),
    };
    let signature = app.catalog.sign_link(&link);
    Ok(Json(DownloadLink { url: link.url(&signature), expires_on: link.expires_on_ms }))
}

//! `POST /api/v2/backups` and `GET /api/v2/backups/{name}`: begin a backup and follow it. The server writes it below
//! `backup_dir` alone; a caller gives nothing but its name.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use firn_catalog::Caller;
use firn_statements::StatementError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::backup::{BackupState, BackupView};
use crate::bodies::ErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::{ApiCaller, RequestBody, json_body, role_header};
use crate::state::AppState;

/// Which backup to make.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = BackupRequest)]
#[serde(deny_unknown_fields, expecting = "a JSON object")]
pub struct BackupBody {
    /// Up to 64 letters, digits, `_`, `-` and `.`; the time when absent.
    #[schema(example = "before-upgrade", nullable = false)]
    name: Option<String>,
}

/// A backup and how far it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Backup)]
pub struct BackupStatus {
    /// The name of its folder below `backup_dir`.
    #[schema(example = "20261117T093000123Z")]
    name: String,
    /// `running`, `succeeded` or `failed`.
    #[schema(example = "succeeded")]
    state: &'static str,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    files: Option<usize>,
    /// All bytes of the backup, as far as they are known.
    bytes: u64,
    bytes_done: u64,
    /// Bytes of files that the backup before has too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    bytes_reused: Option<u64>,
    /// How long changes waited, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    paused_ms: Option<u64>,
}

impl From<BackupView> for BackupStatus {
    fn from(view: BackupView) -> Self {
        Self {
            name: view.name,
            state: match view.state {
                BackupState::Running => "running",
                BackupState::Succeeded => "succeeded",
                BackupState::Failed => "failed",
            },
            message: view.message,
            files: view.files,
            bytes: view.bytes,
            bytes_done: view.bytes_done,
            bytes_reused: view.bytes_reused,
            paused_ms: view.paused_ms,
        }
    }
}

/// Begins a backup of the whole server.
///
/// Databases, stages, results, users, rights and history, all as of one moment. One backup is made at a time.
#[utoipa::path(post, path = "/api/v2/backups", tag = "backups", operation_id = "startBackup",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; counts before the header."),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body(content = BackupBody),
    responses(
        (status = 202, description = "The backup is being made.", body = BackupStatus),
        (status = 400, description = "The request is malformed, or the name cannot be used.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The role is not ACCOUNTADMIN, the address is blocked, or backups or the API are switched off.", body = ErrorBody),
        (status = 409, description = "There is such a backup, or another one is being made.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The Accept header leaves no room for JSON.", body = ErrorBody),
        (status = 429, description = "Too many failed logins; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn start(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    role: AskedRole,
    RequestBody(body): RequestBody,
) -> Result<Response, ApiError> {
    require_account_admin(&app, &caller, &role)?;
    let body: BackupBody = if body.is_empty() { BackupBody::default() } else { json_body::decode(&body)? };
    let begin = move || app.backups.start(&app.statements, body.name);
    let begun = tokio::task::spawn_blocking(begin).await.map_err(|_| ApiError::Panicked)??;
    Ok(json_response(StatusCode::ACCEPTED, &BackupStatus::from(begun)))
}

/// How far a backup is.
#[utoipa::path(get, path = "/api/v2/backups/{name}", tag = "backups", operation_id = "getBackup",
    params(
        ("name" = String, Path, description = "The backup's name.", example = "before-upgrade"),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; counts before the header."),
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    responses(
        (status = 200, description = "The backup as it is now.", body = BackupStatus),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The role is not ACCOUNTADMIN, the address is blocked, or the API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such backup.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The Accept header leaves no room for JSON.", body = ErrorBody),
        (status = 429, description = "Too many failed logins; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
    ))]
pub async fn find(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    role: AskedRole,
    NamedBackup(name): NamedBackup,
) -> Result<Response, ApiError> {
    require_account_admin(&app, &caller, &role)?;
    let looked_for = name.clone();
    let find = move || app.backups.find(&looked_for);
    let found = tokio::task::spawn_blocking(find).await.map_err(|_| ApiError::Panicked)?;
    let view = found.ok_or(ApiError::UnknownBackup(name))?;
    Ok(json_response(StatusCode::OK, &BackupStatus::from(view)))
}

/// The role of the query parameter, else that of the header, as with the files of stages.
pub struct AskedRole(Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for AskedRole {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let Query(mut query) = Query::<HashMap<String, String>>::try_from_uri(&parts.uri)
            .map_err(|rejection| ApiError::InvalidQueryParameter(rejection.body_text()))?;
        Ok(Self(query.remove("role").or_else(|| role_header(&parts.headers))))
    }
}

/// The name behind `backups/`, not checked yet.
pub struct NamedBackup(String);

impl<S: Send + Sync> FromRequestParts<S> for NamedBackup {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let named = Path::<String>::from_request_parts(parts, state).await;
        named.map(|Path(name)| Self(name)).map_err(|rejection| ApiError::InvalidQueryParameter(rejection.body_text()))
    }
}

fn require_account_admin(app: &AppState, caller: &Caller, role: &AskedRole) -> Result<(), ApiError> {
    let role = role.0.as_deref();
    let role = app.catalog.principals().active_role(caller, role).map_err(StatementError::from)?;
    if role.is_account_admin() { Ok(()) } else { Err(ApiError::NotAccountAdmin) }
}

//! `/api/v2/sessions`: sessions that outlast a request.

use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use firn_statements::{SessionView, SubmitRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::bodies::ErrorBody;
use crate::error::ApiError;
use crate::request::headers::{changes, sender};
use crate::request::statement_body::ParametersBody;
use crate::request::statement_body::StatementParameters;
use crate::request::{ApiCaller, QueryParameters, RequestBody, StatementBody, json_body};
use crate::state::AppState;

/// What a session begins with. A field that is null counts as absent; unknown fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = SessionRequest)]
#[serde(rename_all = "camelCase", expecting = "a JSON object")]
pub struct SessionBody {
    /// Case-sensitive, as the other names are; absent, the user's default applies.
    database: Option<String>,
    schema: Option<String>,
    warehouse: Option<String>,
    role: Option<String>,
    #[schema(value_type = Option<StatementParameters>)]
    parameters: Option<ParametersBody>,
    /// Seconds without a request after which the session ends; 1800 when absent, if the server is not set otherwise.
    #[schema(minimum = 1, maximum = 14_400)]
    idle_timeout: Option<u64>,
}

/// A session that is kept.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatus {
    /// For the header X-Service-Session.
    #[schema(format = "uuid")]
    pub session_id: String,
    /// `idle`, or `busy` while a request has the session.
    #[schema(example = "idle")]
    pub state: &'static str,
    #[schema(example = "ANALYST")]
    pub role: String,
    #[schema(required = true)]
    pub warehouse: Option<String>,
    #[schema(required = true)]
    pub database: Option<String>,
    #[schema(required = true)]
    pub schema: Option<String>,
    /// Milliseconds since the epoch.
    pub created_on: i64,
    /// Seconds.
    pub idle_timeout: u64,
}

impl From<SessionView> for SessionStatus {
    fn from(view: SessionView) -> Self {
        Self {
            session_id: view.id.to_string(),
            state: if view.is_busy { "busy" } else { "idle" },
            role: view.names.role,
            warehouse: view.names.warehouse,
            database: view.names.database,
            schema: view.names.schema,
            created_on: view.created_on_ms,
            idle_timeout: view.idle_max.as_secs(),
        }
    }
}

/// The session a path names. A text that is no identifier names one that nobody has.
pub struct NamedSession(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for NamedSession {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let text = match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(text)) => text,
            Err(_) => String::new(),
        };
        Uuid::try_parse(&text).map(Self).map_err(|_| ApiError::NoSuchSession(text))
    }
}

/// Opens a session: statements with its identifier in X-Service-Session share variables, temporary objects and chosen names.
#[utoipa::path(post, path = "/api/v2/sessions", tag = "statements", operation_id = "openSession",
    request_body = SessionBody,
    responses(
        (status = 201, description = "The session.", body = SessionStatus),
        (status = 400, description = "The request is malformed, or names what does not exist.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 429, description = "Too many requests, or too many sessions.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn open(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    RequestBody(body): RequestBody,
) -> Result<(StatusCode, Json<SessionStatus>), ApiError> {
    let body: SessionBody = json_body::decode(&body)?;
    let idle_s_max = app.limits.session_idle_max.as_secs();
    let idle_s = body.idle_timeout.unwrap_or_else(|| app.limits.session_idle.as_secs().min(idle_s_max));
    if !(1..=idle_s_max).contains(&idle_s) {
        let detail = format!("Field `idleTimeout` is {idle_s}; it takes seconds from 1 to {idle_s_max}.");
        return Err(ApiError::InvalidPayload(detail));
    }
    let request = SubmitRequest {
        database: body.database,
        schema: body.schema,
        warehouse: body.warehouse,
        role: body.role,
        parameters: body.parameters.map(|parameters| parameters.0).unwrap_or_default(),
        client_address: caller.address,
        server_address: app.listening,
        sender: sender(&headers),
        changes: changes(&headers)?,
        ..StatementBody::decode(b"{}")?.into_request(QueryParameters::default())
    };
    let idle_max = Duration::from_secs(idle_s);
    let view = tokio::task::block_in_place(|| app.statements.open_session(&caller, &request, idle_max))?;
    Ok((StatusCode::CREATED, Json(view.into())))
}

/// The sessions of a caller.
#[derive(Serialize, ToSchema)]
#[schema(as = Sessions)]
pub struct SessionList {
    pub sessions: Vec<SessionStatus>,
}

/// Lists the caller's sessions, the latest first.
#[utoipa::path(get, path = "/api/v2/sessions", tag = "statements", operation_id = "listSessions",
    responses(
        (status = 200, description = "The sessions.", body = SessionList),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
    ))]
pub async fn list(State(app): State<AppState>, ApiCaller(caller): ApiCaller) -> Json<SessionList> {
    let sessions = app.statements.sessions(&caller).into_iter().map(SessionStatus::from);
    Json(SessionList { sessions: sessions.collect() })
}

/// Returns a session: whether a request has it, and which names the last one has left chosen.
#[utoipa::path(get, path = "/api/v2/sessions/{sessionId}", tag = "statements", operation_id = "findSession",
    params(
        ("sessionId" = String, Path, description = "The session's identifier.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
    ),
    responses(
        (status = 200, description = "The session.", body = SessionStatus),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "There is no such session, or not any more.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
    ))]
pub async fn find(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    NamedSession(id): NamedSession,
) -> Result<Json<SessionStatus>, ApiError> {
    Ok(Json(app.statements.session(&caller, id)?.into()))
}

/// Ends a session, and cancels the statement that runs in it.
///
/// What that has not committed is rolled back. The answer comes once it has ended, at the latest when one to a statement would.
#[utoipa::path(delete, path = "/api/v2/sessions/{sessionId}", tag = "statements", operation_id = "closeSession",
    params(
        ("sessionId" = String, Path, description = "The session's identifier.", example = "536fad38-b564-4dc5-9892-a4543504df6c"),
    ),
    responses(
        (status = 204, description = "The session has ended."),
        (status = 400, description = "The request is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "There is no such session, or not any more.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
    ))]
pub async fn close(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    NamedSession(id): NamedSession,
) -> Result<StatusCode, ApiError> {
    app.statements.close_session(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

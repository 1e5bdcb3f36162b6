//! `/api/v2/history`: what ran, found and summed up by the server. A role sees here what QUERY_HISTORY shows it.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use firn_catalog::registry::{PastStatus, Sender};
use firn_statements::{HistoryView, HistoryWish, LoadWish, Whose};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::bodies::ErrorBody;
use crate::error::ApiError;
use crate::request::query::{flag_of, value_of};
use crate::request::{ApiCaller, role_header};
use crate::routes::stage_files::blocking;
use crate::state::AppState;

const LIMIT_DEFAULT: usize = 100;
const LIMIT_MAX: usize = 10_000;
const HANDLES_MAX: usize = 1_000;
const SLICE_DEFAULT_S: i64 = 900;
const SLICE_MAX_S: i64 = 7 * 86_400;

#[derive(Serialize, ToSchema)]
pub struct HistoryList {
    /// The latest first.
    statements: Vec<HistoryEntry>,
}

/// A statement of the history.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    #[schema(format = "uuid", example = "536fad38-b564-4dc5-9892-a4543504df6c")]
    statement_handle: String,
    #[schema(example = "SELECT 1")]
    text: String,
    #[schema(example = "SELECT")]
    query_type: String,
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    #[schema(example = "succeeded")]
    state: &'static str,
    /// Of a statement that did not succeed.
    #[schema(required = true)]
    code: Option<String>,
    #[schema(required = true)]
    message: Option<String>,
    /// Absent if the user was dropped.
    #[schema(required = true)]
    user: Option<String>,
    role: String,
    #[schema(required = true)]
    warehouse: Option<String>,
    #[schema(required = true)]
    database: Option<String>,
    #[schema(required = true)]
    schema: Option<String>,
    query_tag: String,
    /// Milliseconds since the epoch.
    #[schema(example = 1_597_090_533_987_i64)]
    created_on: i64,
    /// Null while it runs.
    #[schema(required = true)]
    finished_on: Option<i64>,
    /// How long it waited for its turn on the warehouse.
    queued_ms: i64,
    #[schema(required = true)]
    rows: Option<i64>,
    /// The number of its session.
    session_id: String,
    is_client_generated: bool,
}

impl HistoryEntry {
    fn of(view: HistoryView) -> Self {
        let HistoryView { statement, user, is_queued, query_type, session } = view;
        let status = PastStatus::of(statement.state);
        let has_failed = matches!(status, PastStatus::Failed | PastStatus::Cancelled);
        Self {
            statement_handle: statement.handle.to_string(),
            text: statement.text,
            query_type,
            state: match status {
                PastStatus::Running if is_queued => "queued",
                PastStatus::Running => "running",
                PastStatus::Succeeded => "succeeded",
                PastStatus::Failed => "failed",
                PastStatus::Cancelled => "cancelled",
            },
            code: statement.code.filter(|_| has_failed),
            message: statement.message.filter(|_| has_failed),
            user,
            role: statement.role,
            warehouse: statement.warehouse,
            database: statement.database,
            schema: statement.schema,
            query_tag: statement.query_tag.unwrap_or_default(),
            created_on: statement.created_on_ms,
            finished_on: statement.finished_on_ms,
            queued_ms: statement.queued_ms.unwrap_or(0),
            rows: statement.rows,
            session_id: session.to_string(),
            is_client_generated: statement.sender == Sender::Client,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct HistoryUsers {
    users: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct WarehouseLoad {
    slices: Vec<WarehouseSlice>,
}

/// What a warehouse did in a slice of the time.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WarehouseSlice {
    /// Where it begins, in milliseconds since the epoch.
    #[schema(example = 1_597_090_500_000_i64)]
    begins_on: i64,
    #[schema(example = "COMPUTE_WH")]
    warehouse: String,
    /// How many statements began in it.
    statements: u64,
    /// How long these took, as far as they have ended.
    elapsed_ms: u64,
    /// How long these waited for their turn.
    queued_ms: u64,
}

/// Lists statements of the history, the latest first.
///
/// The account's administrator sees everybody's, others their own.
#[utoipa::path(get, path = "/api/v2/history", tag = "statements", operation_id = "listHistory",
    params(
        ("user" = Option<String>, Query, nullable = false, description = "Statements of this user alone; the name as it is stored.", example = "ADA"),
        ("state" = Option<String>, Query, nullable = false, description = "`running` (those that wait included), `succeeded`, `failed` or `cancelled` (by a limit of time too).", example = "failed"),
        ("text" = Option<String>, Query, nullable = false, description = "A part of the statement's text in whatever case, or its handle."),
        ("from" = Option<i64>, Query, nullable = false, description = "Statements that began at this time or later, in milliseconds since the epoch."),
        ("until" = Option<i64>, Query, nullable = false, description = "Statements that began at this time or earlier."),
        ("handles" = Option<String>, Query, nullable = false, description = "These statements alone, at most 1000 handles with commas between; the other conditions do not count then."),
        ("clientGenerated" = Option<bool>, Query, nullable = false, description = "Also statements that programs sent for themselves (`X-Firn-Client-Generated`)."),
        ("limit" = Option<i64>, Query, nullable = false, minimum = 1, maximum = 10000, description = "At most this many statements; 100 when absent."),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    responses(
        (status = 200, description = "The statements.", body = HistoryList),
        (status = 400, description = "A query parameter is not as described.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn list(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<HistoryList>, ApiError> {
    let role = role_of(&headers, &uri)?;
    let wish = HistoryWish {
        whose: value_of(&uri, "user")?.map_or(Whose::Everybody, Whose::User),
        handles: value_of(&uri, "handles")?.map(|text| handles_of(&text)).transpose()?,
        status: value_of(&uri, "state")?.map(|text| status_of(&text)).transpose()?,
        text: value_of(&uri, "text")?.filter(|text| !text.is_empty()),
        began_from_ms: number_of(&uri, "from")?,
        began_until_ms: number_of(&uri, "until")?,
        sender: sender_of(&uri)?,
        limit: limit_of(&uri)?,
    };
    let listed = blocking(move || Ok(app.statements.history(&caller, role.as_deref(), &wish)?)).await?;
    Ok(Json(HistoryList { statements: listed.into_iter().map(HistoryEntry::of).collect() }))
}

/// Lists the users who have statements in the history that the role sees.
#[utoipa::path(get, path = "/api/v2/history/users", tag = "statements", operation_id = "listHistoryUsers",
    params(("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent.")),
    responses(
        (status = 200, description = "Their names.", body = HistoryUsers),
        (status = 400, description = "A query parameter is not as described.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn users(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<HistoryUsers>, ApiError> {
    let role = role_of(&headers, &uri)?;
    let users = blocking(move || Ok(app.statements.history_users(&caller, role.as_deref())?)).await?;
    Ok(Json(HistoryUsers { users }))
}

/// Sums up what warehouses did, by slices of the time.
#[utoipa::path(get, path = "/api/v2/history/load", tag = "statements", operation_id = "warehouseLoad",
    params(
        ("from" = i64, Query, description = "Statements that began at this time or later, in milliseconds since the epoch."),
        ("slice" = Option<i64>, Query, nullable = false, minimum = 1, maximum = 604800, description = "Seconds of a slice, counted from the epoch; 900 when absent."),
        ("clientGenerated" = Option<bool>, Query, nullable = false, description = "Also statements that programs sent for themselves."),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    responses(
        (status = 200, description = "Slices in which a warehouse did something.", body = WarehouseLoad),
        (status = 400, description = "A query parameter is not as described.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn load(
    State(app): State<AppState>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<WarehouseLoad>, ApiError> {
    let role = role_of(&headers, &uri)?;
    let slice_s = number_of(&uri, "slice")?.unwrap_or(SLICE_DEFAULT_S);
    if !(1..=SLICE_MAX_S).contains(&slice_s) {
        return Err(invalid(format!(
            "Query parameter slice is '{slice_s}'; it takes seconds from 1 to {SLICE_MAX_S}."
        )));
    }
    let from = number_of(&uri, "from")?;
    let from = from.ok_or_else(|| invalid("Query parameter from is missing; it takes milliseconds.".to_owned()))?;
    let wish = LoadWish { began_from_ms: from, slice_ms: slice_s * 1_000, sender: sender_of(&uri)? };
    let slices = blocking(move || Ok(app.statements.warehouse_load(&caller, role.as_deref(), &wish)?)).await?;
    let slices = slices.into_iter().map(|slice| WarehouseSlice {
        begins_on: slice.slice_on_ms,
        warehouse: slice.warehouse,
        statements: slice.load.statements,
        elapsed_ms: slice.load.elapsed_ms,
        queued_ms: slice.load.queued_ms,
    });
    Ok(Json(WarehouseLoad { slices: slices.collect() }))
}

fn role_of(headers: &HeaderMap, uri: &Uri) -> Result<Option<String>, ApiError> {
    Ok(value_of(uri, "role")?.or_else(|| role_header(headers)))
}

fn sender_of(uri: &Uri) -> Result<Option<Sender>, ApiError> {
    Ok(if flag_of(uri, "clientGenerated")? { None } else { Some(Sender::User) })
}

fn status_of(text: &str) -> Result<PastStatus, ApiError> {
    match text {
        "running" => Ok(PastStatus::Running),
        "succeeded" => Ok(PastStatus::Succeeded),
        "failed" => Ok(PastStatus::Failed),
        "cancelled" => Ok(PastStatus::Cancelled),
        _ => Err(invalid(format!(
            "Query parameter state is '{text}'; it takes running, succeeded, failed or cancelled."
        ))),
    }
}

/// What is no handle is one that nobody has.
fn handles_of(text: &str) -> Result<Vec<Uuid>, ApiError> {
    let handles: Vec<&str> = text.split(',').collect();
    if handles.len() > HANDLES_MAX {
        return Err(invalid(format!("Query parameter handles has {} of them; it takes {HANDLES_MAX}.", handles.len())));
    }
    Ok(handles.into_iter().filter_map(|handle| Uuid::try_parse(handle.trim()).ok()).collect())
}

fn limit_of(uri: &Uri) -> Result<usize, ApiError> {
    let Some(text) = value_of(uri, "limit")? else { return Ok(LIMIT_DEFAULT) };
    text.parse()
        .ok()
        .filter(|limit| (1..=LIMIT_MAX).contains(limit))
        .ok_or_else(|| invalid(format!("Query parameter limit is '{text}'; it takes a number from 1 to {LIMIT_MAX}.")))
}

fn number_of(uri: &Uri, name: &str) -> Result<Option<i64>, ApiError> {
    let Some(text) = value_of(uri, name)? else { return Ok(None) };
    let number =
        text.parse().map_err(|_| invalid(format!("Query parameter {name} is '{text}'; it takes a number.")))?;
    Ok(Some(number))
}

fn invalid(detail: String) -> ApiError {
    ApiError::InvalidQueryParameter(detail)
}

//! `GET /monitoring/queries/{queryId}`: the state of a statement that runs by itself. `POST /queries/v1/abort-request` and
//! `POST /queries/{queryId}/abort-request`: its end.

use axum::extract::{Path, State};
use axum::response::Response;
use firn_statements::{StatementError, StatementHandle, StatementView};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::query_result::handle_of;
use crate::driver::caller::DriverCaller;
use crate::driver::envelope::{DriverBody, DriverError, success};
use crate::state::AppState;

pub async fn status(
    State(app): State<AppState>,
    driver: DriverCaller,
    Path(query_id): Path<String>,
) -> Result<Response, DriverError> {
    let queries = match StatementHandle::parse(query_id.trim_matches('/')) {
        Some(handle) => match app.statements.fetch(&driver.caller, handle, None).await {
            Ok(view) => vec![described(&view)],
            Err(StatementError::UnknownHandle(_)) => Vec::new(),
            Err(other) => return Err(other.into()),
        },
        None => Vec::new(),
    };
    Ok(success(json!({ "queries": queries })))
}

fn described(view: &StatementView) -> Value {
    let row = |handle: StatementHandle, status: &str, begun: i64, failure: Option<(&str, &str)>| {
        json!({
            "id": handle.to_string(),
            "status": status,
            "sqlText": "",
            "startTime": begun,
            "endTime": 0,
            "errorCode": failure.map_or("", |(code, _)| code),
            "errorMessage": failure.map_or("", |(_, message)| message),
            "stats": {},
        })
    };
    match view {
        StatementView::Running { handle, created_on_ms, .. } => row(*handle, "RUNNING", *created_on_ms, None),
        StatementView::Succeeded(result) => row(result.handle, "SUCCESS", result.created_on_ms, None),
        StatementView::Failed(failed) | StatementView::TimedOut(failed) => {
            row(failed.handle, "FAILED_WITH_ERROR", failed.created_on_ms, Some((&failed.code, &failed.message)))
        }
        StatementView::Cancelled(failed) => {
            row(failed.handle, "ABORTED", failed.created_on_ms, Some((&failed.code, &failed.message)))
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AbortBody {
    request_id: Option<String>,
}

pub async fn abort_request(
    State(app): State<AppState>,
    driver: DriverCaller,
    DriverBody(body): DriverBody,
) -> Result<Response, DriverError> {
    let body: Option<AbortBody> = serde_json::from_slice(&body).ok();
    let request_id = body.and_then(|body| Uuid::try_parse(&body.request_id?).ok());
    let Some(request_id) = request_id else {
        return Err(DriverError::new("390142", "Field `requestId` of the body is missing, or no request id."));
    };
    match app.statements.cancel_request(&driver.caller, request_id).await? {
        true => Ok(success(())),
        false => Err(DriverError::new("000605", "Identified SQL statement is not currently executing.")),
    }
}

pub async fn abort_query(
    State(app): State<AppState>,
    driver: DriverCaller,
    Path(query_id): Path<String>,
) -> Result<Response, DriverError> {
    let handle = handle_of(&query_id)?;
    match app.statements.cancel(&driver.caller, handle).await {
        Ok(_) | Err(StatementError::StillStopping(_)) => Ok(success(())),
        Err(StatementError::NotCancellable { .. }) => {
            Err(DriverError::new("000605", "Identified SQL statement is not currently executing."))
        }
        Err(other) => Err(other.into()),
    }
}

//! A statement as the contract shows it: status, headers and body for each state it can be in.

use axum::body::Body;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LINK, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use firn_statements::progress::Progress;
use firn_statements::view::FailedView;
use firn_statements::{PartitionBody, ResultView, StatementHandle, StatementView};
use uuid::Uuid;

use crate::bodies::{CancelStatus, ErrorLocation, QueryFailureStatus, QueryStatus, StatementProgress};
use crate::error::{ApiError, json_response};
use crate::link_header::link_header;
use crate::plain_partition;
use crate::request::headers::{GzipWish, gzip_wish};
use crate::result_set;

const IN_PROGRESS: &str =
    "Asynchronous execution in progress. Use provided query id to perform query monitoring and management.";

/// Which request is answered. A time-out is reported differently in the response to the submission and to a later fetch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    BySubmitting,
    ByFetching,
}

pub fn answer(view: StatementView, asked: Asked, request_id: Option<Uuid>, headers: &HeaderMap) -> Response {
    match view {
        StatementView::Running { handle, children, created_on_ms, progress } => {
            in_progress(handle, &children, created_on_ms, progress)
        }
        StatementView::Succeeded(result) => succeeded(&result, request_id, headers),
        StatementView::TimedOut(failed) if asked == Asked::BySubmitting => timed_out(failed),
        StatementView::TimedOut(failed) | StatementView::Failed(failed) | StatementView::Cancelled(failed) => {
            failure(failed)
        }
    }
}

pub fn cancelled(view: FailedView) -> Response {
    let body = CancelStatus {
        code: view.code,
        sql_state: view.sql_state,
        message: view.message,
        statement_handle: view.handle.to_string(),
        statement_status_url: status_url(view.handle),
    };
    concerning(view.handle, json_response(StatusCode::OK, &body))
}

fn in_progress(
    handle: StatementHandle,
    children: &[StatementHandle],
    created_on_ms: i64,
    progress: Option<Progress>,
) -> Response {
    let body = QueryStatus {
        code: "333334".to_owned(),
        sql_state: String::new(),
        message: IN_PROGRESS.to_owned(),
        statement_handle: handle.to_string(),
        statement_handles: texts(children),
        created_on: created_on_ms,
        statement_status_url: status_url(handle),
        progress: progress.map(StatementProgress::of),
    };
    let mut response = json_response(StatusCode::ACCEPTED, &body);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    concerning(handle, response)
}

fn timed_out(view: FailedView) -> Response {
    let body = QueryStatus {
        code: view.code,
        sql_state: view.sql_state,
        message: view.message,
        statement_handle: view.handle.to_string(),
        statement_handles: texts(&view.children),
        created_on: view.created_on_ms,
        statement_status_url: status_url(view.handle),
        progress: None,
    };
    concerning(view.handle, json_response(StatusCode::REQUEST_TIMEOUT, &body))
}

fn failure(view: FailedView) -> Response {
    let body = QueryFailureStatus {
        error_location: view.location.map(|found| ErrorLocation {
            statement: found.statement,
            line: found.line,
            position: found.position,
        }),
        code: view.code,
        sql_state: view.sql_state,
        message: view.message,
        statement_handle: view.handle.to_string(),
        statement_handles: texts(&view.children),
        created_on: view.created_on_ms,
        statement_status_url: status_url(view.handle),
    };
    concerning(view.handle, json_response(StatusCode::UNPROCESSABLE_ENTITY, &body))
}

fn succeeded(view: &ResultView, request_id: Option<Uuid>, headers: &HeaderMap) -> Response {
    let mut response = match &view.body {
        PartitionBody::Rows(rows) => {
            let request_id = request_id.unwrap_or_else(Uuid::new_v4);
            Response::new(Body::from(result_set::write(view, rows, request_id)))
        }
        PartitionBody::Compressed(body) => match later_partition(body, headers) {
            Ok(response) => response,
            Err(error) => return error.into_response(),
        },
        // The service gives rows of the contract to its requests.
        PartitionBody::Arrow(_) | PartitionBody::CompressedArrow(_) => {
            return ApiError::UnreadablePartition.into_response();
        }
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(link) = link_header(view.handle, view.partition, view.partitions.len()) {
        response.headers_mut().insert(LINK, link);
    }
    concerning(view.handle, response)
}

/// Sent as it lies on disk, unless the request refuses gzip.
fn later_partition(body: &Bytes, headers: &HeaderMap) -> Result<Response, ApiError> {
    if gzip_wish(headers, &ACCEPT_ENCODING) == GzipWish::Refused {
        let (plain, length) = plain_partition::body(body.clone()).ok_or(ApiError::UnreadablePartition)?;
        let mut response = Response::new(plain);
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
        return Ok(response);
    }
    let mut response = Response::new(Body::from(body.clone()));
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Ok(response)
}

fn texts(handles: &[StatementHandle]) -> Vec<String> {
    handles.iter().map(StatementHandle::to_string).collect()
}

fn status_url(handle: StatementHandle) -> String {
    format!("/api/v2/statements/{handle}")
}

/// Lets the request log name the statement.
fn concerning(handle: StatementHandle, mut response: Response) -> Response {
    response.extensions_mut().insert(handle);
    response
}

//! `GET /queries/{queryId}/chunks/{partition}`: the rows of a partition, for whoever has its signed address. A driver asks for new
//! addresses when it is answered 403.

use std::io;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use firn_statements::{OpenPartition, StatementHandle};

use crate::driver::chunks;
use crate::error::ApiError;
use crate::request::file_links::link_caller;
use crate::state::AppState;

pub async fn fetch(
    State(app): State<AppState>,
    Path((query_id, partition)): Path<(String, usize)>,
    parts: Parts,
) -> Response {
    respond(app, query_id, partition, parts, chunks::response).await
}

/// As `fetch`, of a result of Arrow for a driver that reads JSON alone.
pub async fn fetch_as_json(
    State(app): State<AppState>,
    Path((query_id, partition)): Path<(String, usize)>,
    parts: Parts,
) -> Response {
    respond(app, query_id, partition, parts, chunks::response_as_json).await
}

async fn respond(
    app: AppState,
    query_id: String,
    partition: usize,
    parts: Parts,
    write: fn(OpenPartition) -> io::Result<Response>,
) -> Response {
    let Ok(caller) = link_caller(&parts, &app) else { return StatusCode::FORBIDDEN.into_response() };
    let Some(handle) = StatementHandle::parse(&query_id) else { return StatusCode::NOT_FOUND.into_response() };
    let opened = match app.statements.open_result_partition(&caller, handle, partition).await {
        Ok(opened) => opened,
        Err(error) => return ApiError::from(error).into_response(),
    };
    tokio::task::block_in_place(|| write(opened)).unwrap_or_else(|_| ApiError::UnreadablePartition.into_response())
}

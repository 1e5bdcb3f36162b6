//! The answer to a statement: what is around its rows. The rows themselves are written by whoever knows their format.

use std::io::Write;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firn_catalog::registry::ResultFormat;
use firn_statements::request::Wait;
use firn_statements::{PartitionBody, ResultView, SessionView, StatementHandle, StatementView};
use serde_json::{Value, json};

use super::caller::DriverCaller;
use super::chunks;
use super::envelope::{DriverError, concerning, success_with};
use super::files;
use super::parameters;
use super::query_body::DescribedBinds;
use super::result_format::word;
use super::row_type::for_drivers;
use super::rows::BooleanRewriter;
use crate::clock::now_ms;
use crate::error::ApiError;
use crate::state::AppState;

const IN_PROGRESS: &str = "Query execution in progress.";
const IN_PROGRESS_ASYNC: &str = "Query execution in progress. Query is running asynchronously.";

/// Which request is answered.
pub struct Asked {
    pub wait: Wait,
    /// The address by which the driver has reached the server.
    pub base: String,
    /// The driver's, where it says it in each request.
    pub major_version: u32,
    /// Where the statement's description alone is asked for.
    pub described_binds: Option<DescribedBinds>,
}

/// Answers with the state of a statement as its driver reads it.
pub async fn answer(
    app: &AppState,
    driver: &DriverCaller,
    view: StatementView,
    asked: &Asked,
) -> Result<Response, DriverError> {
    let carries_files = matches!(&view, StatementView::Succeeded(result) if result.statement_type.carries_files());
    let view = match driver.family.reads_arrow() && !carries_files {
        true => view,
        false => tokio::task::block_in_place(|| view.in_json())?,
    };
    match view {
        StatementView::Running { handle, .. } => Ok(in_progress(handle, asked.wait)),
        StatementView::Succeeded(result) => {
            let handle = result.handle;
            let session = app.statements.session(&driver.caller, driver.session).ok();
            let result_types = result_types(app, driver, &result).await?;
            let written = write(app, driver, &result, session.as_ref(), (&result_types, asked))?;
            let mut response = Response::new(Body::from(written));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Ok(concerning(Some(handle), response))
        }
        StatementView::Failed(failed) | StatementView::TimedOut(failed) | StatementView::Cancelled(failed) => {
            Ok(DriverError::of_statement(&failed).into_response())
        }
    }
}

fn in_progress(handle: StatementHandle, wait: Wait) -> Response {
    let data = json!({
        "queryId": handle.to_string(),
        "getResultUrl": format!("/queries/{handle}/result"),
        "queryAbortsAfterSecs": 300,
        "progressDesc": null,
    });
    let response = match wait {
        Wait::ForOutcome => success_with("333333", IN_PROGRESS, data),
        Wait::ForHandle => success_with("333334", IN_PROGRESS_ASYNC, data),
    };
    concerning(Some(handle), response)
}

/// Of the statements of a set, as drivers are given them.
async fn result_types(app: &AppState, driver: &DriverCaller, view: &ResultView) -> Result<String, DriverError> {
    if view.children.is_empty() {
        return Ok(String::new());
    }
    let types = tokio::task::block_in_place(|| app.statements.statement_types(&driver.caller, &view.children))?;
    Ok(types.iter().map(|found| found.0.to_string()).collect::<Vec<_>>().join(","))
}

fn write(
    app: &AppState,
    driver: &DriverCaller,
    view: &ResultView,
    session: Option<&SessionView>,
    (result_types, asked): (&str, &Asked),
) -> Result<Vec<u8>, DriverError> {
    let (rows, format) = match &view.body {
        PartitionBody::Rows(rows) => (rows, ResultFormat::Json),
        PartitionBody::Arrow(stream) => (stream, ResultFormat::Arrow),
        PartitionBody::Compressed(_) | PartitionBody::CompressedArrow(_) => {
            return Err(ApiError::UnreadablePartition.into());
        }
    };
    let mut about = about(app, view, session, result_types, format);
    if let Some(transfer) = files::transfer(app, driver, view, (&asked.base, asked.major_version)) {
        return Ok(files::body(about, &transfer));
    }
    if view.partitions.len() > 1 {
        about["chunks"] = chunks::listed(app, driver, view, &asked.base).into();
        about["chunkHeaders"] = json!({});
    }
    if let Some(binds) = asked.described_binds {
        about["numberOfBinds"] = json!(binds.count);
        about["arrayBindSupported"] = json!(binds.arrays);
        about["metaDataOfBinds"] = (0..binds.count).map(|_| type_of_bind()).collect();
    }
    let mut out = Vec::with_capacity(rows.len() * 4 / 3 + view.row_type.len() + 2_048);
    // Writing to a vector cannot fail.
    let _ = out.write_all(br#"{"data":{"rowtype":"#);
    out.extend_from_slice(for_drivers(&view.row_type).as_bytes());
    match format {
        ResultFormat::Json => {
            out.extend_from_slice(br#","rowset":"#);
            write_json_rows(&view.row_type, rows, &mut out);
        }
        // Drivers take the columns of a result without rows from their description.
        ResultFormat::Arrow if view.rows == 0 => out.extend_from_slice(br#","rowsetBase64":"""#),
        ResultFormat::Arrow => {
            out.extend_from_slice(br#","rowsetBase64":""#);
            out.extend_from_slice(STANDARD.encode(rows).as_bytes());
            out.push(b'"');
        }
    }
    // `about` is an object with fields, whose first bracket gives way to a comma.
    let about = about.to_string();
    out.push(b',');
    out.extend_from_slice(&about.as_bytes()[1..]);
    out.extend_from_slice(br#","code":null,"message":null,"success":true}"#);
    Ok(out)
}

fn write_json_rows(row_type: &str, rows: &[u8], out: &mut Vec<u8>) {
    match BooleanRewriter::of(row_type) {
        Some(mut rewriter) => rewriter.rewrite(rows, out),
        None => out.extend_from_slice(rows),
    }
}

/// Everything but rows and their types.
fn about(
    app: &AppState,
    view: &ResultView,
    session: Option<&SessionView>,
    result_types: &str,
    format: ResultFormat,
) -> Value {
    let names = session.map(|session| session.names.clone()).unwrap_or_default();
    let of_session = session.map(|session| session.parameters.as_slice()).unwrap_or_default();
    let mut about = json!({
        "queryId": view.handle.to_string(),
        "queryResultFormat": word(format),
        "total": view.rows,
        "returned": view.rows,
        "statementTypeId": view.statement_type.0,
        "finalDatabaseName": names.database,
        "finalSchemaName": names.schema,
        "finalWarehouseName": names.warehouse,
        "finalRoleName": names.role,
        "parameters": parameters::listed(of_session, app.limits.bindings_max),
        "databaseProvider": null,
        "numberOfBinds": 0,
        "arrayBindSupported": false,
        "version": 1,
        "sendResultTime": now_ms(),
    });
    if let Some(stats) = view.stats.as_deref().and_then(counts) {
        about["stats"] = stats;
    }
    if !view.children.is_empty() {
        let ids: Vec<String> = view.children.iter().map(StatementHandle::to_string).collect();
        about["resultIds"] = json!(ids.join(","));
        about["resultTypes"] = json!(result_types);
    }
    about
}

/// What may be bound is converted as text is.
fn type_of_bind() -> Value {
    json!({
        "name": "", "type": "text", "nullable": true, "length": 16_777_216, "byteLength": 16_777_216, "precision": null,
        "scale": null,
    })
}

/// The counts of rows in the names that drivers know.
fn counts(stats: &str) -> Option<Value> {
    let stats: Value = serde_json::from_str(stats).ok()?;
    Some(json!({
        "numRowsInserted": stats["numRowsInserted"],
        "numRowsUpdated": stats["numRowsUpdated"],
        "numRowsDeleted": stats["numRowsDeleted"],
        "numDmlDuplicates": stats["numDuplicateRowsUpdated"],
    }))
}

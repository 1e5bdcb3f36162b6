//! `GET /queries/{queryId}/result`: the outcome of a statement, waited for, any number of times.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use firn_statements::StatementHandle;
use firn_statements::request::Wait;

use crate::driver::answer::{Asked, answer};
use crate::driver::caller::DriverCaller;
use crate::driver::envelope::DriverError;
use crate::driver::files::major_version;
use crate::driver::public_address::ReachedBy;
use crate::state::AppState;

pub async fn fetch(
    State(app): State<AppState>,
    driver: DriverCaller,
    ReachedBy(base): ReachedBy,
    headers: HeaderMap,
    Path(query_id): Path<String>,
) -> Result<Response, DriverError> {
    let handle = handle_of(&query_id)?;
    let view = app.statements.outcome(&driver.caller, handle).await?;
    let major_version = major_version(&headers);
    let asked = Asked { wait: Wait::ForOutcome, base, major_version, described_binds: None };
    answer(&app, &driver, view, &asked).await
}

/// A text that is no query id is one that nobody has.
pub fn handle_of(query_id: &str) -> Result<StatementHandle, DriverError> {
    let unknown = || DriverError::new("000709", format!("Statement {query_id} not found"));
    StatementHandle::parse(query_id).ok_or_else(unknown)
}

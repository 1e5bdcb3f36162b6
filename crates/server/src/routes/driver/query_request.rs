//! `POST /queries/v1/query-request`: a statement, or several.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use uuid::Uuid;

use crate::driver::answer::{Asked, answer};
use crate::driver::caller::DriverCaller;
use crate::driver::envelope::{AddressParameters, DriverBody, DriverError};
use crate::driver::files::major_version;
use crate::driver::public_address::ReachedBy;
use crate::driver::query_body::QueryBody;
use crate::request::headers::changes;
use crate::state::AppState;

pub async fn run(
    State(app): State<AppState>,
    driver: DriverCaller,
    address: AddressParameters,
    ReachedBy(base): ReachedBy,
    headers: HeaderMap,
    DriverBody(body): DriverBody,
) -> Result<Response, DriverError> {
    let body = QueryBody::decode(&body)?;
    let asked = Asked {
        wait: body.wait(),
        base,
        major_version: major_version(&headers),
        described_binds: body.described_binds(),
    };
    let request_id = address.get("requestId").and_then(|text| Uuid::try_parse(text).ok());
    let request = body.into_request(&app, &driver, request_id, changes(&headers)?)?;
    let view = app.statements.submit(&driver.caller, request).await?;
    answer(&app, &driver, view, &asked).await
}

//! `POST /telemetry/send`: what drivers say of themselves is dropped unread.

use axum::response::Response;

use crate::driver::caller::DriverCaller;
use crate::driver::envelope::{DriverBody, success};

pub async fn accept(_: DriverCaller, _: DriverBody) -> Response {
    success(())
}

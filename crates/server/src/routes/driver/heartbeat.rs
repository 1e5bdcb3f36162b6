//! `POST /session/heartbeat`: the session goes on.

use axum::extract::State;
use axum::response::Response;

use crate::driver::caller::DriverCaller;
use crate::driver::envelope::{DriverError, success};
use crate::state::AppState;

pub async fn beat(State(app): State<AppState>, driver: DriverCaller) -> Result<Response, DriverError> {
    app.statements.touch_session(&driver.caller, driver.session)?;
    app.driver_sessions.prolong(driver.session);
    Ok(success(()))
}

//! `POST /session?delete=true`: the end of a session, with what runs in it.

use axum::extract::State;
use axum::response::Response;

use crate::driver::caller::DriverCaller;
use crate::driver::envelope::{AddressParameters, DriverError, success};
use crate::state::AppState;

pub async fn log_out(
    State(app): State<AppState>,
    address: AddressParameters,
    driver: DriverCaller,
) -> Result<Response, DriverError> {
    if address.get("delete") != Some("true") {
        return Err(DriverError::new("390142", "The only thing to be done with a session here is delete=true."));
    }
    app.driver_sessions.close(driver.session);
    app.statements.close_session(&driver.caller, driver.session).await?;
    Ok(success(()))
}

//! `POST /session/token-request`: new tokens for a session, for whoever has its master token.

use axum::extract::State;
use axum::response::Response;
use firn_statements::StatementError;
use serde_json::json;

use crate::driver::caller::MasterCaller;
use crate::driver::envelope::{DriverError, success};
use crate::state::AppState;

pub async fn renew(State(app): State<AppState>, MasterCaller(renewing): MasterCaller) -> Result<Response, DriverError> {
    app.statements.touch_session(&renewing.caller, renewing.session)?;
    let view = app.statements.session(&renewing.caller, renewing.session)?;
    let tokens =
        app.driver_sessions.renew(renewing.session).map_err(|error| DriverError::from(StatementError::from(error)))?;
    let lifetimes = app.driver_sessions.lifetimes();
    Ok(success(json!({
        "sessionToken": tokens.session,
        "validityInSecondsST": lifetimes.session_token.as_secs(),
        "masterToken": tokens.master,
        "validityInSecondsMT": lifetimes.master_token.as_secs(),
        "sessionId": view.number,
    })))
}

//! The caller of a driver's request: the user behind its session token.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use firn_catalog::Caller;
use uuid::Uuid;

use super::client_family::ClientFamily;
use super::envelope::DriverError;
use super::sessions::{DriverSession, Refusal, TokenUse};
use crate::config::ApiSwitch;
use crate::error::ApiError;
use crate::observe::client_address;
use crate::request::{admit, bearer_token};
use crate::state::AppState;

pub struct DriverCaller {
    pub caller: Caller,
    /// The kept session.
    pub session: Uuid,
    pub family: ClientFamily,
}

impl FromRequestParts<AppState> for DriverCaller {
    type Rejection = DriverError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, DriverError> {
        authenticate(parts, app, TokenUse::Session).await
    }
}

/// Who renews a session: whoever has its master token.
pub struct MasterCaller(pub DriverCaller);

impl FromRequestParts<AppState> for MasterCaller {
    type Rejection = DriverError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, DriverError> {
        authenticate(parts, app, TokenUse::Master).await.map(Self)
    }
}

pub fn require_api(app: &AppState) -> Result<(), DriverError> {
    match app.api {
        ApiSwitch::Off => Err(ApiError::ApiSwitchedOff.into()),
        _ => Ok(()),
    }
}

async fn authenticate(parts: &Parts, app: &AppState, token_use: TokenUse) -> Result<DriverCaller, DriverError> {
    require_api(app)?;
    let token = bearer_token(&parts.headers);
    let found = token.map_or(Err(Refusal::Gone), |token| app.driver_sessions.find(token, token_use, &app.catalog));
    match (found, token_use) {
        (Ok(DriverSession { id, caller, family, .. }), _) => {
            let caller = admit(parts, app, caller)?;
            Ok(DriverCaller { caller, session: id, family })
        }
        (Err(Refusal::Expired), TokenUse::Session) => Err(DriverError::session_expired()),
        (Err(Refusal::Expired), TokenUse::Master) => {
            Err(DriverError::new("390114", "Master token has expired; log in again."))
        }
        (Err(Refusal::Gone), _) => {
            // Drivers log in again by this answer, so that they get it however many there are.
            let source = app.failed_logins.source(client_address(&parts.extensions), None);
            app.failed_logins.hold_back(source).await;
            Err(DriverError::session_gone())
        }
    }
}

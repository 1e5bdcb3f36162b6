//! `POST /session/authenticator-request`: logins in a browser and at other identity providers.

use axum::response::{IntoResponse, Response};

use crate::driver::envelope::DriverError;

pub async fn refuse() -> Response {
    let message = "Logins in a browser and at other identity providers are not supported; log in with a password, a key pair \
                   (SNOWFLAKE_JWT), OAUTH or PROGRAMMATIC_ACCESS_TOKEN.";
    DriverError::new("390144", message).into_response()
}

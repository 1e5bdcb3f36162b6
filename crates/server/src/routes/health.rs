//! Liveness and readiness.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::json_response;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
pub struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

/// Reports that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "service", security(()),
    responses((status = 200, description = "The process lives.", body = Health)))]
pub async fn live() -> Response {
    json_response(StatusCode::OK, &Health { status: "ok" })
}

/// Reports whether requests are accepted; once the server is asked to stop they are not.
#[utoipa::path(get, path = "/readyz", tag = "service", security(()),
    responses(
        (status = 200, description = "Requests are taken.", body = Health),
        (status = 503, description = "The server is stopping.", body = Health),
    ))]
pub async fn ready(State(app): State<AppState>) -> Response {
    if app.readiness.is_ready() {
        json_response(StatusCode::OK, &Health { status: "ready" })
    } else {
        json_response(StatusCode::SERVICE_UNAVAILABLE, &Health { status: "stopping" })
    }
}

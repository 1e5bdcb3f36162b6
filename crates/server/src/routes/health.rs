//! Liveness and readiness.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::json_response;
use crate::readiness::ReadinessNow;
use crate::state::AppState;

#[derive(Serialize, ToSchema)]
pub struct Health {
    /// `ok`; of readiness `ready`, `stopping` or `broken`.
    #[schema(example = "ok")]
    status: &'static str,
    /// What is broken; the log says more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    problems: Vec<String>,
}

impl Health {
    fn of(status: &'static str) -> Self {
        Self { status, problems: Vec::new() }
    }
}

/// Reports that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "service", security(()),
    responses((status = 200, description = "The process lives.", body = Health)))]
pub async fn live() -> Response {
    json_response(StatusCode::OK, &Health::of("ok"))
}

/// Reports whether requests are served: not once the server is asked to stop, nor while the state file or a database
/// cannot be used.
#[utoipa::path(get, path = "/readyz", tag = "service", security(()),
    responses(
        (status = 200, description = "Requests are taken.", body = Health),
        (status = 503, description = "The server is stopping, or its files cannot be used.", body = Health),
    ))]
pub async fn ready(State(app): State<AppState>) -> Response {
    match app.readiness.now(&app).await {
        ReadinessNow::Ready => json_response(StatusCode::OK, &Health::of("ready")),
        ReadinessNow::Stopping => json_response(StatusCode::SERVICE_UNAVAILABLE, &Health::of("stopping")),
        ReadinessNow::Broken(problems) => {
            json_response(StatusCode::SERVICE_UNAVAILABLE, &Health { status: "broken", problems })
        }
    }
}

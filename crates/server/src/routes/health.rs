//! Liveness and readiness.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use firn_statements::FileProblems;
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

    /// A database that is set aside keeps nobody from using the others, and little room nobody from small statements.
    fn with_files(status: &'static str, files: FileProblems) -> Self {
        let FileProblems { mut problems, set_aside, is_room_low } = files;
        if set_aside > 0 {
            problems.push(format!("databases that are set aside: {set_aside}"));
        }
        if is_room_low {
            problems.push("the disk is nearly full: what takes much room is refused".to_owned());
        }
        Self { status, problems }
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
        ReadinessNow::Ready(files) => json_response(StatusCode::OK, &Health::with_files("ready", files)),
        ReadinessNow::Stopping => json_response(StatusCode::SERVICE_UNAVAILABLE, &Health::of("stopping")),
        ReadinessNow::Broken(files) => {
            json_response(StatusCode::SERVICE_UNAVAILABLE, &Health::with_files("broken", files))
        }
    }
}

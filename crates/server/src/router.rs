//! Every route of the server and what every request passes through.

use std::convert::Infallible;

use axum::http::Uri;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;

use crate::browser_headers::restrict_browsers;
use crate::compression::compress_answers;
use crate::error::ApiError;
use crate::file_transfers;
use crate::observe::observe;
use crate::read_only_requests::refuse_changes;
use crate::request::{discard_unread_body, require_host};
use crate::routes::analyst::AnalystError;
use crate::routes::{
    analyst, backups, console, driver, driver_files, health, history, login, mcp, metrics, openapi, sessions,
    stage_files, statements,
};
use crate::state::AppState;

const STAGE_FILES: &str = "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files";
const OWN_FILES: &str = "/api/v2/stages/~/files";

pub fn router(app: AppState) -> Router {
    // Tools use the routes that everybody uses, and no tool calls a tool.
    let api = behind_middleware(routes(), app.clone());
    let routes = match app.mcp.is_on {
        true => {
            let pages = mcp::for_pages(&app.mcp.allowed_origins);
            routes()
                .route("/mcp", post(mcp::answer).layer::<_, Infallible>(Extension(mcp::ApiRoutes(api))).layer(pages))
        }
        false => routes(),
    };
    behind_middleware(routes, app)
}

fn routes() -> Router<AppState> {
    with_console(Router::new())
        .route("/api/v2/login", post(login::log_in))
        .route("/api/v2/logout", post(login::log_out))
        .route("/api/v2/statements", post(statements::submit::submit).get(statements::running::list))
        .route("/api/v2/statements/{statement_handle}", get(statements::fetch::fetch))
        .route("/api/v2/statements/{statement_handle}/download", get(statements::download::download))
        .route("/api/v2/statements/{statement_handle}/download-link", post(statements::download::link))
        .route("/api/v2/statements/{statement_handle}/profile", get(statements::profile::profile))
        .route("/api/v2/statements/{statement_handle}/cancel", post(statements::cancel::cancel))
        .route("/api/v2/history", get(history::list))
        .route("/api/v2/history/users", get(history::users))
        .route("/api/v2/history/load", get(history::load))
        .route("/api/v2/sessions", post(sessions::open).get(sessions::list))
        .route("/api/v2/sessions/{session_id}", get(sessions::find).delete(sessions::close))
        .route(STAGE_FILES, get(stage_files::list::list))
        .route(
            &format!("{STAGE_FILES}/{{*path}}"),
            get(stage_files::download::download)
                .head(stage_files::download::head)
                .put(stage_files::upload::upload)
                .delete(stage_files::remove::remove),
        )
        .route(OWN_FILES, get(stage_files::own::list))
        .route(
            &format!("{OWN_FILES}/{{*path}}"),
            get(stage_files::own::download)
                .head(stage_files::own::head)
                .put(stage_files::own::upload)
                .delete(stage_files::own::remove),
        )
        .route(
            &format!("{}{{*path}}", file_transfers::DOOR),
            get(driver_files::fetch).head(driver_files::look).put(driver_files::bring),
        )
        .route("/api/v2/assistant/analyst/message", post(analyst::message::ask))
        .route("/api/v2/assistant/analyst/feedback", post(analyst::feedback::give))
        .route("/api/v2/assistant/analyst/validate", post(analyst::validate::validate))
        .route("/api/v2/assistant/analyst/verified-queries", post(analyst::verified_queries::keep))
        .route(
            "/api/v2/assistant/analyst/verified-query-suggestions",
            post(analyst::verified_query_suggestions::suggest),
        )
        .route(
            "/api/v2/assistant/analyst/filters-and-metrics-suggestions",
            post(analyst::filters_and_metrics_suggestions::suggest),
        )
        .route("/api/v2/cortex/analyst/message", post(analyst::message::ask_in_vendor_names))
        .route("/api/v2/cortex/analyst/feedback", post(analyst::feedback::give))
        .route("/api/v2/cortex/analyst/verified-query-suggestions", post(analyst::verified_query_suggestions::suggest))
        .route(
            "/api/v2/cortex/analyst/filters-and-metrics-suggestions",
            post(analyst::filters_and_metrics_suggestions::suggest),
        )
        .route("/api/v2/backups", post(backups::start))
        .route("/api/v2/backups/{name}", get(backups::find))
        .route("/session/v1/login-request", post(driver::login_request::log_in))
        .route("/session/token-request", post(driver::token_request::renew))
        .route("/session/heartbeat", post(driver::heartbeat::beat))
        .route("/session", post(driver::log_out::log_out))
        .route("/session/authenticator-request", post(driver::unsupported::refuse))
        .route("/queries/v1/query-request", post(driver::query_request::run))
        .route("/queries/v1/abort-request", post(driver::monitoring::abort_request))
        .route("/queries/{query_id}/result", get(driver::query_result::fetch))
        .route("/queries/{query_id}/chunks/{partition}", get(driver::chunk::fetch))
        .route("/queries/{query_id}/chunks/{partition}/json", get(driver::chunk::fetch_as_json))
        .route("/queries/{query_id}/abort-request", post(driver::monitoring::abort_query))
        // Some drivers double the slash before the id.
        .route("/monitoring/queries/{*query_id}", get(driver::monitoring::status))
        .route("/telemetry/send", post(driver::telemetry::accept))
        .route("/api/v2/openapi.json", get(openapi::document))
        .route("/api/v2/docs", get(openapi::page))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::metrics))
        .fallback(unknown_path)
}

fn behind_middleware(routes: Router<AppState>, app: AppState) -> Router {
    routes
        // From the outside in: log and count, restrict browsers, turn panics into answers, compress, read what a refused request still
        // sends, ask for a host, refuse what a request that may only read would change.
        .layer(from_fn(refuse_changes))
        .layer(from_fn(require_host))
        .layer(from_fn(discard_unread_body))
        .layer(from_fn(compress_answers))
        .layer(CatchPanicLayer::custom(|_| panicked()))
        .layer(from_fn(restrict_browsers))
        .layer(from_fn_with_state(app.clone(), observe))
        .with_state(app)
}

/// The pages of the console, and whatever their addresses go on with.
fn with_console(router: Router<AppState>) -> Router<AppState> {
    let below = console::PAGES[1..].iter().map(|page| format!("{page}/{{*rest}}"));
    let pages = console::PAGES.iter().map(|page| (*page).to_owned()).chain(below);
    pages
        .fold(router, |router, page| router.route(&page, get(console::page)))
        .route("/assets/{name}", get(console::asset))
}

async fn unknown_path(uri: Uri) -> Response {
    if AnalystError::is_for(uri.path()) {
        return AnalystError::unasked(ApiError::UnknownPath).into_response();
    }
    ApiError::UnknownPath.into_response()
}

fn panicked() -> Response {
    tracing::error!("a request handler panicked");
    ApiError::Panicked.into_response()
}

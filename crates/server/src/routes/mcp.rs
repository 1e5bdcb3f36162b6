//! `POST /mcp`: tools for agents. A call of a tool goes through the router like any other request of its caller.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Extension;
use axum::Router;
use axum::body::Body;
use axum::extract::FromRequest;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use firn_mcp::{Answer, Api, Method, Names, Options, Unreachable, Writes};
use firn_statements::request::Changes;
use http_body_util::BodyExt;
use tower_http::cors::CorsLayer;
use tower_service::Service;

use crate::bodies::ErrorBody;
use crate::error::ApiError;
use crate::request::headers::{changes, require_json_accepted, require_json_content_type};
use crate::request::{RequestBody, ToolCaller, role_header};
use crate::state::AppState;

/// The routes that tools use.
#[derive(Clone)]
pub struct ApiRoutes(pub Router);

/// What of a request tells who sends it, and from where.
const HEADERS_OF_CALLER: [HeaderName; 5] = [
    AUTHORIZATION,
    HeaderName::from_static("x-service-authorization-token-type"),
    HeaderName::from_static("x-snowflake-authorization-token-type"),
    HeaderName::from_static("x-forwarded-for"),
    HOST,
];

/// What a page may send.
const HEADERS_OF_PAGES: [&str; 8] = [
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "x-firn-read-only",
    "x-service-role",
];
const PREFLIGHT_LIFETIME: Duration = Duration::from_secs(600);

const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Of agents that do not say what they are.
const AGENT: HeaderValue = HeaderValue::from_static("mcp-client");

/// Lets pages of the allowed origins ask, which browsers check beforehand.
pub fn for_pages(allowed_origins: &[String]) -> CorsLayer {
    let origins: Vec<HeaderValue> = allowed_origins.iter().filter_map(|origin| origin_header(origin)).collect();
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([axum::http::Method::POST])
        .allow_headers(HEADERS_OF_PAGES.map(HeaderName::from_static))
        .max_age(PREFLIGHT_LIFETIME)
}

/// As browsers write it, who leave out the port that is usual.
fn origin_header(origin: &str) -> Option<HeaderValue> {
    let usual = [("https://", ":443"), ("http://", ":80")]
        .iter()
        .find_map(|(scheme, port)| origin.strip_suffix(port).filter(|rest| rest.starts_with(scheme)));
    HeaderValue::from_str(usual.unwrap_or(origin)).ok()
}

/// Answers a message of the Model Context Protocol (streamable HTTP, without sessions), or a batch of them by version 2025-03-26.
///
/// Tools list and describe objects, run statements, fetch rows, find values and ask the analyst, with the rights of the caller.
#[utoipa::path(post, path = "/mcp", tag = "agents", operation_id = "callTool",
    params(
        ("X-Service-Role" = Option<String>, Header, nullable = false, description = "The role to use; the user's default when absent."),
    ),
    request_body(content = serde_json::Value, description = "A message of JSON-RPC 2.0.",
        example = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})),
    responses(
        (status = 200, description = "The answer, of JSON-RPC 2.0.", body = serde_json::Value),
        (status = 202, description = "A notification has been taken."),
        (status = 400, description = "The body is no message, or its parameters are wrong: an error of JSON-RPC 2.0.", body = serde_json::Value),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API or the tools are switched off, or the request comes from a browser of another origin.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 404, description = "There is no such method."),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn answer(
    State(app): State<AppState>,
    Extension(ApiRoutes(routes)): Extension<ApiRoutes>,
    request: Request,
) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    ToolCaller::from_request_parts(&mut parts, &app).await?;
    require_json_accepted(&parts.headers)?;
    require_json_content_type(&parts.headers)?;
    let api = InProcess::new(routes, &parts);
    let writes = match changes(&parts.headers)? {
        Changes::Allowed => app.mcp.writes,
        Changes::Refused => Writes::Refused,
    };
    let options = Options {
        writes,
        names: Names { role: role_header(&parts.headers), ..Names::default() },
        version: env!("CARGO_PKG_VERSION"),
    };
    let RequestBody(bytes) = RequestBody::from_request(Request::from_parts(parts.clone(), body), &app).await?;
    // Whoever takes JSON can read the answer: it is never a stream.
    parts.headers.insert(ACCEPT, BOTH_TYPES);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let request = axum::http::Request::from_parts(parts, bytes);
    let bytes_max = app.limits.body_bytes_max;
    let response = firn_mcp::answer(api, options, &app.mcp.allowed_origins, bytes_max, request).await;
    Ok(response.map(Body::new).into_response())
}

/// Requests of the caller of a tool, to this server without a connection.
struct InProcess {
    routes: Router,
    headers: HeaderMap,
    peer: Option<ConnectInfo<SocketAddr>>,
}

impl InProcess {
    fn new(routes: Router, parts: &Parts) -> Self {
        let mut headers = HeaderMap::new();
        for name in HEADERS_OF_CALLER {
            parts.headers.get_all(&name).iter().for_each(|value| {
                headers.append(name.clone(), value.clone());
            });
        }
        headers.insert(USER_AGENT, parts.headers.get(USER_AGENT).cloned().unwrap_or(AGENT));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self { routes, headers, peer: parts.extensions.get().cloned() }
    }

    fn request(&self, asked: &firn_mcp::Request) -> Result<Request, axum::http::Error> {
        let method = match asked.method {
            Method::Get => axum::http::Method::GET,
            Method::Post => axum::http::Method::POST,
        };
        let body = asked.body.as_ref().map(|body| Body::from(body.to_string())).unwrap_or_default();
        let mut builder = Request::builder().method(method).uri(&asked.path);
        for (name, value) in &asked.headers {
            builder = builder.header(*name, value);
        }
        let mut request = builder.body(body)?;
        request.headers_mut().extend(self.headers.clone());
        if let Some(peer) = &self.peer {
            request.extensions_mut().insert(*peer);
        }
        Ok(request)
    }
}

impl Api for InProcess {
    async fn send(&self, asked: firn_mcp::Request) -> Result<Answer, Unreachable> {
        let request = self.request(&asked).map_err(|error| Unreachable(error.to_string()))?;
        let answered: Result<Response, Infallible> = self.routes.clone().call(request).await;
        let Ok(response) = answered;
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.map_err(|error| Unreachable(error.to_string()))?;
        Ok(Answer { status, body: body.to_bytes() })
    }
}

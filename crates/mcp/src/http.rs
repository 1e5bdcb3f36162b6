//! The protocol over HTTP, one request at a time: each is answered by itself, as JSON, and no session is kept that somebody else
//! could take up.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http_body::Body;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::api::Api;
use crate::handler::{Handler, Options};

/// Answers a request of a caller who has been let in. A browser's requests are answered for the given origins alone: a page that
/// has its name resolve to this machine has an origin of its own.
pub async fn answer<A, B>(
    api: A,
    options: Options,
    allowed_origins: &[String],
    body_bytes_max: usize,
    request: http::Request<B>,
) -> http::Response<BoxBody<Bytes, std::convert::Infallible>>
where
    A: Api,
    B: Body + Send + 'static,
    B::Error: Display,
    B::Data: Send + 'static,
{
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body_bytes_max)
        // The server may have any name; what a browser sends is judged by its origin, and everybody by their token.
        .disable_allowed_hosts()
        .with_allowed_origins(allowed_origins)
        .enforce_origin_validation();
    let api = Arc::new(api);
    let handler = move || Ok(Handler { api: api.clone(), options: options.clone() });
    StreamableHttpService::new(handler, Arc::new(NeverSessionManager::default()), config).handle(request).await
}

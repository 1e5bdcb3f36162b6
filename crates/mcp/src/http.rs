//! The protocol over HTTP, one request at a time: each is answered by itself, as JSON, and no session is kept that somebody else
//! could take up.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use crate::api::Api;
use crate::handler::{Handler, Options};
use crate::messages::{Part, Read, Refusal, VERSION_WITH_BATCHES, read};

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service<A> = StreamableHttpService<Handler<A>, NeverSessionManager>;

const VERSION: &str = "mcp-protocol-version";

/// Answers a request of a caller who has been let in. A browser's requests are answered for the given origins alone: a page that
/// has its name resolve to this machine has an origin of its own.
pub async fn answer<A: Api>(
    api: A,
    options: Options,
    allowed_origins: &[String],
    body_bytes_max: usize,
    request: Request<Bytes>,
) -> Answer {
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
    let service = StreamableHttpService::new(handler, Arc::new(NeverSessionManager::default()), config);
    let (head, body) = request.into_parts();
    match read(&body) {
        Ok(Read::One(part)) => answer_one(&service, &head, *part).await,
        Ok(Read::Batch(parts)) => match version(&head) {
            VERSION_WITH_BATCHES => answer_each(&service, &head, parts).await,
            version => refused(&Refusal::batch(version)),
        },
        Err(refusal) => refused(&refusal),
    }
}

/// A client that does not say which version it speaks speaks this one.
fn version(head: &Parts) -> &str {
    head.headers.get(VERSION).map_or(VERSION_WITH_BATCHES, |version| version.to_str().unwrap_or_default())
}

async fn answer_one<A: Api>(service: &Service<A>, head: &Parts, part: Part<'_>) -> Answer {
    match part.message {
        Ok(None) => respond(StatusCode::ACCEPTED, Bytes::new()),
        Ok(Some(_)) => {
            let body = Full::new(Bytes::copy_from_slice(part.text.as_bytes()));
            service.handle(Request::from_parts(head.clone(), body)).await
        }
        Err(refusal) => refused(&refusal),
    }
}

/// The requests of a batch are answered one after the other.
async fn answer_each<A: Api>(service: &Service<A>, head: &Parts, parts: Vec<Part<'_>>) -> Answer {
    let mut answers = Vec::new();
    for part in parts {
        let answer = answer_one(service, head, part).await;
        if answer.status() == StatusCode::ACCEPTED {
            continue;
        }
        let (head, body) = answer.into_parts();
        let Ok(collected) = body.collect().await;
        let bytes = collected.to_bytes();
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(answer) if answer["jsonrpc"] == "2.0" => answers.push(bytes),
            // The request as a whole is refused, as that of a page.
            _ => return Response::from_parts(head, Full::new(bytes).boxed()),
        }
    }
    match answers.is_empty() {
        true => respond(StatusCode::ACCEPTED, Bytes::new()),
        false => respond(StatusCode::OK, [b"[".as_slice(), &answers.join(&b","[..]), b"]"].concat().into()),
    }
}

/// The status is what the protocol says of requests that the server cannot take.
fn refused(refusal: &Refusal) -> Answer {
    let status = if refusal.is_of_unknown_method() { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
    respond(status, refusal.answer().to_string().into())
}

fn respond(status: StatusCode, json: Bytes) -> Answer {
    let mut response = Response::new(Full::new(json).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

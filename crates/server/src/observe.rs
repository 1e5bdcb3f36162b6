//! Logs and counts every request: who asked for what from where and how it went, never what was in it.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::Extensions;
use axum::middleware::Next;
use axum::response::Response;
use firn_statements::StatementHandle;

use crate::state::AppState;

/// Of the request's caller, once the token was found to be right.
#[derive(Clone, Default)]
pub struct RequestUser(Arc<OnceLock<String>>);

impl RequestUser {
    pub fn set(&self, name: &str) {
        // One request has one user.
        let _ = self.0.set(name.to_owned());
    }
}

/// Of whoever is at the other end of the connection: a proxy, where there is one.
pub fn client_address(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip().to_canonical())
}

pub async fn observe(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().cloned();
    let address = client_address(request.extensions());
    let user = RequestUser::default();
    request.extensions_mut().insert(user.clone());
    let response = next.run(request).await;

    let took = start.elapsed();
    let path = path.as_ref().map_or("unknown", MatchedPath::as_str);
    let status = response.status();
    app.metrics.count_request(path, &method, status, took);
    let handle = response.extensions().get::<StatementHandle>().map(tracing::field::display);
    tracing::info!(
        %method,
        path,
        status = status.as_u16(),
        ms = took.as_micros() as f64 / 1_000.0,
        address = address.map(tracing::field::display),
        user = user.0.get().map(String::as_str),
        statement.handle = handle,
        "request"
    );
    response
}

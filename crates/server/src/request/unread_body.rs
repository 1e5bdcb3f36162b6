//! The part of a body that its handler did not read, because the request was refused by its headers. A connection that is
//! closed with bytes unread is reset, and a reset can destroy the answer on its way; so the rest is read and discarded
//! before the answer is sent, within limits.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::EXPECT;
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use http_body_util::{BodyExt, Limited};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Beyond this the connection is closed.
const DISCARDED_BYTES_MAX: usize = 256 << 10;
const DISCARD_WAIT: Duration = Duration::from_secs(2);

pub async fn discard_unread_body(request: Request, next: Next) -> Response {
    // With `Expect` the client sends the body only after a 100 response.
    if request.body().is_end_stream() || request.headers().contains_key(EXPECT) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let (body, mut unread) = returned_on_drop(body);
    let response = next.run(Request::from_parts(parts, body)).await;
    if let Ok(rest) = unread.try_recv() {
        let _ = tokio::time::timeout(DISCARD_WAIT, discard(rest)).await;
    }
    response
}

async fn discard(body: Body) {
    let mut body = Limited::new(body, DISCARDED_BYTES_MAX);
    while let Some(Ok(_)) = body.frame().await {}
}

/// The body for the handler, and what receives it back when the handler drops it before its end.
fn returned_on_drop(body: Body) -> (Body, Receiver<Body>) {
    let (give_back, unread) = channel();
    (Body::new(ReturnedBody { body, give_back: Some(give_back) }), unread)
}

struct ReturnedBody {
    body: Body,
    give_back: Option<Sender<Body>>,
}

impl HttpBody for ReturnedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ReturnedBody {
    fn drop(&mut self) {
        if let Some(give_back) = self.give_back.take_if(|_| !self.body.is_end_stream()) {
            // Nobody waits for it where the connection is gone.
            let _ = give_back.send(std::mem::take(&mut self.body));
        }
    }
}

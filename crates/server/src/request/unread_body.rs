//! The part of a body that its handler did not read, because the request was refused by its headers. The next request of
//! the connection begins after it: a short rest is read and discarded before the answer is sent. With a longer one the
//! connection ends, which the answer says. A connection that is closed with bytes unread is reset, and a reset can destroy
//! the answer on its way; so more of the rest is discarded after the answer, within limits.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::{CONNECTION, EXPECT};
use axum::http::{HeaderValue, Version};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use http_body_util::{BodyExt, Limited};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// What is read before the answer, so that the connection stays.
const BEFORE_ANSWER: Discarding = Discarding { bytes_max: 256 << 10, wait: Duration::from_secs(2) };
/// What is read after an answer that ends the connection: enough for the largest body of a statement.
const AFTER_ANSWER: Discarding = Discarding { bytes_max: 64 << 20, wait: Duration::from_secs(10) };

pub const CLOSE: HeaderValue = HeaderValue::from_static("close");

pub async fn discard_unread_body(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() || request.version() > Version::HTTP_11 {
        return next.run(request).await;
    }
    // With `Expect` the client sends the body only after a 100 response, which reading would cause.
    let waits_to_be_asked = request.headers().contains_key(EXPECT);
    let (parts, body) = request.into_parts();
    let (body, mut unread) = returned_on_drop(body);
    let mut response = next.run(Request::from_parts(parts, body)).await;
    let Ok(rest) = unread.try_recv() else { return response };
    let Unread::Rest(rest) = rest else {
        response.headers_mut().insert(CONNECTION, CLOSE);
        return response;
    };
    if waits_to_be_asked || response.headers().contains_key(CONNECTION) {
        response.headers_mut().insert(CONNECTION, CLOSE);
        return response;
    }
    let is_short = rest.size_hint().lower() <= BEFORE_ANSWER.bytes_max as u64;
    let rest = if is_short { BEFORE_ANSWER.discard(rest).await } else { Some(rest) };
    if let Some(rest) = rest {
        response.headers_mut().insert(CONNECTION, CLOSE);
        tokio::spawn(AFTER_ANSWER.discard(rest));
    }
    response
}

struct Discarding {
    bytes_max: usize,
    wait: Duration,
}

impl Discarding {
    /// What is left of a body that does not end within the limits.
    async fn discard(&self, mut body: Body) -> Option<Body> {
        let reading = async {
            let mut limited = Limited::new(&mut body, self.bytes_max);
            loop {
                match limited.frame().await {
                    Some(Ok(_)) => {}
                    Some(Err(_)) => return false,
                    None => return true,
                }
            }
        };
        match tokio::time::timeout(self.wait, reading).await {
            Ok(true) => None,
            _ => Some(body),
        }
    }
}

/// What a handler leaves of a body.
enum Unread {
    Rest(Body),
    /// It broke off or is malformed, so that nobody knows where the next request begins.
    Broken,
}

/// The body for the handler, and what receives it back when the handler drops it before its end.
fn returned_on_drop(body: Body) -> (Body, Receiver<Unread>) {
    let (give_back, unread) = channel();
    (Body::new(ReturnedBody { body, give_back: Some(give_back) }), unread)
}

struct ReturnedBody {
    body: Body,
    give_back: Option<Sender<Unread>>,
}

impl HttpBody for ReturnedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Err(_))) = &polled
            && let Some(give_back) = self.give_back.take()
        {
            let _ = give_back.send(Unread::Broken);
        }
        polled
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
            let _ = give_back.send(Unread::Rest(std::mem::take(&mut self.body)));
        }
    }
}

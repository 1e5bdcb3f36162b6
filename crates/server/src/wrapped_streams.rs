//! Wraps the stream of every connection that is accepted.

use std::future::Future;
use std::io;
use std::pin::Pin;

use axum_server::accept::Accept;

#[derive(Clone)]
pub struct WrappingAcceptor<A, W> {
    inner: A,
    wrap: W,
}

impl<A, W> WrappingAcceptor<A, W> {
    pub fn new(inner: A, wrap: W) -> Self {
        Self { inner, wrap }
    }
}

impl<A, W, T, I, S> Accept<I, S> for WrappingAcceptor<A, W>
where
    A: Accept<I, S>,
    A::Future: Send + 'static,
    W: Fn(A::Stream) -> T + Clone + Send + 'static,
{
    type Stream = T;
    type Service = A::Service;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    fn accept(&self, stream: I, service: S) -> Self::Future {
        let (accepting, wrap) = (self.inner.accept(stream, service), self.wrap.clone());
        Box::pin(async move {
            let (stream, service) = accepting.await?;
            Ok((wrap(stream), service))
        })
    }
}

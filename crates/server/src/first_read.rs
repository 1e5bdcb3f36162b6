//! Connections that say nothing: until it is clear which version of HTTP a client speaks, no other deadline holds.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// The length of the preface that distinguishes HTTP/2 from HTTP/1.1.
const PREFACE_BYTES: usize = 24;

pub struct FirstRead<S> {
    stream: S,
    read: usize,
    /// Goes off unless the client has said enough before, or got an answer.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S> FirstRead<S> {
    pub fn new(stream: S, wait: Duration) -> Self {
        Self { stream, read: 0, alarm: Some(Box::pin(tokio::time::sleep(wait))) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FirstRead<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let Some(alarm) = &mut self.alarm else { return polled };
        match polled {
            Poll::Ready(outcome) => {
                self.read += buffer.filled().len() - before;
                if self.read >= PREFACE_BYTES {
                    self.alarm = None;
                }
                Poll::Ready(outcome)
            }
            Poll::Pending => alarm
                .as_mut()
                .poll(context)
                .map(|()| Err(io::Error::new(io::ErrorKind::TimedOut, "the client sends no request"))),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FirstRead<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.alarm = None;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.alarm = None;
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

//! Connections whose client does not read: a write that waits too long for the client ends the connection.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// Bytes after which the client has all of its time again: one that reads a byte now and then reads too slowly.
const BYTES_PER_WAIT: usize = 16 << 10;

pub struct WriteDeadline<S> {
    stream: S,
    wait: Duration,
    /// Since when the write that waits now does.
    waiting_since: Option<Instant>,
    /// What writes waited since the last `BYTES_PER_WAIT` were taken.
    waited: Duration,
    written: usize,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteDeadline<S> {
    pub fn new(stream: S, wait: Duration) -> Self {
        Self { stream, wait, waiting_since: None, waited: Duration::ZERO, written: 0, alarm: None }
    }

    fn note(&mut self, polled: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match polled {
            Poll::Ready(Ok(bytes)) => {
                self.note_progress(bytes);
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => self.note_waiting(context).map(Err),
        }
    }

    fn note_progress(&mut self, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += since.elapsed();
        }
        self.written += bytes;
        if self.written >= BYTES_PER_WAIT {
            self.written = 0;
            self.waited = Duration::ZERO;
        }
        self.alarm = None;
    }

    fn note_waiting(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let left = self.wait.saturating_sub(self.waited + since.elapsed());
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(tokio::time::sleep(left)));
        match alarm.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.note(polled, context)
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

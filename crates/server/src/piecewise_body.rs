//! Bodies that are made piece by piece: each once the one before has been taken, so that what is ahead of the client is bounded by a
//! piece. What makes them ends with the request that it answers.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;

/// A piece, and what makes the next one if one follows.
pub struct Piece<S> {
    pub bytes: io::Result<Bytes>,
    pub rest: Option<S>,
}

pub trait PieceSource: Sized + Send + 'static {
    fn next_piece(self) -> impl Future<Output = Piece<Self>> + Send;
}

pub fn piecewise(source: impl PieceSource) -> Body {
    Body::new(PiecewiseBody { piece: Some(Box::pin(source.next_piece())) })
}

struct PiecewiseBody<S> {
    piece: Option<Pin<Box<dyn Future<Output = Piece<S>> + Send>>>,
}

impl<S: PieceSource> http_body::Body for PiecewiseBody<S> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Some(piece) = self.piece.as_mut() else { return Poll::Ready(None) };
        let Piece { bytes, rest } = ready!(piece.as_mut().poll(context));
        self.piece = rest.map(|source| Box::pin(source.next_piece()) as _);
        Poll::Ready(Some(bytes.map(Frame::data)))
    }
}

//! A partition for a client that takes no gzip: decompressed piece by piece as the client reads, so that a slow reader
//! holds no more than what lies on disk and one piece of the rest.

use std::io::{Chain, Cursor, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use bytes::buf::{Buf, Reader};
use flate2::read::GzDecoder;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::io::ReaderStream;

const PIECE_BYTES: usize = 64 << 10;

/// The body and its length, or `None` if the partition does not begin as what was written. What is broken further on
/// ends the answer before its length is reached.
pub fn body(compressed: Bytes) -> Option<(Body, u64)> {
    let length = u32::from_le_bytes(*compressed.last_chunk::<4>()?).into();
    let mut decoder = GzDecoder::new(compressed.reader());
    let mut first = Vec::new();
    decoder.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut first).ok()?;
    let pieces = Pieces(Read::chain(Cursor::new(first), decoder));
    Some((Body::from_stream(ReaderStream::with_capacity(pieces, PIECE_BYTES)), length))
}

struct Pieces(Chain<Cursor<Vec<u8>>, GzDecoder<Reader<Bytes>>>);

impl AsyncRead for Pieces {
    /// A piece is in memory already and takes a moment, so this never waits.
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let read = self.0.read(room.initialize_unfilled());
        if let Err(error) = &read {
            tracing::error!(%error, "a stored partition is not valid gzip");
        }
        Poll::Ready(read.map(|bytes| room.advance(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::gzip;

    async fn plain(compressed: Vec<u8>) -> Option<Option<Vec<u8>>> {
        let (body, length) = body(Bytes::from(compressed))?;
        let read = axum::body::to_bytes(body, usize::MAX).await.ok();
        Some(read.map(Vec::from).filter(|read| read.len() as u64 == length))
    }

    #[tokio::test]
    async fn gives_back_what_was_written() {
        for text in [b"{\"data\":[]}".to_vec(), b"{\"data\":[[\"1\"]]}".repeat(100_000)] {
            assert_eq!(plain(gzip(&text).unwrap_or_default()).await, Some(Some(text)));
        }
    }

    #[tokio::test]
    async fn what_is_broken_is_never_whole() {
        let text: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
        let whole = gzip(&text).unwrap_or_default();
        for begins_wrong in [Vec::new(), b"{\"data\":[]}".to_vec()] {
            assert_eq!(plain(begins_wrong).await, None);
        }
        let cut = whole[..whole.len() / 2].to_vec();
        let mut altered = whole.clone();
        altered[whole.len() - 6] ^= 1;
        for broken in [cut, altered] {
            assert_eq!(plain(broken).await, Some(None));
        }
    }
}

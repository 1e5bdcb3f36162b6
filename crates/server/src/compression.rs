//! gzip, whole buffers at a time: answers are complete in memory before they are sent.

use std::cell::RefCell;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use axum::middleware::Next;
use axum::response::Response;
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use crate::request::headers::{GzipWish, gzip_wish};

/// A smaller body gains nothing.
const COMPRESSED_FROM_BYTES: u64 = 256;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

thread_local! {
    static COMPRESSOR: RefCell<Compressor> = RefCell::new(Compressor::new(CompressionLvl::new(1).unwrap_or_default()));
}

/// Compresses an answer when the request asks for it and it is not compressed yet.
pub async fn compress_answers(request: Request, next: Next) -> Response {
    let wish = gzip_wish(request.headers(), &ACCEPT_ENCODING);
    let response = next.run(request).await;
    if wish != GzipWish::Wanted || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    match response.body().size_hint().exact() {
        Some(bytes) if bytes >= COMPRESSED_FROM_BYTES => compress(response).await,
        _ => response,
    }
}

async fn compress(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return Response::from_parts(parts, Body::empty());
    };
    let Some(compressed) = gzip(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    Response::from_parts(parts, Body::from(compressed))
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
        let length = compressor.gzip_compress(bytes, &mut out).ok()?;
        out.truncate(length);
        Some(out)
    })
}

#[derive(Debug, PartialEq, Eq)]
pub enum GunzipError {
    Malformed,
    TooLarge,
}

/// Decompresses one gzip member, never into more than `bytes_max`.
pub fn gunzip(bytes: &[u8], bytes_max: usize) -> Result<Vec<u8>, GunzipError> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Err(GunzipError::Malformed);
    }
    let stated = bytes.last_chunk::<4>().map_or(0, |trailer| u32::from_le_bytes(*trailer) as usize);
    if stated > bytes_max {
        return Err(GunzipError::TooLarge);
    }
    let mut out = vec![0; stated];
    match Decompressor::new().gzip_decompress(bytes, &mut out) {
        Ok(length) if length == stated => Ok(out),
        Ok(_) | Err(DecompressionError::BadData | DecompressionError::InsufficientSpace) => Err(GunzipError::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::{GunzipError, gunzip, gzip};

    #[test]
    fn gives_back_what_it_took() {
        let text = b"{\"data\":[]}".repeat(1_000);
        let compressed = gzip(&text).unwrap_or_default();
        assert!(compressed.len() < text.len());
        assert_eq!(gunzip(&compressed, text.len()), Ok(text.clone()));
        assert_eq!(gunzip(&compressed, text.len() - 1), Err(GunzipError::TooLarge));
    }

    #[test]
    fn refuses_what_is_not_one_gzip_member() {
        let member = gzip(b"0123456789").unwrap_or_default();
        let cut = &member[..member.len() - 5];
        let two = [member.as_slice(), gzip(b"abc").unwrap_or_default().as_slice()].concat();
        for wrong in [b"".as_slice(), b"{}", b"not gzip", cut, &two] {
            assert_eq!(gunzip(wrong, 1 << 20).ok(), None, "{wrong:?}");
        }
    }
}

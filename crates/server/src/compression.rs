//! gzip, whole buffers at a time: what is compressed here is complete in memory before it is sent.

use std::cell::RefCell;
use std::io::Read;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use axum::middleware::Next;
use axum::response::Response;
use flate2::read::MultiGzDecoder;
use libdeflater::{CompressionLvl, Compressor};

use crate::request::headers::{GzipWish, gzip_wish};

/// A smaller body gains nothing.
const COMPRESSED_FROM_BYTES: u64 = 256;

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

pub(crate) fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| gzip_with(compressor, bytes))
}

/// For what is compressed once and sent often.
pub(crate) fn gzip_small(bytes: &[u8]) -> Option<Vec<u8>> {
    gzip_with(&mut Compressor::new(CompressionLvl::best()), bytes)
}

fn gzip_with(compressor: &mut Compressor, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let length = compressor.gzip_compress(bytes, &mut out).ok()?;
    out.truncate(length);
    Some(out)
}

#[derive(Debug, PartialEq, Eq)]
pub enum GunzipError {
    Malformed,
    TooLarge,
}

/// Decompresses what a client sent: gzip of one member or several, never into more than `bytes_max`.
pub fn gunzip_request(bytes: &[u8], bytes_max: usize) -> Result<Vec<u8>, GunzipError> {
    let mut out = Vec::new();
    let mut limited = MultiGzDecoder::new(bytes).take(bytes_max as u64 + 1);
    limited.read_to_end(&mut out).map_err(|_| GunzipError::Malformed)?;
    if out.len() > bytes_max { Err(GunzipError::TooLarge) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::{GunzipError, gunzip_request, gzip};

    #[test]
    fn gives_back_what_it_took() {
        let text = b"{\"data\":[]}".repeat(1_000);
        let compressed = gzip(&text).unwrap_or_default();
        assert!(compressed.len() < text.len());
        assert_eq!(gunzip_request(&compressed, text.len()), Ok(text.clone()));
        assert_eq!(gunzip_request(&compressed, text.len() - 1), Err(GunzipError::TooLarge));
    }

    #[test]
    fn reads_requests_of_several_members() {
        let members =
            [gzip(b"0123").unwrap_or_default(), gzip(b"").unwrap_or_default(), gzip(b"45").unwrap_or_default()];
        assert_eq!(gunzip_request(&members.concat(), 6), Ok(b"012345".to_vec()));
        assert_eq!(gunzip_request(&members.concat(), 5), Err(GunzipError::TooLarge));
    }

    #[test]
    fn refuses_what_is_not_gzip() {
        let whole = gzip(b"0123456789").unwrap_or_default();
        let cut = &whole[..whole.len() - 5];
        let followed = [whole.as_slice(), b"junk"].concat();
        let mut altered = whole.clone();
        altered[whole.len() - 6] ^= 1;
        for wrong in [b"".as_slice(), b"{}", b"not gzip", cut, &followed, &altered] {
            assert_eq!(gunzip_request(wrong, 1 << 20), Err(GunzipError::Malformed), "{wrong:?}");
        }
    }
}

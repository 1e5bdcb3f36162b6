//! Reading a request body: bounded in size and time, decompressed when it says it is compressed.

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;

use crate::compression::{self, GunzipError};
use crate::error::ApiError;
use crate::state::AppState;

/// A whole body, not yet understood.
pub struct RequestBody(pub Bytes);

impl FromRequest<AppState> for RequestBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ApiError> {
        let encoding = content_encoding(request.headers())?;
        let bytes = read(request, app.limits.body_bytes_max, app.body_read_wait).await?;
        match encoding {
            Encoding::Identity => Ok(Self(bytes)),
            Encoding::Gzip => decompressed(&bytes, app.limits.body_bytes_max).map(Self),
        }
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    Identity,
    Gzip,
}

fn content_encoding(headers: &HeaderMap) -> Result<Encoding, ApiError> {
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let (first, second) = (values.next(), values.next());
    let Some(value) = first else { return Ok(Encoding::Identity) };
    match (value.to_str().unwrap_or_default().trim().to_ascii_lowercase().as_str(), second) {
        ("identity" | "", None) => Ok(Encoding::Identity),
        ("gzip" | "x-gzip", None) => Ok(Encoding::Gzip),
        (other, _) => Err(ApiError::UnsupportedContentEncoding(other.to_owned())),
    }
}

async fn read(mut request: Request, bytes_max: usize, wait: Duration) -> Result<Bytes, ApiError> {
    DefaultBodyLimit::max(bytes_max).apply(&mut request);
    let collected =
        tokio::time::timeout(wait, Bytes::from_request(request, &())).await.map_err(|_| ApiError::BodyTooSlow)?;
    collected.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::BodyTooLarge { bytes_max },
        _ => ApiError::InvalidPayload("The body broke off.".to_owned()),
    })
}

fn decompressed(bytes: &[u8], bytes_max: usize) -> Result<Bytes, ApiError> {
    compression::gunzip_request(bytes, bytes_max).map(Bytes::from).map_err(|error| match error {
        GunzipError::TooLarge => ApiError::BodyTooLarge { bytes_max },
        GunzipError::Malformed => ApiError::InvalidPayload("The body is not valid gzip.".to_owned()),
    })
}

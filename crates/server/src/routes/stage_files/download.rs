//! `GET` and `HEAD …/files/{path}`.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, IF_RANGE, RANGE,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use firn_engine::StagedFile;
use firn_sql::stages::StagePath;
use firn_statements::{OpenStage, StageAccess};
use tokio::io::{AsyncReadExt, AsyncSeekExt, SeekFrom};
use tokio_util::io::ReaderStream;

use super::{NamedStage, blocking};
use crate::bodies::ErrorBody;
use crate::browser_headers::SANDBOX;
use crate::error::ApiError;
use crate::request::FileReader;
use crate::state::AppState;

const PIECE_BYTES: usize = 128 << 10;

/// Fetches a file from a stage, or the part of it that `Range` names.
#[utoipa::path(get, path = "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", tag = "stages",
    operation_id = "getStageFile",
    params(
        ("database" = String, Path, description = "The database; unquoted names fold to upper case.", example = "FIRN"),
        ("schema" = String, Path, description = "The schema.", example = "PUBLIC"),
        ("stage" = String, Path, description = "A stage, `%table` for a table's, or `~` for the user's own.", example = "my_stage"),
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("Range" = Option<String>, Header, nullable = false, description = "`bytes=first-last`, one range."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The file.", content_type = "application/octet-stream",
            headers(("ETag" = String, description = "The file's MD5 in quotes."))),
        (status = 206, description = "The part asked for.", content_type = "application/octet-stream"),
        (status = 304, description = "The file is the one that If-None-Match names."),
        (status = 400, description = "A name or parameter is malformed.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such stage or file, or it is not the caller's to use.", body = ErrorBody),
        (status = 416, description = "The file has no such range.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn download(
    State(app): State<AppState>,
    FileReader(caller): FileReader,
    named: NamedStage,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    find(&app, caller, &named).await?.answer(&headers).await
}

/// Returns a file's size and MD5 without the file.
#[utoipa::path(head, path = "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", tag = "stages",
    operation_id = "headStageFile",
    params(
        ("database" = String, Path, description = "The database; unquoted names fold to upper case.", example = "FIRN"),
        ("schema" = String, Path, description = "The schema.", example = "PUBLIC"),
        ("stage" = String, Path, description = "A stage, `%table` for a table's, or `~` for the user's own.", example = "my_stage"),
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "Content-Length and ETag are the file's size and MD5."),
        (status = 400, description = "A name or parameter is malformed."),
        (status = 401, description = "The token is missing or invalid."),
        (status = 403, description = "The API is switched off."),
        (status = 404, description = "There is no such stage or file, or it is not the caller's to use."),
        (status = 429, description = "Too many requests; come back after Retry-After seconds."),
        (status = 500, description = "The server failed."),
        (status = 503, description = "The server is stopping."),
    ))]
pub async fn head(
    State(app): State<AppState>,
    FileReader(caller): FileReader,
    named: NamedStage,
) -> Result<Response, ApiError> {
    Ok(find(&app, caller, &named).await?.answer_without_file())
}

/// A file that may be read.
pub struct Found {
    file: StagedFile,
    etag: String,
    /// What the driver that brought it called its content.
    pub digest: Option<String>,
}

async fn find(app: &AppState, caller: firn_catalog::Caller, named: &NamedStage) -> Result<Found, ApiError> {
    let path = named.file_path()?;
    let stage = named.open(app, caller, StageAccess::Read).await?;
    Found::of(stage, path).await
}

impl Found {
    pub async fn of(stage: OpenStage, path: StagePath) -> Result<Self, ApiError> {
        blocking(move || {
            let file = stage.find_readable(&path)?;
            let etag = format!("\"{}\"", stage.md5(&file)?);
            let digest = stage.digest(&file)?;
            Ok(Self { file, etag, digest })
        })
        .await
    }

    /// The file, or the part of it that the headers of a request ask for.
    pub async fn answer(&self, headers: &HeaderMap) -> Result<Response, ApiError> {
        if is_known(headers, &self.etag) {
            return Ok((StatusCode::NOT_MODIFIED, [(ETAG, self.etag.clone())]).into_response());
        }
        let bytes = self.file.bytes;
        let part = match range(headers, &self.etag) {
            Some(range) => Some(range.within(bytes).ok_or(ApiError::NoSuchRange { bytes })?),
            None => None,
        };
        let (first, length) = part.unwrap_or((0, bytes));
        let mut file = tokio::fs::File::open(&self.file.place).await.map_err(|error| self.unreadable(error))?;
        if first > 0 {
            file.seek(SeekFrom::Start(first)).await.map_err(ApiError::of_disk)?;
        }
        let body = Body::from_stream(ReaderStream::with_capacity(file.take(length), PIECE_BYTES));
        let mut response = (self.headers(length), body).into_response();
        if part.is_some() {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let shown = format!("bytes {first}-{}/{bytes}", first + length - 1);
            response.headers_mut().insert(CONTENT_RANGE, header_value(&shown)?);
        }
        Ok(response)
    }

    pub fn answer_without_file(&self) -> Response {
        (self.headers(self.file.bytes), Body::empty()).into_response()
    }

    fn headers(&self, length: u64) -> [(HeaderName, String); 6] {
        [
            (CONTENT_TYPE, "application/octet-stream".to_owned()),
            (CONTENT_DISPOSITION, "attachment".to_owned()),
            (CONTENT_SECURITY_POLICY, SANDBOX.to_owned()),
            (CONTENT_LENGTH, length.to_string()),
            (ACCEPT_RANGES, "bytes".to_owned()),
            (ETAG, self.etag.clone()),
        ]
    }

    /// A file may be removed between being found and being opened.
    fn unreadable(&self, error: std::io::Error) -> ApiError {
        match error.kind() {
            std::io::ErrorKind::NotFound => {
                ApiError::Stage(firn_statements::StageError::MissingFile(self.file.path.to_string()))
            }
            _ => ApiError::of_disk(error),
        }
    }
}

fn header_value(text: &str) -> Result<axum::http::HeaderValue, ApiError> {
    axum::http::HeaderValue::from_str(text).map_err(|_| ApiError::Panicked)
}

fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let tags = values.flat_map(|value| value.split(',')).map(str::trim);
    // A reader of what is the same in all that matters need not read it again.
    tags.map(|tag| tag.strip_prefix("W/").unwrap_or(tag)).any(|tag| tag == etag || tag == "*")
}

/// What one `Range` asks for.
#[derive(Debug, PartialEq, Eq)]
enum ByteRange {
    From { first: u64, last: Option<u64> },
    Last(u64),
}

/// Several ranges, other units and a range of another version of the file are answered with all of it.
fn range(headers: &HeaderMap, etag: &str) -> Option<ByteRange> {
    if headers.get(IF_RANGE).is_some_and(|value| value.as_bytes() != etag.as_bytes()) {
        return None;
    }
    let text = headers.get(RANGE)?.to_str().ok()?;
    let (first, last) = text.strip_prefix("bytes=")?.trim().split_once('-')?;
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (first.trim(), last.trim()) {
        ("", last) => number(last).map(ByteRange::Last),
        (first, "") => Some(ByteRange::From { first: number(first)?, last: None }),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(ByteRange::From { first, last: Some(last) })
        }
    }
}

impl ByteRange {
    /// Where it begins and how long it is; `None` when the file has nothing there.
    fn within(&self, bytes: u64) -> Option<(u64, u64)> {
        let (first, end) = match *self {
            Self::From { first, last } => (first, last.map_or(bytes, |last| last.saturating_add(1).min(bytes))),
            Self::Last(count) => (bytes.saturating_sub(count), bytes),
        };
        (first < end).then(|| (first, end - first))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn ranges_are_one_range_of_bytes() {
        let check = |text: &'static str, expected: Option<Option<(u64, u64)>>| {
            let mut headers = HeaderMap::new();
            headers.insert(RANGE, HeaderValue::from_static(text));
            assert_eq!(range(&headers, "\"x\"").map(|range| range.within(10)), expected, "{text}");
        };
        check("bytes=0-3", Some(Some((0, 4))));
        check("bytes=5-", Some(Some((5, 5))));
        check("bytes=5-100", Some(Some((5, 5))));
        check("bytes=-3", Some(Some((7, 3))));
        check("bytes=-30", Some(Some((0, 10))));
        check("bytes=10-", Some(None));
        check("bytes=-0", Some(None));
        check("bytes=3-1", None);
        check("bytes=0-1,3-4", None);
        check("rows=0-1", None);
    }
}

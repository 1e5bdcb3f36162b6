//! `/driver/files/{stage}/{path}`: the door through which drivers carry the files of PUT and GET. It answers as Google's storage
//! does, whose clients all drivers have, and stores what comes as the other routes for files do. A body is taken as it is, whatever
//! its `Content-Encoding`: drivers name with it what is in the file.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use firn_catalog::{DriverVerb, LinkReach};
use firn_engine::Precondition;
use firn_sql::stages::StagePath;
use firn_statements::{OpenStage, StageError};
use http_body_util::{BodyExt, Limited};

use super::stage_files::blocking;
use super::stage_files::download::Found;
use super::stage_files::upload::Arrival;
use crate::error::ApiError;
use crate::request::{DriverFile, Wanted};
use crate::state::AppState;

/// The base64 SHA-256 of what a driver brings; it asks for that again to know whether a file is the same.
const DIGEST: HeaderName = HeaderName::from_static("x-goog-meta-sfc-digest");
/// With 0: only if there is no such file yet.
const IF_GENERATION: HeaderName = HeaderName::from_static("x-goog-if-generation-match");

const DIGEST_CHARACTERS: usize = 44;

pub async fn bring(State(app): State<AppState>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let DriverFile { stage, path, verb, reach } = DriverFile::of(&app, &mut parts, Wanted::Bring).await?;
    let asks_for_absence = parts.headers.get(IF_GENERATION).is_some_and(|value| value == "0");
    let keeps = verb == DriverVerb::PutNew || asks_for_absence;
    // With an address of its own the driver cannot ask beforehand, and has done well if the file is there.
    let keeps_silently = keeps && !asks_for_absence && reach == LinkReach::One;
    if keeps_silently && is_there(&stage, &path).await? {
        discard(&app, body).await?;
        return Ok(StatusCode::OK.into_response());
    }
    let precondition = if keeps { Precondition::Absent } else { Precondition::None };
    let arrival = Arrival { stage, path, precondition, digest: digest(&parts.headers) };
    match arrival.take(&app, body).await {
        // Another one was quicker.
        Err(ApiError::Stage(StageError::UnmetPrecondition)) if keeps_silently => Ok(StatusCode::OK.into_response()),
        taken => taken.map(|_| StatusCode::OK.into_response()),
    }
}

async fn is_there(stage: &OpenStage, path: &StagePath) -> Result<bool, ApiError> {
    let (stage, path) = (stage.clone(), path.clone());
    blocking(move || match stage.find(&path) {
        Ok(_) => Ok(true),
        Err(StageError::MissingFile(_)) => Ok(false),
        Err(error) => Err(error.into()),
    })
    .await
}

/// Reads a file that is not wanted: a driver that is answered before it has sent everything takes that for a failure.
async fn discard(app: &AppState, body: Body) -> Result<(), ApiError> {
    let bytes_max = usize::try_from(app.limits.stage_file_bytes_max).unwrap_or(usize::MAX);
    let mut body = Limited::new(body, bytes_max);
    while let Some(frame) =
        tokio::time::timeout(app.body_read_wait, body.frame()).await.map_err(|_| ApiError::BodyTooSlow)?
    {
        frame.map_err(|_| ApiError::BodyTooLarge { bytes_max })?;
    }
    Ok(())
}

pub async fn fetch(State(app): State<AppState>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, _) = request.into_parts();
    let DriverFile { stage, path, .. } = DriverFile::of(&app, &mut parts, Wanted::Fetch).await?;
    let found = Found::of(stage, path).await?;
    Ok(with_digest(found.answer(&parts.headers).await?, found.digest.as_deref()))
}

pub async fn look(State(app): State<AppState>, request: Request) -> Result<Response, ApiError> {
    let (mut parts, _) = request.into_parts();
    let DriverFile { stage, path, .. } = DriverFile::of(&app, &mut parts, Wanted::Look).await?;
    let found = Found::of(stage, path).await?;
    Ok(with_digest(found.answer_without_file(), found.digest.as_deref()))
}

fn digest(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(DIGEST)?.to_str().ok()?;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    (text.len() == DIGEST_CHARACTERS && text.bytes().all(is_base64)).then(|| text.to_owned())
}

fn with_digest(mut response: Response, digest: Option<&str>) -> Response {
    if let Some(value) = digest.and_then(|digest| HeaderValue::from_str(digest).ok()) {
        response.headers_mut().insert(DIGEST, value);
    }
    response
}

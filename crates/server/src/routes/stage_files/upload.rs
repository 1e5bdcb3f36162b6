//! `PUT …/files/{path}`.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use firn_engine::{IncomingFile, Precondition, ReceivedSums};
use firn_sql::stages::StagePath;
use firn_statements::{OpenStage, StageAccess};
use http_body_util::BodyExt;
use md5::{Digest, Md5};
use tokio::io::AsyncWriteExt;

use super::preconditions::precondition;
use super::{FileEntry, NamedStage, blocking};
use crate::bodies::ErrorBody;
use crate::error::{ApiError, json_response};
use crate::request::FileCaller;
use crate::state::AppState;

/// Brings a file to a stage; one that is there under the same path is replaced once the new one is whole.
#[utoipa::path(put, path = "/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files/{path}", tag = "stages",
    operation_id = "putStageFile",
    params(
        ("database" = String, Path, description = "The database; unquoted names fold to upper case.", example = "FIRN"),
        ("schema" = String, Path, description = "The schema.", example = "PUBLIC"),
        ("stage" = String, Path, description = "A stage, `%table` for a table's, or `~` for the user's own.", example = "my_stage"),
        ("path" = String, Path, description = "The file's path on the stage; slashes may stand as they are.", example = "data.csv"),
        ("role" = Option<String>, Query, nullable = false, description = "The role to use; the user's default when absent."),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "`*`: only if there is no such file yet."),
        ("If-Match" = Option<String>, Header, nullable = false, description = "The ETag that the file has; `*`: only if there is such a file."),
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    request_body(content_type = "application/octet-stream", description = "The file as it is."),
    responses(
        (status = 200, description = "The file is there.", body = FileEntry),
        (status = 400, description = "A name or parameter is malformed, or the body broke off.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The API is switched off.", body = ErrorBody),
        (status = 404, description = "There is no such stage, or it is not the caller's to use.", body = ErrorBody),
        (status = 412, description = "The file is not the one that If-Match or If-None-Match asks for.", body = ErrorBody),
        (status = 413, description = "The file is too large, or a quota of stages is used up.", body = ErrorBody),
        (status = 507, description = "The disk of the server is full.", body = ErrorBody),
        (status = 429, description = "Too many requests; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
        (status = 503, description = "The server is stopping.", body = ErrorBody),
    ))]
pub async fn upload(
    State(app): State<AppState>,
    FileCaller(caller): FileCaller,
    named: NamedStage,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let path = named.file_path()?;
    let stage = named.open(&app, caller, StageAccess::Write).await?;
    let arrival = Arrival { stage, path, precondition: precondition(&headers), digest: None };
    Ok(json_response(StatusCode::OK, &arrival.take(&app, body).await?))
}

/// A file that is on its way to a stage.
pub struct Arrival {
    pub stage: OpenStage,
    pub path: StagePath,
    pub precondition: Precondition,
    /// What who brings the file calls its content.
    pub digest: Option<String>,
}

impl Arrival {
    /// Reads the file from a body, and puts it where it belongs once it is whole.
    pub async fn take(self, app: &AppState, body: Body) -> Result<FileEntry, ApiError> {
        let Self { stage, path, precondition, digest } = self;
        let replaced_bytes = {
            let (stage, path, precondition) = (stage.clone(), path.clone(), precondition.clone());
            blocking(move || {
                // And again once the file is whole.
                stage.check(&path, &precondition)?;
                Ok(stage.find(&path).map_or(0, |file| file.bytes))
            })
            .await?
        };
        let incoming = stage.receive();
        let bytes_max = app.limits.stage_file_bytes_max;
        let limits = UploadLimits { bytes_max, replaced_bytes, wait: app.body_read_wait };
        let md5 = receive(body, &stage, &incoming, &limits).await?;
        blocking(move || {
            let received = ReceivedSums { md5: &md5, digest: digest.as_deref() };
            let file = stage.put(incoming, &path, received, &precondition)?;
            Ok(FileEntry::of(&stage, &file, md5))
        })
        .await
    }
}

/// A client that sends a byte now and then holds up a connection and a file.
const BYTES_PER_SECOND_MIN: u64 = 1 << 10;

struct UploadLimits {
    bytes_max: u64,
    /// Of the file that this one takes the place of: these count already.
    replaced_bytes: u64,
    /// How long the next piece may take.
    wait: Duration,
}

/// Writes a body piece by piece and returns its MD5. On average the body comes at a least speed.
async fn receive(
    mut body: Body,
    stage: &OpenStage,
    incoming: &IncomingFile,
    limits: &UploadLimits,
) -> Result<String, ApiError> {
    let UploadLimits { bytes_max, replaced_bytes, wait } = *limits;
    let mut file = tokio::fs::File::create(incoming.place()).await.map_err(ApiError::of_disk)?;
    let mut sum = Md5::new();
    let (mut bytes, begun) = (0, Instant::now());
    loop {
        let allowed = (wait + Duration::from_secs(bytes / BYTES_PER_SECOND_MIN)).saturating_sub(begun.elapsed());
        let next = tokio::time::timeout(allowed.min(wait), body.frame()).await;
        let Some(frame) = next.map_err(|_| ApiError::BodyTooSlow)? else { break };
        let frame = frame.map_err(|_| ApiError::InvalidPayload("The body broke off.".to_owned()))?;
        let Ok(piece) = frame.into_data() else { continue };
        bytes += piece.len() as u64;
        if bytes > bytes_max {
            return Err(ApiError::BodyTooLarge { bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX) });
        }
        stage.admit(incoming, bytes.saturating_sub(replaced_bytes.max(bytes - piece.len() as u64)))?;
        sum.update(&piece);
        file.write_all(&piece).await.map_err(ApiError::of_disk)?;
    }
    file.flush().await.map_err(ApiError::of_disk)?;
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

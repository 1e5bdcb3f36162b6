//! `/api/v2/databases/{database}/schemas/{schema}/stages/{stage}/files`: bring, fetch, list and remove the
//! files of stages. The user's own stage has an address without a database too, `/api/v2/stages/~/files`. Files
//! pass through piece by piece and are never whole in memory.

pub mod download;
pub mod list;
pub mod own;
mod preconditions;
pub mod remove;
pub mod upload;

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use firn_catalog::Caller;
use firn_engine::StagedFile;
use firn_sql::ObjectName;
use firn_sql::names::SchemaName;
use firn_sql::stages::{StageName, StagePath, read_identifier};
use firn_statements::{OpenStage, StageAccess};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::request::role_header;
use crate::state::AppState;

/// The stage a path names, the role it is used in, and the other query parameters.
pub struct NamedStage {
    stage: StageName,
    /// The schema of the address, if it has one: it must exist, also where the user's own stage is asked for in it.
    schema: Option<SchemaName>,
    /// The text behind `files/`, not checked yet.
    path: Option<String>,
    role: Option<String>,
    query: HashMap<String, String>,
}

impl<S: Send + Sync> FromRequestParts<S> for NamedStage {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Path(mut names) = Path::<HashMap<String, String>>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| ApiError::InvalidQueryParameter(rejection.body_text()))?;
        let (stage, schema) = match names.remove("database") {
            None => (StageName::User, None),
            Some(database) => {
                let mut name = |part: &str| names.remove(part).unwrap_or_default();
                let (schema, stage) = (name("schema"), name("stage"));
                (stage_name(&database, &schema, &stage)?, Some(schema_name(&database, &schema)?))
            }
        };
        let Query(query) = Query::<HashMap<String, String>>::try_from_uri(&parts.uri)
            .map_err(|rejection| ApiError::InvalidQueryParameter(rejection.body_text()))?;
        let role = query.get("role").cloned().or_else(|| role_header(&parts.headers));
        Ok(Self { stage, schema, path: names.remove("path"), role, query })
    }
}

/// `s`, `"S"`, `%t` for a table's stage, and `~` for the user's own.
fn stage_name(database: &str, schema: &str, stage: &str) -> Result<StageName, ApiError> {
    let (database, schema) = (identifier(database)?, identifier(schema)?);
    if stage == "~" {
        return Ok(StageName::User);
    }
    match stage.strip_prefix('%') {
        Some(table) => Ok(StageName::Table(ObjectName::qualified(&database, &schema, &identifier(table)?))),
        None => Ok(StageName::Named(ObjectName::qualified(&database, &schema, &identifier(stage)?))),
    }
}

fn schema_name(database: &str, schema: &str) -> Result<SchemaName, ApiError> {
    Ok(SchemaName { database: Some(identifier(database)?), schema: identifier(schema)? })
}

fn identifier(text: &str) -> Result<String, ApiError> {
    read_identifier(text).ok_or_else(|| ApiError::InvalidName(text.to_owned()))
}

impl NamedStage {
    /// Asks the engine for the stage, on a thread that may wait.
    async fn open(&self, app: &AppState, caller: Caller, access: StageAccess) -> Result<OpenStage, ApiError> {
        let (app, role, stage) = (AppState::clone(app), self.role.clone(), self.stage.clone());
        let schema = self.schema.clone();
        blocking(move || {
            if let (StageName::User, Some(schema)) = (&stage, schema) {
                app.statements.require_schema(&caller, role.as_deref(), &schema)?;
            }
            Ok(app.statements.open_stage(&caller, role.as_deref(), &stage, access)?)
        })
        .await
    }

    fn file_path(&self) -> Result<StagePath, ApiError> {
        StagePath::parse(self.path.as_deref().unwrap_or_default()).map_err(|failure| ApiError::Stage(failure.into()))
    }
}

/// Runs work that blocks on the disk or the engine on a thread for blocking work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(ApiError::Panicked))
}

/// One file of a stage.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// As LIST shows it.
    #[schema(example = "my_stage/2024/data.csv.gz")]
    name: String,
    /// Where it lies on the stage.
    #[schema(example = "2024/data.csv.gz")]
    path: String,
    /// In bytes.
    #[schema(example = 1_024)]
    size: u64,
    #[schema(example = "5d41402abc4b2a76b9719d911017c592")]
    md5: String,
    /// Milliseconds since the epoch.
    #[schema(example = 1_597_090_533_987_i64)]
    last_modified: i64,
}

impl FileEntry {
    fn of(stage: &OpenStage, file: &StagedFile, md5: String) -> Self {
        Self {
            name: stage.shown(&file.path),
            path: file.path.to_string(),
            size: file.bytes,
            md5,
            last_modified: file.modified_ms,
        }
    }
}

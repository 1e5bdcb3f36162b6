//! Where a stage's files lie: in a folder of the server, or in a bucket outside. Those who list, read, write and remove
//! files need not know which.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use firn_engine::error::of_disk;
use firn_engine::stage_files::{IncomingFile, StageFiles, StagedFile};
use firn_engine::{EngineError, ExecutionContext, ExternalStage};
use firn_sql::Failure;
use firn_sql::external_storage::{Credentials, ServerSideEncryption, StorageUrl};
use firn_sql::names::{display_identifier, quote_literal};
use firn_sql::stages::{OutsideStage, StageLocation, StageName, StagePath};
use firn_storage::{Bucket, StorageError, StoredObject};

use super::connection::Connection;
use super::external_access::ExternalAccess;
use super::interrupter::Interrupter;
use super::session_state::SessionState;
use super::staging::{Kind, missing, storage_failure};

/// A location of a statement, found.
pub(crate) struct Located {
    pub(crate) place: Place,
    /// What the paths of its files begin with, counted from the place.
    pub(crate) path: String,
    /// What comes before a path when a file is shown.
    pub(crate) prefix: String,
}

pub(crate) enum Place {
    Folder { files: Arc<StageFiles>, folder: String, stop_signal: Arc<Interrupter> },
    Bucket(Box<OutsideBucket>),
}

pub(crate) struct OutsideBucket {
    bucket: Bucket,
    /// Identifies the bucket.
    name: String,
    encryption: ServerSideEncryption,
    files: Arc<StageFiles>,
    stop_signal: Arc<Interrupter>,
    access: ExternalAccess,
}

/// `None` for a stage that has no place yet, as nothing was ever put there.
pub(crate) fn locate(
    session: &SessionState,
    location: &StageLocation,
    context: &ExecutionContext,
) -> Result<Option<Located>, EngineError> {
    match &location.stage {
        StageName::Named(name) => {
            let stage = session.stage(name)?.ok_or_else(|| missing(Kind::Stage, name))?;
            match &stage.definition.external {
                Some(external) => {
                    let shown = display_identifier(&name.name);
                    in_bucket(session, external, &shown, &location.path).map(Some)
                }
                None => Ok(Some(in_folder(session, location, stage.folder))),
            }
        }
        StageName::Outside(outside) => at_address(session, outside, &location.path).map(Some),
        StageName::Table(_) | StageName::User => {
            let folder = session.folder_of(&location.stage, user_of_stage(location, context)?)?;
            Ok(folder.map(|folder| in_folder(session, location, folder)))
        }
    }
}

/// As `locate`, for whoever may put the first file.
pub(crate) fn locate_for_writing(
    session: &SessionState,
    location: &StageLocation,
    context: &ExecutionContext,
) -> Result<Located, EngineError> {
    if let StageName::Table(_) | StageName::User = location.stage {
        session.folder_for_writing(&location.stage, user_of_stage(location, context)?)?;
    }
    let located = locate(session, location, context)?;
    Ok(located.ok_or_else(|| Failure::missing_object("Stage", &location.stage.to_string()))?)
}

/// The user whose own stage is meant; of no account for other stages.
fn user_of_stage(location: &StageLocation, context: &ExecutionContext) -> Result<i64, Failure> {
    match (&location.stage, context.user_id) {
        (StageName::User, None) => Err(Failure::missing_object("Stage", &location.stage.to_string())),
        (_, user_id) => Ok(user_id.unwrap_or_default()),
    }
}

fn in_folder(session: &SessionState, location: &StageLocation, folder: String) -> Located {
    Located {
        place: Place::Folder {
            files: session.shared.stage_files().clone(),
            folder,
            stop_signal: session.connection.stop_signal(),
        },
        path: location.path.clone(),
        prefix: location.stage.prefix(),
    }
}

fn in_bucket(
    session: &SessionState,
    external: &ExternalStage,
    stage: &str,
    path: &str,
) -> Result<Located, EngineError> {
    let access = session.shared.external()?;
    let credentials = match &external.credentials {
        None => None,
        Some(sealed) => Some(access.vault.reveal(sealed).ok_or_else(|| {
            let message = format!(
                "The credentials of stage '{stage}' cannot be read with this server's key; set them anew with ALTER \
                 STAGE {stage} SET CREDENTIALS = (…)."
            );
            Failure::new("091003", "55000", message)
        })?),
    };
    let endpoint = external.endpoint.as_deref();
    outside(session, &external.url, endpoint, external.url.key(path), credentials, external.encryption)
}

fn at_address(session: &SessionState, stage: &OutsideStage, path: &str) -> Result<Located, EngineError> {
    outside(session, &stage.url, None, path.to_owned(), stage.credentials.clone(), stage.encryption)
}

fn outside(
    session: &SessionState,
    url: &StorageUrl,
    endpoint: Option<&str>,
    path: String,
    credentials: Option<Credentials>,
    encryption: ServerSideEncryption,
) -> Result<Located, EngineError> {
    let access = session.shared.external()?;
    let bucket = access.storage.bucket(url, endpoint, &path, credentials).map_err(storage_failure)?;
    let prefix = url.root();
    let name = endpoint.map_or_else(|| prefix.clone(), |endpoint| format!("{prefix}@{endpoint}"));
    let bucket = OutsideBucket {
        bucket,
        name,
        encryption,
        files: session.shared.stage_files().clone(),
        stop_signal: session.connection.stop_signal(),
        access: access.clone(),
    };
    Ok(Located { place: Place::Bucket(Box::new(bucket)), path, prefix })
}

/// Filters the files by a regular expression for the path relative to their place.
pub(crate) fn matching(
    connection: &Connection,
    files: Vec<StagedFile>,
    pattern: Option<&str>,
) -> Result<Vec<StagedFile>, EngineError> {
    let Some(pattern) = pattern else { return Ok(files) };
    if files.is_empty() {
        return Ok(files);
    }
    let paths: Vec<String> = files.iter().map(|file| quote_literal(file.path.as_str())).collect();
    let sql = format!(
        "SELECT regexp_full_match(path, {}, 's') FROM (SELECT unnest([{}]) AS path)",
        quote_literal(pattern),
        paths.join(", ")
    );
    let matches = connection.rows(&sql).map_err(|error| match error {
        EngineError::Failed(_) => Failure::invalid_value("PATTERN", pattern, "give a regular expression").into(),
        other => other,
    })?;
    let matched = files.into_iter().zip(matches);
    Ok(matched.filter(|(_, row)| row[0].as_deref() == Some("true")).map(|(file, _)| file).collect())
}

pub(crate) fn unreadable(error: std::io::Error) -> EngineError {
    match of_disk(&error) {
        Some(failure) => EngineError::Failed(failure),
        None => EngineError::Internal(format!("the files of a stage cannot be reached: {error}")),
    }
}

impl Place {
    /// Its name in the load history.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Folder { folder, .. } => folder,
            Self::Bucket(outside) => &outside.name,
        }
    }

    /// The files whose path begins with `path`, in the order of their paths.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<StagedFile>, EngineError> {
        match self {
            Self::Folder { files, folder, .. } => files.list(folder, path).map_err(unreadable),
            Self::Bucket(outside) => {
                let objects = outside.reach(|bucket| bucket.list(path))?;
                Ok(objects.into_iter().map(unfetched).collect())
            }
        }
    }

    /// What changes when a file's content does.
    pub(crate) fn checksum(&self, file: &StagedFile) -> Result<String, EngineError> {
        match (self, file.etag.as_deref()) {
            (Self::Folder { files, folder, .. }, _) => files.md5(folder, file).map_err(unreadable),
            (Self::Bucket(_), Some(etag)) if !etag.is_empty() => Ok(etag.to_owned()),
            (Self::Bucket(_), _) => Ok(format!("{}-{}", file.bytes, file.modified_ms)),
        }
    }

    /// Brings files to where they can be read, each with the content that was put; they go when what is returned is dropped.
    pub(crate) fn fetch(&self, files: &mut [StagedFile]) -> Result<Vec<IncomingFile>, EngineError> {
        match self {
            Self::Folder { files: stored, folder, stop_signal } => {
                let is_stopped = || stop_signal.is_requested();
                for file in files {
                    stored.verify(folder, file, &is_stopped).map_err(|error| match error.kind() {
                        io::ErrorKind::Interrupted => EngineError::Interrupted,
                        _ => unreadable(error),
                    })?;
                }
                Ok(Vec::new())
            }
            Self::Bucket(outside) => outside.fetch(files),
        }
    }

    pub(crate) fn has(&self, path: &StagePath) -> Result<bool, EngineError> {
        match self {
            Self::Folder { files, folder, .. } => Ok(files.find(folder, path).map_err(unreadable)?.is_some()),
            Self::Bucket(outside) => outside.reach(|bucket| bucket.has(path)),
        }
    }

    /// Writes or overwrites a file, and returns its size.
    pub(crate) fn put(&self, incoming: IncomingFile, path: &StagePath) -> Result<u64, EngineError> {
        match self {
            Self::Folder { files, folder, .. } => Ok(files.put(incoming, folder, path).map_err(unreadable)?.bytes),
            Self::Bucket(outside) => {
                let bytes = std::fs::metadata(incoming.place()).map_err(unreadable)?.len();
                outside.reach(|bucket| bucket.put(path, incoming.place(), outside.encryption))?;
                Ok(bytes)
            }
        }
    }

    /// Whether there was a file to remove.
    pub(crate) fn remove(&self, path: &StagePath) -> Result<bool, EngineError> {
        match self {
            Self::Folder { files, folder, .. } => files.remove(folder, path).map_err(unreadable),
            Self::Bucket(outside) => outside.reach(|bucket| bucket.remove(path)).map(|()| true),
        }
    }
}

impl OutsideBucket {
    /// Does what a statement asks of the bucket, until it is done or the statement is stopped.
    fn reach<T>(&self, work: impl FnOnce(&Bucket) -> Result<T, StorageError>) -> Result<T, EngineError> {
        let _watched = self.stop_signal.watch(self.bucket.stopper());
        match work(&self.bucket) {
            Err(_) if self.stop_signal.is_requested() => Err(EngineError::Interrupted),
            done => done.map_err(storage_failure),
        }
    }

    fn fetch(&self, files: &mut [StagedFile]) -> Result<Vec<IncomingFile>, EngineError> {
        self.check_sizes(files)?;
        let mut fetched = Vec::new();
        for file in files {
            let incoming = self.files.receive();
            incoming.require_room(file.bytes).map_err(unreadable)?;
            let object = StoredObject {
                path: file.path.clone(),
                bytes: file.bytes,
                modified_ms: file.modified_ms,
                etag: file.etag.clone().unwrap_or_default(),
            };
            self.reach(|bucket| bucket.fetch(&object, incoming.place()))?;
            incoming.place().clone_into(&mut file.place);
            fetched.push(incoming);
        }
        Ok(fetched)
    }

    fn check_sizes(&self, files: &[StagedFile]) -> Result<(), EngineError> {
        if let Some(file) = files.iter().find(|file| file.bytes > self.access.file_bytes_max) {
            let (path, bytes, most) = (&file.path, file.bytes, self.access.file_bytes_max);
            let why = format!("the object '{path}' has {bytes} bytes; stage_file_bytes_max allows {most}");
            return Err(storage_failure(StorageError::TooMuch(why)));
        }
        let sum: u64 = files.iter().map(|file| file.bytes).sum();
        if sum > self.access.bytes_max {
            let most = self.access.bytes_max;
            let why = format!(
                "the objects have {sum} bytes together; external_stage_bytes_max allows {most}; choose fewer with \
                 FILES, PATTERN or SIZE_LIMIT"
            );
            return Err(storage_failure(StorageError::TooMuch(why)));
        }
        Ok(())
    }
}

fn unfetched(object: StoredObject) -> StagedFile {
    StagedFile {
        path: object.path,
        bytes: object.bytes,
        modified_ms: object.modified_ms,
        place: PathBuf::new(),
        etag: Some(object.etag),
    }
}

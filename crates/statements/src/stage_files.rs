//! The files of stages, for those who bring and fetch them over HTTP. Every look-up takes the caller: a
//! stage that is not the caller's to use looks like none.

use std::sync::Arc;

use firn_catalog::Caller;
use firn_engine::error::of_disk;
use firn_engine::{IncomingFile, Precondition, ReceivedSums, Session, StageFiles, StagedFile, UnmetPrecondition};
use firn_sql::Failure;
use firn_sql::command::{IfMissing, SecondaryRoles};
use firn_sql::names::SchemaName;
use firn_sql::privileges::{Privilege, PrivilegeSet};
use firn_sql::resolve::{Access, ContainerUse, Uses};
use firn_sql::stages::{StageLocation, StageName, StagePath};
use uuid::Uuid;

use crate::authorise::authorise;
use crate::error::StatementError;
use crate::file_transfers::stage_identity;
use crate::run_error::{RunError, outdated};
use crate::service::StatementService;
use crate::session_state::with_secondary;
use crate::stage_access::{StageAccess, uses};

/// The files of one stage, opened for one caller.
#[derive(Clone)]
pub struct OpenStage {
    files: Arc<StageFiles>,
    /// `None` where nothing was ever put.
    folder: Option<String>,
    name: StageName,
}

/// A stage as a driver's link names it.
#[derive(Clone, Copy, Debug)]
pub struct LinkedStage<'a> {
    pub stage: &'a str,
    /// As `file_transfers::stage_identity`.
    pub identity: &'a str,
    pub role: &'a str,
    pub secondary_roles: SecondaryRoles,
    pub session: Option<Uuid>,
}

/// Why a stage's files cannot be given or taken.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The request's own mistake, or a stage the caller may not know of.
    #[error(transparent)]
    Refused(#[from] Failure),
    #[error("File '{0}' does not exist or not authorized.")]
    MissingFile(String),
    #[error("The file is not the one that was expected.")]
    UnmetPrecondition,
    #[error(transparent)]
    Request(#[from] StatementError),
}

impl From<RunError> for StageError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Failed(failure) => Self::Refused(failure),
            RunError::Outdated => Self::Refused(outdated()),
            RunError::Stopped => Self::Request(StatementError::ShuttingDown),
            RunError::Internal(cause) => Self::Request(StatementError::Internal(cause)),
        }
    }
}

impl From<std::io::Error> for StageError {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::InvalidFilename {
            return Self::Refused(Failure::invalid_value("file name", "", "a part of it is longer than 255 bytes"));
        }
        if let Some(failure) = of_disk(&error) {
            return Self::Refused(failure);
        }
        if UnmetPrecondition::is_cause_of(&error) {
            return Self::UnmetPrecondition;
        }
        Self::Request(StatementError::Internal(format!("the files of a stage cannot be reached: {error}")))
    }
}

impl StatementService {
    /// Opens a stage for the caller in the role they ask for. Blocks on the engine.
    pub fn open_stage(
        &self,
        caller: &Caller,
        role: Option<&str>,
        stage: &StageName,
        access: StageAccess,
    ) -> Result<OpenStage, StageError> {
        self.admit_request(caller)?;
        self.open_stage_within_request(caller, role, stage, access)
    }

    /// Opens the stage that a driver was given a link to: as `open_stage`, and it is still the same stage, of a session that is
    /// still open.
    pub fn open_linked_stage(
        &self,
        caller: &Caller,
        linked: &LinkedStage<'_>,
        access: StageAccess,
    ) -> Result<OpenStage, StageError> {
        self.admit_request(caller)?;
        let services = &self.inner.services;
        let name = StageLocation::parse(&format!("@{}", linked.stage))?.stage;
        let missing = || StageError::Refused(Failure::missing_object("Stage", linked.stage));
        if linked.session.is_some_and(|session| !services.kept_sessions.is_open(caller.user.id, session)) {
            return Err(missing());
        }
        let files = services.engine.stage_files();
        if StageFiles::is_temporary(linked.identity) {
            let folder = files.has_temporary(linked.identity).then(|| linked.identity.to_owned());
            return Ok(OpenStage { files, folder: Some(folder.ok_or_else(missing)?), name });
        }
        let role =
            services.catalog.principals().active_role(caller, Some(linked.role)).map_err(StatementError::from)?;
        let (role, _) = with_secondary(&services.catalog, caller, role, linked.secondary_roles);
        let mut session = services.engine.open_session().map_err(RunError::from)?;
        let uses = uses(&name, access);
        services.databases.refuse_set_aside(&services.catalog, &role, &uses)?;
        authorise(services, session.as_ref(), &role, &uses)?;
        if stage_identity(session.as_mut(), &name, caller.user.id)? != linked.identity {
            return Err(missing());
        }
        let folder = folder(session.as_mut(), &name, access, caller.user.id)?;
        Ok(OpenStage { files, folder, name })
    }

    /// Refuses an address whose database or schema the caller does not see. Blocks on the engine.
    pub fn require_schema(&self, caller: &Caller, role: Option<&str>, schema: &SchemaName) -> Result<(), StageError> {
        let services = &self.inner.services;
        let role = services.catalog.principals().active_role(caller, role).map_err(StatementError::from)?;
        let session = services.engine.open_session().map_err(RunError::from)?;
        let used = ContainerUse {
            name: schema.clone(),
            access: Access::Read,
            needs: PrivilegeSet::NONE.with(Privilege::Usage),
            if_missing: IfMissing::Fail,
        };
        let uses = Uses { schemas: vec![used], ..Uses::default() };
        services.databases.refuse_set_aside(&services.catalog, &role, &uses)?;
        Ok(authorise(services, session.as_ref(), &role, &uses)?)
    }

    /// As `open_stage`, for a request that has been counted already.
    pub fn open_stage_within_request(
        &self,
        caller: &Caller,
        role: Option<&str>,
        stage: &StageName,
        access: StageAccess,
    ) -> Result<OpenStage, StageError> {
        let services = &self.inner.services;
        let role = services.catalog.principals().active_role(caller, role).map_err(StatementError::from)?;
        let mut session = services.engine.open_session().map_err(RunError::from)?;
        let uses = uses(stage, access);
        services.databases.refuse_set_aside(&services.catalog, &role, &uses)?;
        authorise(services, session.as_ref(), &role, &uses)?;
        let folder = folder(session.as_mut(), stage, access, caller.user.id)?;
        Ok(OpenStage { files: services.engine.stage_files(), folder, name: stage.clone() })
    }
}

fn folder(
    session: &mut dyn Session,
    stage: &StageName,
    access: StageAccess,
    user_id: i64,
) -> Result<Option<String>, RunError> {
    Ok(match access {
        StageAccess::Read => session.stage_folder(stage, user_id)?,
        StageAccess::Write => session.stage_folder_for_writing(stage, user_id)?,
    })
}

impl OpenStage {
    /// The files whose path begins with `prefix`.
    pub fn list(&self, prefix: &str) -> Result<Vec<StagedFile>, StageError> {
        match &self.folder {
            Some(folder) => Ok(self.files.list(folder, prefix)?),
            None => Ok(Vec::new()),
        }
    }

    pub fn find(&self, path: &StagePath) -> Result<StagedFile, StageError> {
        let found = match &self.folder {
            Some(folder) => self.files.find(folder, path)?,
            None => None,
        };
        found.ok_or_else(|| StageError::MissingFile(self.shown(path)))
    }

    /// As `find`, for whoever reads the file: it has the content that was put.
    pub fn find_readable(&self, path: &StagePath) -> Result<StagedFile, StageError> {
        let found = self.find(path)?;
        self.files.verify(self.folder.as_deref().unwrap_or_default(), &found, &|| false)?;
        Ok(found)
    }

    pub fn md5(&self, file: &StagedFile) -> Result<String, StageError> {
        let folder = self.folder.as_deref().unwrap_or_default();
        Ok(self.files.md5(folder, file)?)
    }

    /// What the driver that brought the file called its content, if it did.
    pub fn digest(&self, file: &StagedFile) -> Result<Option<String>, StageError> {
        Ok(self.files.digest(self.folder.as_deref().unwrap_or_default(), file)?)
    }

    /// A place for a file on its way in.
    pub fn receive(&self) -> IncomingFile {
        self.files.receive()
    }

    /// Counts bytes of a file that is being received; refuses those beyond a quota.
    pub fn admit(&self, incoming: &IncomingFile, bytes: u64) -> Result<(), StageError> {
        Ok(self.files.admit(incoming, self.folder.as_deref().unwrap_or_default(), bytes)?)
    }

    /// Fails unless the file at the path is the expected one.
    pub fn check(&self, path: &StagePath, precondition: &Precondition) -> Result<(), StageError> {
        Ok(self.files.check(self.folder.as_deref().unwrap_or_default(), path, precondition)?)
    }

    /// Moves a received file to its place.
    pub fn put(
        &self,
        incoming: IncomingFile,
        path: &StagePath,
        received: ReceivedSums<'_>,
        precondition: &Precondition,
    ) -> Result<StagedFile, StageError> {
        let folder = self.folder.as_deref().ok_or_else(|| StageError::MissingFile(self.shown(path)))?;
        Ok(self.files.put_with_sums(incoming, folder, path, received, precondition)?)
    }

    pub fn remove(&self, path: &StagePath, precondition: &Precondition) -> Result<(), StageError> {
        let removed = match &self.folder {
            Some(folder) => self.files.remove_if(folder, path, precondition)?,
            None => false,
        };
        if removed { Ok(()) } else { Err(StageError::MissingFile(self.shown(path))) }
    }

    /// A file as LIST shows it.
    pub fn shown(&self, path: &StagePath) -> String {
        format!("{}{path}", self.name.prefix())
    }
}

//! PUT and GET. The server carries nothing here: the statement is authorised, and its result says which files lie where, so that
//! whoever talks to the driver can sign the permissions that it carries them with. PUT has no effect of its own, and may be asked
//! again for each file.

use firn_engine::{Outcome, Session, StageFiles, WireColumn};
use firn_sql::Failure;
use firn_sql::command::{
    Command, FileSource, FileTransfer, GetFiles, Persistence, PutFiles, SecondaryRoles, StageCommand,
};
use firn_sql::resolve::Uses;
use firn_sql::stages::{StageLocation, StageName};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::execution::Execution;
use crate::local_rows::LocalRows;
use crate::request::Transfers;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::view::{PartitionBody, ResultView};

/// Files of one GET: each is in the answer, with its permission.
const FILES_MAX: usize = 10_000;

/// What a driver has to know to carry files, before any permission for it is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferPlan {
    /// As a location is written, without `@` and path.
    pub stage: String,
    /// What no other stage has, of whatever name.
    pub stage_identity: String,
    /// The location's path.
    pub path: String,
    pub role: String,
    pub has_secondary_roles: bool,
    pub parallel: u64,
    pub direction: Direction,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    Upload {
        /// The driver's files, as written.
        source: String,
        is_stage_bound: bool,
        auto_compress: bool,
        overwrite: bool,
        source_compression: String,
    },
    Download {
        /// The driver's folder, as written.
        target: String,
        /// Paths on the stage.
        files: Vec<String>,
    },
}

impl TransferPlan {
    /// The plan that a PUT or GET has answered with.
    pub fn of_result(result: &ResultView) -> Option<Self> {
        let PartitionBody::Rows(rows) = &result.body else { return None };
        let rows: Vec<Vec<String>> = serde_json::from_slice(rows).ok()?;
        serde_json::from_str(rows.first()?.first()?).ok()
    }
}

/// Refuses PUT and GET where nobody carries files: without a driver, and inside of blocks, procedures and sets.
pub(crate) fn check_carried(
    execution: &Execution,
    state: &SessionState,
    handle: Uuid,
    command: &Command,
) -> Result<(), Failure> {
    let Command::Transfer(transfer) = command else { return Ok(()) };
    let is_whole_request = execution.handle.0 == handle && state.call_depth == 0 && !state.in_block;
    if state.transfers == Transfers::Carried && is_whole_request {
        return Ok(());
    }
    let verb = match **transfer {
        FileTransfer::Put(_) => "PUT",
        FileTransfer::Get(_) => "GET",
    };
    let way_out =
        format!("{verb}; a driver's statement of its own or `firn stage {}` carries files", verb.to_lowercase());
    Err(Failure::not_over_the_api(&way_out))
}

pub(crate) fn plan(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    transfer: &FileTransfer,
    uses: &Uses,
) -> Result<LocalRows, RunError> {
    let planning = Planning { services, state, uses };
    let plan = match transfer {
        FileTransfer::Put(put) => planning.upload(session, put)?,
        FileTransfer::Get(get) => planning.download(session, get)?,
    };
    let text = serde_json::to_string(&plan).map_err(|error| RunError::Internal(error.to_string()))?;
    Ok(LocalRows::new(vec![WireColumn::text("transfer")], vec![vec![Some(text)]]))
}

struct Planning<'a> {
    services: &'a Services,
    state: &'a SessionState,
    uses: &'a Uses,
}

impl Planning<'_> {
    fn upload(&self, session: &mut dyn Session, put: &PutFiles) -> Result<TransferPlan, RunError> {
        let direction = Direction::Upload {
            source: put.source.path().to_owned(),
            is_stage_bound: matches!(put.source, FileSource::BesideBoundStage(_)),
            auto_compress: put.auto_compress,
            overwrite: put.overwrite,
            source_compression: put.source_compression.clone(),
        };
        self.of(session, &put.location, put.parallel, direction)
    }

    fn download(&self, session: &mut dyn Session, get: &GetFiles) -> Result<TransferPlan, RunError> {
        let files = self.list(session, get)?;
        let direction = Direction::Download { target: get.target.clone(), files };
        self.of(session, &get.location, get.parallel, direction)
    }

    fn of(
        &self,
        session: &mut dyn Session,
        location: &StageLocation,
        parallel: u64,
        direction: Direction,
    ) -> Result<TransferPlan, RunError> {
        let state = self.state;
        let user_id = state.user_of_stage().unwrap_or_default();
        Ok(TransferPlan {
            stage: location.stage.to_string(),
            stage_identity: stage_identity(session, &location.stage, user_id)?,
            path: location.path.clone(),
            role: state.role.name.clone(),
            has_secondary_roles: state.secondary_roles == SecondaryRoles::All,
            parallel,
            direction,
        })
    }

    /// The paths of the files that LIST shows.
    fn list(&self, session: &mut dyn Session, get: &GetFiles) -> Result<Vec<String>, RunError> {
        let stage = &get.location.stage;
        // Refuses the files of an external stage.
        self.state.stage_folder(session, stage)?;
        let list = StageCommand::List { location: get.location.clone(), pattern: get.pattern.clone() };
        let context = self.state.execution_context(&self.services.catalog, self.uses);
        let Outcome::Table(table) = session.execute(&Command::Stages(list), &context)? else {
            return Err(RunError::Internal("LIST gave no table".to_owned()));
        };
        if table.rows.len() > FILES_MAX {
            return Err(Failure::limit_exceeded(
                "the number of files of GET; choose fewer with PATTERN: it",
                FILES_MAX,
            )
            .into());
        }
        let prefix = stage.prefix();
        let names = table.rows.into_iter().filter_map(|row| row.into_iter().next().flatten());
        Ok(names.map(|name| name.strip_prefix(&prefix).unwrap_or(&name).to_owned()).collect())
    }
}

/// What identifies a stage for as long as it exists. Files of a temporary one are reached by it alone.
pub(crate) fn stage_identity(session: &mut dyn Session, stage: &StageName, user_id: i64) -> Result<String, RunError> {
    let missing = || Failure::missing_object("Stage", &stage.to_string());
    if let StageName::Table(name) = stage {
        let table = session.describe(name)?.ok_or_else(missing)?;
        if table.persistence != Persistence::Temporary {
            return Ok(format!("of-table-{}", table.id));
        }
    }
    let folder = match stage {
        StageName::User => Some(StageFiles::user_folder(user_id)),
        StageName::Table(_) => session.stage_folder_for_writing(stage, user_id)?,
        StageName::Named(_) | StageName::Outside(_) => session.stage_folder(stage, user_id)?,
    };
    Ok(folder.ok_or_else(missing)?)
}

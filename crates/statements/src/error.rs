//! What can go wrong with a request around a statement. A statement's own failure is not here: it
//! is an outcome, seen through `StatementView`.

use firn_catalog::CatalogError;
use uuid::Uuid;

use crate::handle::StatementHandle;

pub(crate) const ROLE_NOT_GRANTED_CODE: &str = "390186";

#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    /// The request itself is wrong; nothing was started.
    #[error("{message}")]
    Invalid { code: &'static str, sql_state: Option<&'static str>, message: String },
    /// No such statement for this caller: never was, expired, or another user's.
    #[error("Statement {0} not found")]
    UnknownHandle(String),
    /// Nobody asked for its operators when it ran.
    #[error("Statement {0} was not profiled; run it with the parameter PROFILE = true, or with EXPLAIN ANALYZE.")]
    NotProfiled(StatementHandle),
    #[error("statement {handle} is not running: it has {state}")]
    NotCancellable { handle: StatementHandle, state: &'static str },
    #[error("statement {0} is being cancelled and has not stopped yet; ask again in a moment")]
    StillStopping(StatementHandle),
    /// No such session for this caller: never was, closed, idle for too long, or another user's.
    #[error("Session {0} does not exist any more; open another one.")]
    UnknownSession(Uuid),
    #[error("Session {0} runs another request; wait for its end, or open a session beside it.")]
    BusySession(Uuid),
    #[error("There are {0} sessions of the user, or too many of all; close one, or wait until they end by themselves.")]
    TooManySessions(usize),
    #[error("Too many requests.")]
    TooManyRequests { retry_after_s: u64 },
    #[error("the server is stopping; send the request again in a moment")]
    ShuttingDown,
    #[error(
        "the server has no space left on its disk, and nothing was started; send the request again once there is room"
    )]
    DiskFull,
    #[error(
        "the server's disk is nearly full, and nothing was started: until there is room, only statements of up to {bytes_max} \
         bytes are recorded and run"
    )]
    NoRoomForText { bytes_max: usize },
    #[error("the server's disk failed ({0}), and nothing was started; send the request again once it works")]
    DiskFailed(String),
    #[error(
        "the server's state file is damaged; whoever runs the server has to bring firn.sqlite back from a backup, with the \
         databases of the same time"
    )]
    DamagedState,
    #[error("the result of statement {0} can no longer be read from the server's disk; run the statement again")]
    DamagedResult(StatementHandle),
    /// What it shows may be hidden from its user by now.
    #[error(
        "the result of statement {0} is not shown any more: privileges, roles or policies changed after it ran, and it reads what \
         they may hide; run it again"
    )]
    HiddenResult(StatementHandle),
    /// It runs or has succeeded, but that could be lost: a second run could do its work twice.
    #[error(
        "statement {handle} was started, but its outcome cannot be recorded now; do not send it again, ask for its handle once \
         the server's disk takes it"
    )]
    NotRecorded { handle: StatementHandle, sql_state: &'static str },
    #[error("{0}")]
    Internal(String),
}

impl StatementError {
    pub(crate) fn invalid_parameter(name: &str, value: &str, way_out: &str) -> Self {
        Self::Invalid {
            code: "390142",
            sql_state: None,
            message: format!("parameter {name} has the invalid value '{value}'; {way_out}"),
        }
    }
}

impl From<CatalogError> for StatementError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::RoleNotGranted(_) => {
                Self::Invalid { code: ROLE_NOT_GRANTED_CODE, sql_state: None, message: error.to_string() }
            }
            full if full.is_disk_full() => Self::DiskFull,
            damaged if damaged.is_damage() => {
                tracing::error!(error = %damaged, "the state file is damaged");
                Self::DamagedState
            }
            other => match other.disk_failure() {
                Some(cause) => {
                    tracing::error!(error = %other, "the state file cannot be used");
                    Self::DiskFailed(cause)
                }
                None => Self::Internal(other.to_string()),
            },
        }
    }
}

/// Why the service could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(
        "the state file `firn.sqlite` knows none of the database files in `databases` ({0}): it is that of another folder, or \
         its log `firn.sqlite-wal` is missing. Bring both back, or a backup of the same time"
    )]
    StateOfAnotherFolder(String),
    #[error("the first database cannot be made: {0}")]
    FirstDatabase(String),
    #[error("the outcomes of the statements that ran when the server last stopped cannot be settled: {0}")]
    Outcomes(String),
    #[error("what a renamed or dropped role owned cannot be handed over: {0}")]
    Handover(String),
    #[error("the folder for results cannot be used: {0}")]
    Results(#[from] std::io::Error),
    #[error("no thread can be started to keep time: {0}")]
    Watchdog(std::io::Error),
}

//! What can go wrong in an engine.

use std::io;

use firn_sql::Failure;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The statement's own mistake, already in the contract's terms.
    #[error("{0}")]
    Failed(#[from] Failure),
    /// The session was interrupted; the caller of the interrupter has the reason.
    #[error("the statement was interrupted")]
    Interrupted,
    /// A write-write conflict; a retry may succeed.
    #[error("the statement conflicts with another: {0}")]
    Conflict(String),
    /// A bug of firn or a failure of the host.
    #[error("the engine failed: {0}")]
    Internal(String),
}

/// The SQL state of failures because the disk is full.
pub const DISK_FULL_STATE: &str = "53100";

/// The SQL state of failures because a file could not be read or written.
pub const IO_STATE: &str = "58030";

pub fn no_space_left() -> Failure {
    Failure::new("000603", DISK_FULL_STATE, "SQL execution error: the server has no space left on its disk.")
}

/// The SQL state of failures because a quota is used up.
pub const QUOTA_STATE: &str = "53400";

/// What a failed write to the files of stages or results means for the caller, where it is not the server's own fault.
pub fn of_disk(error: &io::Error) -> Option<Failure> {
    match error.kind() {
        io::ErrorKind::StorageFull => Some(no_space_left()),
        io::ErrorKind::QuotaExceeded => {
            Some(Failure::new("000603", QUOTA_STATE, format!("SQL execution error: no room is left: {error}.")))
        }
        _ => None,
    }
}

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
    /// Definitions changed between authorisation and binding: the command has to be authorised again. Nothing of it ran.
    #[error("definitions changed while the statement was planned")]
    Outdated,
    /// The disk failed at a sync, or a rollback had no memory. What was committed is in the logs, but the engine takes no
    /// statement on any database until it is started anew.
    #[error("the engine has to be started anew because the disk failed at a sync, or a rollback had no memory")]
    Lost,
    /// A bug of firn or a failure of the host.
    #[error("the engine failed: {0}")]
    Internal(String),
}

/// The SQL state of failures because the disk is full.
pub const DISK_FULL_STATE: &str = "53100";

/// The SQL state of failures because a file could not be read or written.
pub const IO_STATE: &str = "58030";

/// Of failures that may have closed a database, and after which a statement may have been committed all the same.
pub const CLOSED_STATES: [&str; 2] = [DISK_FULL_STATE, IO_STATE];

/// The SQL state of failures because memory was missing. A commit that reports it may have been made.
pub const MEMORY_STATE: &str = "53200";

/// The SQL state of failures because a file no longer has the content that was written.
pub const DAMAGED_STATE: &str = "XX001";

pub fn no_space_left() -> Failure {
    Failure::new("000603", DISK_FULL_STATE, "SQL execution error: the server has no space left on its disk.")
}

/// `cause` is the system's own word for it, without paths.
pub fn disk_failed(cause: &str) -> Failure {
    let message = format!("SQL execution error: the server's disk failed ({cause}); try again once it works.");
    Failure::new("000603", IO_STATE, message)
}

/// The SQL state of failures because what a database is linked to cannot be reached.
pub const UNREACHABLE_STATE: &str = "08001";

/// What a statement fails with that finds the engine lost, or loses it.
pub fn engine_lost() -> Failure {
    let message = "SQL execution error: the server's disk failed at a sync, or a rollback had no memory, and the server starts \
                   anew. What the statement changed may have been committed: look before you send it again.";
    Failure::new("000603", IO_STATE, message)
}

/// The SQL state of failures because a quota is used up.
pub const QUOTA_STATE: &str = "53400";

/// A staged file has not the content that was put.
#[derive(Debug, thiserror::Error)]
#[error(
    "the staged file '{path}' no longer has the content that was put there; put it again, or bring it back from a backup"
)]
pub struct DamagedFile {
    pub path: String,
}

/// What a failed access to the files of stages or results means for the caller, where it is not the server's own fault.
pub fn of_disk(error: &io::Error) -> Option<Failure> {
    match error.kind() {
        io::ErrorKind::StorageFull => Some(no_space_left()),
        io::ErrorKind::QuotaExceeded => {
            Some(Failure::new("000603", QUOTA_STATE, format!("SQL execution error: no room is left: {error}.")))
        }
        io::ErrorKind::InvalidData => {
            let damaged = error.get_ref()?.downcast_ref::<DamagedFile>()?;
            Some(Failure::new("000603", DAMAGED_STATE, format!("SQL execution error: {damaged}.")))
        }
        // What the system reports has no paths; errors of our own may.
        io::ErrorKind::NotFound
        | io::ErrorKind::InvalidFilename
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::NotADirectory => None,
        _ if error.raw_os_error().is_some() => Some(disk_failed(&error.to_string())),
        io::ErrorKind::WriteZero => Some(disk_failed("it takes no more bytes")),
        _ => None,
    }
}

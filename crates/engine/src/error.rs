//! What can go wrong in an engine.

use firn_sql::Failure;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The statement's own mistake, already in the contract's terms.
    #[error("{0}")]
    Failed(#[from] Failure),
    /// The session was interrupted; whoever interrupted knows why.
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

pub fn no_space_left() -> Failure {
    Failure::new("000603", DISK_FULL_STATE, "SQL execution error: the server has no space left on its disk.")
}

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
    /// Two writers met in a way that a second try may mend.
    #[error("the statement conflicts with another: {0}")]
    Conflict(String),
    /// Our bug or the machine's trouble.
    #[error("the engine failed: {0}")]
    Internal(String),
}

/// The SQL state of failures that somebody has to make room for.
pub const DISK_FULL_STATE: &str = "53100";

pub fn no_space_left() -> Failure {
    Failure::new("000603", DISK_FULL_STATE, "SQL execution error: the server has no space left on its disk.")
}

//! Why a statement did not succeed.

use std::io;

use firn_catalog::CatalogError;
use firn_engine::EngineError;
use firn_engine::error::{DAMAGED_STATE, disk_failed, engine_lost, no_space_left, of_disk};
use firn_sql::{Failure, secrets_in_text};

use crate::error::StatementError;
use crate::partitions::PartitionError;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Failed(#[from] Failure),
    #[error("the statement was stopped")]
    Stopped,
    /// As `EngineError::Outdated`.
    #[error("definitions changed while the statement was planned")]
    Outdated,
    #[error("{0}")]
    Internal(String),
}

/// For a statement whose definitions change each time before it is bound, or that cannot be authorised again.
pub fn outdated() -> Failure {
    Failure::new("000625", "40001", "definitions changed while the statement was planned; run it again")
}

impl RunError {
    /// Its message may quote the text of the statement.
    pub fn without_secrets_of(self, text: &str) -> Self {
        match self {
            Self::Failed(failure) => {
                let message = secrets_in_text::hidden_in_message(text, failure.message);
                Self::Failed(Failure { message, ..failure })
            }
            other => other,
        }
    }
}

/// The classes of SQL states that are mistakes of the statement.
const MISTAKES: [&str; 3] = ["0A", "22", "42"];

impl RunError {
    /// Of a statement that was run again with wider integers after `first`. That they do not fit a call is not to be
    /// reported, but what others brought about meanwhile is: changed definitions, conflicts, a stop, a full disk.
    pub fn of_repeated(self, first: Failure) -> Self {
        let is_mistake = |failure: &Failure| MISTAKES.iter().any(|class| failure.sql_state.starts_with(class));
        match self {
            Self::Internal(_) => Self::Failed(first),
            Self::Failed(failure) if is_mistake(&failure) => Self::Failed(first),
            other => other,
        }
    }
}

impl From<EngineError> for RunError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Failed(failure) => Self::Failed(failure),
            EngineError::Interrupted => Self::Stopped,
            EngineError::Outdated => Self::Outdated,
            EngineError::Conflict(message) => Self::Failed(Failure::new("000625", "40001", message)),
            EngineError::Lost => Self::Failed(engine_lost()),
            EngineError::Internal(message) => Self::Internal(message),
        }
    }
}

impl From<CatalogError> for RunError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Failed(failure) => Self::Failed(failure),
            CatalogError::RoleNotGranted(_) => Self::Failed(Failure::new("003013", "42501", error.to_string())),
            full if full.is_disk_full() => Self::Failed(no_space_left()),
            damaged if damaged.is_damage() => {
                tracing::error!(error = %damaged, "the state file is damaged");
                let message = format!("SQL execution error: {}.", StatementError::DamagedState);
                Self::Failed(Failure::new("000603", DAMAGED_STATE, message))
            }
            other => match other.disk_failure() {
                Some(cause) => Self::Failed(disk_failed(&cause)),
                None => Self::Internal(other.to_string()),
            },
        }
    }
}

/// Of the files of results and databases.
impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        of_disk(&error).map_or_else(|| Self::Internal(error.to_string()), Self::Failed)
    }
}

impl From<PartitionError> for RunError {
    fn from(error: PartitionError) -> Self {
        match error {
            PartitionError::Engine(error) => error.into(),
            PartitionError::Disk(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_statement_fails_as_before_unless_others_are_the_cause() {
        let wrong_types = || Failure::new("001044", "42P13", "Invalid argument types");
        let conflict = EngineError::Conflict("another transaction changed the rows".to_owned());
        for (again, expected) in [
            (RunError::Failed(wrong_types()), "too large"),
            (RunError::Failed(Failure::new("100046", "22003", "too large for 128 bits")), "too large"),
            (RunError::Internal("no such overload".to_owned()), "too large"),
            (RunError::Outdated, "definitions changed while the statement was planned"),
            (RunError::Stopped, "the statement was stopped"),
            (conflict.into(), "another transaction changed the rows"),
            (RunError::Failed(no_space_left()), "SQL execution error: the server has no space left on its disk."),
        ] {
            let first = Failure::new("100046", "22003", "too large");
            assert_eq!(again.of_repeated(first).to_string(), expected);
        }
    }
}

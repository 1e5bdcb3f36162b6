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

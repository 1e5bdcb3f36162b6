//! Why a statement did not succeed.

use std::io;

use firn_catalog::CatalogError;
use firn_engine::EngineError;
use firn_engine::error::no_space_left;
use firn_sql::{Failure, secrets_in_text};

use crate::partitions::PartitionError;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Failed(#[from] Failure),
    #[error("the statement was stopped")]
    Stopped,
    #[error("{0}")]
    Internal(String),
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
            EngineError::Conflict(message) => Self::Failed(Failure::new("000625", "40001", message)),
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
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<PartitionError> for RunError {
    fn from(error: PartitionError) -> Self {
        match error {
            PartitionError::Engine(error) => error.into(),
            PartitionError::Disk(error) if error.kind() == io::ErrorKind::StorageFull => Self::Failed(no_space_left()),
            PartitionError::Disk(error) => Self::Internal(error.to_string()),
        }
    }
}

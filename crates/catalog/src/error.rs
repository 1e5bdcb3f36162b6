//! What can go wrong in the catalog.

use firn_sql::Failure;

#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The caller's mistake, in the contract's terms.
    #[error("{0}")]
    Failed(#[from] Failure),
    /// The requested role does not exist or is not granted; the two look alike.
    #[error("role '{0}' specified in the request is not granted to the user; GRANT ROLE makes it so")]
    RoleNotGranted(String),
    #[error("the state file failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the state file holds something unreadable: {0}")]
    Corrupt(String),
    #[error("the state folder failed: {0}")]
    Io(#[from] std::io::Error),
}

impl CatalogError {
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Sqlite(cause) => cause.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull),
            Self::Io(cause) => cause.kind() == std::io::ErrorKind::StorageFull,
            _ => false,
        }
    }
}

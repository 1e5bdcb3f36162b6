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
            Self::Sqlite(cause) => match cause.sqlite_error() {
                // The second is of the index of the log, which cannot grow.
                Some(error) => {
                    error.code == rusqlite::ErrorCode::DiskFull
                        || error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE
                }
                None => false,
            },
            Self::Io(cause) => cause.kind() == std::io::ErrorKind::StorageFull,
            _ => false,
        }
    }

    /// The system's or SQLite's word for it, if the disk failed or may not be written to.
    pub fn disk_failure(&self) -> Option<String> {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly, SystemIoFailure};
        match self {
            Self::Sqlite(cause) => match cause.sqlite_error_code()? {
                SystemIoFailure => Some("Input/output error".to_owned()),
                ReadOnly => Some("the state file may not be written to".to_owned()),
                CannotOpen => Some("the state file cannot be opened".to_owned()),
                _ => None,
            },
            Self::Io(cause) => cause.raw_os_error().map(|_| cause.to_string()),
            _ => None,
        }
    }

    /// Whether the state file no longer has the content that was written.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let code = match self {
            Self::Sqlite(cause) => cause.sqlite_error_code(),
            _ => None,
        };
        matches!(self, Self::Corrupt(_)) || matches!(code, Some(DatabaseCorrupt | NotADatabase))
    }
}

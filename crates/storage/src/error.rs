//! What can go wrong with a storage.

use firn_sql::Failure;

#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The configuration does not name the place.
    #[error("the storage '{0}' is not among those that this server may reach; the setting external_stages names them")]
    NotAllowed(String),
    /// The storage answered and refused.
    #[error("{message} (Status Code: {status}; Error Code: {code})")]
    Refused { status: u16, code: String, message: String },
    #[error("the storage at {place} cannot be reached: {cause}")]
    Unreachable { place: String, cause: String },
    #[error("the answer of the storage at {place} makes no sense: {cause}")]
    Malformed { place: String, cause: String },
    #[error("the object '{0}' has a name that no path on a stage can have; name a folder that does not hold it")]
    OddName(String),
    #[error("the object '{0}' changed while it was read; run the statement again")]
    Changed(String),
    #[error("{0}")]
    TooMuch(String),
    /// The machine's trouble.
    #[error("a file for an object cannot be used: {0}")]
    Disk(#[from] std::io::Error),
}

impl StorageError {
    /// The error of the statement; `None` for an internal error.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Disk(_) => None,
            Self::NotAllowed(_) => Some(Failure::new("003001", "42501", format!("SQL access control error:\n{self}"))),
            Self::TooMuch(_) => Some(Failure::new("000603", "54000", self.to_string())),
            _ => Some(Failure::new("091003", "55000", format!("Failure using stage area. Cause: [{self}]"))),
        }
    }
}

//! What the engine needs to reach storage outside the server.

use std::sync::Arc;

use firn_storage::{Storage, Vault};

#[derive(Clone, Debug)]
pub struct ExternalAccess {
    pub storage: Storage,
    /// Encrypts the credentials of stages.
    pub vault: Arc<Vault>,
    /// The largest file that is fetched.
    pub file_bytes_max: u64,
    /// All files together that one location brings.
    pub bytes_max: u64,
}

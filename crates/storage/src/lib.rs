//! Object storage outside the server that speaks S3. Nothing is reached but the places that the configuration names:
//! whoever asks for a bucket gets it from `Storage`, which knows them.

pub mod allowed;
mod bucket;
pub mod error;
mod listing;
mod signature;
pub mod vault;

pub use allowed::{AllowedPlace, Storage};
pub use bucket::{Bucket, StoredObject};
pub use error::StorageError;
pub use vault::Vault;

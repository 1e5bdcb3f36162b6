//! External object storage with the S3 protocol. Only the locations that the configuration names are accessible: buckets
//! are obtained from `Storage`, which checks them.

pub mod allowed;
mod bucket;
pub mod error;
mod list_pages;
mod listing;
mod resolver;
mod signature;
pub mod vault;

pub use allowed::{AllowedPlace, Storage};
pub use bucket::{Bucket, StoredObject};
pub use error::StorageError;
pub use resolver::CarefulResolver;
pub use vault::Vault;

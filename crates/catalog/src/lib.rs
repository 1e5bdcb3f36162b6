//! firn's own state in one SQLite file: who may call, what they may be, which warehouses and
//! databases exist, and every statement's outcome.
//!
//! Principals are read from an immutable snapshot in memory that each change replaces, so that
//! authenticating a request touches no disk. Secrets are kept as hashes only.

pub mod caller;
pub mod error;
pub mod principals;
pub mod registry;
pub mod warehouses;

pub use caller::{ActiveRole, Caller};
pub use error::CatalogError;
pub use principals::{Principals, User};
pub use registry::Registry;

//! firn's own state in one SQLite file: users, roles, tokens, warehouses, databases, and every statement's outcome.
//!
//! Principals are read from an immutable snapshot in memory that each change replaces, so that
//! authenticating a request touches no disk. Secrets are stored as hashes only.

pub mod analyst;
mod apply;
pub mod caller;
mod catalog;
mod clock;
mod database_records;
pub mod databases;
pub mod error;
pub mod file_links;
mod first_start;
pub mod grants;
pub mod handovers;
pub mod integrations;
mod link_key;
mod memory;
pub mod principals;
mod properties;
pub mod registry;
mod rsa_key;
pub mod secrets;
pub mod semantic_views;
pub mod session_parameters;
mod store;
mod user;
pub mod warehouses;

pub use analyst::{AnalystFeedback, AnalystRequest, FeedbackOf};
pub use apply::AccountOutcome;
pub use caller::{ActiveRole, Caller};
pub use catalog::Catalog;
pub use database_records::DatabaseRecord;
pub use error::CatalogError;
pub use file_links::{FileLink, LinkUse};
pub use first_start::{FIRST_DATABASE, FirstStart};
pub use grants::{FutureGrant, FuturePlace, GrantEdit, PrivilegeGrant, Securable};
pub use handovers::Handover;
pub use integrations::SecurityIntegration;
pub use principals::holders::{Holder, is_account_role};
pub use principals::{AccessToken, DatabaseRole, Principals, Role, RoleGrant};
pub use registry::Registry;
pub use rsa_key::RsaKey;
pub use user::User;
pub use warehouses::Warehouse;

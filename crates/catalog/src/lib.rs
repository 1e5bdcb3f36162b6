//! firn's own state in one SQLite file: users, roles, tokens, warehouses, databases, and every statement's outcome.
//!
//! Principals are read from an immutable snapshot in memory that each change replaces, so that
//! authenticating a request touches no disk. Secrets are stored as hashes only.

mod access_changes;
pub mod analyst;
mod apply;
pub mod caller;
mod catalog;
pub mod catalog_integrations;
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
pub mod login_policies;
mod login_sessions;
mod logins;
mod memory;
pub mod network_policies;
pub mod passwords;
pub mod principals;
mod properties;
pub mod registry;
pub mod resource_monitors;
mod rsa_key;
pub mod secrets;
pub mod semantic_views;
pub mod session_parameters;
mod store;
pub mod tags;
mod user;
mod user_management;
mod visibility;
pub mod warehouses;

pub use analyst::{AnalystFeedback, AnalystRequest, AnsweredQuestion, AskedBy};
pub use apply::{AccountOutcome, quota_exceeded};
pub use caller::{ActiveRole, AuthenticationMethod, Caller, ClientType, TiedToken};
pub use catalog::Catalog;
pub use catalog_integrations::CatalogIntegration;
pub use database_records::DatabaseRecord;
pub use error::CatalogError;
pub use file_links::{DriverUse, DriverVerb, FileLink, LinkReach, LinkUse};
pub use first_start::{ADMIN_TOKEN, ADMIN_USER, FIRST_DATABASE, FirstStart};
pub use grants::{FutureGrant, FuturePlace, GrantEdit, PrivilegeGrant, Securable};
pub use handovers::Handover;
pub use integrations::SecurityIntegration;
pub use login_policies::{LoginPolicy, LoginPolicyEdit, PasswordRules, PolicyOwner};
pub use login_sessions::SESSION_LIFETIME_S;
pub use logins::Edited;
pub use network_policies::NetworkPolicy;
pub use principals::holders::{Holder, is_account_role};
pub use principals::{AccessToken, DatabaseRole, Principals, Role, RoleGrant};
pub use registry::Registry;
pub use resource_monitors::ResourceMonitor;
pub use rsa_key::RsaKey;
pub use store::{DatabaseFile, STATE_FILE, STATE_VERSION, StateCopied, StateSnapshot};
pub use tags::Tagged;
pub use user::{Barred, User};
pub use visibility::Visibility;
pub use warehouses::Warehouse;

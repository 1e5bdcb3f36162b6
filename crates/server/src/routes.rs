//! The handlers, by resource and verb.

pub mod analyst;
pub mod backups;
pub mod console;
pub mod driver;
pub mod driver_files;
pub mod health;
pub mod history;
pub mod login;
pub mod mcp;
pub mod metrics;
pub mod openapi;
pub mod sessions;
pub mod stage_files;
pub mod statements;

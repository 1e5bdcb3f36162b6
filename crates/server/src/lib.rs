//! The HTTP server: routes, bodies, errors, configuration. Only this crate knows HTTP status codes
//! and JSON bodies.

pub mod analyst;
pub mod answer;
pub mod backup;
pub mod bodies;
mod browser_headers;
mod clock;
pub mod compression;
pub mod config;
pub mod console;
pub mod data_folder_lock;
pub mod demo;
mod download;
mod ephemeral;
pub mod error;
mod failed_logins;
mod first_read;
mod folders;
pub mod link_header;
mod link_logins;
pub mod listener;
pub mod logging;
mod logins;
pub mod metrics;
mod noted_logins;
pub mod observe;
pub mod openapi;
mod own_files;
pub mod plain_partition;
mod read_only_requests;
pub mod readiness;
pub mod request;
pub mod result_set;
pub mod router;
pub mod routes;
pub mod serve;
pub mod state;
mod state_file;
mod stop_signals;
pub mod welcome;
mod wrapped_streams;
mod write_deadline;

pub use config::{Config, ConfigError, Settings};
pub use console::ConsoleFile;
pub use serve::{ServeError, serve};

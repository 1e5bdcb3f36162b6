//! The session protocol of the official drivers, by verb.

pub mod chunk;
pub mod heartbeat;
pub mod log_out;
pub mod login_request;
pub mod monitoring;
pub mod query_request;
pub mod query_result;
pub mod telemetry;
pub mod token_request;
pub mod unsupported;

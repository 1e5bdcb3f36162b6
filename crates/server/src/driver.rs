//! The session protocol of the official drivers: logins, sessions and their tokens, and the envelope of every answer. What runs and
//! how is decided in `firn_statements`, as for `/api/v2`.

pub mod answer;
pub mod caller;
pub mod chunks;
pub mod client_family;
pub mod envelope;
pub mod files;
pub mod login;
pub mod parameters;
pub mod public_address;
pub mod query_body;
pub mod result_format;
mod row_type;
pub mod rows;
pub mod sessions;

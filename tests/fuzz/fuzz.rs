//! The targets of the mutation engine. `make fuzz` runs them for long, with a new seed each time.

#[path = "targets/questions.rs"]
mod questions;
#[path = "targets/requests.rs"]
mod requests;
#[path = "targets/sql.rs"]
mod sql;
#[path = "targets/tables.rs"]
mod tables;
#[path = "targets/tokens.rs"]
mod tokens;

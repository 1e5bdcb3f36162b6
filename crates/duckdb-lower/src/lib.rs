//! Lowers the dialect to DuckDB's SQL: rewrite passes, their look-ups of names and types, and the macros that lowered
//! statements call. Nothing here calls the engine.

pub mod assignment;
pub(crate) mod bound_schemas;
pub mod collations;
pub mod dialect;
pub mod identifiers;
pub mod information_schema;
pub mod lookup;
pub mod macros;
pub mod materialize_sources;
pub mod stored;
pub mod target_policies;
pub mod temporary;
pub mod types;
pub mod wrong_arguments;

/// The database under which the rows of staged files are known for one statement.
pub const STAGED_DATABASE: &str = "@";

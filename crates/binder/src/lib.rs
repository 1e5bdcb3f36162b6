//! The binder: resolves the names and types of a statement before it is lowered to an engine.
//!
//! It takes a statement that `firn-sql` has parsed, normalized and resolved, and a `SchemaProvider`, and yields a
//! `Bound` description: the result columns of the query, the type of every column reference and function call, and the
//! relation every column reference belongs to. The type of any other expression follows from those (`Bound::type_of`).
//!
//! It knows no engine, and it never refuses a statement: what it does not model has the type `Unknown`, and what is
//! wrong with a statement is listed in `Bound::errors`, for the caller to raise.
//!
//! Semantic views are expanded before a statement gets here, and sequences are calls of NEXTVAL. Calls of users' functions
//! are bound to their overloads once (`overloads.rs`), and their bodies take their places before the statement is lowered.

mod arithmetic;
mod binder;
mod bound;
mod casts;
mod coercion;
mod constants;
mod display;
mod error;
mod functions;
mod node;
mod operators;
mod overloads;
mod query_scopes;
mod schema;
mod scope;
#[cfg(test)]
mod testing;
mod types;

pub use binder::{bind, bind_within};
pub use bound::{Bound, LoweredTypes, Node, Origin, OutputColumn, Reference, Relation, RelationId};
pub use coercion::{common_type, is_implicit};
pub use error::BindError;
pub use node::NodeId;
pub use overloads::resolve_overload;
pub use query_scopes::{QueryScopes, SelectRelation};
pub use schema::{ColumnSchema, RelationSchema, SchemaError, SchemaProvider};
pub use types::{Family, TEXT_LENGTH_MAX, Type, ValueType};

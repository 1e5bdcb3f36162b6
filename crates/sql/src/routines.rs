//! User-defined functions and procedures in SQL: their definitions, and how a call is expanded to an expression or a
//! relation.

mod arguments;
mod calls;
mod expand;

pub use arguments::Call;
pub use calls::{
    Called, Replacement, called, called_in_query, calls_of, completed, is_of_user, relation_called, replace_relation,
};
pub use expand::{Expansion, expand_relation, expand_scalar, typed_arguments};

pub use crate::command::routine::{
    Direction, NamedDatabase, Parameter, Returns, Rights, Routine, RoutineChange, RoutineKind, signature, type_word,
};

//! User-defined functions and procedures in SQL: their definitions, and how a call is expanded to an expression or a
//! relation.

mod arguments;
mod calls;
mod column_types;
mod expand;
mod plain_types;

pub use arguments::{Call, choose};
pub(crate) use calls::completed;
pub use calls::{Called, called, relation_called, replace_calls, replace_relation};
pub use column_types::{ColumnTypes, RelationColumns};
pub use expand::{Expansion, expand_relation, expand_scalar, typed_arguments};

pub use crate::command::routine::{
    Direction, Parameter, Returns, Rights, Routine, RoutineChange, RoutineKind, signature, type_word,
};

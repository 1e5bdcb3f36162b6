//! The SQL front: text in, classified, bound and resolved statements out.
//!
//! This crate knows neither an engine nor HTTP. It never rewrites SQL as text: everything happens
//! on the syntax tree, and each engine prints the tree for itself.

pub mod bindings;
pub mod command;
pub mod context;
pub mod failure;
pub mod functions;
pub mod names;
pub mod repeatable;
pub mod resolve;
pub mod script;

pub use bindings::bind;
pub use command::{Command, Statement};
pub use context::{SessionContext, substitute_context};
pub use failure::Failure;
pub use functions::check_functions;
pub use names::{Namespace, ObjectName};
pub use repeatable::is_repeatable;
pub use resolve::{Access, ObjectUse, UsedKind, Uses, resolve};
pub use script::{ParseLimits, SourceStatement, parse_statement, split_script};

/// The syntax tree the front works on.
pub use sqlparser::ast;

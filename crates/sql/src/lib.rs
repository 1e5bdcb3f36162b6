//! The SQL front: text in, classified, bound and resolved statements out.
//!
//! This crate knows neither an engine nor HTTP. It never rewrites SQL as text: everything happens
//! on the syntax tree, and each engine prints the tree for itself.

pub mod bindings;
pub mod command;
pub mod failure;
pub mod names;

pub use command::{Command, Statement};
pub use failure::Failure;
pub use names::{Namespace, ObjectName};

/// The syntax tree the front works on.
pub use sqlparser::ast;

//! Statements that change the session.

use crate::ast;
use crate::names::SchemaName;

#[derive(Clone, Debug)]
pub enum SessionCommand {
    UseDatabase(String),
    UseSchema(SchemaName),
    UseWarehouse(String),
    UseRole(String),
    UseSecondaryRoles(SecondaryRoles),
    SetParameters(Vec<(String, String)>),
    UnsetParameters(Vec<String>),
    UnsetVariables(Vec<String>),
}

/// Whether the privileges of all other roles of the user count beside those of the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondaryRoles {
    All,
    None,
}

/// `SET a = …` and `SET (a, b) = (…, …)`: one row of the query gives the values.
#[derive(Clone, Debug)]
pub struct SetVariables {
    pub names: Vec<String>,
    pub query: Box<ast::Query>,
}

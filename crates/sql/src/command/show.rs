//! SHOW: what is to be listed, and where.

use super::{GrantScope, ObjectKind};
use crate::names::{ObjectName, SchemaName};
use crate::semantic_views::MetricName;

/// `SHOW <kind> [LIKE p] [IN scope] [STARTS WITH s] [LIMIT n [FROM s]]`.
#[derive(Clone, Debug)]
pub struct Show {
    pub kind: ObjectKind,
    /// Which functions, where `kind` is these.
    pub functions: ListedFunctions,
    pub terse: bool,
    /// What was dropped and may come back, too.
    pub history: bool,
    pub like: Option<String>,
    pub scope: Scope,
    pub starts_with: Option<String>,
    pub limit: Option<u64>,
    pub from: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedFunctions {
    #[default]
    All,
    /// SHOW USER FUNCTIONS
    OfUsers,
    /// SHOW BUILTIN FUNCTIONS
    BuiltIn,
}

/// A semantic view, and the metric whose dimensions are asked for.
#[derive(Clone, Debug)]
pub struct SemanticScope {
    pub name: ObjectName,
    pub metric: Option<MetricName>,
}

#[derive(Clone, Debug)]
pub enum Scope {
    /// No IN clause: the session's own schema or database where it has one.
    Session,
    Account,
    Database(String),
    Schema(SchemaName),
    /// `IN name`: a schema of the session's database, else a database.
    SchemaOrDatabase(String),
    Object(ObjectName),
    /// `SHOW SEMANTIC DIMENSIONS IN v [FOR METRIC m]`.
    SemanticView(Box<SemanticScope>),
    /// `SHOW USER … TOKENS FOR USER u`, `SHOW PARAMETERS FOR USER u`.
    User(String),
    /// Of SHOW GRANTS.
    Grants(Box<GrantScope>),
    Warehouse(String),
}

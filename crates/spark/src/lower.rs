//! From a bound statement of the dialect to Spark's SQL. Every node of the tree is said anew, by its type where that matters;
//! what has no rendering here is refused by name. No text of a statement reaches a cluster as it came.

mod calls;
mod casts;
mod dates;
mod expressions;
mod from;
mod function_table;
mod literals;
mod operators;
mod queries;
mod selects;
mod special_calls;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod windows;

use std::sync::Arc;

use firn_binder::{Bound, OutputColumn, SchemaProvider, bind};
use firn_engine::{EngineError, ExecutionContext, Integers};
use firn_sql::ast::Query;
use firn_sql::{Failure, ObjectName};

use crate::types::Reading;
use selects::Aliases;

/// What is written as it is lowered.
pub(crate) type Text = Result<String, Failure>;

/// How a table of the dialect is read on the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteTable {
    /// Catalog, schema and table as the cluster spells them.
    pub(crate) path: Vec<String>,
    /// Every column: the name in the dialect, the cluster's own, and how its values are read.
    pub(crate) columns: Vec<(String, String, Reading)>,
}

/// Where the tables of a statement are.
pub(crate) trait RemoteTables {
    fn remote(&self, name: &ObjectName) -> Result<Arc<RemoteTable>, Failure>;
}

/// A statement in Spark's SQL.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) sql: String,
    pub(crate) columns: Arc<[OutputColumn]>,
}

pub(crate) fn lower_query(
    query: &Query,
    schemas: &dyn SchemaProvider,
    tables: &dyn RemoteTables,
    context: &ExecutionContext,
) -> Result<Lowered, EngineError> {
    let mut query = query.clone();
    let bound = bind(&mut query, schemas)?;
    if let Some(error) = bound.errors.first() {
        return Err(error.failure().into());
    }
    let aliases = Aliases::default();
    let lowering = Lowering { bound: &bound, tables, context, aliases: &aliases };
    let sql = lowering.outermost(&query)?;
    let columns = bound.columns.clone().ok_or_else(|| refused("statement whose columns are not known"))?;
    Ok(Lowered { sql, columns })
}

/// What the lowering of a statement looks up.
pub(crate) struct Lowering<'a> {
    bound: &'a Bound,
    tables: &'a dyn RemoteTables,
    context: &'a ExecutionContext,
    /// Of the select around.
    aliases: &'a Aliases<'a>,
}

impl Lowering<'_> {
    fn within<'b>(&'b self, aliases: &'b Aliases<'b>) -> Lowering<'b> {
        Lowering { bound: self.bound, tables: self.tables, context: self.context, aliases }
    }

    fn has_wide_integers(&self) -> bool {
        self.context.integers == Integers::Wide
    }
}

/// What cannot be said to a cluster.
pub(crate) fn refused(what: &str) -> Failure {
    Failure::unsupported(&format!("{what} over linked databases"))
}

/// A name in Spark's quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

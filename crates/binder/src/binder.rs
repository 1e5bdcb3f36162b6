//! Binds the statements of a tree, from the outermost query inwards.

mod clauses;
mod dml;
pub(crate) mod expressions;
mod from;
mod grouping;
mod names;
mod queries;
mod selects;
mod table_functions;
#[cfg(test)]
mod tests;
mod user_functions;
mod wildcards;

use firn_sql::tree::{Tree, TreeNode};

use clauses::CallPlace;
use queries::Recursion;

use crate::bound::{Bound, Relation, RelationId};
use crate::node;
use crate::schema::{SchemaError, SchemaProvider};
use crate::scope::{Columns, Scope, ScopeRelation};
use crate::types::ValueType;

/// Numbers the nodes of a query, a statement or an expression and binds them.
pub fn bind(tree: &mut dyn Tree, schemas: &dyn SchemaProvider) -> Result<Bound, SchemaError> {
    bind_within(tree, schemas, Vec::new())
}

/// As `bind`, of a tree whose names may also be these: the parameters of a function in its body.
pub fn bind_within(
    tree: &mut dyn Tree,
    schemas: &dyn SchemaProvider,
    parameters: Vec<(String, ValueType)>,
) -> Result<Bound, SchemaError> {
    let mut binder = Binder::new(tree, schemas);
    if !parameters.is_empty() {
        binder.scopes.push(Scope { lambda_parameters: parameters, ..Scope::default() });
    }
    match tree.node_mut() {
        TreeNode::Query(query) => binder.bound.columns = binder.query(query)?.list(),
        TreeNode::Body(body) => binder.bound.columns = binder.body(body, None)?.list(),
        TreeNode::Statement(statement) => binder.statement(statement)?,
        TreeNode::Expr(expr) => drop(binder.expression(expr)?),
    }
    Ok(binder.bound)
}

/// The state of one binding: the scopes of the queries around the node that is being bound, innermost last.
pub(crate) struct Binder<'schemas> {
    schemas: &'schemas dyn SchemaProvider,
    pub(crate) scopes: Vec<Scope>,
    /// The common table expressions in scope, innermost last.
    pub(crate) ctes: Vec<(String, Columns)>,
    /// How many branches of the set operation that is being bound come before its current node.
    branches_before: usize,
    recursion: Recursion,
    /// The position of the node in its select.
    place: CallPlace,
    bound: Bound,
}

impl<'schemas> Binder<'schemas> {
    fn new(tree: &mut dyn Tree, schemas: &'schemas dyn SchemaProvider) -> Self {
        let mut binder = Self::with(schemas);
        binder.bound.nodes.resize_with(node::number_nodes(tree), || None);
        binder
    }

    /// For a tree whose nodes are not numbered: their types are not noted.
    pub(crate) fn with(schemas: &'schemas dyn SchemaProvider) -> Self {
        Self {
            schemas,
            scopes: Vec::new(),
            ctes: Vec::new(),
            branches_before: 0,
            recursion: Recursion::default(),
            place: CallPlace::default(),
            bound: Bound::default(),
        }
    }

    /// Adds a relation to the innermost scope.
    fn add_relation(&mut self, name: String, columns: Columns) {
        let id = RelationId(u32::try_from(self.bound.relations.len()).unwrap_or(u32::MAX));
        let schema = match &columns {
            Columns::Schema(schema) => Some(schema.clone()),
            Columns::List(_) | Columns::Unknown => None,
        };
        self.bound.relations.push(Relation { name: name.clone(), schema });
        if let Some(scope) = self.scopes.last_mut() {
            scope.relations.push(ScopeRelation::new(id, name, columns));
        }
    }
}

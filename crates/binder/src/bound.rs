//! What binding a statement yields.

use std::fmt;
use std::sync::Arc;

use firn_sql::Failure;
use firn_sql::ast::{DataType as TreeType, Expr, Function, Ident, ObjectName};
use firn_sql::command::DataType;
use foldhash::HashMap;

use crate::binder::expressions;
use crate::display::display;
use crate::error::BindError;
use crate::node::NodeId;
use crate::schema::{ColumnSchema, RelationSchema};
use crate::types::{Type, ValueType};

/// The bound statement. Types of nodes are looked up by node id, which rewrites preserve.
#[derive(Debug, Default)]
pub struct Bound {
    /// The result columns of a query; `None` where a relation's columns are not known, or for what is no query.
    pub columns: Option<Arc<[OutputColumn]>>,
    /// What is wrong with the statement, in the order it was found.
    pub errors: Vec<BindError>,
    pub(crate) relations: Vec<Relation>,
    /// By the number of the node.
    pub(crate) nodes: Vec<Option<Node>>,
    /// The overloads that calls of users' functions mean, by their places in `SchemaProvider::overloads`.
    pub(crate) overloads: HashMap<NodeId, Result<usize, Failure>>,
}

impl Bound {
    /// The type of a column reference, a positional reference or a function call, and what it refers to.
    pub fn node(&self, expr: &Expr) -> Option<&Node> {
        self.nodes.get(NodeId::of(expr)?.index())?.as_ref()
    }

    /// The type of any expression made of bound nodes, literals and operators of the dialect.
    pub fn type_of(&self, expr: &Expr) -> ValueType {
        expressions::type_of(expr, self)
    }

    /// As `type_of`, of an expression that a lowering has rewritten in part.
    pub fn type_of_lowered(&self, expr: &Expr, lowered_types: &dyn LoweredTypes) -> ValueType {
        expressions::type_of_lowered(expr, self, lowered_types)
    }

    /// What a name refers to.
    pub fn reference(&self, name: &[Ident]) -> Option<&Node> {
        let id = NodeId::of_name(name.last()?)?;
        self.nodes.get(id.index())?.as_ref()
    }

    /// The type of what a name refers to.
    pub fn type_of_name(&self, name: &[Ident]) -> Option<&Type> {
        self.reference(name).map(|node| &node.value.data_type)
    }

    /// The declared type of the column of a table or view that a name refers to, through any number of subqueries.
    pub fn stored_type(&self, name: &[Ident]) -> Option<&DataType> {
        self.reference(name)?.origin.as_ref()?.data_type()
    }

    /// Which of the overloads of its name the call of a user's function means; `None` where the call was not bound.
    pub fn overload(&self, function: &ObjectName) -> Option<&Result<usize, Failure>> {
        self.overloads.get(&NodeId::of_function(function)?)
    }

    /// An expression as messages show it.
    pub fn display(&self, expr: &Expr) -> String {
        display(expr.clone(), &|name| match self.reference(name)?.reference? {
            Reference::Column { relation, .. } => self.relation(relation),
            _ => None,
        })
    }

    /// The first relation of a statement that changes rows is the one whose rows they are.
    pub fn is_target(&self, id: RelationId) -> bool {
        id.0 == 0
    }

    pub fn relation(&self, id: RelationId) -> Option<&Relation> {
        self.relations.get(id.0 as usize)
    }
}

/// The dialect types of the calls and casts that a lowering inserts.
pub trait LoweredTypes {
    /// `None` for a type that the engine has no name of its own for.
    fn type_of_cast(&self, target: &TreeType) -> Option<Type>;
    /// The type of a call that is not the dialect's.
    fn type_of_call(&self, function: &Function, bound: &Bound) -> Option<Type>;
}

#[derive(Clone, Debug)]
pub struct Node {
    pub value: ValueType,
    /// The column of a table or view that a name refers to, through any number of subqueries.
    pub origin: Option<Origin>,
    /// `None` for a function call.
    pub reference: Option<Reference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// A column of a relation in FROM.
    Column {
        relation: RelationId,
        column: u32,
    },
    /// The one column that USING or NATURAL makes of both sides.
    JoinColumn,
    /// An alias of the select list, or an output column in ORDER BY.
    Alias,
    LambdaParameter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationId(pub(crate) u32);

/// An entry of a FROM clause.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The name that its columns are qualified with; empty if it has none.
    pub name: String,
    /// The table or view behind it.
    pub schema: Option<Arc<dyn RelationSchema>>,
}

#[derive(Clone, Debug)]
pub struct OutputColumn {
    pub name: Arc<str>,
    pub value: ValueType,
    /// The column of a table or view that is shown unchanged.
    pub origin: Option<Origin>,
}

#[derive(Clone)]
pub struct Origin {
    pub relation: Arc<dyn RelationSchema>,
    pub column: usize,
}

impl Origin {
    pub fn column(&self) -> Option<ColumnSchema<'_>> {
        self.relation.column(self.column)
    }

    pub fn data_type(&self) -> Option<&DataType> {
        self.column().map(|column| column.data_type)
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.relation.name(), self.column().map(|column| column.name).unwrap_or_default())
    }
}

impl fmt::Debug for dyn RelationSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.name())
    }
}

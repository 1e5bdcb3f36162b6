//! What the names of a statement refer to, as the binder resolves them by scope, and all names that its tables have, for
//! passes that avoid names.

use std::ops::ControlFlow;
use std::rc::Rc;

use firn_binder::{BindError, Bound, bind};
use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, ObjectName, Select, SelectItem, TableFactor, Visitor};
use firn_sql::command::DataType;
use firn_sql::tree::{Tree, TreeNode};
use foldhash::HashSet;

use super::rewrite_context::RewriteContext;
use super::{relations, row_numbers};
use crate::bound_schemas::Schemas;

#[derive(Default)]
pub(super) struct Columns {
    /// The columns of all tables.
    names: HashSet<String>,
    /// What columns may be qualified with.
    qualifiers: HashSet<String>,
    /// The aliases of all select lists.
    aliases: HashSet<String>,
    row_number: bool,
    small_letters: bool,
    bound: Rc<Bound>,
}

impl Columns {
    pub(super) fn reader<'session>(rewrite_context: &'session RewriteContext<'session>) -> Collector<'session> {
        Collector { rewrite_context, found: Self::default(), error: None }
    }

    /// Resolves the names of a statement by scope. An expression alone has no scope, and in a statement without tables
    /// the engine refuses every name.
    pub(super) fn bind(
        &mut self,
        node: &mut dyn Tree,
        rewrite_context: &RewriteContext<'_>,
    ) -> Result<(), EngineError> {
        let bound = bind(node, &Schemas(rewrite_context.lookup))?;
        let is_expression = matches!(node.node_mut(), TreeNode::Expr(_));
        let has_scope = !self.names.is_empty() && !is_expression;
        let is_certain = |error: &&BindError| match error {
            BindError::InvalidIdentifier { name, .. } => has_scope || (!is_expression && is_value_of_engine(name)),
            BindError::MissingObject { .. } => false,
            _ => true,
        };
        if let Some(error) = bound.errors.iter().find(is_certain) {
            return Err(error.failure().into());
        }
        self.bound = Rc::new(bound);
        Ok(())
    }

    pub(super) fn bound(&self) -> &Rc<Bound> {
        &self.bound
    }

    /// Whether the statement has the engine's name for the number of a row.
    pub(super) fn has_row_number(&self) -> bool {
        self.row_number
    }

    /// Whether any name of the statement, or of the columns of its tables, has a letter in lower case.
    pub(super) fn has_small_letters(&self) -> bool {
        self.small_letters || self.names.iter().any(|name| has_small_letter(name))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether a table of the statement is called like a column of any of its tables, or like an alias of a select list.
    pub(super) fn names_a_table_like_a_column(&self) -> bool {
        self.qualifiers.iter().any(|name| self.has(name) || self.aliases.contains(name))
    }

    /// The type of a column.
    pub(super) fn type_of(&self, name: &Expr) -> Option<&DataType> {
        let parts = match name {
            Expr::Identifier(ident) => std::slice::from_ref(ident),
            Expr::CompoundIdentifier(parts) => parts,
            _ => return None,
        };
        self.bound.type_of_name(parts)?.data_type()
    }

    /// The names of the columns of all tables.
    pub(super) fn names(&self) -> &HashSet<String> {
        &self.names
    }
}

/// Names that stand for values of the engine's session where no column has them.
const VALUES_OF_ENGINE: &[&str] = &[
    "CURRENT_CATALOG",
    "CURRENT_DATE",
    "CURRENT_ROLE",
    "CURRENT_SCHEMA",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "SESSION_USER",
    "USER",
];

fn is_value_of_engine(name: &str) -> bool {
    let name = name.trim_matches('"').to_ascii_uppercase();
    VALUES_OF_ENGINE.contains(&name.as_str())
}

pub(super) struct Collector<'rewrite_context> {
    rewrite_context: &'rewrite_context RewriteContext<'rewrite_context>,
    found: Columns,
    error: Option<EngineError>,
}

impl Collector<'_> {
    /// What was found, or the error at which the walk ended.
    pub(super) fn columns(self) -> Result<Columns, EngineError> {
        self.error.map_or(Ok(self.found), Err)
    }
}

impl Visitor for Collector<'_> {
    type Break = Failure;

    fn pre_visit_ident(&mut self, ident: &Ident) -> ControlFlow<Failure> {
        self.found.row_number |= row_numbers::is_name(ident);
        self.found.small_letters |= has_small_letter(&ident.value);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        let (alias, name) = match factor {
            TableFactor::Table { alias, name, .. } => (alias.as_ref(), Some(name)),
            TableFactor::Derived { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::NestedJoin { alias, .. }
            | TableFactor::Pivot { alias, .. }
            | TableFactor::Unpivot { alias, .. } => (alias.as_ref(), None),
            _ => return ControlFlow::Continue(()),
        };
        let own_name = || name.and_then(|name| name.0.last()?.as_ident().map(|last| last.value.as_str()));
        let Some(shown) = alias.map(|alias| alias.name.value.as_str()).or_else(own_name) else {
            return ControlFlow::Continue(());
        };
        self.found.qualifiers.insert(shown.to_owned());
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        let aliases = select.projection.iter().filter_map(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
            _ => None,
        });
        self.found.aliases.extend(aliases);
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Failure> {
        let Some(name) = relations::full_name(&relation.0) else { return ControlFlow::Continue(()) };
        match self.rewrite_context.lookup.find(&name) {
            Ok(object) => {
                let columns = object.iter().flat_map(|object| &object.columns);
                self.found.names.extend(columns.map(|column| column.name.clone()));
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("reading a description"))
            }
        }
    }
}

fn has_small_letter(name: &str) -> bool {
    if name.is_ascii() {
        name.bytes().any(|byte| byte.is_ascii_lowercase())
    } else {
        name.chars().any(char::is_lowercase)
    }
}

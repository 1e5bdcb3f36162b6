//! The declared columns of the tables a statement names. Which table a column reference belongs to, the binder knows;
//! what it does not resolve to a table's column is looked up by name alone.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use firn_binder::{Bound, bind};
use firn_engine::{EngineError, ObjectDescription};
use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, ObjectName, TableFactor, Visitor};
use firn_sql::command::DataType;
use firn_sql::tree::Tree;
use foldhash::HashMap;

use super::{RewriteContext, relations, row_numbers};
use crate::bound_schemas::{Schemas, engine_error};

#[derive(Default)]
pub(super) struct Columns {
    types: HashMap<String, Vec<DataType>>,
    tables: Tables,
    collations: HashMap<String, Option<String>>,
    row_number: bool,
    small_letters: bool,
    bound: Rc<Bound>,
}

impl Columns {
    pub(super) fn reader<'session>(rewrite_context: &'session RewriteContext<'session>) -> Collector<'session> {
        Collector { rewrite_context, found: Self::default(), error: None }
    }

    /// Resolves the names of a statement by scope.
    pub(super) fn bind(
        &mut self,
        node: &mut dyn Tree,
        rewrite_context: &RewriteContext<'_>,
    ) -> Result<(), EngineError> {
        if !self.types.is_empty() {
            self.bound = Rc::new(bind(node, &Schemas(rewrite_context.lookup)).map_err(engine_error)?);
        }
        Ok(())
    }

    pub(super) fn bound(&self) -> &Rc<Bound> {
        &self.bound
    }

    /// The names of columns with a collation, and which; `None` where one name has two.
    pub(super) fn collations(&self) -> &HashMap<String, Option<String>> {
        &self.collations
    }

    /// Whether the statement has the engine's name for the number of a row.
    pub(super) fn has_row_number(&self) -> bool {
        self.row_number
    }

    /// Whether any name of the statement, or of the columns of its tables, has a letter in lower case.
    pub(super) fn has_small_letters(&self) -> bool {
        self.small_letters || self.types.keys().any(|name| has_small_letter(name))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// Whether a table of the statement is called like a column of any of its tables.
    pub(super) fn names_a_table_like_a_column(&self) -> bool {
        self.tables.0.keys().any(|name| self.has(name))
    }

    /// The type of a column. Where the table it belongs to is not known, all columns of its name have to have the same.
    pub(super) fn type_of(&self, name: &Expr) -> Option<&DataType> {
        let parts = match name {
            Expr::Identifier(ident) => std::slice::from_ref(ident),
            Expr::CompoundIdentifier(parts) => parts,
            _ => return None,
        };
        if let Some(data_type) = self.bound.stored_type(parts).or_else(|| self.tables.type_of(parts)) {
            return Some(data_type);
        }
        let types = self.types.get(&parts.last()?.value)?;
        types.first().filter(|first| types.iter().all(|data_type| data_type == *first))
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Every name with every type a column of that name has.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &DataType)> {
        self.types.iter().flat_map(|(name, types)| types.iter().map(move |data_type| (name, data_type)))
    }
}

/// What columns are qualified with, and the table it stands for; `None` where it stands for two, or for a query.
#[derive(Clone, Default)]
pub(super) struct Tables(HashMap<String, Option<Arc<ObjectDescription>>>);

impl Tables {
    /// The type of `t.a`.
    pub(super) fn type_of(&self, parts: &[Ident]) -> Option<&DataType> {
        let [.., table, column] = parts else { return None };
        let table = self.0.get(&table.value)?.as_ref()?;
        table.columns.iter().find(|known| known.name == column.value).map(|known| &known.data_type)
    }

    fn learn(&mut self, name: &str, table: Option<Arc<ObjectDescription>>) {
        match self.0.get_mut(name) {
            Some(known) if known.as_ref().map(|known| &known.name) != table.as_ref().map(|table| &table.name) => {
                *known = None;
            }
            Some(_) => {}
            None => {
                self.0.insert(name.to_owned(), table);
            }
        }
    }
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
        let is_renamed = alias.is_some_and(|alias| !alias.columns.is_empty());
        let name = name.filter(|_| !is_renamed).and_then(|name| relations::full_name(&name.0));
        match name.map(|name| self.rewrite_context.lookup.find(&name)).transpose() {
            Ok(table) => {
                self.found.tables.learn(shown, table.flatten());
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("reading a description"))
            }
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<Failure> {
        let Some(name) = relations::full_name(&relation.0) else { return ControlFlow::Continue(()) };
        match self.rewrite_context.lookup.find(&name) {
            Ok(object) => {
                for column in object.iter().flat_map(|object| &object.columns) {
                    self.found.types.entry(column.name.clone()).or_default().push(column.data_type.clone());
                    if let Some(collation) = &column.collation {
                        let known = self.found.collations.entry(column.name.clone());
                        let known = known.or_insert_with(|| Some(collation.clone()));
                        known.take_if(|known| known != collation);
                    }
                }
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

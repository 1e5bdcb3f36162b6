//! The overload that each call of a statement means, by the types that its arguments are bound to. Only the bodies of these
//! are read: what is wrong with another overload is not the statement's.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use firn_binder::{
    Bound, NodeId, OutputColumn, RelationSchema, SchemaError, SchemaProvider, Type, ValueType, bind_within,
    resolve_overload,
};
use firn_engine::{EngineError, RoutineDescription, Session};
use firn_sql::ast::ObjectName as TreeName;
use firn_sql::routines::{Call, Called, Parameter, Replacement, Routine, calls_of, completed, is_of_user};
use firn_sql::tree::Tree;
use firn_sql::{Failure, Namespace, ObjectName, Statement};

use crate::run_error::RunError;

/// The functions of users that a statement may call.
pub(super) struct Overloads<'a> {
    session: &'a dyn Session,
    namespace: &'a Namespace,
    /// By the complete names of the calls.
    candidates: Vec<(ObjectName, Vec<RoutineDescription>)>,
}

/// Reads the body of a function.
type ReadBody<'a> = dyn Fn(RoutineDescription) -> Result<Called, RunError> + 'a;

/// The bodies of the overloads that are called, by the places of their names and by their own.
type Bodies = BTreeMap<(usize, usize), Called>;

impl<'a> Overloads<'a> {
    pub(super) fn new(session: &'a dyn Session, namespace: &'a Namespace) -> Self {
        Self { session, namespace, candidates: Vec::new() }
    }

    pub(super) fn add(&mut self, name: &ObjectName, found: Vec<RoutineDescription>) {
        if !found.is_empty() {
            self.candidates.push((name.clone(), found));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Puts the bodies of functions in the place of their calls, and returns how many there are.
    pub(super) fn expand(
        &self,
        statement: &mut Statement,
        parameters: &[Parameter],
        read_body: &ReadBody<'_>,
    ) -> Result<usize, RunError> {
        let of_parameter = |parameter: &Parameter| {
            (parameter.name.clone(), ValueType::nullable(Type::Of(parameter.data_type.clone())))
        };
        let mut names: Vec<(String, ValueType)> = parameters.iter().map(of_parameter).collect();
        let mut expansion =
            TreeExpansion { overloads: self, bodies: Bodies::new(), replacement: Replacement::default() };
        let mut failed = None;
        let flow = statement.command.each_tree_mut(&mut |tree| match expansion.tree(tree, &names, read_body) {
            Ok(columns) => {
                names.extend(columns.iter().flat_map(|columns| columns.iter()).map(of_column));
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(Failure::unsupported("a function"))
            }
        });
        match (failed, flow) {
            (Some(error), _) => Err(error),
            (None, ControlFlow::Break(failure)) => Err(failure.into()),
            (None, ControlFlow::Continue(())) => Ok(expansion.replacement.bodies),
        }
    }

    /// The place of a call's name among the candidates.
    fn place(&self, name: &TreeName) -> Option<usize> {
        if !is_of_user(name) {
            return None;
        }
        let complete = completed(name, self.namespace)?;
        self.candidates.iter().position(|(known, _)| *known == complete)
    }

    fn routines(&self, place: usize) -> Vec<&Routine> {
        let found = self.candidates.get(place).map(|(_, found)| found.as_slice());
        found.unwrap_or_default().iter().map(|described| &described.routine).collect()
    }

    /// The overload of a call by its name and its own place. In a clause that the binder does not bind, no type is known.
    fn chosen(&self, bound: &Bound, name: &TreeName, call: &Call) -> Option<Result<(usize, usize), Failure>> {
        let place = self.place(name)?;
        let overload = match bound.overload(name) {
            Some(overload) => overload.clone(),
            None => resolve_overload(call, &vec![Type::Unknown; call.arguments.len()], &self.routines(place)),
        };
        Some(overload.map(|overload| (place, overload)))
    }
}

fn of_column(column: &OutputColumn) -> (String, ValueType) {
    (column.name.to_string(), column.value.clone())
}

impl SchemaProvider for Overloads<'_> {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        match self.session.describe(name) {
            Ok(found) => Ok(found.map(|object| object as Arc<dyn RelationSchema>)),
            Err(error) => Err(SchemaError(Box::new(error))),
        }
    }

    fn overloads(&self, name: &TreeName) -> Vec<&Routine> {
        self.place(name).map(|place| self.routines(place)).unwrap_or_default()
    }
}

struct TreeExpansion<'a> {
    overloads: &'a Overloads<'a>,
    bodies: Bodies,
    replacement: Replacement,
}

impl TreeExpansion<'_> {
    /// Expands the calls of one tree, and returns the columns that it has as a query.
    fn tree(
        &mut self,
        tree: &mut dyn Tree,
        names: &[(String, ValueType)],
        read_body: &ReadBody<'_>,
    ) -> Result<Option<Arc<[OutputColumn]>>, RunError> {
        let bound = bind_within(tree, self.overloads, names.to_vec()).map_err(EngineError::from)?;
        let mut chosen = HashMap::new();
        for (name, call) in calls_of(tree) {
            let Some(key) = self.overloads.chosen(&bound, &name, &call).transpose()? else { continue };
            if !self.bodies.contains_key(&key) {
                let (_, found) = &self.overloads.candidates[key.0];
                self.bodies.insert(key, read_body(found[key.1].clone())?);
            }
            chosen.extend(NodeId::of_function(&name).map(|id| (id, key)));
        }
        let bodies = &self.bodies;
        let find = |name: &TreeName| bodies.get(chosen.get(&NodeId::of_function(name)?)?);
        self.replacement.replace(tree, &find)?;
        Ok(bound.columns)
    }
}

//! The calls of a statement that mean functions of users.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::column_types::{ColumnTypes, RelationColumns};
use super::{Call, Expansion, Routine, choose, expand_relation, expand_scalar};
use crate::ast::{Expr, FunctionArguments, ObjectName as TreeName, Select, TableFactor, Visitor, VisitorMut};
use crate::lookups::Rows;
use crate::names::{Namespace, ObjectName};
use crate::reader::name_from_tree;
use crate::tree::outcome;
use crate::{Failure, Statement, functions, normalize};

/// A function that a statement may call, with its resolved body.
#[derive(Debug)]
pub struct Called {
    pub routine: Routine,
    pub body: Expansion,
}

/// The complete names of all functions that are not the dialect's own.
pub fn called(statement: &Statement, namespace: &Namespace) -> Result<Vec<ObjectName>, Failure> {
    let mut search = Search { namespace, found: Vec::new() };
    outcome(statement.command.visit_tree(&mut search))?;
    Ok(search.found)
}

struct Search<'a> {
    namespace: &'a Namespace,
    found: Vec<ObjectName>,
}

impl Search<'_> {
    fn note(&mut self, name: &TreeName) {
        if let Some(name) = completed(name, self.namespace)
            && !self.found.contains(&name)
        {
            self.found.push(name);
        }
    }
}

/// The complete name of what a call names.
pub(crate) fn completed(name: &TreeName, namespace: &Namespace) -> Option<ObjectName> {
    let mut name = name_from_tree(name).ok()?;
    name.qualify(namespace).ok()?;
    Some(name)
}

impl Visitor for Search<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr
            && !functions::is_offered(&function.name.to_string())
        {
            self.note(&function.name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Function { name, .. } = factor
            && normalize::table_functions::check(factor).is_err()
        {
            self.note(name);
        }
        ControlFlow::Continue(())
    }
}

/// The first function in FROM that is not the dialect's own: its complete name, and the text of its call.
pub fn relation_called(statement: &Statement, namespace: &Namespace) -> Option<(ObjectName, String)> {
    let mut search = RelationSearch { namespace, found: None };
    // The visitor never breaks.
    let _ = statement.command.visit_tree(&mut search);
    search.found
}

struct RelationSearch<'a> {
    namespace: &'a Namespace,
    found: Option<(ObjectName, String)>,
}

impl Visitor for RelationSearch<'_> {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Function { name, args, .. } = factor
            && self.found.is_none()
            && normalize::table_functions::check(factor).is_err()
            && let Some(complete) = completed(name, self.namespace)
        {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            self.found = Some((complete, format!("{name}({})", args.join(", "))));
        }
        ControlFlow::Continue(())
    }
}

/// Puts rows in the place of what `relation_called` finds.
pub fn replace_relation(statement: &mut Statement, rows: Rows) -> Result<(), Failure> {
    outcome(statement.command.visit_tree_mut(&mut RelationRows { rows: Some(rows) }))
}

struct RelationRows {
    rows: Option<Rows>,
}

impl VisitorMut for RelationRows {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if normalize::table_functions::check(factor).is_ok() {
            return ControlFlow::Continue(());
        }
        match self.rows.take().map(|rows| rows.put_in_place_of(factor)) {
            Some(Err(failure)) => ControlFlow::Break(failure),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Bodies of functions that a statement may consist of: functions that call functions twice double them.
const BODIES_MAX: usize = 1_000;

/// Puts the bodies of functions in the place of their calls, and returns how many there are.
pub fn replace_calls(
    statement: &mut Statement,
    namespace: &Namespace,
    known: &[Called],
    (columns, columns_of): (ColumnTypes, &RelationColumns<'_>),
) -> Result<usize, Failure> {
    let mut names = HashSet::new();
    let chooses = known.iter().any(|called| !names.insert(&called.routine.name));
    let mut replacement = Replacement { namespace, known, columns, columns_of, chooses, bodies: 0 };
    outcome(statement.command.visit_tree_mut(&mut replacement))?;
    Ok(replacement.bodies)
}

struct Replacement<'a> {
    namespace: &'a Namespace,
    known: &'a [Called],
    columns: ColumnTypes,
    columns_of: &'a RelationColumns<'a>,
    /// Whether there are several functions of one name: the types of columns matter only then.
    chooses: bool,
    bodies: usize,
}

impl<'a> Replacement<'a> {
    /// A copy of the body that takes the place of a call.
    fn body(&mut self, body: &Expansion) -> Result<Expansion, Failure> {
        self.bodies += body.bodies;
        match self.bodies > BODIES_MAX {
            true => Err(Failure::limit_exceeded("number of calls of functions, also those in functions,", BODIES_MAX)),
            false => Ok(body.clone()),
        }
    }

    /// The function that a call means; `None` when there is none of its name.
    fn find(&self, name: &TreeName, call: &Call) -> Option<Result<&'a Called, Failure>> {
        let name = completed(name, self.namespace)?;
        let named: Vec<&Routine> =
            self.known.iter().map(|called| &called.routine).filter(|routine| routine.name == name).collect();
        if named.is_empty() {
            return None;
        }
        let chosen = match choose(call, &named, &self.columns) {
            Ok(chosen) => chosen,
            Err(failure) => return Some(Err(failure)),
        };
        let found = self.known.iter().find(|called| chosen.is_some_and(|chosen| std::ptr::eq(chosen, &called.routine)));
        Some(found.ok_or_else(|| wrong_arguments(&named)))
    }
}

fn wrong_arguments(named: &[&Routine]) -> Failure {
    let signatures: Vec<String> = named.iter().map(|routine| format!("({})", routine.signature())).collect();
    let name = named.first().map(|routine| routine.name.name.clone()).unwrap_or_default();
    let message = format!(
        "SQL compilation error:\nInvalid argument types for function '{name}'; it takes {}",
        signatures.join(" or ")
    );
    Failure::new("001044", "42P13", message)
}

impl VisitorMut for Replacement<'_> {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        if self.chooses {
            self.columns.enter(select, self.columns_of);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _select: &mut Select) -> ControlFlow<Failure> {
        if self.chooses {
            self.columns.leave();
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = &*expr else { return ControlFlow::Continue(()) };
        if functions::is_offered(&function.name.to_string()) {
            return ControlFlow::Continue(());
        }
        let call = match &function.args {
            FunctionArguments::List(list) => Call::of(&list.args),
            _ => None,
        };
        let Some(call) = call else { return ControlFlow::Continue(()) };
        let Some(found) = self.find(&function.name, &call) else { return ControlFlow::Continue(()) };
        let expanded = found.and_then(|called| expand_scalar(&called.routine, &call, self.body(&called.body)?));
        match expanded {
            Ok(value) => {
                *expr = value;
                ControlFlow::Continue(())
            }
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if normalize::table_functions::check(factor).is_ok() {
            return ControlFlow::Continue(());
        }
        let TableFactor::Function { name, args, alias, .. } = &*factor else { return ControlFlow::Continue(()) };
        let Some(call) = Call::of(args) else { return ControlFlow::Continue(()) };
        let Some(found) = self.find(name, &call) else { return ControlFlow::Continue(()) };
        let expanded =
            found.and_then(|called| expand_relation(&called.routine, &call, self.body(&called.body)?, alias.clone()));
        match expanded {
            Ok(relation) => {
                *factor = relation;
                ControlFlow::Continue(())
            }
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

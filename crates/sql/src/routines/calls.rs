//! The calls of a statement that mean functions of users.

use std::ops::ControlFlow;

use super::{Call, Expansion, Routine, expand_relation, expand_scalar};
use crate::ast::{Expr, FunctionArguments, ObjectName as TreeName, Query, TableFactor, Visitor, VisitorMut};
use crate::lookups::Rows;
use crate::names::{Namespace, ObjectName};
use crate::reader::name_from_tree;
use crate::tree::{Tree, outcome};
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

/// As `called`, of a query that was stored.
pub fn called_in_query(query: &Query, namespace: &Namespace) -> Result<Vec<ObjectName>, Failure> {
    let mut search = Search { namespace, found: Vec::new() };
    outcome(query.walk(&mut search))?;
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

/// Whether a call is not of a function of the dialect's own.
pub fn is_of_user(name: &TreeName) -> bool {
    !functions::is_offered(&name.to_string())
}

/// The complete name of what a call names.
pub fn completed(name: &TreeName, namespace: &Namespace) -> Option<ObjectName> {
    let mut name = name_from_tree(name).ok()?;
    name.qualify(namespace).ok()?;
    Some(name)
}

impl Visitor for Search<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr
            && is_of_user(&function.name)
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

/// The calls of a tree that are not of the dialect's own functions, each with the name of its function.
pub fn calls_of(tree: &dyn Tree) -> Vec<(TreeName, Call)> {
    let mut collector = Collector { found: Vec::new() };
    // The visitor never breaks.
    let _ = tree.walk(&mut collector);
    collector.found
}

struct Collector {
    found: Vec<(TreeName, Call)>,
}

impl Visitor for Collector {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.found.extend(scalar_call(expr).map(|(name, call)| (name.clone(), call)));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        self.found.extend(table_call(factor).map(|(name, call)| (name.clone(), call)));
        ControlFlow::Continue(())
    }
}

fn scalar_call(expr: &Expr) -> Option<(&TreeName, Call)> {
    let Expr::Function(function) = expr else { return None };
    match &function.args {
        FunctionArguments::List(list) if is_of_user(&function.name) => Some((&function.name, Call::of(&list.args)?)),
        _ => None,
    }
}

fn table_call(factor: &TableFactor) -> Option<(&TreeName, Call)> {
    match factor {
        TableFactor::Function { name, args, .. } if normalize::table_functions::check(factor).is_err() => {
            Some((name, Call::of(args)?))
        }
        _ => None,
    }
}

/// Bodies of functions that a statement may consist of: functions that call functions twice double them.
const BODIES_MAX: usize = 1_000;

/// The function that a call refers to; `None` when there is none of its name.
pub type ChosenFunction<'a, 'body> = dyn Fn(&TreeName) -> Option<&'body Called> + 'a;

/// Puts the bodies of functions in the place of their calls.
#[derive(Default)]
pub struct Replacement {
    /// How many bodies there are so far.
    pub bodies: usize,
}

impl Replacement {
    pub fn replace(&mut self, tree: &mut dyn Tree, chosen: &ChosenFunction<'_, '_>) -> Result<(), Failure> {
        outcome(tree.walk_mut(&mut Replacer { replacement: self, chosen }))
    }

    /// A copy of the body that takes the place of a call.
    fn body(&mut self, body: &Expansion) -> Result<Expansion, Failure> {
        self.bodies += body.bodies;
        match self.bodies > BODIES_MAX {
            true => Err(Failure::limit_exceeded("number of calls of functions, also those in functions,", BODIES_MAX)),
            false => Ok(body.clone()),
        }
    }
}

struct Replacer<'a, 'body> {
    replacement: &'a mut Replacement,
    chosen: &'a ChosenFunction<'a, 'body>,
}

impl Replacer<'_, '_> {
    fn scalar(&mut self, expr: &Expr) -> Result<Option<Expr>, Failure> {
        let Some((name, call)) = scalar_call(expr) else { return Ok(None) };
        let Some(Called { routine, body }) = (self.chosen)(name) else { return Ok(None) };
        expand_scalar(routine, &call, self.replacement.body(body)?).map(Some)
    }

    fn relation(&mut self, factor: &TableFactor) -> Result<Option<TableFactor>, Failure> {
        let Some((name, call)) = table_call(factor) else { return Ok(None) };
        let Some(Called { routine, body }) = (self.chosen)(name) else { return Ok(None) };
        let TableFactor::Function { alias, .. } = factor else { return Ok(None) };
        expand_relation(routine, &call, self.replacement.body(body)?, alias.clone()).map(Some)
    }
}

fn put<T>(place: &mut T, replacement: Result<Option<T>, Failure>) -> ControlFlow<Failure> {
    match replacement {
        Ok(Some(value)) => *place = value,
        Ok(None) => {}
        Err(failure) => return ControlFlow::Break(failure),
    }
    ControlFlow::Continue(())
}

impl VisitorMut for Replacer<'_, '_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let value = self.scalar(expr);
        put(expr, value)
    }

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let relation = self.relation(factor);
        put(factor, relation)
    }
}

//! Queries of views that mean something else when definitions change or another session reads them: those that call
//! users' functions or functions of the session, or read semantic views or INFORMATION_SCHEMA. They are stored as they were
//! written, with complete names, and each statement that reads the view expands them again.

use std::ops::ControlFlow;

use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName as TreeName, Query, TableFactor, Value, Visitor,
    VisitorMut,
};
use crate::command::Command;
use crate::functions::{EngineCall, Evaluation, find_in_any_case};
use crate::names::{ACCOUNT_USAGE, INFORMATION_SCHEMA, Namespace, OWN_DATABASE, ObjectName};
use crate::routines::completed;
use crate::stored_names::placeholders;
use crate::tree::each_relation;
use crate::tree::{Tree, complete_name, tree_name};
use crate::{Failure, names_in_text};

/// Reads the definition of a semantic view, which may be another one later.
pub const READ_YAML: &str = "SYSTEM$READ_YAML_FROM_SEMANTIC_VIEW";

/// Whether the stored query of a view has to be expanded by the statement that reads the view.
pub fn is_expanded_when_read(query: &Query) -> bool {
    query.walk(&mut Search).is_break()
}

/// It breaks where it finds something to expand.
struct Search;

impl Visitor for Search {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Function(function) if is_expanded(&function.name) => found(),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_relation(&mut self, relation: &TreeName) -> ControlFlow<Failure> {
        match complete_name(relation) {
            Some(name) if name.schema() == INFORMATION_SCHEMA || is_of_account_usage(&name) => found(),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        match factor {
            TableFactor::SemanticView { .. } => found(),
            TableFactor::Function { name, .. } if name.0.len() == 3 => found(),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// A plan of the engine's view would show the records below.
fn is_of_account_usage(name: &ObjectName) -> bool {
    name.database() == OWN_DATABASE && name.schema() == ACCOUNT_USAGE
}

fn found() -> ControlFlow<Failure> {
    ControlFlow::Break(Failure::unsupported("a second search"))
}

/// Only the names of users' functions have three parts in a stored query.
fn is_expanded(name: &TreeName) -> bool {
    let [part] = &name.0[..] else { return name.0.len() == 3 };
    let name = part.to_string();
    let is_of_session = |entry: &crate::functions::FunctionEntry| {
        entry.evaluation == Evaluation::Session && entry.engine_call == EngineCall::Never
    };
    name.eq_ignore_ascii_case(READ_YAML) || find_in_any_case(&name).is_some_and(is_of_session)
}

/// Completes the names of the functions that are among `known` once they are completed by `namespace`.
pub fn complete_calls(query: &mut Query, namespace: &Namespace, known: &[ObjectName]) {
    let placeholders = placeholders();
    // The visitor never breaks.
    let _ = query.walk_mut(&mut Completion { namespace, placeholders, known });
}

struct Completion<'a> {
    namespace: &'a Namespace,
    placeholders: Namespace,
    known: &'a [ObjectName],
}

impl Completion<'_> {
    fn complete(&self, name: &mut TreeName) {
        if let Some(complete) = completed(name, self.namespace)
            && self.known.contains(&complete)
            && let Some(stored) = completed(name, &self.placeholders)
        {
            *name = tree_name(&stored);
        }
    }
}

impl VisitorMut for Completion<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr {
            self.complete(&mut function.name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Function { name, .. } = factor {
            self.complete(name);
        }
        ControlFlow::Continue(())
    }
}

/// The relations that a view's resolved query reads, each with how many times it is read.
pub fn relations_of(query: &Query) -> Vec<(ObjectName, usize)> {
    let mut found: Vec<(ObjectName, usize)> = Vec::new();
    let _: ControlFlow<()> = each_relation(query, &mut |relation| {
        // Names of one part are those of CTEs.
        if let Some(name) = complete_name(relation) {
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => found.push((name, 1)),
            }
        }
        ControlFlow::Continue(())
    });
    found
}

/// The sequences that a view's resolved query takes values of.
pub fn sequences_of(query: &Query) -> Vec<ObjectName> {
    let mut search = Sequences { found: Vec::new() };
    // The visitor never breaks.
    let _ = query.walk(&mut search);
    search.found
}

/// Those that an expanded command takes values of.
pub fn sequences_in(command: &Command) -> Vec<ObjectName> {
    let mut search = Sequences { found: Vec::new() };
    // The visitor never breaks.
    let _ = command.visit_tree(&mut search);
    search.found
}

struct Sequences {
    found: Vec<ObjectName>,
}

impl Visitor for Sequences {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr
            && function.name.to_string() == "NEXTVAL"
            && let FunctionArguments::List(list) = &function.args
            && let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value)))] = list.args.as_slice()
            && let Value::SingleQuotedString(text) = &value.value
            && let Some(name) = names_in_text(text).ok().and_then(ObjectName::of_parts)
            && !self.found.contains(&name)
        {
            self.found.push(name);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::print;

    fn is_expanded(text: &str) -> bool {
        is_expanded_when_read(&print::read_query(text).unwrap())
    }

    #[test]
    fn sequences_are_found() {
        let query = print::read_query("SELECT NEXTVAL('\"D\".\"S\".\"Q\"'), NEXTVAL('\"D\".\"S\".\"Q\"')").unwrap();
        assert_eq!(sequences_of(&query), [ObjectName::qualified("D", "S", "Q")]);
    }

    #[test]
    fn what_may_mean_something_else_later_is_expanded_when_it_is_read() {
        assert!(is_expanded("SELECT \"D\".\"S\".\"F\"(1) FROM \"D\".\"S\".\"T\""));
        assert!(is_expanded("SELECT * FROM TABLE(\"D\".\"S\".\"F\"(1))"));
        assert!(is_expanded("SELECT 1 WHERE IS_ROLE_IN_SESSION('R')"));
        assert!(is_expanded("SELECT (SELECT CURRENT_SESSION())"));
        assert!(is_expanded("SELECT * FROM SEMANTIC_VIEW(\"D\".\"S\".\"V\" METRICS M)"));
        assert!(!is_expanded("SELECT UPPER(a), CURRENT_USER() FROM \"D\".\"S\".\"T\""));
    }
}

//! Failures about the types of arguments, with the place of the call in the statement's text.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Spanned, Visitor};
use firn_sql::tree::Tree;

use crate::dialect::build::call_name;

const CODE: &str = "001044";
const WORDS: &str = "Invalid argument types for function '";

/// `types` is `: (DATE, VARCHAR(3))`, or empty where they are not known. `locate_call` fills in the position.
pub fn invalid_argument_types(function: &str, types: &str) -> Failure {
    failure_at("", &format!("{WORDS}{function}'{types}"))
}

/// True for a failure about arguments whose types are not known.
pub fn lacks_types(failure: &Failure) -> bool {
    failure.code == CODE && !failure.message.ends_with(')')
}

fn failure_at(place: &str, text: &str) -> Failure {
    Failure::new(CODE, "42P13", format!("SQL compilation error:{place}\n{text}"))
}

/// Puts the place of the first call of the function into a failure about its arguments.
pub fn locate_call(failure: Failure, node: &dyn Tree) -> Failure {
    let Some((_, text)) = failure.message.split_once('\n').filter(|_| failure.code == CODE) else { return failure };
    let Some(function) = text.strip_prefix(WORDS).and_then(|rest| rest.split('\'').next()) else { return failure };
    let mut finder = Finder { function, place: None };
    // The visitor never breaks.
    let _ = node.walk(&mut finder);
    match finder.place {
        Some((line, position)) => failure_at(&format!(" error line {line} at position {position}"), text),
        None => failure,
    }
}

struct Finder<'name> {
    /// The name of a function, or an operator.
    function: &'name str,
    /// Line from one, position from zero.
    place: Option<(u64, u64)>,
}

impl Visitor for Finder<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let place = match expr {
            Expr::Function(function) if call_name(function) == Some(self.function) => function.name.span().start,
            Expr::BinaryOp { left, op, .. } if op.to_string() == self.function => left.span().start,
            _ => return ControlFlow::Continue(()),
        };
        // What a rewrite has put in has no place.
        self.place = self.place.or((place.line > 0).then(|| (place.line, place.column.saturating_sub(1))));
        ControlFlow::Continue(())
    }
}

//! Functions that read or change the account: they are evaluated once, before the rest of their statement runs, and their
//! results replace the calls.

use std::fmt;
use std::ops::ControlFlow;

use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, VisitorMut};
use crate::build::{cast, null, string};
use crate::data_types::{DataType, type_in_tree};
use crate::functions::{Evaluation, find};
use crate::{Constant, Failure, Statement};

/// Whether a statement's text can hold a call.
pub fn may_be_in(text: &str) -> bool {
    // The end of GET_PRESIGNED_URL and BUILD_SCOPED_FILE_URL, and the beginnings of all others.
    const MARKS: [&[u8; 7]; 4] = [b"SYSTEM$", b"TO_FILE", b"NED_URL", b"ILE_URL"];
    let is_mark = |part: &[u8]| MARKS.iter().any(|mark| part.eq_ignore_ascii_case(*mark));
    text.as_bytes().windows(MARKS[0].len()).any(is_mark)
}

/// A call with its arguments, which may be computed but stand alone.
#[derive(Debug)]
pub struct Call {
    pub name: String,
    pub arguments: Vec<Expr>,
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(Expr::to_string).collect();
        write!(out, "{}({})", self.name, arguments.join(", "))
    }
}

/// Takes the first call out of a statement, inner ones first; the NULL in its place is for `answer`.
pub fn next(statement: &Statement) -> Option<Call> {
    let mut tree = statement.clone();
    let mut search = Search { found: None, answer: None };
    // The search breaks when it has found a call.
    let _ = tree.command.visit_tree_mut(&mut search);
    search.found
}

/// Puts an answer in the place of the first call.
pub fn answer(statement: &mut Statement, answer: &Constant) -> Result<(), Failure> {
    let value = match &answer.text {
        None => cast(null(), type_in_tree(&answer.data_type)),
        Some(text) if matches!(answer.data_type, DataType::Varchar { .. }) => string(text.clone()),
        Some(_) => answer.expression()?,
    };
    let mut filling = Search { found: None, answer: Some(value) };
    // It breaks after the first call.
    let _ = statement.command.visit_tree_mut(&mut filling);
    Ok(())
}

struct Search {
    found: Option<Call>,
    answer: Option<Expr>,
}

impl VisitorMut for Search {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = &*expr else { return ControlFlow::Continue(()) };
        let name = function.name.to_string();
        if find(&name).is_none_or(|entry| entry.evaluation != Evaluation::Account) {
            return ControlFlow::Continue(());
        }
        match self.answer.take() {
            Some(value) => *expr = value,
            None => self.found = Some(Call { name, arguments: arguments(function) }),
        }
        ControlFlow::Break(Failure::unsupported("a second answer"))
    }
}

fn arguments(function: &Function) -> Vec<Expr> {
    let FunctionArguments::List(list) = &function.args else { return Vec::new() };
    let plain = list.args.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    });
    plain.collect()
}

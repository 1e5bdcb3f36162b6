//! Identities of nodes. A pre-pass numbers every column reference, positional reference and function call of a tree;
//! the number is in the end of the span of the node's name, where nothing else is read. So it is copied and moved with
//! the name: a rewrite may wrap, move or clone a bound node, and its type is still found. A CASE that takes the place of a
//! call has the call's number in the span of its first word.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, ObjectName, ObjectNamePart, TableFactor, Value, VisitorMut};
use firn_sql::tree::Tree;
use sqlparser::tokenizer::{Location, Span};

/// No text has this many lines.
const MARK: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The identity of a column reference, a positional reference or a function call.
    pub fn of(expr: &Expr) -> Option<Self> {
        let span = match expr {
            Expr::Identifier(name) => name.span,
            Expr::CompoundIdentifier(parts) => parts.last()?.span,
            Expr::Function(function) => return Self::of_function(&function.name),
            Expr::Value(value) => value.span,
            Expr::Case { case_token, .. } => case_token.0.span,
            _ => return None,
        };
        Self::of_span(span)
    }

    /// The identity of a call in an expression or in FROM.
    pub fn of_function(name: &ObjectName) -> Option<Self> {
        name.0.last().and_then(ObjectNamePart::as_ident).and_then(Self::of_name)
    }

    pub fn of_name(name: &Ident) -> Option<Self> {
        Self::of_span(name.span)
    }

    /// Gives a call or a CASE the identity of the call that it takes the place of, so that it has its type.
    pub fn put(self, expr: &mut Expr) {
        let span = match expr {
            Expr::Nested(inside) => return self.put(inside),
            Expr::Case { case_token, .. } => &mut case_token.0.span,
            Expr::Function(function) => match function.name.0.last_mut() {
                Some(ObjectNamePart::Identifier(name)) => &mut name.span,
                _ => return,
            },
            _ => return,
        };
        span.end = Location { line: MARK, column: u64::from(self.0) };
    }

    fn of_span(span: Span) -> Option<Self> {
        if span.end.line == MARK { u32::try_from(span.end.column).ok().map(Self) } else { None }
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Numbers the nodes of a tree and returns their count. Earlier numbers are replaced.
pub(crate) fn number_nodes(tree: &mut dyn Tree) -> usize {
    let mut numbering = Numbering { next: 0 };
    // The visitor never breaks.
    let _ = tree.walk_mut(&mut numbering);
    numbering.next as usize
}

struct Numbering {
    next: u64,
}

impl Numbering {
    fn number(&mut self, span: &mut Span) {
        span.end = Location { line: MARK, column: self.next };
        self.next += 1;
    }

    fn function(&mut self, name: &mut ObjectName) {
        if let Some(ObjectNamePart::Identifier(name)) = name.0.last_mut() {
            self.number(&mut name.span);
        }
    }
}

impl VisitorMut for Numbering {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Function { name, .. } = factor {
            self.function(name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Identifier(name) => self.number(&mut name.span),
            Expr::CompoundIdentifier(parts) => {
                if let Some(last) = parts.last_mut() {
                    self.number(&mut last.span);
                }
            }
            Expr::Function(function) => self.function(&mut function.name),
            Expr::Value(value) if matches!(value.value, Value::Placeholder(_)) => self.number(&mut value.span),
            // It was lowered from a call of another tree.
            Expr::Case { case_token, .. } if NodeId::of_span(case_token.0.span).is_some() => {
                case_token.0.span = Span::empty();
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

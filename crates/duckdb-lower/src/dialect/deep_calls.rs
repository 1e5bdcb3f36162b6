//! Calls of macros in calls of macros. The engine reads what stands in a macro's arguments again for every place that
//! the macro has for it, which for ten calls in each other takes longer than anybody waits. Where that becomes too much,
//! the arguments are bound outside of the call, and read once.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, VisitorMut};

use super::build::{self, bound_value, call_name, copied_arguments, with_bound};
use crate::macros;

/// Some milliseconds of the engine's. They are counted for the forms of macros that have most; numbers have fewer.
const READINGS_MAX: u64 = 10_000;

#[derive(Default)]
pub(super) struct DeepCalls {
    /// Of each expression that the walk is in, how often what is inside it is read.
    open: Vec<u64>,
}

impl VisitorMut for DeepCalls {
    type Break = Failure;

    fn pre_visit_expr(&mut self, _: &mut Expr) -> ControlFlow<Failure> {
        self.open.push(0);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let inside = self.open.pop().unwrap_or(0).max(1);
        let mut readings = inside;
        if let Expr::Function(function) = expr
            && let Some(times) = call_name(function).and_then(macros::readings)
        {
            readings = inside.saturating_mul(times);
            if readings > READINGS_MAX
                && let Some(shallow) = read_once(function)
            {
                *expr = shallow;
                readings = inside + times;
            }
        }
        if let Some(outside) = self.open.last_mut() {
            *outside = outside.saturating_add(readings);
        }
        ControlFlow::Continue(())
    }
}

/// `None` if there is nothing in the arguments whose reading costs much.
fn read_once(function: &Function) -> Option<Expr> {
    let arguments = copied_arguments(function).filter(|_| function.over.is_none())?;
    let mut elements = Vec::new();
    let mut inner = Vec::new();
    for argument in arguments {
        if matches!(argument, Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
            inner.push(argument);
        } else {
            elements.push(argument);
            inner.push(bound_value(elements.len()));
        }
    }
    if elements.is_empty() {
        return None;
    }
    let mut body = function.clone();
    body.args = build::function("", inner).args;
    Some(with_bound(elements, Expr::Function(body)))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn arguments_that_would_be_read_too_often_are_read_once() {
        let nested = |count| format!("SELECT {}a{}", "NULLIF(".repeat(count), ", 1)".repeat(count));
        check(&nested(11), &nested(11));
        let inside = nested(11).replace("SELECT ", "");
        check(
            &nested(12),
            &format!(
                "SELECT list_extract(list_transform(list_value(row({inside})), lambda firn_arguments : \
                 NULLIF(struct_extract(firn_arguments, 1), 1)), 1)"
            ),
        );
    }
}

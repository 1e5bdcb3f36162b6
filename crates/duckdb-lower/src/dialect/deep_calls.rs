//! Nested calls of macros. The engine binds a macro's argument once for every reference in the macro's body, so binding
//! time is exponential in the nesting depth. Beyond a limit, the arguments are evaluated in a lambda around the call, and
//! bound once.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, VisitorMut};

use super::build::{self, bound_value, call_name, copied_arguments, with_bound};
use crate::macros;

/// Some milliseconds of binding. The overload with the most references counts; those for numbers have fewer.
const READINGS_MAX: u64 = 10_000;

#[derive(Default)]
pub(super) struct DeepCalls {
    /// For each enclosing expression, how often its arguments are bound.
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

/// `None` if binding the arguments is cheap.
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

//! Nested calls of macros, BETWEEN and CASE of a value. The engine copies a macro's argument for every reference in the macro's
//! body, the value of BETWEEN for each bound, and that of CASE for every WHEN, so planning time is exponential in the nesting
//! depth. Beyond a limit, the arguments are evaluated in a lambda around the expression, and bound once. So are volatile ones, each
//! copy of which would have a value of its own, and subqueries in a subquery that is bound several times: the engine's planner
//! dereferences null where these are correlated.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, Query, Visitor, VisitorMut};
use firn_sql::call_search::first_call;
use firn_sql::tree::Walk;

use super::build::{self, bound_value, call_name, copied_arguments, with_bound};
use super::overload_lambdas::is_aggregate;
use crate::macros;

/// A tenth of a second of planning. The overload with the most references counts; those for numbers have fewer.
const READINGS_MAX: u64 = 1_000;
/// Copies of one value by BETWEENs around it: the optimiser hashes all of them once more at every level.
const COMPARISONS_MAX: u64 = 16;
/// What the engine calls to have a new value for every row.
const VOLATILE: [&str; 4] = ["firn_random", "firn_seeded_random", "nextval", "uuid"];
/// A value larger than this is not copied.
const COPIED_MAX: u64 = 100_000;

#[derive(Default)]
pub(super) struct DeepCalls {
    /// For each enclosing expression, the copies of each of its parts so far.
    open: Vec<Vec<Copies>>,
    /// Calls that bind their arguments several times, and queries, around the current expression.
    around: Vec<Around>,
    /// Whether the statement has a lambda, of its own or around an expression that is evaluated once.
    pub(super) found_lambda: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Around {
    Call,
    Query,
}

#[derive(Clone, Copy)]
struct Copies {
    /// How often the part and what is in it is bound.
    readings: u64,
    /// How often BETWEENs have what they compare.
    comparisons: u64,
}

impl Copies {
    const ONE: Self = Self { readings: 1, comparisons: 1 };

    fn of_all(parts: &[Self]) -> Self {
        Self {
            readings: parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.readings)).max(1),
            comparisons: parts.iter().map(|part| part.comparisons).max().unwrap_or(1),
        }
    }
}

impl DeepCalls {
    /// Whether a query around the current expression is in an argument that is bound several times.
    fn is_in_repeated_query(&self) -> bool {
        let call = self.around.iter().position(|around| *around == Around::Call);
        call.is_some_and(|call| self.around[call..].contains(&Around::Query))
    }
}

impl VisitorMut for DeepCalls {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.around.push(Around::Query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.around.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if binds_repeatedly(expr) {
            self.around.push(Around::Call);
        }
        self.found_lambda |= matches!(expr, Expr::Lambda(_));
        self.open.push(Vec::new());
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if binds_repeatedly(expr) {
            self.around.pop();
        }
        let parts = self.open.pop().unwrap_or_default();
        let inside = Copies::of_all(&parts);
        let mut whole = inside;
        if let Some((times, copied)) = copies(expr) {
            let part = match copied {
                Copied::All => inside,
                Copied::First => parts.first().copied().unwrap_or(Copies::ONE),
            };
            whole.readings = inside.readings.saturating_add(part.readings.saturating_mul(times.saturating_sub(1)));
            if matches!(expr, Expr::Between { .. }) {
                whole.comparisons = whole.comparisons.max(part.comparisons.saturating_mul(times));
            }
            let is_costly = part.readings.saturating_mul(times) > READINGS_MAX || whole.comparisons > COMPARISONS_MAX;
            let repeats_query = self.is_in_repeated_query() && is_overloaded_over_query(expr);
            if is_costly || repeats_query || copies_volatile(expr) {
                match read_once(expr) {
                    Some(shallow) => {
                        *expr = shallow;
                        self.found_lambda = true;
                        whole = Copies { readings: inside.readings.saturating_add(times), ..inside };
                    }
                    None if part.readings > COPIED_MAX && matches!(expr, Expr::Case { .. }) => {
                        let what = "number of expressions into which nested CASE expressions are rewritten";
                        return ControlFlow::Break(Failure::limit_exceeded(what, COPIED_MAX as usize));
                    }
                    None => {}
                }
            }
        }
        if let Some(outside) = self.open.last_mut() {
            outside.push(whole);
        }
        ControlFlow::Continue(())
    }
}

/// Whether the engine binds the arguments of this call several times: to choose among overloads, or to type a lambda.
fn binds_repeatedly(expr: &Expr) -> bool {
    let Expr::Function(function) = expr else { return false };
    let has_lambda =
        || build::plain_arguments(function).unwrap_or_default().iter().any(|one| matches!(one, Expr::Lambda(_)));
    call_name(function).is_some_and(macros::is_overloaded) || has_lambda()
}

fn is_overloaded_over_query(expr: &Expr) -> bool {
    let Expr::Function(function) = expr else { return false };
    call_name(function).is_some_and(macros::is_overloaded)
        && build::plain_arguments(function)
            .unwrap_or_default()
            .into_iter()
            .any(|one| one.inspect(&mut AnyQuery).is_break())
}

struct AnyQuery;

impl Visitor for AnyQuery {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// Which parts of an expression are copied.
enum Copied {
    All,
    First,
}

/// How many times the engine has a part of the expression. `None` if it copies none.
fn copies(expr: &Expr) -> Option<(u64, Copied)> {
    match expr {
        Expr::Function(function) => Some((call_name(function).and_then(macros::readings)?, Copied::All)),
        Expr::Between { .. } => Some((2, Copied::First)),
        // The optimiser copies the value, not the binder.
        Expr::InList { .. } => Some((1, Copied::First)),
        Expr::Case { operand: Some(_), conditions, .. } => Some((conditions.len() as u64, Copied::First)),
        _ => None,
    }
}

/// Whether the engine would evaluate a volatile part several times.
fn copies_volatile(expr: &Expr) -> bool {
    match expr {
        Expr::Function(function) => {
            let times = call_name(function).and_then(macros::readings).unwrap_or(1);
            let arguments = || build::plain_arguments(function).unwrap_or_default();
            times > 1 && arguments().into_iter().any(is_volatile)
        }
        Expr::Between { expr, .. } | Expr::InList { expr, .. } => is_volatile(expr),
        Expr::Case { operand: Some(operand), .. } => is_volatile(operand),
        _ => false,
    }
}

pub(super) fn is_volatile(expr: &Expr) -> bool {
    first_call(expr, makes_new_values).is_some()
}

fn makes_new_values(function: &Function) -> bool {
    call_name(function).is_some_and(|name| VOLATILE.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// Whether a rewrite that has the expression several times should evaluate it in a lambda instead.
pub(super) fn is_costly_to_copy(expr: &Expr) -> bool {
    is_volatile(expr) || expr.inspect(&mut Size(0)).is_break()
}

/// An expression over operands, each of which it may have several times. They are evaluated in a lambda around the
/// expression if one of them is volatile or large.
pub(super) fn evaluated_once<O: AsMut<[Expr]>>(mut operands: O, expression: impl FnOnce(O) -> Expr) -> Expr {
    if !operands.as_mut().iter().any(is_costly_to_copy) {
        return expression(operands);
    }
    let mut elements = Vec::new();
    for operand in operands.as_mut() {
        *operand = bound_once(std::mem::replace(operand, build::null()), &mut elements);
    }
    with_bound(elements, expression(operands))
}

/// Whether a lambda can have the expression as its body.
pub(super) fn is_movable(expr: &Expr) -> bool {
    expr.inspect(&mut Unmovable).is_continue()
}

/// `None` if binding the parts is cheap, or if they cannot be bound elsewhere.
fn read_once(expr: &Expr) -> Option<Expr> {
    let mut elements = Vec::new();
    let mut shallow = expr.clone();
    match &mut shallow {
        Expr::Function(function) => {
            let arguments = copied_arguments(function).filter(|_| function.over.is_none())?;
            let inner = arguments.into_iter().map(|argument| bound_once(argument, &mut elements)).collect();
            function.args = build::function("", inner).args;
        }
        Expr::Between { expr, low, high, .. } => {
            for part in [expr, low, high] {
                **part = bound_once(std::mem::replace(&mut **part, build::null()), &mut elements);
            }
        }
        Expr::Case { operand: Some(operand), .. } | Expr::InList { expr: operand, .. } => {
            **operand = bound_once(std::mem::replace(&mut **operand, build::null()), &mut elements);
        }
        _ => return None,
    }
    // Queries, aggregates and lambdas cannot be in the body of a lambda.
    let is_body = !matches!(shallow, Expr::Case { .. } | Expr::InList { .. }) || is_movable(&shallow);
    (is_body && !elements.is_empty()).then(|| with_bound(elements, shallow))
}

/// The expression itself if it is a value or a column; else what stands for it in the lambda.
fn bound_once(expr: Expr, elements: &mut Vec<Expr>) -> Expr {
    if matches!(expr, Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        return expr;
    }
    elements.push(expr);
    bound_value(elements.len())
}

/// Finds an expression of too many parts to be copied.
struct Size(usize);

impl Visitor for Size {
    type Break = ();

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        const PARTS_MAX: usize = 100;
        self.0 += 1;
        if self.0 > PARTS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Finds what cannot be in the body of a lambda.
struct Unmovable;

impl Visitor for Unmovable {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let is_scalar = |function: &Function| function.over.is_none() && !is_aggregate(function);
        match expr {
            Expr::Lambda(_) => ControlFlow::Break(()),
            Expr::Function(function) if !is_scalar(function) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn arguments_that_would_be_read_too_often_are_read_once() {
        let nested = |count| format!("SELECT {}a{}", "NULLIF(".repeat(count), ", 1)".repeat(count));
        check(&nested(8), &nested(8));
        let inside = nested(8).replace("SELECT ", "");
        check(
            &nested(9),
            &format!(
                "SELECT list_extract(list_transform(list_value(row({inside})), lambda firn_arguments : \
                 NULLIF(struct_extract(firn_arguments, 1), 1)), 1)"
            ),
        );
    }

    #[test]
    fn subqueries_in_repeated_subqueries_are_bound_once() {
        let shallow = "SELECT (SELECT firn_text((SELECT v)) FROM t)";
        check(shallow, shallow);
        check(
            "SELECT (SELECT firn_text((SELECT firn_text((SELECT v)))) FROM t)",
            "SELECT (SELECT firn_text((SELECT list_extract(list_transform(list_value(row((SELECT v))), \
             lambda firn_arguments : firn_text(struct_extract(firn_arguments, 1))), 1))) FROM t)",
        );
    }

    #[test]
    fn between_and_case_copy_what_they_compare() {
        let nested = |count| format!("SELECT {}a{}", "(".repeat(count), " BETWEEN b AND true)".repeat(count));
        check(&nested(4), &nested(4));
        let inside = nested(4).replace("SELECT ", "");
        check(
            &nested(5),
            &format!(
                "SELECT (list_extract(list_transform(list_value(row({inside})), lambda firn_arguments : \
                 struct_extract(firn_arguments, 1) BETWEEN b AND true), 1))"
            ),
        );
    }
}

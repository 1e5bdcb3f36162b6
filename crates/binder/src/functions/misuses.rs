//! DISTINCT, OVER and WITHIN GROUP in calls of functions that do not take them, and arguments that have to have one value
//! for all rows.

use std::ops::ControlFlow;

use firn_sql::ast::{DuplicateTreatment, Expr, FunctionArguments, Query, Visitor};
use firn_sql::functions::{FunctionClass, FunctionEntry, find, is_volatile};
use firn_sql::tree::Walk;

use super::{Call, name_of};
use crate::error::BindError;

/// What is wrong with a call beside the types of its arguments; `shown` writes an expression in messages.
pub(crate) fn misuse(call: &Call<'_>, shown: impl Fn(Expr) -> String) -> Option<BindError> {
    // What a normalisation has put in is right.
    let entry = call.name().and_then(find).filter(|entry| !entry.name.starts_with("__"))?;
    let is_aggregate = entry.class == FunctionClass::Aggregate;
    let function = call.function;
    if !is_aggregate && is_distinct(&function.args) {
        let mut plain = function.clone();
        plain.over = None;
        return Some(BindError::MisplacedDistinct { call: shown(Expr::Function(plain)) });
    }
    if entry.class == FunctionClass::Scalar && function.over.is_some() {
        return Some(BindError::NoWindowFunction { function: entry.name.to_owned() });
    }
    if !entry.takes_order && !function.within_group.is_empty() {
        return Some(BindError::NoOrderedFunction { function: entry.name.to_owned() });
    }
    computed_argument(entry, call, shown)
}

fn is_distinct(arguments: &FunctionArguments) -> bool {
    match arguments {
        FunctionArguments::List(list) => list.duplicate_treatment == Some(DuplicateTreatment::Distinct),
        _ => false,
    }
}

fn computed_argument(entry: &FunctionEntry, call: &Call<'_>, shown: impl Fn(Expr) -> String) -> Option<BindError> {
    let computed = entry.constants.iter().filter_map(|place| Some((*place, call.expr(*place)?)));
    let (place, given) = computed.into_iter().find(|(_, given)| given.inspect(&mut Computed).is_break())?;
    Some(BindError::ComputedArgument { place, function: entry.name.to_owned(), given: shown(given.clone()) })
}

/// Finds what may have another value in another row.
struct Computed;

impl Visitor for Computed {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => ControlFlow::Break(()),
            Expr::Function(function) if name_of(function).is_some_and(is_volatile) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error};

    #[test]
    fn scalar_functions_are_neither_distinct_nor_over_windows_nor_ordered() {
        check_error(
            "select upper(distinct c) from t1",
            "002120  invalid use of 'distinct' for function 'UPPER(DISTINCT T1.C)'",
        );
        check_error("select abs(a) over () from t1", "002303  Invalid function type [ABS] for window function.");
        check_error(
            "select sum(a) within group (order by b) from t1",
            "002303  Function SUM does not support WITHIN GROUP clause.",
        );
        check(
            "select count(distinct a), max(a) over (partition by b) from t1 group by a, b",
            "COUNT(DISTINCT A) \
            NUMBER(18,0)!, MAX(A) OVER (PARTITION BY B) NUMBER(10,2)",
        );
    }

    #[test]
    fn some_arguments_are_constant() {
        check_error(
            "select listagg(c, a) from t1",
            "001015  argument 1 to function LISTAGG needs to be constant, found 'T1.A'",
        );
        check_error(
            "select percentile_cont(a) within group (order by b) from t1",
            "001015  argument 0 to function PERCENTILE_CONT needs to be constant, found 'T1.A'",
        );
        check("select listagg(c, upper(',') || ' ') from t1", "LISTAGG(C, UPPER(',') || ' ') VARCHAR(134217728)");
    }

    #[test]
    fn a_pattern_names_columns() {
        check_error("select count(* ilike 'x%') from t1", "002028  * may not stand here: it names no columns");
        check("select count(* ilike 'a%') from t1", "COUNT(* ILIKE 'A%') NUMBER(18,0)!");
    }
}

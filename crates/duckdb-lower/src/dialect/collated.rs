//! Columns with a collation: COLLATION, which returns it, and DISTINCT inside an aggregate, where the engine does not
//! apply a collation that ignores case.

use std::rc::Rc;
use std::sync::Arc;

use firn_binder::Bound;
use firn_sql::Failure;
use firn_sql::ast::{DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::aggregates::{list_of, second_argument};
use super::build::{call, cast, null, only_part, plain_arguments, text};
use super::columns::Columns;
use super::wildcards::are_not_null;
use crate::collations::Collation;

pub(super) struct Collated {
    bound: Rc<Bound>,
}

impl Collated {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    /// COUNT(DISTINCT) counts the normalized values. Lists have the first of the equal values; for other aggregates it
    /// would matter which of them is used, so they are refused.
    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        let Expr::Function(function) = expr else { return Ok(()) };
        let Some(name) = only_part(&function.name) else { return Ok(()) };
        if name == "COLLATION" {
            let collation = self.collation_function(function)?;
            *expr = collation;
            return Ok(());
        }
        let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
        if list.duplicate_treatment != Some(DuplicateTreatment::Distinct) {
            return Ok(());
        }
        for argument in &mut list.args {
            let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument else { continue };
            let Some(collation) = self.collation_of(value) else { continue };
            let collation = Collation::parse(&collation)?;
            let key = normalized(value.clone(), &collation);
            match name {
                _ if !collation.ignores_case && !collation.ignores_accents => {}
                "COUNT" => *value = key,
                "ARRAY_AGG" | "LISTAGG" => {
                    let value = value.clone();
                    let list = distinct_list(function, value, key)?;
                    *expr = list;
                    return Ok(());
                }
                _ => {
                    return Err(Failure::unsupported(&format!("{name}(DISTINCT …) of a column with a collation")));
                }
            }
        }
        Ok(())
    }

    /// The name of the collation of a text, or NULL.
    fn collation_function(&self, function: &Function) -> Result<Expr, Failure> {
        let Some([value]) = plain_arguments(function).and_then(|arguments| <[&Expr; 1]>::try_from(arguments).ok())
        else {
            return Err(Failure::unsupported("COLLATION without one text"));
        };
        Ok(self.collation_of(value).map_or_else(|| cast(null(), "VARCHAR"), |collation| text(&collation)))
    }

    fn collation_of(&self, expr: &Expr) -> Option<Arc<str>> {
        self.bound.type_of(expr).collation
    }
}

/// A text that is equal for texts that are equal by the collation.
fn normalized(value: Expr, collation: &Collation) -> Expr {
    let steps = [("lower", collation.ignores_case), ("strip_accents", collation.ignores_accents)];
    let wanted = steps.into_iter().filter(|(_, wanted)| *wanted);
    wanted.fold(value, |value, (function, _)| call(function, vec![value]))
}

/// ARRAY_AGG or LISTAGG of the first value for each key, from a list of pairs.
fn distinct_list(function: &Function, value: Expr, key: Expr) -> Result<Expr, Failure> {
    let mut all = function.clone();
    if let FunctionArguments::List(list) = &mut all.args {
        list.duplicate_treatment = None;
    }
    let pair = call("list_value", vec![key, value.clone()]);
    let pairs = call("firn_array_of", vec![list_of(&all, pair, are_not_null(&[&value]))?]);
    let values = call("firn_first_of_equal", vec![pairs]);
    if only_part(&function.name) == Some("ARRAY_AGG") {
        return Ok(values);
    }
    let delimiter = second_argument(function).unwrap_or_else(|| text(""));
    Ok(call("coalesce", vec![call("firn_array_to_string", vec![values, delimiter]), text("")]))
}

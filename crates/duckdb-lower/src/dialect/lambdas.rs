//! FILTER, TRANSFORM and REDUCE: the array is converted to a list for the engine's list function, and the result back to
//! an array.

use std::ops::ControlFlow;

use firn_sql::ast::{
    CastKind, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, LambdaFunction, LambdaFunctionParameter,
    LambdaSyntax, OneOrManyWithParens, VisitorMut,
};
use firn_sql::command::DataType;
use firn_sql::tree::{Tree, outcome};
use firn_sql::{Failure, declared_type};

use super::build::{bound_value, call, cast, null, with_bound};
use super::casts::convert;

/// REDUCE that begins with a text, whose result is one.
pub(super) const REDUCE_TO_TEXT: &str = "__REDUCE_TO_TEXT";

pub(super) fn rewrite(name: &str, function: &Function) -> Result<Option<Expr>, Failure> {
    let FunctionArguments::List(list) = &function.args else { return Ok(None) };
    let arguments: Option<Vec<&Expr>> = list
        .args
        .iter()
        .map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect();
    let Some(arguments) = arguments else { return Ok(None) };
    Ok(match (name, &arguments[..]) {
        ("FILTER", [array, Expr::Lambda(lambda)]) => {
            let predicate = |body| cast(call("firn_truth", vec![body]), "BOOLEAN");
            Some(array_from(call("list_filter", vec![elements(array), engine_lambda(lambda, predicate)?])))
        }
        ("TRANSFORM", [array, Expr::Lambda(lambda)]) => {
            Some(array_from(call("list_transform", vec![elements(array), engine_lambda(lambda, |body| body)?])))
        }
        ("REDUCE" | REDUCE_TO_TEXT, [array, first, Expr::Lambda(lambda)]) => {
            let lambda = engine_lambda(lambda, |body| call("firn_variant", vec![body]))?;
            let start = call("firn_variant", vec![(*first).clone()]);
            let reduced = call("list_reduce", vec![elements(array), lambda, start]);
            Some(if name == REDUCE_TO_TEXT { call("firn_text", vec![reduced]) } else { reduced })
        }
        ("__BOUND", [values @ .., Expr::Lambda(lambda)]) => {
            let mut body = (*lambda.body).clone();
            outcome(body.walk_mut(&mut Bound(parameters(lambda))))?;
            Some(with_bound(values.iter().map(|value| (*value).clone()).collect(), body))
        }
        ("FILTER" | "TRANSFORM" | "REDUCE", _) => {
            return Err(Failure::unsupported(&format!("{name} without an array and a lambda such as x -> x > 0")));
        }
        _ => None,
    })
}

fn elements(array: &Expr) -> Expr {
    call("firn_elements", vec![array.clone()])
}

fn array_from(list: Expr) -> Expr {
    call("firn_array_from", vec![list])
}

/// The engine's spelling, with `change` around the body and each parameter cast to its type.
fn engine_lambda(lambda: &LambdaFunction, change: fn(Expr) -> Expr) -> Result<Expr, Failure> {
    let mut params = parameters(lambda);
    let mut body = (*lambda.body).clone();
    for parameter in &mut params {
        if let Some(data_type) = parameter.data_type.take() {
            let mut typing = Typing { name: parameter.name.value.clone(), target: declared_type(&data_type)? };
            outcome(body.walk_mut(&mut typing))?;
        }
    }
    let params = OneOrManyWithParens::Many(params);
    Ok(Expr::Lambda(LambdaFunction { params, body: Box::new(change(body)), syntax: LambdaSyntax::LambdaKeyword }))
}

fn parameters(lambda: &LambdaFunction) -> Vec<LambdaFunctionParameter> {
    match &lambda.params {
        OneOrManyWithParens::One(one) => vec![one.clone()],
        OneOrManyWithParens::Many(several) => several.clone(),
    }
}

/// Puts bound values in the places of their names.
struct Bound(Vec<LambdaFunctionParameter>);

impl VisitorMut for Bound {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Identifier(ident) = expr
            && let Some(place) = self.0.iter().position(|parameter| parameter.name.value == ident.value)
        {
            *expr = bound_value(place + 1);
        }
        ControlFlow::Continue(())
    }
}

struct Typing {
    name: String,
    target: DataType,
}

impl VisitorMut for Typing {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if matches!(expr, Expr::Identifier(ident) if ident.value == self.name) {
            let value = std::mem::replace(expr, null());
            *expr = convert(&CastKind::Cast, value, &self.target);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn lambdas_run_over_lists() {
        check(
            "SELECT FILTER(a, x -> x > 20)",
            "SELECT firn_array_from(list_filter(firn_elements(a), lambda x : CAST(firn_truth(firn_exact(x) > 20) AS BOOLEAN)))",
        );
        check(
            "SELECT TRANSFORM(a, x INT -> x * 2)",
            "SELECT firn_array_from(list_transform(firn_elements(a), lambda x : firn_integer(x) * 2))",
        );
        check(
            "SELECT REDUCE(a, 0, (acc, x) -> acc + x)",
            "SELECT list_reduce(firn_elements(a), lambda acc, x : firn_variant(firn_exact(acc) + firn_exact(x)), firn_variant(0))",
        );
        check(
            "SELECT __BOUND(a, b, (x, y) -> x || x || y)",
            "SELECT list_extract(list_transform(list_value(row(a, b)), lambda firn_arguments : firn_textual(struct_extract(firn_arguments, 1)) || firn_textual(struct_extract(firn_arguments, 1)) || firn_textual(struct_extract(firn_arguments, 2))), 1)",
        );
        check("SELECT FILTER(a, 1)", "Unsupported feature 'FILTER without an array and a lambda such as x -> x > 0'.");
    }
}

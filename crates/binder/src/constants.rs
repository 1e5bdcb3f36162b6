//! Constant expressions that have a value: nothing in them is a column, and nothing in them makes NULL of what is not.

use firn_sql::ast::{CastKind, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart, Value};
use firn_sql::functions::{FunctionEntry, Nulls, find};

/// True if an expression is made of literals alone and is not NULL.
pub(crate) fn has_value(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => !matches!(value.value, Value::Null | Value::Placeholder(_)),
        Expr::Nested(inside) => has_value(inside),
        Expr::UnaryOp { expr, .. } => has_value(expr),
        Expr::BinaryOp { left, right, .. } => has_value(left) && has_value(right),
        Expr::Cast { kind, expr, .. } => *kind != CastKind::TryCast && has_value(expr),
        Expr::Case { operand: None, conditions, else_result: Some(otherwise), .. } => {
            conditions.iter().all(|branch| has_value(&branch.condition) && has_value(&branch.result))
                && has_value(otherwise)
        }
        Expr::Between { expr, low, high, .. } => [expr, low, high].iter().all(|part| has_value(part)),
        Expr::InList { expr, list, .. } => has_value(expr) && list.iter().all(has_value),
        Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => has_value(expr) && has_value(pattern),
        Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => has_value(left) && has_value(right),
        Expr::Function(function) => call_has_value(function),
        _ => false,
    }
}

fn call_has_value(function: &Function) -> bool {
    let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return false };
    let Some(entry) = find(&name.value) else { return false };
    arguments(function).is_some_and(|arguments| has_value_of(entry, &arguments))
}

fn has_value_of(entry: &FunctionEntry, arguments: &[&Expr]) -> bool {
    let all = |arguments: &[&Expr]| arguments.iter().all(|argument| has_value(argument));
    match entry.name {
        "COALESCE" | "IFNULL" | "NVL" => {
            arguments.iter().any(|argument| has_value(argument))
                && arguments.iter().all(|argument| has_value(argument) || is_null(argument))
        }
        "IFF" | "NVL2" => all(arguments),
        _ => entry.nulls == Nulls::Total && all(arguments),
    }
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

/// The arguments of a plain call: no names, no wildcard and no clause.
fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    if function.over.is_some() || function.filter.is_some() {
        return None;
    }
    match &function.args {
        FunctionArguments::None => Some(Vec::new()),
        FunctionArguments::Subquery(_) => None,
        FunctionArguments::List(list) => list
            .args
            .iter()
            .map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            })
            .collect(),
    }
}

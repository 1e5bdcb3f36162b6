//! Aggregates with an order of their own: LISTAGG, ARRAY_AGG and the percentiles.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, OrderByExpr, OrderBySort,
};

use super::build::{call, cast, nested, number, plain_arguments, plain_name, text};

pub(super) fn rewrite(name: &str, function: &Function) -> Result<Option<Expr>, Failure> {
    match name {
        "LISTAGG" => listagg(function).map(Some),
        "ARRAY_AGG" | "ARRAYAGG" => array_agg(function).map(Some),
        "ARRAY_UNION_AGG" => array_union_agg(function).map(Some),
        "ARRAY_UNIQUE_AGG" => array_unique_agg(function).map(Some),
        "OBJECT_AGG" => object_agg(function).map(Some),
        "PERCENTILE_CONT" => percentile("quantile_cont", function).map(Some),
        "PERCENTILE_DISC" => percentile("quantile_disc", function).map(Some),
        _ => Ok(None),
    }
}

/// `string_agg(x, ',' ORDER BY y)`; of no rows it is the empty text.
fn listagg(function: &Function) -> Result<Expr, Failure> {
    let mut call_to = function.clone();
    call_to.name = plain_name("string_agg");
    let FunctionArguments::List(list) = &mut call_to.args else { return Err(missing_argument("LISTAGG")) };
    if list.args.len() == 1 {
        list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(text(""))));
    }
    if let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(value))) = list.args.first_mut() {
        *value = call("firn_text", vec![value.clone()]);
    }
    order_inside(&mut call_to)?;
    Ok(call("coalesce", vec![Expr::Function(call_to), text("")]))
}

/// `firn_array_of(list(x ORDER BY y) FILTER (WHERE x IS NOT NULL))`; of no rows it is empty.
fn array_agg(function: &Function) -> Result<Expr, Failure> {
    let value = first_argument("ARRAY_AGG", function)?;
    Ok(call("firn_array_of", vec![list_of(function, value.clone(), is_not_null(value))?]))
}

/// `firn_object_of(list(k) FILTER (…), list(v) FILTER (…))`, over the same rows in the same order.
fn object_agg(function: &Function) -> Result<Expr, Failure> {
    let Some([key, value]) = plain_arguments(function).and_then(|arguments| <[Expr; 2]>::try_from(arguments).ok())
    else {
        return Err(missing_argument("OBJECT_AGG"));
    };
    let both = Expr::BinaryOp {
        left: Box::new(is_not_null(key.clone())),
        op: BinaryOperator::And,
        right: Box::new(is_not_null(value.clone())),
    };
    Ok(call("firn_object_of", vec![list_of(function, key, both.clone())?, list_of(function, value, both)?]))
}

fn array_union_agg(function: &Function) -> Result<Expr, Failure> {
    let value = first_argument("ARRAY_UNION_AGG", function)?;
    Ok(call("firn_array_union", vec![list_of(function, value.clone(), is_not_null(value))?]))
}

fn array_unique_agg(function: &Function) -> Result<Expr, Failure> {
    let mut distinct = function.clone();
    if let FunctionArguments::List(list) = &mut distinct.args {
        list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
    }
    array_agg(&distinct)
}

/// The aggregate with another argument and a filter, as the engine's `list`.
fn list_of(function: &Function, value: Expr, filter: Expr) -> Result<Expr, Failure> {
    let mut call_to = function.clone();
    call_to.name = plain_name("list");
    if let FunctionArguments::List(list) = &mut call_to.args {
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(value))];
    }
    call_to.filter = Some(Box::new(filter));
    order_inside(&mut call_to)?;
    Ok(Expr::Function(call_to))
}

fn is_not_null(expr: Expr) -> Expr {
    Expr::IsNotNull(Box::new(nested(expr)))
}

/// `quantile_cont(x, p)`; from the other end when the order is descending.
fn percentile(engine_name: &str, function: &Function) -> Result<Expr, Failure> {
    let fraction = first_argument(engine_name, function)?;
    let [order] = &function.within_group[..] else {
        return Err(Failure::unsupported("a percentile without WITHIN GROUP (ORDER BY one expression)"));
    };
    let fraction = if order.options.sort == Some(OrderBySort::Desc) {
        nested(Expr::BinaryOp { left: Box::new(number(1)), op: BinaryOperator::Minus, right: Box::new(fraction) })
    } else {
        fraction
    };
    let value = if engine_name == "quantile_cont" { cast(order.expr.clone(), "DOUBLE") } else { order.expr.clone() };
    let mut call_to = super::build::function(engine_name, vec![value, fraction]);
    call_to.over.clone_from(&function.over);
    Ok(Expr::Function(call_to))
}

/// WITHIN GROUP's order goes into the brackets.
fn order_inside(function: &mut Function) -> Result<(), Failure> {
    let order: Vec<OrderByExpr> = std::mem::take(&mut function.within_group);
    if order.is_empty() {
        return Ok(());
    }
    if let FunctionArguments::List(list) = &mut function.args {
        list.clauses.push(FunctionArgumentClause::OrderBy(order));
    }
    Ok(())
}

fn first_argument(name: &str, function: &Function) -> Result<Expr, Failure> {
    let FunctionArguments::List(list) = &function.args else { return Err(missing_argument(name)) };
    match list.args.first() {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(value))) => Ok(value.clone()),
        _ => Err(missing_argument(name)),
    }
}

fn missing_argument(name: &str) -> Failure {
    Failure::new("000938", "22023", format!("SQL compilation error:\nnot enough arguments for function [{name}]"))
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn orders_go_inside_the_brackets() {
        check(
            "SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b DESC)",
            "SELECT coalesce(string_agg(firn_text(a), ',' ORDER BY b DESC), '')",
        );
        check("SELECT LISTAGG(DISTINCT a)", "SELECT coalesce(string_agg(DISTINCT firn_text(a), ''), '')");
        check(
            "SELECT ARRAY_AGG(a) WITHIN GROUP (ORDER BY b)",
            "SELECT firn_array_of(list(a ORDER BY b) FILTER (WHERE (a) IS NOT NULL))",
        );
        check(
            "SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY a DESC)",
            "SELECT quantile_cont(CAST(a AS DOUBLE), (1 - 0.25))",
        );
        check(
            "SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY a) OVER (PARTITION BY b)",
            "SELECT quantile_disc(a, 0.5) OVER (PARTITION BY b)",
        );
    }
}

//! Aggregates with an order of their own: LISTAGG, ARRAY_AGG and the percentiles.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    OrderByExpr, OrderBySort,
};

use super::build::{call, cast, nested, number, plain_name, text};

pub(super) fn rewrite(name: &str, function: &Function) -> Result<Option<Expr>, Failure> {
    match name {
        "LISTAGG" => listagg(function).map(Some),
        "ARRAY_AGG" => array_agg(function).map(Some),
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

/// `coalesce(to_json(list(x ORDER BY y) FILTER (WHERE x IS NOT NULL)), '[]')`.
fn array_agg(function: &Function) -> Result<Expr, Failure> {
    let mut call_to = function.clone();
    call_to.name = plain_name("list");
    let value = first_argument("ARRAY_AGG", function)?;
    call_to.filter = Some(Box::new(Expr::IsNotNull(Box::new(nested(value)))));
    order_inside(&mut call_to)?;
    let list = call("to_json", vec![Expr::Function(call_to)]);
    Ok(call("coalesce", vec![list, cast(text("[]"), "JSON")]))
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
            "SELECT coalesce(to_json(list(a ORDER BY b) FILTER (WHERE (a) IS NOT NULL)), CAST('[]' AS JSON))",
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

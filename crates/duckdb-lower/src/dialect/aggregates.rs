//! Aggregates the engine knows by another name, with another argument, or not at all. Every rewrite preserves OVER and
//! DISTINCT.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, OrderByExpr, OrderBySort, UnaryOperator, Value,
};

use super::build::{call, call_name, case, cast, nested, number, plain_arguments, plain_name, text};
use super::variants::ORDER as VARIANT_ORDER;
use super::wildcards::are_not_null;

pub(super) fn rewrite(name: &str, function: &Function) -> Result<Option<Expr>, Failure> {
    Ok(Some(match name {
        "LISTAGG" => listagg(function)?,
        "ARRAY_AGG" => array_agg(function)?,
        "ARRAY_UNION_AGG" => array_union_agg(function)?,
        "ARRAY_UNIQUE_AGG" => array_unique_agg(function)?,
        "OBJECT_AGG" => object_agg(function)?,
        "PERCENTILE_CONT" => percentile("quantile_cont", function)?,
        "PERCENTILE_DISC" => percentile("quantile_disc", function)?,
        "APPROX_PERCENTILE" => {
            let [value, fraction] = arguments(name, function)?;
            over(function, "approx_quantile", vec![cast(value, "DOUBLE"), fraction])
        }
        "APPROX_TOP_K" => top_k(function, number(1))?,
        "APPROX_TOP_K_ACCUMULATE" => state("firn_top_state", json_text(top_k(function, number(100_000))?)),
        "APPROX_TOP_K_COMBINE" => {
            let capacity = second_argument(function).unwrap_or_else(|| number(100_000));
            call("firn_top_combined", vec![listed(function, json_text)?, whole(capacity)])
        }
        "APPROX_TOP_K_ESTIMATE" => {
            let wanted = second_argument(function).unwrap_or_else(|| number(1));
            call("firn_top_estimate", vec![json_text(first_argument(name, function)?), whole(wanted)])
        }
        "MEDIAN" => renamed(function, "median", |value| cast(value, "DOUBLE")),
        "COUNT" => return count(function),
        // The engine's own leave out rows whose value is NULL.
        "MAX_BY" if count_of_arguments(function) == 2 => renamed(function, "arg_max_null", |value| value),
        "MIN_BY" if count_of_arguments(function) == 2 => renamed(function, "arg_min_null", |value| value),
        // The engine's own make a list.
        "MAX_BY" => call("firn_array_from", vec![renamed(function, "max_by", |value| value)]),
        "MIN_BY" => call("firn_array_from", vec![renamed(function, "min_by", |value| value)]),
        "COUNT_IF" => {
            let counted = call("coalesce", vec![renamed(function, "count_if", |value| value), number(0)]);
            cast(counted, "BIGINT")
        }
        "HLL" | "APPROX_COUNT_DISTINCT" => approximate_count(function),
        "KURTOSIS" => renamed(function, "kurtosis", |value| cast(value, "DOUBLE")),
        "SKEW" => no_number_is_null(renamed(function, "skewness", |value| cast(value, "DOUBLE"))),
        "CORR" => no_number_is_null(renamed(function, "corr", |value| value)),
        "REGR_SLOPE" => slope(function),
        "VARIANCE_POP" => renamed(function, "var_pop", |value| value),
        "VARIANCE_SAMP" => renamed(function, "var_samp", |value| value),
        "BITAND_AGG" => renamed(function, "bit_and", whole),
        "BITOR_AGG" => renamed(function, "bit_or", whole),
        "BITXOR_AGG" => renamed(function, "bit_xor", whole),
        "BOOLAND_AGG" => renamed(function, "bool_and", |value| cast(value, "BOOLEAN")),
        "BOOLOR_AGG" => renamed(function, "bool_or", |value| cast(value, "BOOLEAN")),
        "BOOLXOR_AGG" => exactly_one(function),
        "HASH_AGG" => hash_agg(function)?,
        "HLL_ACCUMULATE" => state("firn_hll_state", hashes(function)?),
        "HLL_COMBINE" => state("firn_hll_combined", listed(function, |value| cast(value, "BLOB"))?),
        "HLL_EXPORT" => return export(function),
        "HLL_IMPORT" => {
            let [value] = arguments(name, function)?;
            call("firn_hll_import", vec![cast(value, "VARCHAR")])
        }
        "BITMAP_CONSTRUCT_AGG" => state("firn_bitmap", listed(function, |value| cast(value, "BIGINT"))?),
        "BITMAP_OR_AGG" => state("firn_bitmap_combined", listed(function, |value| value)?),
        "ST_COLLECT" if second_argument(function).is_none() => {
            state("firn_st_collected", listed(function, |value| value)?)
        }
        "ST_UNION_AGG" => state("firn_st_united", listed(function, |value| value)?),
        "ST_INTERSECTION_AGG" => state("firn_st_intersected", listed(function, |value| value)?),
        "MINHASH" => minhash(function)?,
        "MINHASH_COMBINE" => state("firn_minhash_combined", listed(function, json_text)?),
        "APPROXIMATE_SIMILARITY" | "APPROXIMATE_JACCARD_INDEX" => {
            state("firn_similarity", listed(function, json_text)?)
        }
        "APPROX_PERCENTILE_ACCUMULATE" => {
            state("firn_percentile_state", listed(function, |value| cast(value, "DOUBLE"))?)
        }
        "APPROX_PERCENTILE_COMBINE" => state("firn_percentile_combined", listed(function, json_text)?),
        "APPROX_PERCENTILE_ESTIMATE" => {
            let [value, fraction] = arguments(name, function)?;
            call("firn_percentile_estimate", vec![json_text(value), cast(fraction, "DOUBLE")])
        }
        _ => return Ok(None),
    }))
}

/// The same call under the engine's name, with its first argument changed.
fn renamed(function: &Function, engine_name: &str, change: impl FnOnce(Expr) -> Expr) -> Expr {
    let mut call_to = function.clone();
    call_to.name = plain_name(engine_name);
    change_first(&mut call_to, change);
    Expr::Function(call_to)
}

fn change_first(function: &mut Function, change: impl FnOnce(Expr) -> Expr) {
    if let FunctionArguments::List(list) = &mut function.args
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(value))) = list.args.first_mut()
    {
        *value = change(value.clone());
    }
}

/// Another call in the same window.
fn over(function: &Function, engine_name: &str, arguments: Vec<Expr>) -> Expr {
    let mut call_to = super::build::function(engine_name, arguments);
    call_to.over.clone_from(&function.over);
    Expr::Function(call_to)
}

fn whole(value: Expr) -> Expr {
    cast(value, "BIGINT")
}

fn json_text(value: Expr) -> Expr {
    cast(value, "VARCHAR")
}

fn state(native: &str, list: Expr) -> Expr {
    call(native, vec![list])
}

/// `string_agg(x, ',' ORDER BY y)`; of no rows it is the empty text.
fn listagg(function: &Function) -> Result<Expr, Failure> {
    if let FunctionArguments::List(list) = &function.args
        && list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
        && !function.within_group.is_empty()
    {
        return distinct_listagg(function);
    }
    let mut call_to = function.clone();
    call_to.name = plain_name("string_agg");
    let FunctionArguments::List(list) = &mut call_to.args else { return Err(missing_argument("LISTAGG")) };
    if list.args.len() == 1 {
        list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Expr(text(""))));
    }
    change_first(&mut call_to, |value| call("firn_text", vec![value]));
    order_inside(&mut call_to);
    Ok(call("coalesce", vec![Expr::Function(call_to), text("")]))
}

/// Distinct values are ordered as what they are, and become texts afterwards.
fn distinct_listagg(function: &Function) -> Result<Expr, Failure> {
    let value = first_argument("LISTAGG", function)?;
    let delimiter = second_argument(function).unwrap_or_else(|| text(""));
    let values = list_of(function, value.clone(), are_not_null(&[&value]))?;
    Ok(call("coalesce", vec![call("firn_joined", vec![values, delimiter]), text("")]))
}

/// `firn_array_of(list(x ORDER BY y) FILTER (WHERE x IS NOT NULL))`; of no rows it is empty.
pub(super) fn array_agg(function: &Function) -> Result<Expr, Failure> {
    let value = first_argument("ARRAY_AGG", function)?;
    Ok(call("firn_array_of", vec![list_of(function, value.clone(), are_not_null(&[&value]))?]))
}

/// `firn_object_of(list(k) FILTER (…), list(v) FILTER (…))`, over the same rows in the same order.
fn object_agg(function: &Function) -> Result<Expr, Failure> {
    let [key, value] = arguments("OBJECT_AGG", function)?;
    let both = are_not_null(&[&key, &value]);
    Ok(call("firn_object_of", vec![list_of(function, key, both.clone())?, list_of(function, value, both)?]))
}

fn array_union_agg(function: &Function) -> Result<Expr, Failure> {
    let value = first_argument("ARRAY_UNION_AGG", function)?;
    Ok(call("firn_array_union", vec![list_of(function, value.clone(), are_not_null(&[&value]))?]))
}

fn array_unique_agg(function: &Function) -> Result<Expr, Failure> {
    let mut distinct = function.clone();
    if let FunctionArguments::List(list) = &mut distinct.args {
        list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
    }
    array_agg(&distinct)
}

/// The aggregate with another argument and a filter, as the engine's `list`.
pub(super) fn list_of(function: &Function, value: Expr, filter: Option<Expr>) -> Result<Expr, Failure> {
    let mut call_to = function.clone();
    call_to.name = plain_name("list");
    if let FunctionArguments::List(list) = &mut call_to.args {
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(value))];
    }
    call_to.filter = filter.map(Box::new);
    order_inside(&mut call_to);
    Ok(Expr::Function(call_to))
}

/// The values that are not NULL, each changed, in a list.
fn listed(function: &Function, change: impl FnOnce(Expr) -> Expr) -> Result<Expr, Failure> {
    let value = first_argument("an aggregate", function)?;
    let there = are_not_null(&[&value]);
    list_of(function, change(value), there)
}

fn hashes(function: &Function) -> Result<Expr, Failure> {
    listed(function, |value| signed_hash(vec![value]))
}

/// `quantile_cont(x, p)`.
fn percentile(engine_name: &str, function: &Function) -> Result<Expr, Failure> {
    let fraction = first_argument(engine_name, function)?;
    let [order] = &function.within_group[..] else {
        return Err(Failure::unsupported("a percentile without WITHIN GROUP (ORDER BY one expression)"));
    };
    let fraction = match order.options.sort {
        Some(OrderBySort::Desc) => from_other_end(engine_name, fraction),
        _ => fraction,
    };
    if let Some(value) = sorted_variant(&order.expr) {
        return Ok(percentile_of_variants(engine_name, function, value, fraction));
    }
    let is_exact = matches!(&order.expr, Expr::Cast { data_type, .. } if data_type.to_string().starts_with("DECIMAL"));
    let value = if engine_name == "quantile_cont" && !is_exact {
        cast(order.expr.clone(), "DOUBLE")
    } else {
        order.expr.clone()
    };
    Ok(over(function, engine_name, vec![value, fraction]))
}

/// What `variants` has given a key to be sorted by.
fn sorted_variant(key: &Expr) -> Option<Expr> {
    let Expr::Function(function) = key else { return None };
    let &[value] = &plain_arguments(function)?[..] else { return None };
    call_name(function).filter(|name| *name == VARIANT_ORDER).map(|_| value.clone())
}

/// Between two values is a number; one of the values is found beside its key.
fn percentile_of_variants(engine_name: &str, function: &Function, value: Expr, fraction: Expr) -> Expr {
    if engine_name == "quantile_cont" {
        return over(function, engine_name, vec![cast(call("firn_number", vec![value]), "DOUBLE"), fraction]);
    }
    let is_there = Expr::IsNotNull(Box::new(nested(value.clone())));
    let with_key = call("row", vec![call("firn_sort_key", vec![value.clone()]), value]);
    let found = over(function, engine_name, vec![case(vec![(is_there, with_key)], None), fraction]);
    call("struct_extract", vec![found, number(2)])
}

/// The fraction of a descending order. Where the answer lies between two values, it is the distance from the other end;
/// where it is one of the values, the engine counts from the other end by a negative fraction, which zero can't be.
fn from_other_end(engine_name: &str, fraction: Expr) -> Expr {
    let is_zero = matches!(&fraction, Expr::Value(value) if value.value.to_string().parse() == Ok(0.0));
    nested(if engine_name == "quantile_cont" || is_zero {
        Expr::BinaryOp { left: Box::new(number(1)), op: BinaryOperator::Minus, right: Box::new(fraction) }
    } else {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(fraction) }
    })
}

/// The most frequent values with how often they are there, exactly.
fn top_k(function: &Function, default: Expr) -> Result<Expr, Failure> {
    let wanted = second_argument(function).unwrap_or(default);
    let value = first_argument("APPROX_TOP_K", function)?;
    let counts = over(function, "histogram", vec![value]);
    Ok(call("firn_top_of", vec![counts, wanted]))
}

fn plain_values(function: &Function) -> Option<Vec<Expr>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let plain = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    };
    list.args.iter().map(plain).collect()
}

/// COUNT of several columns counts the rows in which none is NULL.
fn count(function: &Function) -> Result<Option<Expr>, Failure> {
    let FunctionArguments::List(list) = &function.args else { return Ok(None) };
    let are_several = |values: &Vec<Expr>| values.len() > 1 || values.iter().any(is_star);
    let Some(values) = plain_values(function).filter(are_several) else { return Ok(None) };
    let mut call_to = function.clone();
    call_to.filter = all_are_there(&values).map(Box::new);
    let counted = match list.duplicate_treatment {
        Some(DuplicateTreatment::Distinct) => call("row", values),
        _ => number(1),
    };
    if let FunctionArguments::List(list) = &mut call_to.args {
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(counted))];
    }
    Ok(Some(Expr::Function(call_to)))
}

/// `*COLUMNS(…)`, inserted by `wildcards`.
fn is_star(value: &Expr) -> bool {
    matches!(value, Expr::Identifier(name) if name.value.starts_with('*'))
}

fn all_are_there(values: &[Expr]) -> Option<Expr> {
    let of_star = |value: &Expr| match is_star(value) {
        true => call("format", vec![text(""), value.clone()]),
        false => value.clone(),
    };
    let there: Vec<Expr> = values.iter().map(of_star).collect();
    are_not_null(&there.iter().collect::<Vec<_>>())
}

/// `firn_distinct_count(CAST(hash(a, b) >> 1 AS BIGINT)) FILTER (WHERE …)`: several columns, or all of them, are counted
/// as rows in which none is NULL. The engine's hash has no sign, and one bit less is a BIGINT.
fn approximate_count(function: &Function) -> Expr {
    let values = plain_values(function).unwrap_or_default();
    let there = all_are_there(&values);
    let hash = Expr::BinaryOp {
        left: Box::new(call("hash", values)),
        op: BinaryOperator::PGBitwiseShiftRight,
        right: Box::new(number(1)),
    };
    let mut counted = super::build::function("firn_distinct_count", vec![cast(hash, "BIGINT")]);
    counted.over.clone_from(&function.over);
    counted.filter = there.map(Box::new);
    Expr::Function(counted)
}

/// For equal values the engine returns NaN, the dialect NULL. NaN among the values raises an error before.
fn no_number_is_null(value: Expr) -> Expr {
    call("nullif", vec![value, cast(text("NaN"), "DOUBLE")])
}

/// `CASE WHEN regr_sxx(y, x) <> 0 THEN regr_slope(y, x) END`: a vertical line has no slope.
fn slope(function: &Function) -> Expr {
    let leans = Expr::BinaryOp {
        left: Box::new(renamed(function, "regr_sxx", |value| value)),
        op: BinaryOperator::NotEq,
        right: Box::new(number(0)),
    };
    nested(super::build::case(vec![(leans, renamed(function, "regr_slope", |value| value))], None))
}

/// `CASE WHEN count(x) > 0 THEN count_if(x) = 1 END`.
fn exactly_one(function: &Function) -> Expr {
    let any = Expr::BinaryOp {
        left: Box::new(renamed(function, "count", |value| value)),
        op: BinaryOperator::Gt,
        right: Box::new(number(0)),
    };
    let one = Expr::BinaryOp {
        left: Box::new(renamed(function, "count_if", |value| cast(value, "BOOLEAN"))),
        op: BinaryOperator::Eq,
        right: Box::new(number(1)),
    };
    nested(super::build::case(vec![(any, one)], None))
}

/// The sum of the rows' hashes, in 64 bits and 0 of no rows: the order of the rows does not matter.
fn hash_agg(function: &Function) -> Result<Expr, Failure> {
    let values = plain_values(function).ok_or_else(|| missing_argument("HASH_AGG"))?;
    let mut sum = function.clone();
    sum.name = plain_name("sum");
    if let FunctionArguments::List(list) = &mut sum.args {
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(call("hash", values)))];
    }
    let large = |digits: &str| Expr::value(Value::Number(digits.to_owned(), false));
    let total = call("coalesce", vec![Expr::Function(sum), number(0)]);
    let raised = Expr::BinaryOp {
        left: Box::new(cast(total, "HUGEINT")),
        op: BinaryOperator::Plus,
        right: Box::new(large("9223372036854775808")),
    };
    let rest = Expr::BinaryOp {
        left: Box::new(nested(raised)),
        op: BinaryOperator::Modulo,
        right: Box::new(large("18446744073709551616")),
    };
    let signed = Expr::BinaryOp {
        left: Box::new(nested(rest)),
        op: BinaryOperator::Minus,
        right: Box::new(large("9223372036854775808")),
    };
    Ok(cast(signed, "BIGINT"))
}

fn export(function: &Function) -> Result<Option<Expr>, Failure> {
    let [value] = arguments("HLL_EXPORT", function)?;
    Ok(Some(call("firn_hll_export", vec![value])))
}

/// `MINHASH(k, x, …)`: the number of hashes comes first.
fn minhash(function: &Function) -> Result<Expr, Failure> {
    let FunctionArguments::List(list) = &function.args else { return Err(missing_argument("MINHASH")) };
    let mut values = list.args.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    });
    let count = values.next().ok_or_else(|| missing_argument("MINHASH"))?;
    let values: Vec<Expr> = values.collect();
    if values.is_empty() {
        return Err(Failure::unsupported("MINHASH(k, *); name the columns"));
    }
    let list = over(function, "list", vec![signed_hash(values)]);
    Ok(call("firn_minhash", vec![cast(count, "BIGINT"), list]))
}

/// Moves the order of WITHIN GROUP into the argument list.
fn order_inside(function: &mut Function) {
    let order: Vec<OrderByExpr> = std::mem::take(&mut function.within_group);
    if let FunctionArguments::List(list) = &mut function.args
        && !order.is_empty()
    {
        list.clauses.push(FunctionArgumentClause::OrderBy(order));
    }
}

/// Exactly so many arguments that are plain expressions.
fn arguments<const COUNT: usize>(name: &str, function: &Function) -> Result<[Expr; COUNT], Failure> {
    super::build::copied_arguments(function)
        .and_then(|arguments| arguments.try_into().ok())
        .ok_or_else(|| missing_argument(name))
}

fn first_argument(name: &str, function: &Function) -> Result<Expr, Failure> {
    let FunctionArguments::List(list) = &function.args else { return Err(missing_argument(name)) };
    match list.args.first() {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(value))) => Ok(value.clone()),
        _ => Err(missing_argument(name)),
    }
}

fn count_of_arguments(function: &Function) -> usize {
    match &function.args {
        FunctionArguments::List(list) => list.args.len(),
        _ => 0,
    }
}

pub(super) fn second_argument(function: &Function) -> Option<Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.get(1) {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(value))) => Some(value.clone()),
        _ => None,
    }
}

fn missing_argument(name: &str) -> Failure {
    Failure::new("000938", "22023", format!("SQL compilation error:\nnot enough arguments for function [{name}]"))
}

/// One signed number of 64 bits for all values.
pub(super) fn signed_hash(arguments: Vec<Expr>) -> Expr {
    call("firn_hash", arguments)
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

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

    #[test]
    fn aggregates_keep_their_window() {
        check(
            "SELECT COUNT_IF(a) OVER (ORDER BY b)",
            "SELECT CAST(coalesce(count_if(a) OVER (ORDER BY b), 0) AS BIGINT)",
        );
        check("SELECT BITOR_AGG(DISTINCT a)", "SELECT bit_or(DISTINCT CAST(a AS BIGINT))");
        check("SELECT COUNT(a, b)", "SELECT COUNT(1) FILTER (WHERE (a) IS NOT NULL AND (b) IS NOT NULL)");
    }
}

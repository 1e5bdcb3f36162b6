//! Functions that become another expression: conditionals, concatenations, objects, and calls whose
//! arguments the engine takes in another order.

use std::mem;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, Value,
};

use super::aggregates::signed_hash;
use super::build::{
    bound_value, call, call_name, case, cast, is_null, nested, null, number, plain_arguments, quoted, text, with_bound,
};
use super::date_parts::{instant, wall};
use super::deep_calls::{evaluated_once, is_costly_to_copy, is_movable};
use super::literal_values::{integer_of, text_of};
use super::tried_values::tried;
use super::{aggregates, conversions, lambdas, search, variant_functions, wildcards};
use crate::collations::Collation;

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    let Some(name) = call_name(function).map(str::to_owned) else { return Ok(()) };
    wildcards::expand(&name, function)?;
    let Some(name) = call_name(function).map(str::to_owned) else { return Ok(()) };
    refuse_wildcard(&name, function)?;
    if let Some(rewritten) = whole(&name, function)? {
        *expr = rewritten;
        return Ok(());
    }
    let Some(mut arguments) = taken_arguments(function) else { return Ok(()) };
    match by_arguments(&name, &mut arguments)? {
        Some(rewritten) => *expr = rewritten,
        None => give_back(function, arguments),
    }
    Ok(())
}

/// Rewrites that depend on more than the arguments.
fn whole(name: &str, function: &mut Function) -> Result<Option<Expr>, Failure> {
    if let Some(rewritten) = aggregates::rewrite(name, function)? {
        return Ok(Some(rewritten));
    }
    if let Some(rewritten) = lambdas::rewrite(name, function)? {
        return Ok(Some(rewritten));
    }
    Ok(without_arguments(name, function))
}

/// Rewrites that depend on the arguments alone; `None` leaves them unchanged.
fn by_arguments(name: &str, arguments: &mut Vec<Expr>) -> Result<Option<Expr>, Failure> {
    if let Some(rewritten) = search::rewrite(name, arguments)? {
        return Ok(Some(rewritten));
    }
    if let Some(rewritten) = conversions::rewrite(name, arguments)? {
        return Ok(Some(rewritten));
    }
    if let Some(rewritten) = variant_functions::rewrite(name, arguments)? {
        return Ok(Some(rewritten));
    }
    with_arguments(name, arguments)
}

/// The arguments of a call, when all of them are plain expressions. The call is left without them.
fn taken_arguments(function: &mut Function) -> Option<Vec<Expr>> {
    plain_arguments(function)?;
    let FunctionArguments::List(list) = &mut function.args else { return None };
    let expression = |argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    };
    list.args.drain(..).map(expression).collect()
}

fn give_back(function: &mut Function, arguments: Vec<Expr>) {
    if let FunctionArguments::List(list) = &mut function.args {
        list.args.extend(arguments.into_iter().map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))));
    }
}

fn refuse_wildcard(name: &str, function: &Function) -> Result<(), Failure> {
    let FunctionArguments::List(list) = &function.args else { return Ok(()) };
    let wildcard = list.args.iter().any(|argument| matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Wildcard)));
    if wildcard && !name.eq_ignore_ascii_case("COUNT") {
        Err(Failure::unsupported(&format!("{name}(*)")))
    } else {
        Ok(())
    }
}

/// Functions that may be written without brackets, or ask the clock.
fn without_arguments(name: &str, function: &Function) -> Option<Expr> {
    Some(match name {
        "CURRENT_TIMESTAMP" | "GETDATE" | "SYSTIMESTAMP" | "LOCALTIMESTAMP" => call("firn_now", Vec::new()),
        "CURRENT_DATE" => cast(call("firn_now", Vec::new()), "DATE"),
        "CURRENT_TIME" | "LOCALTIME" => cast(cast(call("firn_now", Vec::new()), "TIMESTAMP"), "TIME"),
        "SYSDATE" => call("timezone", vec![text("UTC"), call("firn_now", Vec::new())]),
        "RANDOM" if plain_arguments(function).is_some_and(|arguments| arguments.is_empty()) => {
            call("firn_random", Vec::new())
        }
        "UUID_STRING" if plain_arguments(function).is_some_and(|arguments| arguments.is_empty()) => {
            cast(call("uuid", Vec::new()), "VARCHAR")
        }
        _ => return None,
    })
}

fn with_arguments(name: &str, arguments: &mut Vec<Expr>) -> Result<Option<Expr>, Failure> {
    Ok(Some(match (name, arguments.len()) {
        ("COLLATE", 2) => collated(arguments)?,
        ("IFF", 3) => {
            let [condition, yes, no] = take(arguments)?;
            case(vec![(condition, yes)], Some(no))
        }
        ("NVL2", 3) => {
            let [tested, yes, no] = take(arguments)?;
            case(vec![(Expr::IsNotNull(Box::new(nested(tested))), yes)], Some(no))
        }
        ("DECODE", 3..) => decode(mem::take(arguments)),
        ("ZEROIFNULL", 1) => call("coalesce", mem::take(arguments).into_iter().chain([number(0)]).collect()),
        ("NULLIFZERO", 1) => call("nullif", mem::take(arguments).into_iter().chain([number(0)]).collect()),
        ("EQUAL_NULL", 2) => {
            let [left, right] = take(arguments)?;
            nested(Expr::IsNotDistinctFrom(Box::new(left), Box::new(right)))
        }
        ("GREATEST" | "LEAST", 1..) => {
            let engine_name = name.to_ascii_lowercase();
            evaluated_once(mem::take(arguments), |operands| null_if_any_is_null(&engine_name, operands))
        }
        ("CONCAT", 1..) => concatenation(mem::take(arguments)),
        ("CONCAT_WS", 2..) if is_costly_to_copy(&arguments[0]) => {
            evaluated_once(mem::take(arguments), concatenation_with)
        }
        ("CONCAT_WS", 2..) => concatenation_with(mem::take(arguments)),
        ("REPLACE", 3) if shrinks(&arguments[1], &arguments[2]) => call("replace", mem::take(arguments)),
        ("HASH", 1..) => signed_hash(mem::take(arguments)),
        ("FACTORIAL", 1) => {
            call("factorial", mem::take(arguments).into_iter().map(|value| cast(value, "INTEGER")).collect())
        }
        ("SUBSTR" | "SUBSTRING", 2 | 3) if arguments[1..].iter().all(is_positive) => {
            call("firn_piece", mem::take(arguments))
        }
        ("RANDOM", 1) => call("firn_seeded_random", casts_to_integer(mem::take(arguments))),
        ("UUID_STRING", 2) => call("firn_named_uuid", mem::take(arguments)),
        ("CEIL" | "CEILING" | "FLOOR", 2) => return Ok(scaled(name, arguments)),
        ("ROUND" | "TRUNC" | "TRUNCATE", 2) if !is_integer(&arguments[1]) => {
            call(if name == "ROUND" { "firn_round_any" } else { "firn_trunc_any" }, mem::take(arguments))
        }
        ("ROUND", 3) => rounded(arguments)?,
        ("TRY_BASE64_DECODE_BINARY", 1 | 2) => tried_call("firn_base64_binary", arguments),
        ("TRY_BASE64_DECODE_STRING", 1 | 2) => tried_call("firn_base64_text", arguments),
        ("TRY_HEX_DECODE_BINARY", 1) => tried_call("firn_hex_binary", arguments),
        ("TRY_HEX_DECODE_STRING", 1) => {
            let [value] = take(arguments)?;
            tried(value, |value| call("decode", vec![call("firn_hex_binary", vec![value])]))
        }
        ("DAYNAME" | "MONTHNAME", 1) => {
            let engine_name = name.to_ascii_lowercase();
            call("left", vec![call(&engine_name, mem::take(arguments).into_iter().map(wall).collect()), number(3)])
        }
        (
            "YEAR" | "QUARTER" | "MONTH" | "WEEK" | "WEEKISO" | "DAY" | "DAYOFMONTH" | "DAYOFWEEK" | "DAYOFYEAR"
            | "HOUR" | "MINUTE" | "SECOND" | "WEEKOFYEAR" | "YEAROFWEEK" | "YEAROFWEEKISO" | "DAYOFWEEKISO"
            | "MONTHS_BETWEEN",
            _,
        ) => return Ok(Some(call(name, mem::take(arguments).into_iter().map(wall).collect()))),
        ("ADD_MONTHS", _) => return Ok(Some(call(name, mem::take(arguments).into_iter().map(instant).collect()))),
        ("CONVERT_TIMEZONE", 3) => {
            let [source, target, value] = take(arguments)?;
            call("firn_in_zone", vec![source, target, value])
        }
        ("CONVERT_TIMEZONE", 2) => call("firn_convert_timezone", mem::take(arguments)),
        _ => return Ok(None),
    }))
}

/// `COLLATE(x, 'en-ci')`, which is also what `x COLLATE 'en-ci'` is.
fn collated(arguments: &mut Vec<Expr>) -> Result<Expr, Failure> {
    let [value, specification] = take(arguments)?;
    let Some(name) = text_of(&specification) else { return Err(Failure::unsupported("a computed collation")) };
    Ok(match Collation::parse(name)?.engine_name() {
        Some(engine_name) => {
            let collation = ObjectName::from(vec![quoted(&engine_name)]);
            let value = match value {
                null if is_null(&null) => cast(null, "VARCHAR"),
                written if text_of(&written).is_some() => written,
                other => call("firn_textual", vec![other]),
            };
            nested(Expr::Collate { expr: Box::new(nested(value)), collation })
        }
        None => value,
    })
}

fn take<const COUNT: usize>(arguments: &mut Vec<Expr>) -> Result<[Expr; COUNT], Failure> {
    mem::take(arguments).try_into().map_err(|_| Failure::unsupported("this number of arguments"))
}

fn tried_call(engine_name: &str, arguments: &mut Vec<Expr>) -> Expr {
    let rest = arguments.split_off(1);
    let value = arguments.pop().unwrap_or_else(null);
    tried(value, |value| call(engine_name, std::iter::once(value).chain(rest).collect()))
}

fn casts_to_integer(arguments: Vec<Expr>) -> Vec<Expr> {
    arguments.into_iter().map(|argument| cast(argument, "BIGINT")).collect()
}

/// A power of ten as a literal: `0.01` for 2, `100` for -2.
fn unit(scale: i64) -> Expr {
    let digits = match usize::try_from(scale) {
        Ok(0) => "1".to_owned(),
        Ok(scale) => format!("0.{}1", "0".repeat(scale - 1)),
        Err(_) => format!("1{}", "0".repeat(scale.unsigned_abs() as usize)),
    };
    Expr::value(Value::Number(digits, false))
}

fn operation(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(nested(left)), op, right: Box::new(nested(right)) }
}

/// CEIL and FLOOR to a scale: cut off, and one unit further where something was.
fn scaled(name: &str, arguments: &[Expr]) -> Option<Expr> {
    let scale = integer_of(&arguments[1]).filter(|scale| (-37..=37).contains(scale))?;
    let (op, step) = match name {
        "FLOOR" => (BinaryOperator::Lt, BinaryOperator::Minus),
        _ => (BinaryOperator::Gt, BinaryOperator::Plus),
    };
    Some(evaluated_once([arguments.first()?.clone()], |[value]| {
        let cut = call("trunc", vec![value.clone(), number(scale)]);
        let further = operation(cut.clone(), step, unit(scale));
        case(vec![(operation(value, op, cut.clone()), further)], Some(cut))
    }))
}

/// ROUND with a mode: half away from zero, or half to the even neighbour.
fn rounded(arguments: &mut Vec<Expr>) -> Result<Expr, Failure> {
    let [value, scale, mode] = take(arguments)?;
    let mode = text_of(&mode).unwrap_or_default().to_ascii_uppercase();
    let scale = if matches!(&scale, Expr::Value(value) if value.value == Value::Null) { number(0) } else { scale };
    let Some(scale) = integer_of(&scale).filter(|scale| (-37..=36).contains(scale)) else {
        return Err(Failure::unsupported("ROUND with a mode and a computed scale"));
    };
    match mode.as_str() {
        "HALF_AWAY_FROM_ZERO" => Ok(call("round", vec![value, number(scale)])),
        "HALF_TO_EVEN" => Ok(evaluated_once([value], |[value]| {
            let away = call("round", vec![value.clone(), number(scale)]);
            let cut = call("trunc", vec![value.clone(), number(scale)]);
            let rest = call("abs", vec![operation(value, BinaryOperator::Minus, cut.clone())]);
            let half = operation(unit(scale + 1), BinaryOperator::Multiply, number(5));
            let is_half = operation(rest, BinaryOperator::Eq, half);
            let two_units = operation(unit(scale), BinaryOperator::Multiply, number(2));
            let is_even =
                operation(operation(cut.clone(), BinaryOperator::Modulo, two_units), BinaryOperator::Eq, number(0));
            case(vec![(operation(is_half, BinaryOperator::And, is_even), cut)], Some(away))
        })),
        _ => Err(Failure::invalid_value("rounding mode", &mode, "use HALF_AWAY_FROM_ZERO or HALF_TO_EVEN")),
    }
}

/// A volatile or large value is evaluated once for all comparisons, unless these cannot be in a lambda.
fn decode(mut arguments: Vec<Expr>) -> Expr {
    let is_bound = arguments.first().is_some_and(is_costly_to_copy) && arguments.iter().skip(1).all(is_movable);
    match arguments.first_mut().filter(|_| is_bound) {
        Some(tested) => {
            let value = mem::replace(tested, bound_value(1));
            with_bound(vec![value], searched_case(arguments))
        }
        None => searched_case(arguments),
    }
}

fn searched_case(arguments: Vec<Expr>) -> Expr {
    let mut arguments = arguments.into_iter();
    let tested = arguments.next().unwrap_or_else(null);
    let mut conditions = Vec::new();
    let mut otherwise = None;
    while let Some(wanted) = arguments.next() {
        match arguments.next() {
            Some(result) => {
                let condition = Expr::IsNotDistinctFrom(Box::new(nested(tested.clone())), Box::new(nested(wanted)));
                conditions.push((condition, result));
            }
            None => otherwise = Some(wanted),
        }
    }
    case(conditions, otherwise)
}

/// The engine leaves NULLs out where the dialect answers NULL.
fn null_if_any_is_null(engine_name: &str, arguments: Vec<Expr>) -> Expr {
    unless_any_is_null(arguments.clone(), call(engine_name, arguments))
}

pub(super) fn unless_any_is_null(arguments: Vec<Expr>, chosen: Expr) -> Expr {
    let any_null = arguments
        .into_iter()
        .filter(|argument| !matches!(argument, Expr::Value(value) if value.value != Value::Null))
        .map(|argument| Expr::IsNull(Box::new(nested(argument))))
        .reduce(|left, right| Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::Or, right: Box::new(right) });
    match any_null {
        Some(any_null) => case(vec![(any_null, null())], Some(chosen)),
        None => chosen,
    }
}

fn join(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::StringConcat, right: Box::new(right) }
}

/// Bytes stay bytes, and anything else is a text.
fn joinable(first: Option<Expr>) -> Expr {
    match first {
        Some(Expr::Nested(inside)) if matches!(&*inside, Expr::Value(value) if value.value == Value::Null) => {
            cast(null(), "VARCHAR")
        }
        Some(first) => call("firn_joinable", vec![first]),
        None => cast(null(), "VARCHAR"),
    }
}

fn concatenation(arguments: Vec<Expr>) -> Expr {
    let mut parts = arguments.into_iter().map(nested);
    let first = joinable(parts.next());
    nested(parts.fold(first, join))
}

fn concatenation_with(arguments: Vec<Expr>) -> Expr {
    let mut parts = arguments.into_iter().map(nested);
    let separator = parts.next().unwrap_or_else(null);
    let first = joinable(parts.next());
    nested(parts.fold(first, |joined, part| join(join(joined, separator.clone()), part)))
}

/// Whether the replacement is no longer than what it replaces. The engine's own REPLACE does not account its memory.
fn shrinks(wanted: &Expr, other: &Expr) -> bool {
    text_of(wanted).zip(text_of(other)).is_some_and(|(wanted, other)| other.len() <= wanted.len())
}

/// A positive literal needs no check at run time.
fn is_positive(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value)
        if matches!(&value.value, Value::Number(number, _) if number.parse::<u32>().is_ok_and(|number| number > 0)))
}

fn is_integer(expr: &Expr) -> bool {
    integer_of(expr).is_some()
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn functions_take_the_engine_s_shape() {
        check("SELECT IFF(a, b, c)", "SELECT CASE WHEN a THEN b ELSE c END");
        check("SELECT NVL2(a, b, c)", "SELECT CASE WHEN (a) IS NOT NULL THEN b ELSE c END");
        check(
            "SELECT DECODE(a, 1, 'x', NULL, 'y', 'z')",
            "SELECT CASE WHEN (a) IS NOT DISTINCT FROM (1) THEN 'x' WHEN (a) IS NOT DISTINCT FROM (NULL) THEN 'y' ELSE 'z' END",
        );
        check("SELECT ZEROIFNULL(a)", "SELECT coalesce(firn_as_number(a), 0)");
        check("SELECT GREATEST(a, 1)", "SELECT CASE WHEN (a) IS NULL THEN NULL ELSE greatest(a, 1) END");
        check("SELECT CONCAT(a, b)", "SELECT (firn_joinable((firn_textual(a))) || (firn_textual(b)))");
        check("SELECT CONCAT_WS('-', a, b)", "SELECT (firn_joinable((firn_textual(a))) || ('-') || (firn_textual(b)))");
        check("SELECT LEFT(a, 2)", "SELECT firn_left(firn_textual(a), 2)");
        check("SELECT CURRENT_TIMESTAMP()", "SELECT firn_now()");
        check("SELECT GET_PATH(v, 'a.b[0]')", "SELECT firn_extract(v, 'a.b[0]')");
        check("SELECT YEAR('2020-01-01')", "SELECT YEAR(CAST('2020-01-01' AS TIMESTAMP))");
    }
}

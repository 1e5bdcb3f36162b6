//! The dialect's functions in FROM, as relations the engine has; and what numbers rows or names columns
//! by their place.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, Ident, Query, SetExpr, TableAlias, TableFactor, Value,
};
use firn_sql::print;

use super::build::{call_name, cast, nested, number, plain_arguments, plain_name};
use super::flatten;
use super::literal_values::integer_of;

pub(super) fn open(factor: &mut TableFactor) -> Result<(), Failure> {
    if flatten::is_flatten(factor) || flatten::pieces_of(factor).is_some() {
        return Ok(());
    }
    let TableFactor::Function { name, args, alias, .. } = factor else { return Ok(()) };
    let Some(name) = name.0.last().and_then(|part| part.as_ident()).map(|part| part.value.clone()) else {
        return Ok(());
    };
    let arguments: Vec<Expr> = args.iter().filter_map(plain).collect();
    let alias = alias.take();
    *factor = match (name.as_str(), arguments.as_slice()) {
        ("GENERATOR", [rows, time]) => generator(rows, time, alias)?,
        _ => return Err(Failure::unsupported(&format!("table function {name}"))),
    };
    Ok(())
}

fn plain(argument: &FunctionArg) -> Option<Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    }
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

/// The rows that a generator with a time limit makes in a second.
const ROWS_PER_SECOND: u64 = 200_000;

/// As many rows as asked for, numbered from zero. A time limit ends no generator that has a count; one without makes so many for
/// each second, when the time has passed.
fn generator(rows: &Expr, time: &Expr, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    if is_null(rows) && !is_null(time) {
        return timed_generator(time, alias);
    }
    let count = if is_null(rows) { number(0) } else { cast(rows.clone(), "BIGINT") };
    Ok(TableFactor::Function {
        lateral: false,
        name: plain_name("range"),
        args: vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(count))],
        with_ordinality: false,
        alias,
    })
}

fn timed_generator(time: &Expr, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    let seconds = integer_of(time).and_then(|seconds| u64::try_from(seconds).ok());
    let seconds = seconds.ok_or_else(|| Failure::unsupported("a TIMELIMIT of GENERATOR that is no whole number"))?;
    let count = seconds.saturating_mul(ROWS_PER_SECOND);
    let subquery = engine_query(&format!(
        "SELECT made.range FROM (SELECT system_wait(CAST({seconds} AS DOUBLE)) AS answer) AS waited, \
         range(CAST({count} AS BIGINT)) AS made WHERE waited.answer IS NOT NULL"
    ))?;
    Ok(TableFactor::Derived { lateral: false, subquery: Box::new(subquery), alias, sample: None })
}

fn engine_query(sql: &str) -> Result<Query, Failure> {
    print::read_query(sql)
}

/// `$2` is `#2` here; SEQ8() counts rows.
pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    match expr {
        Expr::Value(value) => {
            if let Value::Placeholder(name) = &value.value
                && let Some(place) = name.strip_prefix('$')
            {
                *expr = Expr::Identifier(Ident::new(format!("#{place}")));
            }
        }
        Expr::Function(function) => {
            *expr = match call_name(function) {
                Some("SEQ1") => wrapped_around(row_number()?, 8, function),
                Some("SEQ2") => wrapped_around(row_number()?, 16, function),
                Some("SEQ4" | "SEQ8") => row_number()?,
                _ => return Ok(()),
            };
        }
        _ => {}
    }
    Ok(())
}

/// After the largest number of so many bits, one of which is the sign, a sequence goes on with 0, or with the smallest
/// number where its argument is 1. The wider ones have more numbers than there are rows.
fn wrapped_around(row: Expr, bits: u32, function: &Function) -> Expr {
    let (count, half) = (1 << bits, 1 << (bits - 1));
    let is_signed = plain_arguments(function)
        .and_then(|arguments| arguments.first().and_then(|sign| integer_of(sign)))
        .is_some_and(|sign| sign == 1);
    nested(if is_signed {
        let raised = nested(binary(row, BinaryOperator::Plus, number(half)));
        binary(nested(binary(raised, BinaryOperator::Modulo, number(count))), BinaryOperator::Minus, number(half))
    } else {
        binary(row, BinaryOperator::Modulo, number(half))
    })
}

fn row_number() -> Result<Expr, Failure> {
    let query = engine_query("SELECT (row_number() OVER () - 1)")?;
    let expression = match *query.body {
        SetExpr::Select(mut select) => select.projection.pop(),
        _ => None,
    };
    match expression {
        Some(firn_sql::ast::SelectItem::UnnamedExpr(expr)) => Ok(expr),
        _ => Err(Failure::unsupported("SEQ8")),
    }
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

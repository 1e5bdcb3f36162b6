//! The dialect's functions in FROM, as relations the engine has; and what numbers rows or names columns
//! by their place.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, Ident, Query, SetExpr, TableAlias, TableFactor, Value,
};
use firn_sql::print;

use super::build::{call, call_name, cast, nested, number, plain_name};
use super::flatten;

pub(super) fn open(factor: &mut TableFactor) -> Result<(), Failure> {
    if flatten::is_flatten(factor) {
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
        ("SPLIT_TO_TABLE", [text, delimiter]) => pieces("firn_split", text, delimiter, alias)?,
        ("STRTOK_SPLIT_TO_TABLE", [text, delimiters]) => pieces("firn_strtok_split", text, delimiters, alias)?,
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

/// As many rows as asked for, numbered from zero. A time limit ends no generator that has a count.
fn generator(rows: &Expr, time: &Expr, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    if is_null(rows) && !is_null(time) {
        return Err(Failure::unsupported("GENERATOR with TIMELIMIT alone"));
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

/// SEQ, INDEX and VALUE of each piece of a text. Which input row a piece is of cannot be told where
/// there are several, so SEQ is there for one text only.
fn pieces(split: &str, text: &Expr, by: &Expr, alias: Option<TableAlias>) -> Result<TableFactor, Failure> {
    let list = call(split, vec![text.clone(), by.clone()]);
    let sequence = if has_columns(text) || has_columns(by) { "" } else { "CAST(1 AS BIGINT) AS \"SEQ\", " };
    let list = print::into_sql(list);
    let sql = format!("SELECT {sequence}generate_subscripts({list}, 1) AS \"INDEX\", unnest({list}) AS \"VALUE\"");
    Ok(TableFactor::Derived { lateral: false, subquery: Box::new(engine_query(&sql)?), alias, sample: None })
}

fn engine_query(sql: &str) -> Result<Query, Failure> {
    print::read_query(sql)
}

fn has_columns(expr: &Expr) -> bool {
    match expr {
        Expr::Value(_) => false,
        Expr::Nested(inside) => has_columns(inside),
        Expr::Cast { expr, .. } => has_columns(expr),
        _ => true,
    }
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
            let width = match call_name(function).as_deref() {
                Some("SEQ1") => Some(256),
                Some("SEQ2") => Some(65_536),
                Some("SEQ4" | "SEQ8") => None,
                _ => return Ok(()),
            };
            let row = row_number()?;
            *expr = match width {
                Some(width) => nested(binary(row, BinaryOperator::Modulo, number(width))),
                None => row,
            };
        }
        _ => {}
    }
    Ok(())
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

//! Builds small pieces of syntax tree.

use sqlparser::parser::Parser;

use crate::Failure;
use crate::ast::{
    BinaryOperator, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, Query, SelectItem, SetExpr, Value,
};
use crate::dialect::DIALECT;

pub(crate) fn string(text: impl Into<String>) -> Expr {
    Expr::value(Value::SingleQuotedString(text.into()))
}

pub(crate) fn number(digits: impl Into<String>) -> Expr {
    Expr::value(Value::Number(digits.into(), false))
}

pub(crate) fn null() -> Expr {
    Expr::value(Value::Null)
}

pub fn cast(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, format: None }
}

/// As `cast`, of a text in the one form of the type, whatever the session's input formats. Nobody can write it so.
pub(crate) fn cast_canonical(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast { kind: CastKind::SafeCast, expr: Box::new(expr), data_type, format: None }
}

pub(crate) fn operation(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

pub(crate) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let args = arguments.into_iter().map(|argument| FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))).collect();
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses: Vec::new() }),
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    })
}

/// `SELECT values`, the columns named by their numbers.
pub fn select(values: Vec<Expr>) -> Result<Box<Query>, Failure> {
    let empty = Parser::new(&DIALECT).try_with_sql("SELECT 1").and_then(|mut parser| parser.parse_query());
    let mut query = empty.map_err(|error| Failure::new("000603", "XX000", error.to_string()))?;
    if let SetExpr::Select(select) = query.body.as_mut() {
        let named = |(index, expr): (usize, Expr)| SelectItem::ExprWithAlias {
            expr,
            alias: Ident::with_quote('"', format!("COLUMN{}", index + 1)),
        };
        select.projection = values.into_iter().enumerate().map(named).collect();
    }
    Ok(query)
}

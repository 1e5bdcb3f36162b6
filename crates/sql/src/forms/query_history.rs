//! `TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(…))` and its kin are queries over the view QUERY_HISTORY: their arguments
//! are conditions.

use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart, TableFactor};
use crate::names::INFORMATION_SCHEMA;
use crate::{Failure, print};

const ROWS_DEFAULT: u32 = 100;
const ROWS_MAX: u32 = 10_000;

/// The argument that chooses whose statements, called like its column, and what it is without being given.
#[derive(Clone, Copy)]
struct Choice {
    column: &'static str,
    default: &'static str,
}

const FUNCTIONS: [(&str, Option<Choice>); 3] = [
    ("QUERY_HISTORY", None),
    ("QUERY_HISTORY_BY_USER", Some(Choice { column: "USER_NAME", default: "CURRENT_USER()" })),
    ("QUERY_HISTORY_BY_WAREHOUSE", Some(Choice { column: "WAREHOUSE_NAME", default: "CURRENT_WAREHOUSE()" })),
];

/// Puts the query in the place of the function.
pub(super) fn open(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::TableFunction { expr: Expr::Function(function), alias } = factor else { return Ok(()) };
    let parts: Vec<String> = function.name.0.iter().filter_map(name_part).collect();
    let [before @ .., schema, name] = &parts[..] else { return Ok(()) };
    let Some((_, choice)) = FUNCTIONS.iter().find(|(known, _)| known == name) else { return Ok(()) };
    if schema != INFORMATION_SCHEMA || before.len() > 1 {
        return Ok(());
    }
    let database = before.first().map_or_else(String::new, |database| format!("\"{database}\"."));
    let sql =
        format!("SELECT * FROM {database}INFORMATION_SCHEMA.QUERY_HISTORY WHERE {}", conditions(function, *choice)?);
    let alias = alias.take();
    *factor =
        TableFactor::Derived { lateral: false, subquery: Box::new(print::read_query(&sql)?), alias, sample: None };
    Ok(())
}

fn name_part(part: &ObjectNamePart) -> Option<String> {
    part.as_ident().map(|name| match name.quote_style {
        None => name.value.to_ascii_uppercase(),
        Some(_) => name.value.clone(),
    })
}

fn conditions(function: &Function, choice: Option<Choice>) -> Result<String, Failure> {
    let mut conditions = Vec::new();
    let mut rows = ROWS_DEFAULT;
    let mut chosen = choice.map(|Choice { column, default }| format!("{column} = {default}"));
    for (name, value) in arguments(function)? {
        let text = print::sql(value);
        match (name.as_str(), choice) {
            ("END_TIME_RANGE_START", _) => {
                conditions.push(format!("COALESCE(END_TIME, CURRENT_TIMESTAMP()) >= {text}"))
            }
            ("END_TIME_RANGE_END", _) => conditions.push(format!("COALESCE(END_TIME, CURRENT_TIMESTAMP()) <= {text}")),
            ("RESULT_LIMIT", _) => rows = limit(&text)?,
            (name, Some(Choice { column, .. })) if name == column => chosen = Some(format!("{column} = {text}")),
            ("INCLUDE_CLIENT_GENERATED_STATEMENT", _) => {}
            (other, _) => return Err(Failure::unsupported(&format!("{} with {other}", function.name))),
        }
    }
    conditions.extend(chosen);
    if conditions.is_empty() {
        conditions.push("TRUE".to_owned());
    }
    Ok(format!("{} ORDER BY START_TIME DESC LIMIT {rows}", conditions.join(" AND ")))
}

fn arguments(function: &Function) -> Result<Vec<(String, &Expr)>, Failure> {
    let FunctionArguments::List(list) = &function.args else { return Ok(Vec::new()) };
    let named = |argument: &FunctionArg| match argument {
        FunctionArg::Named { name, arg: FunctionArgExpr::Expr(_), .. } => Ok(name.value.to_ascii_uppercase()),
        FunctionArg::ExprNamed { name: Expr::Identifier(name), arg: FunctionArgExpr::Expr(_), .. } => {
            Ok(name.value.to_ascii_uppercase())
        }
        _ => Err(Failure::unsupported(&format!("{} with arguments that have no name", function.name))),
    };
    let mut found = Vec::new();
    for argument in &list.args {
        let name = named(argument)?;
        found.extend(argument_value(argument).map(|value| (name, value)));
    }
    Ok(found)
}

fn argument_value(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Named { arg: FunctionArgExpr::Expr(value), .. }
        | FunctionArg::ExprNamed { arg: FunctionArgExpr::Expr(value), .. } => Some(value),
        _ => None,
    }
}

fn limit(text: &str) -> Result<u32, Failure> {
    text.parse()
        .ok()
        .filter(|rows| (1..=ROWS_MAX).contains(rows))
        .ok_or_else(|| Failure::invalid_value("RESULT_LIMIT", text, "use a number from 1 to 10000"))
}

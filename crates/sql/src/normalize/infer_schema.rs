//! `TABLE(INFER_SCHEMA(LOCATION => '@stage', FILE_FORMAT => 'format'))` and `DIRECTORY(@stage)` as locations with a mark.

use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArguments, Ident, ObjectName, TableAlias,
    TableFactor, TableFunctionArgs, Value,
};
use crate::build::string;
use crate::staged_relations::{DIRECTORY, INFER_SCHEMA};

/// Whether the factor was INFER_SCHEMA, and is a location now.
pub(super) fn open(factor: &mut TableFactor) -> Result<bool, Failure> {
    if open_directory(factor) {
        return Ok(true);
    }
    let TableFactor::TableFunction { expr: Expr::Function(function), alias } = factor else { return Ok(false) };
    let FunctionArguments::List(list) = &function.args else { return Ok(false) };
    if !function.name.to_string().eq_ignore_ascii_case(INFER_SCHEMA) {
        return Ok(false);
    }
    let mut location = None;
    let mut args = vec![named(INFER_SCHEMA, string("TRUE"))];
    for argument in &list.args {
        let (FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. }
        | FunctionArg::ExprNamed { name: Expr::Identifier(name), arg: FunctionArgExpr::Expr(value), .. }) = argument
        else {
            return Err(Failure::unsupported("INFER_SCHEMA without the names of its arguments"));
        };
        match name.value.to_ascii_uppercase().as_str() {
            "LOCATION" => location = Some(text_of(value)?),
            "FILE_FORMAT" => args.push(named("FILE_FORMAT", value.clone())),
            "FILES" => args.extend(texts_of(value)?.into_iter().map(|file| named("FILES", string(file)))),
            option @ ("IGNORE_CASE" | "MAX_FILE_COUNT" | "MAX_RECORDS_PER_FILE") => {
                args.push(named(option, string(value.to_string())));
            }
            other => return Err(Failure::unsupported(&format!("INFER_SCHEMA with {other}"))),
        }
    }
    let location = location.filter(|location| location.starts_with('@'));
    let location = location
        .ok_or_else(|| Failure::invalid_value("LOCATION", "", "INFER_SCHEMA needs LOCATION => '@stage/path'"))?;
    *factor = marked(location, alias.take(), args);
    Ok(true)
}

/// Whether the factor was `DIRECTORY(@stage)`, and is a location now.
fn open_directory(factor: &mut TableFactor) -> bool {
    let TableFactor::Table { name, args: Some(arguments), alias, .. } = factor else { return false };
    if !name.to_string().eq_ignore_ascii_case(DIRECTORY) {
        return false;
    }
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(location)))] = arguments.args.as_slice() else {
        return false;
    };
    if location.quote_style.is_some() || !location.value.starts_with('@') {
        return false;
    }
    let (location, alias) = (location.value.clone(), alias.take());
    *factor = marked(location, alias, vec![named(DIRECTORY, string("TRUE"))]);
    true
}

fn marked(location: String, alias: Option<TableAlias>, args: Vec<FunctionArg>) -> TableFactor {
    factor(location, alias, Some(TableFunctionArgs { args, settings: None }))
}

/// The rows of staged files.
pub(crate) fn staged_factor(location: String) -> TableFactor {
    factor(location, None, None)
}

fn factor(location: String, alias: Option<TableAlias>, args: Option<TableFunctionArgs>) -> TableFactor {
    TableFactor::Table {
        name: ObjectName::from(vec![Ident::new(location)]),
        alias,
        args,
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    }
}

fn named(name: &str, value: Expr) -> FunctionArg {
    FunctionArg::Named {
        name: Ident::new(name),
        arg: FunctionArgExpr::Expr(value),
        operator: FunctionArgOperator::RightArrow,
    }
}

/// `'a'` or `('a', 'b')`.
fn texts_of(value: &Expr) -> Result<Vec<String>, Failure> {
    match value {
        Expr::Tuple(values) => values.iter().map(text_of).collect(),
        Expr::Nested(value) => texts_of(value),
        _ => Ok(vec![text_of(value)?]),
    }
}

fn text_of(value: &Expr) -> Result<String, Failure> {
    match value {
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) => Ok(text.clone()),
            _ => Err(Failure::invalid_value("argument of INFER_SCHEMA", &value.to_string(), "give a text")),
        },
        _ => Err(Failure::invalid_value("argument of INFER_SCHEMA", &value.to_string(), "give a text")),
    }
}

//! `TABLE(INFER_SCHEMA(LOCATION => '@stage', FILE_FORMAT => 'format'))` as a location with a mark.

use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArguments, Ident, ObjectName, TableFactor,
    TableFunctionArgs, Value,
};
use crate::build::string;
use crate::resolve::INFER_SCHEMA;

/// Whether the factor was INFER_SCHEMA, and is a location now.
pub(super) fn open(factor: &mut TableFactor) -> Result<bool, Failure> {
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
            other => return Err(Failure::unsupported(&format!("INFER_SCHEMA with {other}"))),
        }
    }
    let location = location.filter(|location| location.starts_with('@'));
    let location = location
        .ok_or_else(|| Failure::invalid_value("LOCATION", "", "INFER_SCHEMA needs LOCATION => '@stage/path'"))?;
    *factor = TableFactor::Table {
        name: ObjectName::from(vec![Ident::new(location)]),
        alias: alias.take(),
        args: Some(TableFunctionArgs { args, settings: None }),
        with_hints: Vec::new(),
        version: None,
        with_ordinality: false,
        partitions: Vec::new(),
        json_path: None,
        sample: None,
        index_hints: Vec::new(),
    };
    Ok(true)
}

fn named(name: &str, value: Expr) -> FunctionArg {
    FunctionArg::Named {
        name: Ident::new(name),
        arg: FunctionArgExpr::Expr(value),
        operator: FunctionArgOperator::RightArrow,
    }
}

fn text_of(value: &Expr) -> Result<String, Failure> {
    match value {
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) => Ok(text.clone()),
            _ => Err(Failure::invalid_value("LOCATION", &value.to_string(), "give a text")),
        },
        _ => Err(Failure::invalid_value("LOCATION", &value.to_string(), "give a text")),
    }
}

//! Functions about files take a stage, `@stage`, which becomes the address of its files on this server.

use super::{Access, Resolution};
use crate::Failure;
use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use crate::build::string;
use crate::functions::{Parameter, find};
use crate::stage_addresses::address;
use crate::stages::StageLocation;

pub(super) fn is_one(function: &Function) -> bool {
    first_parameter(&function.name.to_string()).is_some()
}

/// What a function about files takes first: a stage, or one file, which may also be named by its address.
fn first_parameter(name: &str) -> Option<Parameter> {
    find(name)?.parameters.first().copied().filter(|first| matches!(first, Parameter::Stage | Parameter::File))
}

/// Puts the address in the place of the stage.
pub(super) fn name_stage(function: &mut Function, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let name = function.name.to_string();
    let FunctionArguments::List(list) = &mut function.args else { return Err(no_stage(&name)) };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut() else {
        return Err(no_stage(&name));
    };
    if first_parameter(&name) == Some(Parameter::File) {
        return complete_location(argument, resolution);
    }
    let mut location = match &*argument {
        Expr::Identifier(word) if word.quote_style.is_none() => StageLocation::parse(&word.value)?,
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) => StageLocation::parse(text)?,
            _ => return Err(no_stage(&name)),
        },
        _ => return Err(no_stage(&name)),
    };
    if !location.path.is_empty() {
        return Err(Failure::invalid_value(&name, &location.to_string(), "give the stage alone, without a path"));
    }
    resolution.stage(&mut location.stage, Access::Read)?;
    *argument = string(address(&location.stage).ok_or_else(|| Failure::unsupported(&format!("{name} of @~")))?);
    Ok(())
}

/// `@stage/path` with the stage's whole name; anything else stays as it is.
fn complete_location(argument: &mut Expr, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let text = match &*argument {
        Expr::Identifier(word) if word.quote_style.is_none() && word.value.starts_with('@') => &word.value,
        Expr::Value(literal) => match &literal.value {
            Value::SingleQuotedString(text) if text.starts_with('@') => text,
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let mut location = StageLocation::parse(text)?;
    resolution.stage(&mut location.stage, Access::Read)?;
    *argument = string(location.to_string());
    Ok(())
}

fn no_stage(function: &str) -> Failure {
    Failure::invalid_value(function, "its first argument", "give a stage: @stage")
}

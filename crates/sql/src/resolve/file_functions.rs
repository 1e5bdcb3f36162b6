//! Functions about files take a stage, `@stage`, which becomes the address of its files on this server.

use super::{Access, Resolution};
use crate::Failure;
use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use crate::build::string;
use crate::stage_addresses::address;
use crate::stages::StageLocation;

/// Their answers are about one file, which may also be told by its address or by what is known of it.
const OF_ONE_FILE: [&str; 4] = ["BUILD_SCOPED_FILE_URL", "GET_PRESIGNED_URL", "TO_FILE", "TRY_TO_FILE"];
const NAMES: [&str; 4] = ["BUILD_STAGE_FILE_URL", "GET_ABSOLUTE_PATH", "GET_RELATIVE_PATH", "GET_STAGE_LOCATION"];

pub(super) fn is_one(function: &Function) -> bool {
    let name = function.name.to_string();
    NAMES.contains(&name.as_str()) || OF_ONE_FILE.contains(&name.as_str())
}

/// Puts the address in the place of the stage.
pub(super) fn name_stage(function: &mut Function, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let name = function.name.to_string();
    let FunctionArguments::List(list) = &mut function.args else { return Err(no_stage(&name)) };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut() else {
        return Err(no_stage(&name));
    };
    if OF_ONE_FILE.contains(&name.as_str()) {
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

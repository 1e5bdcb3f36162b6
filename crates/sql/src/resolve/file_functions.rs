//! Functions about files take a stage, `@stage`, which becomes the address of its files on this server.

use super::{Access, Resolution};
use crate::Failure;
use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use crate::build::string;
use crate::names::display_identifier;
use crate::stages::{StageLocation, StageName};

const NAMES: [&str; 4] = ["BUILD_STAGE_FILE_URL", "GET_ABSOLUTE_PATH", "GET_RELATIVE_PATH", "GET_STAGE_LOCATION"];

pub(super) fn is_one(function: &Function) -> bool {
    NAMES.contains(&function.name.to_string().as_str())
}

/// Puts the address in the place of the stage.
pub(super) fn name_stage(function: &mut Function, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let name = function.name.to_string();
    let FunctionArguments::List(list) = &mut function.args else { return Err(no_stage(&name)) };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.first_mut() else {
        return Err(no_stage(&name));
    };
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

fn no_stage(function: &str) -> Failure {
    Failure::invalid_value(function, "its first argument", "give a stage: @stage")
}

/// Where the stage's files are served.
fn address(stage: &StageName) -> Option<String> {
    let (name, mark) = match stage {
        StageName::Named(name) => (name, ""),
        StageName::Table(name) => (name, "%"),
        StageName::User => return None,
    };
    let part = |name: &str| encoded(&display_identifier(name));
    Some(format!(
        "/api/v2/databases/{}/schemas/{}/stages/{}{}/files/",
        part(name.database()),
        part(name.schema()),
        encoded(mark),
        part(&name.name)
    ))
}

fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

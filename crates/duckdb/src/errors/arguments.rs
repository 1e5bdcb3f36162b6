//! Errors about the arguments of a function or an operator, with the dialect's names of functions and types.

use firn_sql::Failure;

use firn_duckdb_lower::wrong_arguments::invalid_argument_types;

use super::function_names::dialect_function;
use super::report::{Report, compilation};

pub(super) fn function(report: &Report) -> Option<Failure> {
    if report.subtype == "NO_MATCHING_FUNCTION" {
        let types = report.call.split_once('(').map(|(_, types)| types.strip_suffix(')').unwrap_or(types))?;
        return Some(invalid_types(&report.name, types));
    }
    if let Some(rest) = report.after("Could not choose a best candidate function for the function call \"") {
        let (name, rest) = rest.split_once('(')?;
        let types = rest.split("\". In order").next()?.trim_end_matches('.').trim_end_matches('"');
        return Some(invalid_types(name, types.strip_suffix(')').unwrap_or(types)));
    }
    if let Some(rest) = report.after("Macro ") {
        let name = dialect_function(rest.split("()").next()?).name;
        return Some(invalid_argument_types(&name, ""));
    }
    incompatible(&report.message)
}

/// The types of the arguments are only shown if they are those of the dialect's function.
fn invalid_types(function: &str, types: &str) -> Failure {
    let function = dialect_function(function);
    let types = if function.is_called_as_written { format!(": ({})", dialect_types(types)) } else { String::new() };
    invalid_argument_types(&function.name, &types)
}

/// Two values that have no type in common.
fn incompatible(message: &str) -> Option<Failure> {
    const BEGINNINGS: [&str; 3] =
        ["Cannot compare values of type ", "Cannot mix values of type ", "Cannot combine types of "];
    let types = BEGINNINGS.iter().find_map(|beginning| message.strip_prefix(beginning))?;
    let (left, right) = types.split(" - ").next()?.split_once(" and ")?;
    let right = right.strip_prefix("type ").unwrap_or(right).split(" in ").next()?;
    let (left, right) = (dialect_types(left), dialect_types(right));
    Some(compilation("002016", "42601", &format!("incompatible types: [{left}] and [{right}]; cast one of them")))
}

/// A list of the engine's types in the dialect's names.
pub(super) fn dialect_types(types: &str) -> String {
    let named = types.split(", ").map(|name| match name {
        "STRING_LITERAL" | "VARCHAR" => "VARCHAR".to_owned(),
        "INTEGER_LITERAL" | "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "HUGEINT" => "NUMBER(38,0)".to_owned(),
        "DOUBLE" | "FLOAT" => "FLOAT".to_owned(),
        "TIMESTAMP" => "TIMESTAMP_NTZ(9)".to_owned(),
        "TIMESTAMP WITH TIME ZONE" => "TIMESTAMP_LTZ(9)".to_owned(),
        "JSON" | "FIRN_VARIANT" => "VARIANT".to_owned(),
        "FIRN_OBJECT" => "OBJECT".to_owned(),
        "FIRN_ARRAY" => "ARRAY".to_owned(),
        "BLOB" => "BINARY".to_owned(),
        "FIRN_TIMESTAMP_TZ" => "TIMESTAMP_TZ(9)".to_owned(),
        "FIRN_GEOGRAPHY" => "GEOGRAPHY".to_owned(),
        "FIRN_GEOMETRY" => "GEOMETRY".to_owned(),
        "\"NULL\"" => "NULL".to_owned(),
        name if name.ends_with("[]") => "ARRAY".to_owned(),
        name => name.replace("DECIMAL(", "NUMBER("),
    });
    named.collect::<Vec<_>>().join(", ")
}

//! `{fn f(x)}`, the way that drivers write calls: the call without its braces, by the name it has here.

use super::function_names::plain_name;
use crate::Failure;
use crate::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectNamePart};

/// Names that the dialect has others for.
const NAMES: [(&str, &str); 9] = [
    ("CURDATE", "CURRENT_DATE"),
    ("CURTIME", "CURRENT_TIME"),
    ("DATABASE", "CURRENT_DATABASE"),
    ("LCASE", "LOWER"),
    ("LOCATE", "CHARINDEX"),
    ("NOW", "CURRENT_TIMESTAMP"),
    ("TRUNCATE", "TRUNC"),
    ("UCASE", "UPPER"),
    ("USER", "CURRENT_USER"),
];

/// Takes the braces away and gives the function's name.
pub(super) fn open(function: &mut Function) -> Result<String, Failure> {
    let written = plain_name(function)?;
    if written == "CONVERT" {
        return Err(Failure::unsupported("{fn CONVERT(…)}; use CAST"));
    }
    function.uses_odbc_syntax = false;
    let known = NAMES.iter().find(|(name, _)| *name == written);
    let name = known.map_or(written, |(_, name)| (*name).to_owned());
    function.name.0 = vec![ObjectNamePart::Identifier(Ident::new(&name))];
    if let FunctionArguments::List(list) = &mut function.args
        && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(unit)))) = list.args.first_mut()
        && let Some(part) = unit.value.to_ascii_uppercase().strip_prefix("SQL_TSI_")
    {
        unit.value = if part == "FRAC_SECOND" { "NANOSECOND".to_owned() } else { part.to_owned() };
    }
    Ok(name)
}

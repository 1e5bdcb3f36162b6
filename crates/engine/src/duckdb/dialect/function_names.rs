//! Functions that differ from the engine's by name alone, or are macros of ours.

use firn_sql::Failure;
use firn_sql::ast::Expr;

use super::build::{call_name, plain_name};

/// The dialect's name and the engine's. A name that is in neither column means the same in both.
const RENAMED: &[(&str, &str)] = &[("NVL", "coalesce")];

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    let Some(name) = call_name(function) else { return Ok(()) };
    if let Some((_, engine_name)) = RENAMED.iter().find(|(dialect_name, _)| *dialect_name == name) {
        function.name = plain_name(engine_name);
    }
    Ok(())
}

//! Calls that differ from the engine's by name alone, or are macros and functions of ours.

use firn_sql::Failure;
use firn_sql::ast::Expr;
use firn_sql::functions::{EngineCall, find};

use super::build::{call_name, plain_name};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    let engine_call = call_name(function).and_then(find).map(|entry| entry.engine_call);
    if let Some(EngineCall::Named(engine_name)) = engine_call {
        function.name = plain_name(engine_name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn names_are_the_engine_s() {
        check("SELECT NVL(a, b)", "SELECT coalesce(a, b)");
        check("SELECT LEN(a)", "SELECT firn_length(firn_textual(a))");
        check("SELECT UPPER(a)", "SELECT firn_upper(firn_textual(a))");
        check("SELECT ST_ASTEXT(a), H3_GET_RESOLUTION(b)", "SELECT firn_st_aswkt(a), firn_h3_get_resolution(b)");
    }
}

//! RLIKE and REGEXP, which match a whole text.

use firn_sql::Failure;
use firn_sql::ast::{Expr, UnaryOperator};

use super::build::{call, null};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::RLike { negated, expr: value, pattern, .. } = expr else { return Ok(()) };
    let arguments = vec![std::mem::replace(&mut **value, null()), std::mem::replace(&mut **pattern, null())];
    let matched = call("regexp_full_match", arguments);
    *expr = if *negated { Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(matched) } } else { matched };
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn patterns_match_a_whole_text() {
        check("SELECT a RLIKE 'x.*'", "SELECT regexp_full_match(firn_textual(a), 'x.*')");
        check("SELECT a NOT RLIKE 'x'", "SELECT NOT regexp_full_match(firn_textual(a), 'x')");
    }
}

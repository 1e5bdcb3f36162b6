//! TIMESTAMP_TZ in comparisons: two of them are equal when they are the same instant, whatever the
//! offset they were written with. The engine would compare the offsets too.

use firn_sql::ast::{BinaryOperator, Expr};

use super::build::{call, call_name, null};

/// The moment of a date, a time or a text in UTC, as a TIMESTAMP of the engine.
pub(super) const INSTANT: &str = "firn_instant";

pub(super) fn is_comparison(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}

/// Leaves what is an instant already as it is.
pub(super) fn by_instant(expr: &mut Expr) {
    if is_instant(expr) {
        return;
    }
    *expr = call(INSTANT, vec![std::mem::replace(expr, null())]);
}

fn is_instant(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if call_name(function) == Some(INSTANT))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn instants_are_compared_without_their_offsets() {
        check("SELECT a::TIMESTAMP_TZ = b", "SELECT firn_instant(firn_timestamp_tz(a)) = firn_instant(b)");
        check("SELECT a = b", "SELECT a = b");
        check(
            "WITH y AS (SELECT x::TIMESTAMP_TZ AS a) SELECT a = 1 FROM (SELECT 2 AS a) AS t",
            "WITH y AS (SELECT firn_timestamp_tz(x) AS a) SELECT a = 1 FROM (SELECT 2 AS a) AS t",
        );
    }
}

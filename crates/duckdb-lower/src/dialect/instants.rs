//! TIMESTAMP_TZ in comparisons: two of them are equal when they are the same instant, whatever the
//! offset they were written with. The engine would compare the offsets too.

use firn_sql::ast::{BinaryOperator, Expr, Function, SetExpr};

use super::build::{call, call_name, null, rename};
use super::kinds::{Kind, Kinds, single_projection};
use super::set_branches::shown_value;

/// The moment of a date, a time or a text in UTC, as a TIMESTAMP of the engine.
const INSTANT: &str = "firn_instant";

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

/// The greatest or least of several: the engine's own compares the offsets.
pub(super) fn choose_instant(function: &mut Function) {
    let chosen = match call_name(function) {
        Some("GREATEST") => "firn_latest",
        Some("GREATEST_IGNORE_NULLS") => "firn_latest_known",
        Some("LEAST") => "firn_earliest",
        Some("LEAST_IGNORE_NULLS") => "firn_earliest_known",
        _ => return,
    };
    rename(function, chosen);
}

/// The engine orders no instants with their offsets against those of a subquery.
pub(super) fn compare_with_all(kinds: &Kinds, left: &mut Expr, right: &mut Expr) {
    let Expr::Subquery(query) = right else { return };
    let shown = single_projection(query).and_then(|shown| kinds.kind(shown));
    if [kinds.kind(left), shown].contains(&Some(Kind::TimestampTz))
        && let SetExpr::Select(select) = &mut *query.body
    {
        by_instant(left);
        select.projection.iter_mut().filter_map(shown_value).for_each(by_instant);
    }
}

/// What MAX_BY and MIN_BY order by: the engine's own compare the offsets.
pub(super) fn order_by_instant(kinds: &Kinds, key: &mut Expr) {
    match kinds.kind(key) {
        Some(Kind::TimestampTz) => by_instant(key),
        Some(_) => {}
        None => *key = call("firn_comparable", vec![std::mem::replace(key, null())]),
    }
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

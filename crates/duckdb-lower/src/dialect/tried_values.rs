//! TRY_CAST and the TRY_… functions: conversions that are NULL where they fail. The engine tries no conversion of a
//! subquery, an aggregate or a volatile value, so these are evaluated before, and the conversion is a lambda over their value.

use firn_sql::ast::{CastKind, Expr};

use super::build::{bound_value, call, with_bound};
use super::deep_calls::{is_movable, is_volatile};

/// The conversion of a value, which is tried if it is a TRY_CAST.
pub(super) fn converted(kind: &CastKind, value: Expr, conversion: impl FnOnce(Expr) -> Expr) -> Expr {
    match kind {
        CastKind::TryCast => tried(value, conversion),
        _ => conversion(value),
    }
}

pub(super) fn tried(value: Expr, conversion: impl FnOnce(Expr) -> Expr) -> Expr {
    triable(value, |value| call("TRY", vec![conversion(value)]))
}

/// An expression that tries a conversion of the value.
pub(super) fn triable(value: Expr, expression: impl FnOnce(Expr) -> Expr) -> Expr {
    if is_movable(&value) && !is_volatile(&value) {
        return expression(value);
    }
    with_bound(vec![value], expression(bound_value(1)))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn what_cannot_be_tried_is_evaluated_before() {
        let bound = |value: &str, body: &str| {
            format!(
                "SELECT list_extract(list_transform(list_value(row({value})), lambda firn_arguments : \
                 {body}), 1)"
            )
        };
        let argument = "struct_extract(firn_arguments, 1)";
        check("SELECT TRY_TO_DATE(a)", "SELECT TRY(firn_date(a))");
        check("SELECT TRY_CAST((SELECT a) AS DATE)", &bound("(SELECT a)", &format!("TRY(firn_date({argument}))")));
        check("SELECT TRY_TO_DATE(MAX(a))", &bound("MAX(a)", &format!("TRY(firn_date({argument}))")));
        check(
            "SELECT TRY_TO_TIME(UUID_STRING(), 'HH24')",
            &bound("CAST(uuid() AS VARCHAR)", &format!("TRY(firn_time_by({argument}, 'HH24'))")),
        );
        check(
            "SELECT TRY_CAST(LAG(a) OVER (ORDER BY b) AS DATE)",
            &bound("LAG(a) OVER (ORDER BY b)", &format!("TRY(firn_date({argument}))")),
        );
        check(
            "SELECT TRY_CAST((SELECT a) AS NUMBER)",
            "SELECT TRY_CAST(firn_try_numeric((SELECT a)) AS DECIMAL(38,0))",
        );
    }
}

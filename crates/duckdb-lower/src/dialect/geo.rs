//! GEOGRAPHY and GEOMETRY values, which the dialect does not compare.

use std::fmt::Display;
use std::rc::Rc;

use firn_binder::{Bound, Family};
use firn_sql::Failure;
use firn_sql::ast::{Distinct, Expr, GroupByExpr, Select, SelectItem};

use super::build::{call_name, plain_arguments};
use super::columns::Columns;
use super::instants::is_comparison;

/// Functions that compare their arguments.
const ORDERED: &[&str] = &["EQUAL_NULL", "GREATEST", "LEAST", "MAX", "MIN", "MODE"];

pub(super) struct GeoChecks {
    bound: Rc<Bound>,
}

impl GeoChecks {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    /// Refuses comparisons of GEOGRAPHY and GEOMETRY.
    pub(super) fn check(&self, expr: &Expr) -> Result<(), Failure> {
        let (function, shape) = match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                (op as &dyn Display, self.type_of(left).or_else(|| self.type_of(right)))
            }
            Expr::Function(function) => match call_name(function).filter(|name| ORDERED.contains(name)) {
                Some(_) => {
                    let mut arguments = plain_arguments(function).into_iter().flatten();
                    (&function.name as &dyn Display, arguments.find_map(|argument| self.type_of(argument)))
                }
                None => return Ok(()),
            },
            Expr::InList { expr, .. } => (&"IN" as &dyn Display, self.type_of(expr)),
            _ => return Ok(()),
        };
        match shape {
            Some(name) => Err(compilation(&format!(
                "Invalid argument types for function '{function}': {name} values can't be compared; ST_ASWKT writes them as text"
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn check_order(&self, key: &Expr) -> Result<(), Failure> {
        match self.type_of(key) {
            Some(name) => Err(compilation(&format!("Expressions of type {name} cannot be used as ORDER BY keys"))),
            None => Ok(()),
        }
    }

    pub(super) fn check_select(&self, select: &Select) -> Result<(), Failure> {
        let keys: &[Expr] = match &select.group_by {
            GroupByExpr::Expressions(keys, _) => keys,
            GroupByExpr::All(_) => &[],
        };
        if let Some(name) = keys.iter().find_map(|key| self.type_of(key)) {
            return Err(compilation(&format!("Expressions of type {name} cannot be used as GROUP BY keys")));
        }
        let mut shown = select.projection.iter().filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => self.type_of(expr),
            _ => None,
        });
        match (&select.distinct, shown.next()) {
            (Some(Distinct::Distinct), Some(name)) => {
                Err(compilation(&format!("Expressions of type {name} cannot be used in SELECT DISTINCT")))
            }
            _ => Ok(()),
        }
    }

    fn type_of(&self, expr: &Expr) -> Option<&'static str> {
        if let Expr::Nested(inside) = expr {
            return self.type_of(inside);
        }
        match self.bound.node(expr)?.value.family() {
            Family::Geography => Some("GEOGRAPHY"),
            Family::Geometry => Some("GEOMETRY"),
            _ => None,
        }
    }
}

fn compilation(message: &str) -> Failure {
    Failure::new("002016", "42601", format!("SQL compilation error:\n{message}"))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn geo_functions_are_ours() {
        check("SELECT ST_X(g), ST_ASTEXT(g)", "SELECT firn_st_x(g), firn_st_aswkt(g)");
        check("SELECT TRY_TO_GEOGRAPHY(g)", "SELECT firn_try_to_geography(g)");
        check("SELECT H3_TRY_COVERAGE(g, 3)", "SELECT firn_h3_try_coverage(g, 3)");
        check(
            "WITH y AS (SELECT 1 AS a) SELECT a FROM (SELECT ST_POINT(1, 2) AS a) AS t GROUP BY a",
            "SQL compilation error:\nExpressions of type GEOGRAPHY cannot be used as GROUP BY keys",
        );
        check("SELECT ST_COLLECT(a, b)", "SELECT firn_st_collect(a, b)");
        check("SELECT ST_COLLECT(a)", "SELECT firn_st_collected(list(a) FILTER (WHERE (a) IS NOT NULL))");
        check(
            "SELECT ST_POINT(1, 2) = ST_POINT(1, 2)",
            "SQL compilation error:\nInvalid argument types for function '=': GEOGRAPHY values can't be compared; \
             ST_ASWKT writes them as text",
        );
    }
}

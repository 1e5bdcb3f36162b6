//! Comparisons of exact numbers with texts. No one decimal type holds both the digits before the point and those behind
//! it that a text may have, so both sides are compared by keys, which sort as the numbers do.

use firn_sql::ast::{Expr, Query, SetExpr};

use super::super::build::{call, null};
use super::super::kinds::{Kind, single_projection};
use super::super::set_branches::shown_value;
use super::ImplicitCasts;

const KEY: &str = "firn_number_key";

impl ImplicitCasts<'_> {
    /// Compares the values by keys if some are numbers and others are texts that are not constant; returns whether they
    /// are compared in this way.
    pub(super) fn compare_by_keys(&self, values: &mut [&mut Expr]) -> bool {
        let is_wanted = self.has_texts_and_numbers(values.iter().map(|value| &**value));
        if is_wanted {
            values
                .iter_mut()
                .filter(|value| self.kinds.kind(value) != Some(Kind::Null))
                .for_each(|value| by_key(value));
        }
        is_wanted
    }

    /// As `compare_by_keys`, of a value and the only column of a query.
    pub(super) fn compare_rows_by_keys(&self, value: &mut Expr, query: &mut Query) -> bool {
        let Some(shown) = single_projection(query) else { return false };
        if !self.has_texts_and_numbers([&*value, shown].into_iter()) {
            return false;
        }
        by_key(value);
        if let SetExpr::Select(select) = &mut *query.body {
            select.projection.iter_mut().filter_map(shown_value).for_each(by_key);
        }
        true
    }

    fn has_texts_and_numbers<'expr>(&self, values: impl Iterator<Item = &'expr Expr>) -> bool {
        let (mut has_number, mut has_text) = (false, false);
        for value in values {
            match self.kinds.kind(value) {
                Some(Kind::Exact) => has_number = true,
                Some(Kind::Text) => has_text |= !matches!(value, Expr::Value(_)),
                Some(Kind::Null) => {}
                _ => return false,
            }
        }
        has_number && has_text
    }
}

fn by_key(value: &mut Expr) {
    *value = call(KEY, vec![std::mem::replace(value, null())]);
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn texts_and_numbers_meet_by_keys() {
        check("SELECT 1 = x::VARCHAR", "SELECT firn_number_key(1) = firn_number_key(firn_text(x))");
        check(
            "SELECT x::VARCHAR IN (1, '2')",
            "SELECT firn_number_key(firn_text(x)) IN (firn_number_key(1), firn_number_key('2'))",
        );
        check(
            "SELECT 5 BETWEEN x::VARCHAR AND 7",
            "SELECT firn_number_key(5) BETWEEN firn_number_key(firn_text(x)) AND firn_number_key(7)",
        );
        check("SELECT 1 = '5'", "SELECT 1 = 5");
    }
}

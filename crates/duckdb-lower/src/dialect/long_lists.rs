//! `x IN (…)` with many literals of one type, in a WHERE clause. The engine parses, binds and optimises each of them, which takes
//! far longer than to look them up. All of them in one literal are a list, whose elements are the rows of a subquery:
//! `x IN (SELECT unnest(CAST('[1,2]' AS BIGINT[])))`. No element is NULL, so that NULL is the result for the same values of `x`.

use std::ops::ControlFlow;

use firn_binder::Family;
use firn_sql::ast::{Expr, Query, Select, SelectItem, SetExpr, Statement, VisitorMut};
use firn_sql::{Failure, print};

use super::build::{call, cast, null, text};
use super::columns::Columns;
use super::literal_values::{integer_of, text_of};
use super::lowered_types::Types;
use super::outside_subqueries;

/// A shorter list is read quickly as it is.
const ITEMS_MIN: usize = 1_000;
const SEPARATOR: &str = "\u{1f}";

/// Whether the expression is one that the pass is for.
pub(super) fn is_long_list(expr: &Expr) -> bool {
    matches!(expr, Expr::InList { list, .. } if list.len() >= ITEMS_MIN)
}

pub(super) struct LongLists {
    types: Types,
}

impl LongLists {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { types: Types::of(columns) }
    }

    /// The WHERE clauses of subqueries in it are visited by themselves; a lambda has no subqueries.
    fn condition(&self, condition: &mut Option<Expr>) -> ControlFlow<Failure> {
        match outside_subqueries::try_rewrite(condition, |expr| shorten(&self.types, expr)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

impl VisitorMut for LongLists {
    type Break = Failure;

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        self.condition(&mut select.selection)
    }

    fn post_visit_statement(&mut self, statement: &mut Statement) -> ControlFlow<Failure> {
        match statement {
            Statement::Delete(delete) => self.condition(&mut delete.selection),
            Statement::Update(update) => self.condition(&mut update.selection),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn shorten(types: &Types, expr: &mut Expr) -> Result<(), Failure> {
    let Expr::InList { expr: value, list, negated } = expr else { return Ok(()) };
    if list.len() < ITEMS_MIN {
        return Ok(());
    }
    let elements = match types.type_of(value).family() {
        Family::Number | Family::Float => integers(list),
        Family::Text => texts(list),
        _ => None,
    };
    let Some(elements) = elements else { return Ok(()) };
    let subquery = Box::new(rows_of(elements)?);
    *expr = Expr::InSubquery { expr: std::mem::replace(value, Box::new(null())), subquery, negated: *negated };
    Ok(())
}

fn integers(list: &[Expr]) -> Option<Expr> {
    let integers: Option<Vec<String>> = list.iter().map(|item| Some(integer_of(item)?.to_string())).collect();
    Some(cast(text(&format!("[{}]", integers?.join(","))), "BIGINT[]"))
}

fn texts(list: &[Expr]) -> Option<Expr> {
    let texts: Option<Vec<&str>> = list.iter().map(|item| text_of(item).filter(|t| !t.contains(SEPARATOR))).collect();
    Some(call("string_split", vec![text(&texts?.join(SEPARATOR)), text(SEPARATOR)]))
}

/// `SELECT unnest(list)`.
fn rows_of(list: Expr) -> Result<Query, Failure> {
    let mut query = print::read_query("SELECT 1")?;
    if let SetExpr::Select(select) = &mut *query.body {
        select.projection = vec![SelectItem::UnnamedExpr(call("unnest", vec![list]))];
    }
    Ok(query)
}

#[cfg(test)]
mod tests {
    use super::ITEMS_MIN;
    use crate::dialect::testing::check;

    fn listed(item: impl Fn(usize) -> String, between: &str) -> String {
        (0..ITEMS_MIN).map(item).collect::<Vec<_>>().join(between)
    }

    #[test]
    fn a_long_list_of_literals_is_one_literal() {
        let numbers = listed(|item| item.to_string(), ",");
        check(
            &format!("SELECT 1 WHERE 1 NOT IN ({numbers})"),
            &format!("SELECT 1 WHERE 1 NOT IN (SELECT unnest(CAST('[{numbers}]' AS BIGINT[])))"),
        );
        check(
            &format!("SELECT 1 FROM (SELECT 'a' AS a) AS t WHERE a IN ({})", listed(|item| format!("'{item}'"), ", ")),
            &format!(
                "SELECT 1 FROM (SELECT 'a' AS a) AS t WHERE a IN (SELECT unnest(string_split('{}', '\u{1f}')))",
                listed(|item| item.to_string(), "\u{1f}")
            ),
        );
    }

    #[test]
    fn other_lists_stay_as_they_are() {
        let mixed = format!("{}, NULL", listed(|item| item.to_string(), ", "));
        let unchanged = [
            format!("SELECT 1 WHERE 1 IN ({mixed})"),
            format!("SELECT 1 IN ({})", listed(|item| item.to_string(), ", ")),
            "SELECT 1 WHERE 1 IN (1, 2)".to_owned(),
        ];
        for text in unchanged {
            check(&text, &text);
        }
    }
}

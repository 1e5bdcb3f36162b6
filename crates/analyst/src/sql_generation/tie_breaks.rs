//! The order of an answer, stated to the end where only some rows are returned: the same question gives the same rows.

use crate::interpretation::query::{Direction, Expr, Function, Query};
use crate::links::model_index::ModelIndex;

use super::statement::{group_columns, needed_tables};

/// What the rows are ordered by; rows that are alike in it follow their groups, or the key of what the query is about.
pub(super) fn whole_order(index: &ModelIndex, query: &Query) -> Vec<(Expr, Direction)> {
    let mut order = query.order.clone();
    if query.limit.is_none() || order.is_empty() || query.distinct || query.combined.is_some() {
        return order;
    }
    let groups = group_columns(query);
    let mut expressions = query.select.iter().chain(order.iter().map(|(expr, _)| expr));
    if groups.is_empty() && expressions.any(Expr::is_aggregate) {
        return order;
    }
    let shown = query.select.iter().filter(|expr| groups.contains(expr));
    let breaks: Vec<Expr> = match groups.is_empty() {
        false => shown.chain(&groups).cloned().collect(),
        true => {
            let about = needed_tables(index, query).first().copied();
            let key = about.map(|table| index.tables[table].key.clone()).unwrap_or_default();
            key.into_iter().map(Expr::Column).collect()
        }
    };
    for expr in breaks {
        if !order.iter().any(|(known, _)| *known == expr) && !query.limit_within.contains(&expr) {
            order.push((expr, Direction::Ascending));
        }
    }
    order
}

/// What has no value would come first; where only some rows are returned, those with the most are wanted.
fn what_is_missing(query: &Query, expr: &Expr) -> &'static str {
    let is_always_there =
        matches!(expr, Expr::CountRows(_) | Expr::Aggregate(Function::Count | Function::CountDistinct, _));
    if query.limit.is_none() || is_always_there { "" } else { " NULLS LAST" }
}

/// The items behind ORDER BY.
pub(super) fn ordering(index: &ModelIndex, query: &Query, write: &dyn Fn(&Expr) -> String) -> Vec<String> {
    let order = whole_order(index, query).into_iter().map(|(expr, direction)| match direction {
        Direction::Ascending => write(&expr),
        Direction::Descending => format!("{} DESC{}", write(&expr), what_is_missing(query, &expr)),
    });
    order.collect()
}

//! Whether two readers read a question alike: the same query up to how it is spelled.

use chrono::NaiveDate;

use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query, TimeUnit};
use crate::links::model_index::{ColumnId, ModelIndex};
use crate::sql_generation::tables_of_columns;

/// Whether two queries give the same rows whatever the data are.
pub(super) fn agree(index: &ModelIndex, left: &Query, right: &Query) -> bool {
    left == right || canonical(index, left) == canonical(index, right)
}

/// A query without tables that take part anyway, its years spelled as days, and its conditions in one order.
fn canonical(index: &ModelIndex, query: &Query) -> Query {
    let own = tables_of_columns(index, query);
    let mut joined = query.joined.clone();
    joined.retain(|table| !own.contains(table));
    joined.sort_unstable();
    joined.dedup();
    let combined = query.combined.as_ref().map(|(operation, other)| (*operation, Box::new(canonical(index, other))));
    let conditions = in_one_order(index, &query.conditions);
    Query { joined, combined, conditions, having: in_one_order(index, &query.having), ..query.clone() }
}

fn in_one_order(index: &ModelIndex, conditions: &[Condition]) -> Vec<Condition> {
    let mut plain = Vec::new();
    conditions.iter().for_each(|condition| plain.extend(spelled_out(index, condition)));
    plain.sort_by_cached_key(|condition| format!("{condition:?}"));
    plain.dedup();
    plain
}

/// A condition as those that must all hold.
fn spelled_out(index: &ModelIndex, condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::All(all) => all.iter().flat_map(|one| spelled_out(index, one)).collect(),
        Condition::Compare(Expr::Part(TimeUnit::Year, column), comparison, Operand::Literal(Literal::Number(year))) => {
            in_days(*column, *comparison, *year as i32).unwrap_or_else(|| vec![condition.clone()])
        }
        Condition::Compare(left, comparison, Operand::Query(query)) => {
            let query = Operand::Query(Box::new(canonical(index, query)));
            vec![Condition::Compare(left.clone(), *comparison, query)]
        }
        Condition::In(column, query) => vec![Condition::In(*column, Box::new(canonical(index, query)))],
        Condition::Not(inner) => match spelled_out(index, inner).as_slice() {
            [only] => vec![Condition::Not(Box::new(only.clone()))],
            _ => vec![condition.clone()],
        },
        other => vec![other.clone()],
    }
}

/// The same comparison with the days at which years begin.
fn in_days(column: ColumnId, comparison: Comparison, year: i32) -> Option<Vec<Condition>> {
    let begin = |year: i32| NaiveDate::from_ymd_opt(year, 1, 1);
    let compare = |comparison: Comparison, day: NaiveDate| {
        let day = Operand::Literal(Literal::Date(day.to_string()));
        Condition::Compare(Expr::Column(column), comparison, day)
    };
    let from = |year: i32| begin(year).map(|day| compare(Comparison::GreaterOrEqual, day));
    let before = |year: i32| begin(year).map(|day| compare(Comparison::Less, day));
    Some(match comparison {
        Comparison::Equal => vec![from(year)?, before(year + 1)?],
        Comparison::Greater => vec![from(year + 1)?],
        Comparison::GreaterOrEqual => vec![from(year)?],
        Comparison::Less => vec![before(year)?],
        Comparison::LessOrEqual => vec![before(year + 1)?],
        Comparison::NotEqual => return None,
    })
}

//! Neighbours of a query whose conditions belong together otherwise, or compare a year of another table.

use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex};
use crate::question::time::YEARS;
use crate::sql_generation::needed_tables;

/// Columns of years that are tried.
const TRIED_MAX: usize = 3;

pub(super) fn compared(index: &ModelIndex, query: &Query, found: &mut Vec<Query>) {
    found.extend(paired(query));
    of_other_years(index, query, found);
}

fn column_of(condition: &Condition) -> Option<ColumnId> {
    match condition {
        Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(_)) => Some(*column),
        _ => None,
    }
}

/// `in Fall 2009 or in Spring 2010`: each season goes with its year, and `or` stands between the pairs.
fn paired(query: &Query) -> Option<Query> {
    let place = query.conditions.windows(3).position(|run| {
        let Condition::Any(inner) = &run[1] else { return false };
        let [second, third] = inner.as_slice() else { return false };
        let columns = [&run[0], second, third, &run[2]].map(column_of);
        columns[0].is_some() && columns[1].is_some() && columns[0] == columns[2] && columns[1] == columns[3]
    })?;
    let mut other = query.clone();
    let mut run = other.conditions.drain(place..place + 3);
    let (first, Condition::Any(inner), last) = (run.next()?, run.next()?, run.next()?) else { return None };
    drop(run);
    let [second, third] = <[Condition; 2]>::try_from(inner).ok()?;
    let pairs = vec![Condition::All(vec![first, second]), Condition::All(vec![third, last])];
    other.conditions.insert(place, Condition::Any(pairs));
    Some(other)
}

/// `degrees granted after 2000`: the year of another table that takes part.
fn of_other_years(index: &ModelIndex, query: &Query, found: &mut Vec<Query>) {
    let is_year = |column: ColumnId| {
        let entry = &index.columns[column];
        entry.data == DataKind::Number && entry.words.iter().any(|word| word == "year")
    };
    for (place, condition) in query.conditions.iter().enumerate() {
        let Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Number(number))) = condition
        else {
            continue;
        };
        if !is_year(*column) || !YEARS.contains(number) {
            continue;
        }
        let tables = needed_tables(index, query);
        let columns = tables.iter().flat_map(|table| index.tables[*table].columns.iter().copied());
        for rival in columns.filter(|rival| rival != column && is_year(*rival)).take(TRIED_MAX) {
            let mut other = query.clone();
            let year = Operand::Literal(Literal::Number(*number));
            other.conditions[place] = Condition::Compare(Expr::Column(rival), *comparison, year);
            found.push(other);
        }
    }
}

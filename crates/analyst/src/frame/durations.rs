//! How long events take: a fact that holds it, or the days from their beginning to their end.

use super::cover::parts;
use super::states::{DEADLINES, ENDS};
use crate::interpretation::query::{Expr, Function, Lapse};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::sql_generation::own_time;

/// How long the rows of a table take, where the model tells it in one way.
pub fn duration_of(index: &ModelIndex, table: TableId, function: Function) -> Option<Expr> {
    let columns = || index.tables[table].columns.iter().copied();
    let is_called = |column: &ColumnId, names: &[&str]| {
        parts(&index.columns[*column].name).any(|part| names.contains(&part.as_str()))
    };
    let is_length = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let says = |word: &String| matches!(word.as_str(), "duration" | "minute" | "hour" | "day" | "length");
        entry.kind == ColumnKind::Fact && entry.data == DataKind::Number && entry.words.iter().any(says)
    };
    let mut lengths = columns().filter(is_length);
    if let Some(length) = lengths.next() {
        return lengths.next().is_none().then_some(Expr::Aggregate(function, length));
    }
    let is_time = |column: &ColumnId| index.columns[*column].kind == ColumnKind::Time;
    let mut ends =
        columns().filter(|column| is_time(column) && is_called(column, ENDS) && !is_called(column, DEADLINES));
    let end = match ends.next() {
        Some(end) => Some(end).filter(|_| ends.next().is_none()),
        None => later_of_two(index, table),
    }?;
    let begin = own_time(index, table).filter(|begin| *begin != end && index.columns[*begin].table == table)?;
    Some(Expr::Elapsed(function, Lapse::DAYS, begin, end))
}

/// `reported on` and `fixed on`: of the only two days of a row, the one that some rows do not have yet.
fn later_of_two(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let is_due = |column: &ColumnId| {
        parts(&index.columns[*column].name).any(|part| DEADLINES.contains(&part.as_str()) || part == "birth")
    };
    let times = index.tables[table].columns.iter().copied().filter(|column| index.is_time(*column) && !is_due(column));
    match times.collect::<Vec<_>>()[..] {
        [first, second] if !index.columns[first].has_gaps && index.columns[second].has_gaps => Some(second),
        _ => None,
    }
}

//! Measures whose rows a join shows several times: readings with these are not sure, and the answer says why.

use crate::interpretation::query::{Expr, Function, Query};
use crate::links::model_index::{ModelIndex, TableId};
use crate::restatement::plural;
use crate::sql_generation::join_paths::{Step, connect, is_multiplied, leads_to_one, path};
use crate::sql_generation::{needed_tables, parts_of_grain};

/// The doubt about a measure that counts one row for several groups, or for several of the rows that restrict it.
pub(super) fn repetition_in_words(index: &ModelIndex, query: &Query) -> Option<String> {
    let (owner, other) = repeated(index, query)?;
    let words = |table: TableId| index.tables[table].words.join(" ");
    let (owner, others) = (words(owner), plural(&words(other)));
    Some(format!(
        "One {owner} may belong to several {others} and then counts for each of them, so that the parts can exceed the total."
    ))
}

/// The table whose rows a measure counts for several rows of another one, and that one.
pub(super) fn repeated(index: &ModelIndex, query: &Query) -> Option<(TableId, TableId)> {
    if !index.is_curated() || parts_of_grain(index, query).is_some() {
        return None;
    }
    let tables = needed_tables(index, query);
    let steps = connect(index, &tables)?;
    let measured = query.select.iter().chain(query.order.iter().map(|(expr, _)| expr));
    measured.into_iter().find_map(|expr| {
        let (owner, measure) = measured_by(index, expr)?;
        let other = tables.iter().copied().find(|table| match measure {
            Measure::Amount => is_multiplied(index, &steps, owner) && !leads_to_one(index, owner, *table),
            Measure::Number => meets_by_owner(index, owner, *table),
        })?;
        Some((owner, other))
    })
}

/// The table whose rows a measure adds up or counts.
pub(super) fn measured_table(index: &ModelIndex, expr: &Expr) -> Option<TableId> {
    measured_by(index, expr).map(|(table, _)| table)
}

/// What is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Amount,
    /// Different rows, which count once in each group.
    Number,
}

fn measured_by(index: &ModelIndex, expr: &Expr) -> Option<(TableId, Measure)> {
    match expr {
        Expr::CountRows(table) => Some((*table, Measure::Number)),
        Expr::Aggregate(Function::Count | Function::CountDistinct, column) => {
            Some((index.columns[*column].table, Measure::Number))
        }
        Expr::Aggregate(Function::Minimum | Function::Maximum, _) => None,
        Expr::Aggregate(_, column) => {
            let entry = &index.columns[*column];
            let is_number = entry.expression.to_ascii_uppercase().starts_with("COUNT(DISTINCT ");
            Some((entry.table, if is_number { Measure::Number } else { Measure::Amount }))
        }
        Expr::Share(inner) | Expr::Portion(inner, _) | Expr::Within(inner, ..) | Expr::RunningTotal(inner) => {
            measured_by(index, inner)
        }
        _ => None,
    }
}

/// Whether the rows of two tables meet only in a row that both refer to: what two things of one owner share says nothing of
/// each other.
fn meets_by_owner(index: &ModelIndex, from: TableId, to: TableId) -> bool {
    let steps = path(index, from, to).unwrap_or_default();
    let is_turn = |pair: &[Step]| !pair[0].multiplies(index) && pair[1].multiplies(index);
    steps.windows(2).any(is_turn)
}

//! What columns and tables can be used as: measures of adjectives, times of rows, ways from one table to another.

use crate::interpretation::operators::Adjectives;
use crate::interpretation::query::{Condition, Expr, Query};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::sql_generation::join_paths::{Step, distance, path};

/// The columns that an adjective may measure, each with whether more of it means larger values.
pub fn adjective_columns(index: &ModelIndex, adjectives: Adjectives) -> Vec<(ColumnId, bool)> {
    let mut found: Vec<(usize, ColumnId, bool)> = Vec::new();
    for measure in adjectives.measures() {
        for (column, entry) in index.columns.iter().enumerate() {
            let is_measure = matches!(entry.data, DataKind::Number | DataKind::Date)
                && !index.is_reference(column)
                && !index.is_birth_of_another(column)
                && !entry.is_share_of_rows();
            let place = measure
                .column_words
                .iter()
                .position(|word| entry.words.iter().any(|own| own == word))
                .filter(|_| is_measure && entry.kind != ColumnKind::Filter);
            if let Some(place) = place
                && !found.iter().any(|(_, known, _)| *known == column)
            {
                found.push((place, column, adjectives.wants_larger(measure)));
            }
        }
    }
    found.sort_by_key(|(place, ..)| *place);
    found.into_iter().map(|(_, column, is_larger)| (column, is_larger)).take(8).collect()
}

/// Columns of numbers that are years.
pub fn year_columns(index: &ModelIndex) -> Vec<ColumnId> {
    let is_year = |column: &ColumnId| {
        let entry = &index.columns[*column];
        entry.data == DataKind::Number
            && entry
                .words
                .iter()
                .any(|word| matches!(word.as_str(), "year" | "founded" | "opened" | "built" | "established"))
    };
    (0..index.columns.len()).filter(is_year).take(6).collect()
}

/// The column of time that tells when the rows of a table happened: its own, else that of the nearest table.
pub fn time_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let mut near: Vec<TableId> = (0..index.tables.len()).filter(|other| distance(index, table, *other) < 3).collect();
    near.sort_by_key(|other| distance(index, table, *other));
    near.into_iter().find_map(|near| {
        let columns = &index.tables[near].columns;
        let is_birth = |column: &ColumnId| index.columns[*column].words.iter().any(|word| word.starts_with("birth"));
        columns.iter().copied().find(|column| index.columns[*column].kind == ColumnKind::Time && !is_birth(column))
    })
}

/// `column of main IN (SELECT the same thing FROM … WHERE conditions)`: rows of `main` that have a row of `other`.
pub fn among(index: &ModelIndex, main: TableId, other: TableId, conditions: Vec<Condition>) -> Option<Condition> {
    let steps = path(index, main, other)?;
    let first: Step = *steps.first()?;
    let (own, theirs) = first.columns(index).into_iter().next()?;
    let own = index.column_named(main, own)?;
    let theirs = index.column_named(first.to, theirs)?;
    let query = Query { select: vec![Expr::Column(theirs)], conditions, joined: vec![other], ..Query::default() };
    Some(Condition::In(own, Box::new(query)))
}

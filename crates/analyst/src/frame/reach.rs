//! Which rows belong to which: the one row of another table that a row leads to, and the events between two tables.

use std::cmp::Reverse;

use crate::interpretation::query::{Condition, Expr, Query};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::sql_generation::join_paths::{Step, distance, path};

/// Whether each row of a table leads to at most one row of the other.
#[must_use]
pub fn leads_to_one(index: &ModelIndex, from: TableId, to: TableId) -> bool {
    from == to || path(index, from, to).is_some_and(|steps| steps.iter().all(|step| !step.multiplies(index)))
}

/// The nearest table whose rows lead to one row of the subject and to one of every other table.
pub fn event_between(index: &ModelIndex, subject: TableId, others: &[TableId]) -> Option<TableId> {
    let leads = |table: &TableId| {
        *table != subject
            && leads_to_one(index, *table, subject)
            && others.iter().all(|other| leads_to_one(index, *table, *other))
    };
    (0..index.tables.len()).filter(leads).min_by_key(|table| distance(index, subject, *table))
}

/// The column that tells when the rows of a table happened: its own, else that of the nearest table it leads to.
pub fn time_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let mut near: Vec<TableId> = (0..index.tables.len()).filter(|other| leads_to_one(index, table, *other)).collect();
    // Of tables equally near, one of events tells when; a thing with a name has days of its own life.
    let is_thing = |other: TableId| !is_event(index, other);
    let rows = |other: TableId| Reverse(index.tables[other].row_count);
    near.sort_by_key(|other| (distance(index, table, *other), is_thing(*other), rows(*other)));
    near.into_iter().find_map(|near| {
        let is_birth = |column: &ColumnId| index.columns[*column].words.iter().any(|word| word.starts_with("birth"));
        let columns = index.tables[near].columns.iter().copied();
        columns.into_iter().find(|column| index.columns[*column].kind == ColumnKind::Time && !is_birth(column))
    })
}

/// Rows of the subject that have rows of another table, as the nested query restricts them.
pub fn having_rows(index: &ModelIndex, subject: TableId, other: TableId, nested: Query) -> Option<Condition> {
    let first: Step = *path(index, subject, other)?.first()?;
    let (own, theirs) = first.columns(index).into_iter().next()?;
    let own = index.column_named(subject, own)?;
    let theirs = index.column_named(first.to, theirs)?;
    let mut query = nested;
    query.select = vec![Expr::Column(theirs)];
    query.conditions.push(Condition::Not(Box::new(Condition::Missing(theirs))));
    if !query.joined.contains(&other) {
        query.joined.push(other);
    }
    Some(Condition::In(own, Box::new(query)))
}

/// The references of a table to another one, in the order of the model.
pub fn references_to(index: &ModelIndex, from: TableId, to: TableId) -> Vec<ColumnId> {
    let joins = index.joins.iter().filter(|join| join.left == from && join.right == to && join.columns.len() == 1);
    joins.filter_map(|join| index.column_named(from, &join.columns[0].0)).collect()
}

/// A metric of the whole model brings tables with it that its own does not have.
pub fn is_of_several_tables(index: &ModelIndex, metric: ColumnId) -> bool {
    let entry = &index.columns[metric];
    let expression = entry.expression.to_lowercase();
    let names = |table: &str| expression.contains(&format!("{}.", table.to_lowercase()));
    entry.kind == ColumnKind::Metric && index.tables.iter().any(|table| names(&table.name))
}

/// What people call a row by: its name, else a number or a mark that is not its key, else the key.
pub fn label(index: &ModelIndex, table: TableId) -> Vec<ColumnId> {
    let found = index.label(table);
    let entry = &index.tables[table];
    if found != entry.key {
        return found;
    }
    let is_mark = |column: &ColumnId| {
        let own = &index.columns[*column];
        let marks = ["number", "registration", "plate", "mark", "code", "symbol"];
        own.kind == ColumnKind::Dimension
            && !entry.key.contains(column)
            && !index.is_reference(*column)
            && own.words.last().is_some_and(|word| marks.contains(&word.as_str()))
    };
    entry.columns.iter().copied().find(is_mark).map_or(found, |mark| vec![mark])
}

/// Whether rows have no name of their own, as events do.
pub fn is_event(index: &ModelIndex, table: TableId) -> bool {
    label(index, table) == index.tables[table].key
}

//! Which rows belong to which: the one row of another table that a row leads to, and the events between two tables.

use crate::interpretation::query::{Condition, Expr, Query};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::sql_generation::join_paths::{Step, distance, leads_to_one, path};

/// The nearest table whose rows lead to one row of the subject and to one of every other table.
pub fn event_between(index: &ModelIndex, subject: TableId, others: &[TableId]) -> Option<TableId> {
    let leads = |table: &TableId| {
        *table != subject
            && leads_to_one(index, *table, subject)
            && others.iter().all(|other| leads_to_one(index, *table, *other))
    };
    (0..index.tables.len()).filter(leads).min_by_key(|table| distance(index, subject, *table))
}

/// The only events that refer to the rows of a table.
pub fn only_event(index: &ModelIndex, table: TableId) -> Option<TableId> {
    let is_event = |other: &TableId| {
        *other != table
            && index.is_event(*other)
            && distance(index, *other, table) == 1
            && leads_to_one(index, *other, table)
    };
    let mut events = (0..index.tables.len()).filter(is_event);
    events.next().filter(|_| events.next().is_none())
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

/// The same by a stated reference of the other table.
pub fn referred_to_by(index: &ModelIndex, reference: ColumnId, nested: Query) -> Option<Condition> {
    let join = index.reference_join(reference)?;
    let name = &index.columns[reference].name;
    let (_, own) = join.columns.iter().find(|(left, _)| left.eq_ignore_ascii_case(name))?;
    let own = index.column_named(join.right, own)?;
    let mut query = nested;
    query.select = vec![Expr::Column(reference)];
    query.conditions.push(Condition::Not(Box::new(Condition::Missing(reference))));
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

/// Whether a row of another table describes the row itself: the row refers to it, and not the other way.
pub fn is_own_row(index: &ModelIndex, from: TableId, to: TableId) -> bool {
    let refers = |step: &Step| index.joins[step.join].left == step.from;
    from == to || path(index, from, to).is_some_and(|steps| steps.iter().all(refers))
}

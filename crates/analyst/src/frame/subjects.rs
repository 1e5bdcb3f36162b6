//! What a frame asks for: something computed, rows of a table, or the values of a column.

use super::Context;
use super::clauses::{Polarity, Predicate, Role};
use super::cover::is_doing;
use super::parts::{By, Frame, Group, Head, Want};
use super::reach::{event_between, only_event, references_to};
use super::states::condition_of;
use crate::interpretation::query::{Expr, Function};
use crate::lattice::Meaning;
use crate::lexicon;
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::links::person_roles::is_persons;
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::{distance, leads_to_one};

/// What a query is about.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// Something computed, and the table it is computed over.
    Measure(Vec<Expr>, TableId),
    Rows(TableId),
    /// The different values of a column among the rows of a table.
    Values(ColumnId, TableId),
}

impl Subject {
    pub fn table(&self) -> TableId {
        match self {
            Self::Measure(_, table) | Self::Rows(table) | Self::Values(_, table) => *table,
        }
    }
}

/// What the query of a frame is about.
pub fn subject_of(context: &Context<'_>, frame: &Frame) -> Option<Subject> {
    let index = context.index;
    if !frame.measures.is_empty() {
        let table = frame.measures.first()?.owner(index)?;
        if frame.measures.iter().any(|measure| measure.owner(index) != Some(table)) || frame.rank.is_some() {
            return ranked_by_measure(index, frame);
        }
        return match frame.want {
            Some(Want::Count | Want::Persons) => None,
            _ => Some(Subject::Measure(frame.measures.clone(), table)),
        };
    }
    match (frame.want, frame.head) {
        (_, Some(Head::Table(table))) if frame.head_role.is_some() => ranked_role(index, frame, table),
        (Some(Want::Count), Some(Head::Table(table))) if frame.is_head_implied => {
            let table = predicate_persons(index, frame, table).unwrap_or(table);
            Some(Subject::Measure(vec![Expr::CountRows(table)], table))
        }
        (Some(Want::Count), Some(Head::Table(table))) => {
            let events = counted_for_groups(index, frame, table);
            Some(Subject::Measure(vec![counted_in(index, table, events)], events))
        }
        (Some(Want::Count), Some(Head::Column(column))) => {
            let table = index.columns[column].table;
            Some(Subject::Measure(vec![Expr::Aggregate(Function::CountDistinct, column)], table))
        }
        (Some(Want::Count), None) => {
            let table = predicate_table(index, frame)?;
            Some(Subject::Measure(vec![Expr::CountRows(table)], table))
        }
        (None, None) if !frame.groups.is_empty() && !frame.clauses[0].predicates.is_empty() => {
            let table = predicate_table(index, frame)?;
            Some(Subject::Measure(vec![Expr::CountRows(table)], table))
        }
        (Some(Want::Amount), None) => {
            let (column, table) = amount_in_state(context, frame)?;
            Some(Subject::Measure(vec![Expr::Aggregate(Function::Metric, column)], table))
        }
        (Some(Want::Persons), _) => persons(context, frame).map(Subject::Rows),
        (Some(Want::Rows), Some(Head::Table(table))) => Some(Subject::Rows(table)),
        (Some(Want::Rows), None) => predicate_rows(context, frame).map(Subject::Rows),
        (None, None) if frame.groups.is_empty() => predicate_rows(context, frame).map(Subject::Rows),
        (None, Some(Head::Table(table))) => {
            let is_counted =
                frame.rank.is_none() && (!frame.groups.is_empty() || index.is_event(table) || frame.is_versus);
            Some(if is_counted { Subject::Measure(vec![Expr::CountRows(table)], table) } else { Subject::Rows(table) })
        }
        (_, Some(Head::Column(column))) => {
            let table = match frame.rank.as_ref().and_then(|rank| rank.by.as_ref()) {
                Some(By::Rows(table)) => *table,
                None if is_wanted_thing(context, frame, column) => only_event(index, index.columns[column].table)?,
                _ => frame.clauses[0].table.unwrap_or(index.columns[column].table),
            };
            (frame.groups.is_empty() || frame.rank.is_some()).then_some(Subject::Values(column, table))
        }
        _ => None,
    }
}

/// `the most popular brand`: things are popular by the events that tell of them, not by how many there are.
fn is_wanted_thing(context: &Context<'_>, frame: &Frame, column: ColumnId) -> bool {
    let is_popular = context.lattice.words.iter().any(|word| word.lower == "popular");
    let is_common = frame.rank.as_ref().is_some_and(|rank| rank.is_common);
    is_popular && is_common && !context.index.is_event(context.index.columns[column].table)
}

/// How many rows take part in events: people count once, however often they were seen.
pub fn counted_in(index: &ModelIndex, counted: TableId, events: TableId) -> Expr {
    let reference = references_to(index, events, counted).first().copied();
    match reference.filter(|_| counted != events && is_persons(index, counted)) {
        Some(reference) => Expr::Aggregate(Function::CountDistinct, reference),
        None => Expr::CountRows(events),
    }
}

/// `how many books did each member borrow`: the loans are counted, where no book belongs to one member.
fn counted_for_groups(index: &ModelIndex, frame: &Frame, counted: TableId) -> TableId {
    let grouped = frame.groups.iter().filter_map(|group| match group {
        Group::Rows(table, _) => Some(*table),
        _ => None,
    });
    let apart: Vec<TableId> = grouped.filter(|table| !leads_to_one(index, counted, *table)).collect();
    match apart.as_slice() {
        [] => counted,
        [first, ..] => event_between(index, *first, &[counted]).unwrap_or(counted),
    }
}

/// `the top 5 destination cities by number of shipments`: the rows that refer to them in this role are counted.
fn ranked_role(index: &ModelIndex, frame: &Frame, table: TableId) -> Option<Subject> {
    let Some(Role::Reference(reference)) = frame.head_role else { return None };
    let [label] = index.row_name(table)[..] else { return None };
    let from = index.columns[reference].table;
    let counted = match frame.rank.as_ref()?.by.as_ref() {
        Some(By::Rows(counted)) => *counted,
        Some(By::Measure(measure)) => measure.owner(index)?,
        _ => frame.measures.first()?.owner(index)?,
    };
    (counted == from).then_some(Subject::Values(label, from))
}

/// `how many women were admitted`: the persons are counted, not their admissions.
fn predicate_persons(index: &ModelIndex, frame: &Frame, event: TableId) -> Option<TableId> {
    let (predicate, _) = frame.clauses.first()?.predicates.first()?;
    let table = index.columns[predicate.column()].table;
    (is_persons(index, table) && table != event && leads_to_one(index, event, table)).then_some(table)
}

/// `the biggest client by freight cost`: the measure was read behind the head.
fn ranked_by_measure(index: &ModelIndex, frame: &Frame) -> Option<Subject> {
    frame.rank.as_ref()?;
    match frame.head? {
        Head::Table(table) => Some(Subject::Rows(table)),
        Head::Column(column) => Some(Subject::Values(column, index.columns[column].table)),
    }
}

/// `how much is overdue`: the only sum of the only rows that may be in that state.
fn amount_in_state(context: &Context<'_>, frame: &Frame) -> Option<(ColumnId, TableId)> {
    let stated = *frame.clauses[0].states.first()?;
    let index = context.index;
    let in_state = |table: &TableId| condition_of(index, *table, stated, context.today).is_some();
    let is_sum = |column: &ColumnId| index.columns[*column].aggregation == Some(DefaultAggregation::Sum);
    let sums = (0..index.tables.len()).filter(in_state).filter_map(|table| {
        let mut sums = index.tables[table].columns.iter().copied().filter(is_sum);
        let first = sums.next()?;
        sums.next().is_none().then_some((first, table))
    });
    let found: Vec<(ColumnId, TableId)> = sums.collect();
    match found.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// The table that the first thing stated is of.
fn predicate_table(index: &ModelIndex, frame: &Frame) -> Option<TableId> {
    let clause = frame.clauses.first()?;
    let column = clause.time.or_else(|| clause.predicates.first().map(|(predicate, _)| predicate.column()))?;
    Some(index.columns[column].table)
}

/// `which roofers left us`: the rows are named by what they are, and the verb is about something else.
fn predicate_rows(context: &Context<'_>, frame: &Frame) -> Option<TableId> {
    let index = context.index;
    let clause = frame.clauses.first()?;
    let [(Predicate::Equals { column, values, .. }, Polarity::Affirmed), rest @ ..] = clause.predicates.as_slice()
    else {
        return None;
    };
    let table = index.columns[*column].table;
    let is_named = clause.time.is_some_and(|time| index.columns[time].table == table)
        || !clause.states.is_empty()
        || !frame.beside.is_empty()
        || rest.iter().any(|(predicate, _)| index.columns[predicate.column()].table == table);
    let is_named = is_named || is_persons(index, table) && names_people(context, *column);
    let is_kind = values.len() == 1 && !index.row_name(table).contains(column) && !index.is_event(table);
    (is_named && is_kind).then_some(table)
}

/// `women in Engineering`, `the cardiologists`: a noun for people that a value of the column stands for.
pub fn names_people(context: &Context<'_>, column: ColumnId) -> bool {
    let lattice = context.lattice;
    lattice.items.iter().any(|item| {
        let is_value = matches!(item.meaning, Meaning::Value(of, _) if of == column);
        let noun = &lattice.words[item.end - 1].lemma;
        is_value && lexicon::relation(noun, "person").is_some()
    })
}

/// The table of persons that `who` asks for: the nearest that what is stated leads to.
fn persons(context: &Context<'_>, frame: &Frame) -> Option<TableId> {
    let index = context.index;
    if let Some(Head::Table(table)) = frame.head {
        return is_persons(index, table).then_some(table);
    }
    // `who owns Luna`: those who do it, whoever else may be a person.
    let words = context.lattice.words;
    if let Some(role) = index.person_roles.iter().find(|role| (0..words.len()).any(|at| role.is_done(words, at))) {
        return Some(role.persons);
    }
    // `who borrowed the most books`: those whom the model calls borrowers.
    let is_named_by_verb =
        |table: &TableId| is_persons(index, *table) && words.iter().any(|word| is_doing(index, *table, word));
    if let Some(table) = (0..index.tables.len()).find(is_named_by_verb) {
        return Some(table);
    }
    let of_clause = frame.clauses.iter().find_map(|clause| clause.table);
    let ranked = frame.rank.as_ref().and_then(|rank| rank.by.as_ref()).and_then(|by| match by {
        By::Measure(measure) => measure.owner(index),
        By::Rows(table) => Some(*table),
        By::Column(column) => Some(index.columns[*column].table),
    });
    let measured = frame.measures.first().and_then(|measure| measure.owner(index));
    persons_of(index, predicate_table(index, frame).or(of_clause).or(ranked).or(measured)?)
}

/// The nearest table of persons that the rows of a table lead to.
pub fn persons_of(index: &ModelIndex, stated: TableId) -> Option<TableId> {
    let mut tables: Vec<TableId> = (0..index.tables.len())
        .filter(|table| is_persons(index, *table) && leads_to_one(index, stated, *table))
        .collect();
    let place = |table: TableId| index.joins.iter().position(|join| join.left == stated && join.right == table);
    tables.sort_by_key(|table| (distance(index, stated, *table), place(*table)));
    tables.first().copied().or_else(|| persons_at(index, stated))
}

/// `who works at the Old Mill`: the only persons that belong to such a place.
fn persons_at(index: &ModelIndex, place: TableId) -> Option<TableId> {
    let belongs = |table: &TableId| is_persons(index, *table) && !references_to(index, *table, place).is_empty();
    let mut tables = (0..index.tables.len()).filter(belongs);
    tables.next().filter(|_| tables.next().is_none())
}

//! Questions a model can answer, for when one cannot be: about what the question named, and about anything else only where
//! it named nothing.

use crate::interpretation::query::{Condition, Expr, Operand, Query};
use crate::links::mentions::{Chunk, ChunkKind};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::restatement::{own_words, plural};
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::leads_to_one;

/// A link that is weaker names nothing.
const NAMED_FROM: f32 = 0.6;
/// Columns with more different values are not grouped by.
const GROUPS_MAX: u64 = 50;

/// What a question names, in the order it does.
#[derive(Debug, Default)]
pub struct Named {
    pub tables: Vec<TableId>,
    pub measures: Vec<ColumnId>,
    pub groups: Vec<ColumnId>,
}

impl Named {
    #[must_use]
    pub fn of(index: &ModelIndex, chunks: &[Chunk]) -> Self {
        let mut named = Self::default();
        for chunk in chunks {
            let ChunkKind::Mention(mention) = &chunk.kind else { continue };
            let table = mention.best_table().filter(|(_, score)| *score >= NAMED_FROM);
            let column = mention.columns.first().filter(|(_, score)| *score >= NAMED_FROM);
            let value = mention.values.first().map(|(column, ..)| index.columns[*column].table);
            match (table, column) {
                (Some((table, score)), column) if column.is_none_or(|(_, other)| score >= *other) => {
                    note(&mut named.tables, table);
                }
                (_, Some((column, _))) => named.note_column(index, *column),
                _ => value.into_iter().for_each(|table| note(&mut named.tables, table)),
            }
        }
        named
    }

    fn note_column(&mut self, index: &ModelIndex, column: ColumnId) {
        let entry = &index.columns[column];
        match entry.kind {
            ColumnKind::Metric | ColumnKind::Fact => note(&mut self.measures, column),
            ColumnKind::Dimension if is_group(index, column) => note(&mut self.groups, column),
            _ => {}
        }
        note(&mut self.tables, entry.table);
    }
}

fn note<T: PartialEq>(known: &mut Vec<T>, one: T) {
    if !known.contains(&one) {
        known.push(one);
    }
}

/// Whether a reading in words is a question that somebody would ask: about something of some rows, without steps in between.
#[must_use]
pub fn is_sayable(index: &ModelIndex, query: &Query) -> bool {
    let is_grouped =
        query.select.iter().any(Expr::is_aggregate) && query.select.iter().any(|expr| !expr.is_aggregate());
    let is_technical = |expr: &Expr| match expr {
        Expr::Everything(_) => true,
        Expr::Column(column) => index.is_key(*column) || index.is_reference(*column),
        _ => false,
    };
    let is_plain = |condition: &Condition| {
        !matches!(condition, Condition::In(..) | Condition::Not(_) | Condition::Compare(_, _, Operand::Query(_)))
    };
    let is_restricted = !query.conditions.is_empty() || !query.order.is_empty();
    (is_grouped || is_restricted)
        && query.combined.is_none()
        && query.summary.is_none()
        && !query.select.iter().any(is_technical)
        && query.conditions.iter().all(is_plain)
}

/// Candidate questions, those nearest to what was named first.
#[must_use]
pub fn candidates(index: &ModelIndex, named: &Named) -> Vec<String> {
    let mut questions = Vec::new();
    for &measure in &named.measures {
        let owner = index.columns[measure].table;
        let groups = named.groups.iter().copied().chain(named.tables.iter().filter_map(|table| name_of(index, *table)));
        let near = groups.filter(|group| leads_to_one(index, owner, index.columns[*group].table));
        questions.extend(near.map(|group| measured(index, measure, Some(group))));
        questions.push(measured(index, measure, None));
        questions.extend(group_of(index, owner).map(|group| measured(index, measure, Some(group))));
    }
    for &table in &named.tables {
        let near = |group: &&ColumnId| leads_to_one(index, table, index.columns[**group].table);
        questions.extend(named.groups.iter().filter(near).map(|group| counted(index, table, Some(*group))));
    }
    let others = (0..index.tables.len()).filter(|table| !index.is_bridge(*table));
    let tables: Vec<TableId> = if named.tables.is_empty() { others.collect() } else { named.tables.clone() };
    for table in tables {
        let columns = index.tables[table].columns.iter().copied();
        let measure = columns
            .filter(|column| matches!(index.columns[*column].kind, ColumnKind::Metric | ColumnKind::Fact))
            .find(|column| index.columns[*column].words.len() > 1 || index.columns[*column].kind == ColumnKind::Fact);
        let group = group_of(index, table);
        questions.extend(measure.zip(group).map(|(measure, group)| measured(index, measure, Some(group))));
        questions.push(counted(index, table, None));
        questions.extend(group.map(|group| counted(index, table, Some(group))));
    }
    let mut asked: Vec<String> = Vec::new();
    questions.into_iter().for_each(|question| note(&mut asked, question));
    asked
}

fn counted(index: &ModelIndex, table: TableId, group: Option<ColumnId>) -> String {
    let rows = plural(&index.tables[table].words.join(" "));
    match group {
        Some(group) => format!("How many {rows} are there for each {}?", own_words(index, group)),
        None => format!("How many {rows} are there?"),
    }
}

fn measured(index: &ModelIndex, measure: ColumnId, group: Option<ColumnId>) -> String {
    let entry = &index.columns[measure];
    let aggregate = if entry.kind == ColumnKind::Metric { "" } else { aggregate_word(entry.aggregation) };
    let words = own_words(index, measure);
    let words: Vec<&str> = words.split(' ').collect();
    let what = format!("{aggregate}{}", without_unit(&words).join(" "));
    match group {
        Some(group) => format!("What is the {what} by {}?", own_words(index, group)),
        None => format!("What is the {what}?"),
    }
}

/// What a table's own rows are grouped by.
fn group_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    index.tables[table].columns.iter().copied().find(|column| is_group(index, *column))
}

fn is_group(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let few = entry.distinct_count.is_none_or(|count| (2..=GROUPS_MAX).contains(&count));
    entry.kind == ColumnKind::Dimension && entry.data == DataKind::Text && few && !entry.unique
}

/// The column that the rows of a table are called by.
fn name_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    match index.label(table).as_slice() {
        [name] if !index.is_key(*name) => Some(*name),
        _ => None,
    }
}

/// `capacity l`, `temperature c`: the unit at the end of a name is not said, unless the name is `price per kg`.
fn without_unit<'a>(words: &'a [&'a str]) -> &'a [&'a str] {
    match words {
        [.., "per" | "in", _] => words,
        [rest @ .., last] if !rest.is_empty() && UNITS.contains(last) => rest,
        _ => words,
    }
}

/// Units that names of columns end in.
const UNITS: &[&str] = &[
    "l", "c", "f", "m", "g", "t", "h", "ha", "kg", "km", "cm", "mm", "ml", "pct", "eur", "usd", "gbp", "kwh", "min",
    "sqm", "sqft",
];

/// How a fact is summed up by default.
fn aggregate_word(aggregation: Option<DefaultAggregation>) -> &'static str {
    match aggregation {
        Some(DefaultAggregation::Avg) => "average ",
        Some(DefaultAggregation::Median) => "median ",
        Some(DefaultAggregation::Min) => "lowest ",
        Some(DefaultAggregation::Max) => "highest ",
        Some(DefaultAggregation::Count | DefaultAggregation::CountDistinct) => "number of ",
        Some(DefaultAggregation::Sum) | None => "total ",
    }
}

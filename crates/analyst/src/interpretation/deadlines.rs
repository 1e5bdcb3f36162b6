//! Whether something was done by the day it was due, or was done at all: `delivered late`, `paid on time`, `unpaid`.

use super::parser::Parser;
use super::query::{Comparison, Condition, Expr, Operand};
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::question::lemma::{is_past, lemma};

/// Words in the name of a day by which something is to be done.
const DUE_WORDS: &[&str] = &[
    "due",
    "promised",
    "expected",
    "planned",
    "scheduled",
    "deadline",
    "required",
    "estimated",
    "target",
    "agreed",
    "committed",
];

impl Parser<'_> {
    /// `late`, `on time`, `early`: the day of the event beside the day it was due.
    pub(super) fn punctual_at(&mut self, at: usize, comparison: Comparison) {
        let verb = self.time_verb.map(|column| self.index.columns[column].table);
        let tables: Vec<TableId> = verb.into_iter().chain(self.main_table()).collect();
        let both = tables.into_iter().find_map(|table| {
            let deadline = self.deadline_of(table)?;
            Some((self.event_before(deadline, table)?, deadline))
        });
        let Some((event, deadline)) = both else {
            self.shape.is_unclear = true;
            return;
        };
        let denied =
            (at.saturating_sub(3)..at).any(|place| self.operator(place) == Some(super::operators::Operator::Not));
        let comparison = if denied { comparison.negated() } else { comparison };
        self.pending = None;
        self.time_verb.get_or_insert(event);
        self.add_condition(Condition::Compare(Expr::Column(event), comparison, Operand::Expr(Expr::Column(deadline))));
    }

    fn times_of(&self, table: TableId) -> impl Iterator<Item = ColumnId> + '_ {
        let columns = self.index.tables[table].columns.iter().copied();
        columns.filter(|column| self.index.columns[*column].kind == ColumnKind::Time)
    }

    fn is_deadline(&self, column: ColumnId) -> bool {
        self.index.columns[column].words.iter().any(|word| DUE_WORDS.contains(&word.as_str()))
    }

    fn deadline_of(&self, table: TableId) -> Option<ColumnId> {
        let mut deadlines = self.times_of(table).filter(|column| self.is_deadline(*column));
        let only = deadlines.next();
        only.filter(|_| deadlines.next().is_none())
    }

    /// The event that a verb names, else the only one that not all rows have seen.
    fn event_before(&self, deadline: ColumnId, table: TableId) -> Option<ColumnId> {
        let named = self.time_verb.filter(|&column| self.index.columns[column].table == table && column != deadline);
        let mut open = self.times_of(table).filter(|&column| column != deadline && self.index.columns[column].has_gaps);
        let only = open.next();
        named.or(only.filter(|_| open.next().is_none()))
    }

    /// `paid before they were due`, `delivered before they were shipped`: two days of a row.
    pub(super) fn deadline_at(&mut self, at: usize, comparison: Comparison) -> bool {
        let place =
            self.skip(at + 1, &["the", "it", "they", "was", "were", "is", "are", "their", "its", "day", "date"]);
        let (Some(event), Some(chunk)) = (self.time_verb, self.chunks.get(place)) else { return false };
        let table = self.index.columns[event].table;
        let word = &self.words[chunk.start];
        let is_one = chunk.end - chunk.start == 1 && place > at + 1 && self.range_of(place).is_none();
        let other = match DUE_WORDS.contains(&word.lower.as_str()) {
            true => self.deadline_of(table),
            false => self.times_of(table).find(|column| {
                is_one && is_done(&word.lower) && self.index.columns[*column].words.contains(&word.lemma)
            }),
        };
        let Some(deadline) = other.filter(|&deadline| deadline != event) else { return false };
        self.used[at..=place].fill(true);
        self.pending = None;
        let due = Operand::Expr(Expr::Column(deadline));
        self.add_condition(Condition::Compare(Expr::Column(event), comparison, due));
        true
    }

    /// `unpaid invoices`: the day is missing.
    pub(super) fn undone_at(&mut self, at: usize) -> bool {
        let Some(done) = self.text(at).strip_prefix("un").filter(|rest| rest.len() > 3 && is_done(rest)) else {
            return false;
        };
        let done = lemma(done);
        let near = self.tables_named.iter().map(|(_, table)| *table).chain(self.main_table());
        let tables: Vec<TableId> = near.collect();
        let column = tables.into_iter().find_map(|table| self.event_called(table, &done));
        let Some(column) = column else { return false };
        self.used[at] = true;
        self.add_condition(Condition::Missing(column));
        true
    }

    /// The day, which some rows lack, of what a verb says.
    fn event_called(&self, table: TableId, verb: &str) -> Option<ColumnId> {
        let is_named = |column: &ColumnId| {
            let entry = &self.index.columns[*column];
            entry.has_gaps && entry.words.iter().any(|word| word == verb)
        };
        self.times_of(table).find(is_named)
    }

    /// `not yet delivered`: no day is stated, and none is asked for.
    pub(super) fn not_done_at(&mut self, at: usize) -> bool {
        let Some(chunk) = self.chunks.get(at) else { return false };
        let word = &self.words[chunk.start];
        if chunk.end - chunk.start > 1 || !is_done(&word.lower) || self.is_timed(at) {
            return false;
        }
        let verb = word.lemma.clone();
        let Some(column) = self.main_table().and_then(|table| self.event_called(table, &verb)) else { return false };
        self.used[at] = true;
        self.add_condition(Condition::Missing(column));
        true
    }

    /// `cancelled in 2025`: a time behind a word that is a state and an event speaks of the event.
    pub(super) fn event_of_state(&self, at: usize, state: ColumnId) -> Option<ColumnId> {
        let word = &self.words[self.chunks[at].start];
        let table = self.index.columns[state].table;
        let is_event = self.chunks[at].end - self.chunks[at].start == 1 && is_done(&word.lower) && self.is_timed(at);
        self.times_of(table).find(|column| is_event && self.index.columns[*column].words.contains(&word.lemma))
    }

    /// Whether a time follows with nothing between but prepositions.
    fn is_timed(&self, at: usize) -> bool {
        let between = ["in", "on", "since", "during", "the", "after", "before", "until", "between", "by", "from"];
        let place = self.skip(at + 1, &between);
        let is_date = matches!(self.chunks.get(place).map(|chunk| &chunk.kind), Some(ChunkKind::Date));
        let is_stated = matches!(self.chunks.get(place).map(|chunk| &chunk.kind), Some(ChunkKind::Time(_)));
        is_stated || is_date || (place > at + 1 && self.range_of(place).is_some())
    }

    /// `shipments … delivered`: a verb that names a day of rows already spoken of names no rows.
    pub(super) fn names_event(&self, at: usize) -> bool {
        let Some(mention) = self.mention(at) else { return false };
        let word = &self.words[self.chunks[at].start];
        if self.chunks[at].end - self.chunks[at].start > 1 || !is_done(&word.lower) {
            return false;
        }
        let spoken_of = |table: TableId| {
            (0..self.chunks.len())
                .filter(|&place| place != at)
                .filter_map(|place| self.mention(place)?.best_table())
                .any(|(other, _)| other == table)
        };
        mention.columns.iter().any(|(column, _)| {
            let entry = &self.index.columns[*column];
            entry.kind == ColumnKind::Time && entry.words.contains(&word.lemma) && spoken_of(entry.table)
        })
    }
}

fn is_done(word: &str) -> bool {
    word.ends_with("ed") || is_past(word)
}

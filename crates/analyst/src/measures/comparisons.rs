//! Rows that are compared with a number: `rating of at least 9`, `more than 3 nights`, `over 500 euros`, `heavier than 5 kg`.

use super::Reader;
use super::cues::Cue;
use super::frame::Frame;
use super::pieces::Kind;
use crate::chart::entities::adjective_columns;
use crate::interpretation::operators::{Adjectives, Operator};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::lattice::Meaning;
use crate::links::amounts::{amount_of, column_in_unit, is_number};
use crate::links::model_index::{ColumnId, TableId};
use crate::question::time::YEARS;
use crate::question::units::{is_currency, is_unit};
use crate::sql_generation::join_paths::leads_to_one;

/// What a comparison costs whose column a unit or an adjective alone names.
const IMPLIED_COST: f32 = 0.2;
/// Smaller numbers may count anything.
const AMOUNT_MIN: f64 = 100.0;
/// Words between a column and what it is compared with.
const BETWEEN: &[&str] = &["of", "is", "was", "are", "were", "a", "an", "the", "that", "being", "with", ":"];

/// A number that something is compared with, and where it ends.
struct Bound {
    end: usize,
    sense: Sense,
    /// The unit that it is stated in.
    unit: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum Sense {
    Compared(Comparison, f64),
    Between(f64, f64),
}

impl Reader<'_> {
    /// Every comparison with a number that starts at a word.
    pub fn comparisons_at(&self, frame: &Frame, at: usize) -> Vec<(usize, Condition, f32)> {
        let mut found = self.named_before(at);
        for bound in self.bounds_at(at) {
            found.extend(self.named_behind(&bound));
            found.extend(self.named_by_unit(frame, &bound));
        }
        found.extend(self.named_by_adjective(frame, at));
        found.retain(|(_, condition, _)| self.is_of_rows(frame, condition));
        found
    }

    /// Whether what is compared is of the rows that are spoken of, or of one that they lead to.
    fn is_of_rows(&self, frame: &Frame, condition: &Condition) -> bool {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        let is_near = |column: &ColumnId| {
            let table = self.index.columns[*column].table;
            self.tables_of(frame).all(|spoken| leads_to_one(self.index, spoken, table))
        };
        columns.iter().all(is_near)
    }

    /// `a rating of at least 9`, `price between 10 and 20`.
    fn named_before(&self, at: usize) -> Vec<(usize, Condition, f32)> {
        let mut found = Vec::new();
        for piece in self.pieces.at(at) {
            let (Kind::Fact(column) | Kind::Dimension(column)) = piece.kind else { continue };
            if !is_number(self.index, column) {
                continue;
            }
            let start = self.behind_words(piece.end);
            let bounds = self.bounds_at(start).into_iter().chain(self.equal_at(piece.end, start));
            found.extend(bounds.map(|bound| (bound.end, condition(column, bound.sense), piece.cost)));
        }
        found
    }

    /// `more than 3 nights`, `at least 5 years of experience`.
    fn named_behind(&self, bound: &Bound) -> Vec<(usize, Condition, f32)> {
        let start = self.skip(bound.end);
        if self.is_word(start, &["times"]) {
            return Vec::new();
        }
        let columns = self.pieces.at(start).iter().filter_map(|piece| match piece.kind {
            Kind::Fact(column) | Kind::Dimension(column) if is_number(self.index, column) => {
                Some((piece.end, condition(column, bound.sense), piece.cost))
            }
            _ => None,
        });
        columns.collect()
    }

    /// `over 500 euros`: the column of what is measured that holds such numbers.
    fn named_by_unit(&self, frame: &Frame, bound: &Bound) -> Option<(usize, Condition, f32)> {
        let Some(unit) = &bound.unit else { return self.known_by_size(frame, bound) };
        let amount = |table: TableId| if is_currency(unit) { amount_of(self.index, table) } else { None };
        let column = self
            .tables_of(frame)
            .find_map(|table| amount(table).or_else(|| column_in_unit(self.index, table, unit)))?;
        Some((bound.end, condition(column, bound.sense), IMPLIED_COST))
    }

    /// `claims over 5,000`: a large number of nothing else is what the rows amount to.
    fn known_by_size(&self, frame: &Frame, bound: &Bound) -> Option<(usize, Condition, f32)> {
        let (Sense::Compared(_, number) | Sense::Between(number, _)) = bound.sense;
        let is_followed = self.pieces.at(self.skip(bound.end)).iter().any(|piece| !matches!(piece.kind, Kind::Cue(_)));
        let is_amount = number >= AMOUNT_MIN && !YEARS.contains(&number) && !is_followed;
        let table = self.tables_of(frame).next().filter(|table| is_amount && self.index.is_event(*table))?;
        Some((bound.end, condition(amount_of(self.index, table)?, bound.sense), IMPLIED_COST + 0.1))
    }

    /// `heavier than 5 kg`: the column that the adjective measures.
    fn named_by_adjective(&self, frame: &Frame, at: usize) -> Vec<(usize, Condition, f32)> {
        let mut found = Vec::new();
        for (_, item) in self.lattice.starting_at(at) {
            let Meaning::Operator(Operator::CompareBy(adjectives)) = item.meaning else { continue };
            for (end, number) in self.numbers_at(item.end) {
                let Some((column, larger)) = self.measured_column(frame, adjectives) else { continue };
                let comparison = if larger { Comparison::Greater } else { Comparison::Less };
                let (end, _) = self.behind_unit(end);
                found.push((end, condition(column, Sense::Compared(comparison, number)), IMPLIED_COST));
            }
        }
        found
    }

    fn measured_column(&self, frame: &Frame, adjectives: Adjectives) -> Option<(ColumnId, bool)> {
        let columns = adjective_columns(self.index, adjectives);
        let of_table = |table: TableId| {
            columns
                .iter()
                .copied()
                .find(|(column, _)| self.index.columns[*column].table == table && is_number(self.index, *column))
        };
        self.tables_of(frame).find_map(of_table)
    }

    /// The tables that are spoken of: those of what was last named first.
    fn tables_of(&self, frame: &Frame) -> impl Iterator<Item = TableId> {
        frame.measures.iter().rev().map(|measure| measure.owner)
    }

    /// `at least 9`, `9 or more`, `between 10 and 20`, each with its unit.
    fn bounds_at(&self, at: usize) -> Vec<Bound> {
        let mut found = Vec::new();
        for (start, cue) in self.pieces.cue_ends(at, |cue| matches!(cue, Cue::Compare(_))) {
            let Cue::Compare(comparison) = cue else { continue };
            for (end, number) in self.numbers_at(self.skip(start)) {
                found.push(self.bound(end, Sense::Compared(comparison, number)));
            }
        }
        for (end, number) in self.numbers_at(at) {
            let (unit_end, unit) = self.behind_unit(end);
            for (end, cue) in self.pieces.cue_ends(unit_end, |cue| matches!(cue, Cue::OrMore(_))) {
                let Cue::OrMore(comparison) = cue else { continue };
                found.push(Bound { unit: unit.clone(), ..self.bound(end, Sense::Compared(comparison, number)) });
            }
        }
        if self.is_word(at, &["between"]) {
            for (middle, low) in self.numbers_at(at + 1) {
                let highs = if self.is_word(middle, &["and"]) { self.numbers_at(middle + 1) } else { Vec::new() };
                found.extend(highs.into_iter().map(|(end, high)| self.bound(end, Sense::Between(low, high))));
            }
        }
        found
    }

    /// `rating of 9`, `priority 1`: a number right behind its column.
    fn equal_at(&self, end: usize, start: usize) -> Option<Bound> {
        let is_led = start == end || self.is_word(end, &["of", "is", "was"]);
        let (number_end, number) = self.numbers_at(start).into_iter().next().filter(|_| is_led)?;
        // A year beside a name is a time.
        (!YEARS.contains(&number)).then(|| self.bound(number_end, Sense::Compared(Comparison::Equal, number)))
    }

    fn bound(&self, end: usize, sense: Sense) -> Bound {
        let (end, unit) = self.behind_unit(end);
        Bound { end, sense, unit }
    }

    pub(super) fn numbers_at(&self, at: usize) -> Vec<(usize, f64)> {
        let numbers = self.pieces.at(at).iter().filter_map(|piece| match piece.kind {
            Kind::Number(number) => Some((piece.end, number)),
            _ => None,
        });
        numbers.collect()
    }

    fn behind_unit(&self, at: usize) -> (usize, Option<String>) {
        match self.lattice.words.get(at) {
            Some(word) if is_unit(&word.lower) => (at + 1, Some(word.lower.clone())),
            _ => (at, None),
        }
    }

    fn behind_words(&self, at: usize) -> usize {
        (at..self.lattice.words.len()).find(|place| !self.is_word(*place, BETWEEN)).unwrap_or(self.lattice.words.len())
    }

    pub(super) fn is_word(&self, at: usize, wanted: &[&str]) -> bool {
        self.lattice.words.get(at).is_some_and(|word| wanted.contains(&word.lower.as_str()))
    }
}

fn condition(column: ColumnId, sense: Sense) -> Condition {
    match sense {
        Sense::Compared(comparison, number) => {
            Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Number(number)))
        }
        Sense::Between(low, high) => {
            Condition::Between(Expr::Column(column), Literal::Number(low), Literal::Number(high))
        }
    }
}

//! Groups that are left out for what they amount to: `salary by team, only teams with at least 5 people`.

use super::Reader;
use super::cues::Cue;
use super::frame::{Counting, Frame};
use super::pieces::Kind;
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand};
use crate::lexicon::{self, PartOfSpeech};
use crate::links::model_index::ColumnId;

const COST: f32 = 0.05;
/// What stands for the groups that were named.
const GROUPS: &[&str] = &["those", "ones", "the", "for", "show", "consider", "count", "include"];
const LEADING: &[&[&str]] = &[
    &["with"],
    &["having"],
    &["that", "have"],
    &["that", "had"],
    &["who", "have"],
    &["who", "had"],
    &["which", "have"],
    &["which", "had"],
    &["of", "whom"],
    &["of", "which"],
    &["where"],
];
const PRONOUNS: &[&str] = &["we", "they", "you", "i", "there"];

impl Reader<'_> {
    /// `but only agents with 18 calls or more`.
    pub(super) fn group_limits(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if frame.groups.is_empty() || frame.asked.is_some() || frame.function.is_some() {
            return;
        }
        if frame.counting != Counting::Nothing || frame.measures.is_empty() {
            return;
        }
        let Some(start) = self.behind_groups(frame, at) else { return };
        for (end, condition, cost) in self.amounts_at(start) {
            let mut next = frame.clone();
            next.having.push(condition);
            next.cost += COST + cost;
            found.push((end, next));
        }
    }

    /// The place behind `only teams with`.
    fn behind_groups(&self, frame: &Frame, at: usize) -> Option<usize> {
        let mut place = at + usize::from(self.is_word(at, &["but"]));
        if self.is_word(place, &["only", "just"]) {
            place += 1;
            while self.is_word(place, GROUPS) {
                place += 1;
            }
            let named = self.keys_at(place).into_iter().filter(|(_, key, _)| frame.groups.contains(key));
            place = named.map(|(end, ..)| end).max().unwrap_or(place);
        }
        let leads =
            |phrase: &&&[&str]| phrase.iter().enumerate().all(|(offset, word)| self.is_word(place + offset, &[*word]));
        let leading = LEADING.iter().find(leads)?;
        place += leading.len();
        // `of whom we bought`.
        if self.is_word(place, PRONOUNS) {
            place += 1;
            let word = self.lattice.words.get(place)?;
            place +=
                usize::from(lexicon::parts_of_speech(&word.lower).has(PartOfSpeech::Verb) && word.number().is_none());
        }
        Some(place)
    }

    /// `more than 5 orders`, `5 orders or more`, `5 or more orders`.
    fn amounts_at(&self, at: usize) -> Vec<(usize, Condition, f32)> {
        let mut found = Vec::new();
        let stated = self.pieces.cue_ends(at, |cue| matches!(cue, Cue::Compare(_))).into_iter();
        let stated = stated.flat_map(|(end, cue)| self.numbers_at(end).into_iter().map(move |number| (number, cue)));
        for ((end, number), cue) in stated {
            let Cue::Compare(comparison) = cue else { continue };
            let measures = self.measures_at(end).into_iter();
            found.extend(measures.map(|(end, expr, cost)| (end, compared(expr, comparison, number), cost)));
        }
        for (end, number) in self.numbers_at(at) {
            for (end, cue) in self.pieces.cue_ends(end, |cue| matches!(cue, Cue::OrMore(_))) {
                let Cue::OrMore(comparison) = cue else { continue };
                let measures = self.measures_at(end).into_iter();
                found.extend(measures.map(|(end, expr, cost)| (end, compared(expr, comparison, number), cost)));
            }
            for (end, expr, cost) in self.measures_at(end) {
                for (end, cue) in self.pieces.cue_ends(end, |cue| matches!(cue, Cue::OrMore(_))) {
                    let Cue::OrMore(comparison) = cue else { continue };
                    found.push((end, compared(expr.clone(), comparison, number), cost));
                }
            }
        }
        found
    }

    fn measures_at(&self, at: usize) -> Vec<(usize, Expr, f32)> {
        let start = self.skip(at);
        let of_column = |column: ColumnId| Expr::Aggregate(Function::Metric, column);
        let measures = self.pieces.at(start).iter().filter_map(|piece| match piece.kind {
            Kind::Table(table) => Some((piece.end, Expr::CountRows(table), piece.cost)),
            Kind::Metric(column) | Kind::Fact(column) => Some((piece.end, of_column(column), piece.cost)),
            _ => None,
        });
        measures.collect()
    }
}

fn compared(expr: Expr, comparison: Comparison, number: f64) -> Condition {
    Condition::Compare(expr, comparison, Operand::Literal(Literal::Number(number)))
}

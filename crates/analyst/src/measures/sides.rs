//! Two sides of one measure: named values, rows with and without a flag, and what a question of yes or no compares.

use super::Reader;
use super::clauses::{equals_any, with_condition};
use super::cues::Cue;
use super::frame::{Frame, Key};
use super::pieces::Kind;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::ColumnId;
use crate::question::intent::{asks_for_more_than, asks_which_is_more};

impl Reader<'_> {
    /// `Oslo vs Bergen`: each of the values is a row.
    pub(super) fn sides_by_value(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        for first in self.pieces.at(at) {
            let Kind::Value(column, value) = &first.kind else { continue };
            let joins = |cue: Cue| cue == Cue::Against || cue == Cue::And && frame.shape.is_compared;
            let joined = self.pieces.cue_ends(first.end, joins).into_iter().map(|(end, _)| self.skip(end));
            for start in joined.chain(self.other_side(first.end)) {
                for second in self.pieces.at(start) {
                    let Kind::Value(other, against) = &second.kind else { continue };
                    if other == column && against != value {
                        let either = equals_any(*column, &[value.clone(), against.clone()]);
                        let mut next = with_condition(frame, either, first.cost + second.cost);
                        next.groups.push(Key::Column(*column));
                        found.push((self.behind_noun(*column, second.end), next));
                    }
                }
            }
        }
    }

    /// `did Oslo have more visits than Bergen`: each of the values is a row.
    pub(super) fn sides_by_comparison(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let is_asked = self.is_word(at, &["than"]) && asks_for_more_than(self.lattice.words);
        let [Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Text(value)))] =
            frame.conditions.as_slice()
        else {
            return;
        };
        for piece in self.pieces.at(self.skip(at + 1)) {
            let Kind::Value(other, against) = &piece.kind else { continue };
            if is_asked && other == column && against != value {
                let mut next = frame.clone();
                next.conditions = vec![equals_any(*column, &[value.clone(), against.clone()])];
                next.groups.push(Key::Column(*column));
                next.cost += piece.cost;
                found.push((self.behind_noun(*column, piece.end), next));
            }
        }
    }

    /// `did we sell more in Oslo or in Bergen`: where the other value stands.
    pub(super) fn other_side(&self, at: usize) -> Option<usize> {
        let is_asked = self.is_word(at, &["or"]) && asks_which_is_more(self.lattice.words);
        is_asked
            .then(|| self.skip(at + 1 + usize::from(self.is_word(at + 1, &["in", "at", "from", "on", "for", "with"]))))
    }

    /// `electric bikes vs ordinary ones`, `German clients versus the rest`: rows that meet a condition beside those that do not.
    pub(super) fn sides_by_flag(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if frame.beside.is_some() {
            return;
        }
        for piece in self.pieces.at(at) {
            let (column, condition) = match &piece.kind {
                Kind::Holds(column) | Kind::Undone(column) => (*column, Condition::Named(*column)),
                Kind::Value(column, value) => (*column, equals_any(*column, std::slice::from_ref(value))),
                _ => continue,
            };
            if self.index.is_time(column) {
                continue;
            }
            let end = self.behind_noun(column, piece.end);
            let joins = |cue: Cue| cue == Cue::Against || cue == Cue::And && frame.shape.is_compared;
            for (end, _) in self.pieces.cue_ends(end, joins) {
                if let Some(end) = self.complement_at(&piece.kind, self.skip(end)) {
                    let mut next = frame.clone();
                    next.beside = Some(condition.clone());
                    next.cost += piece.cost;
                    // `damaged moves vs undamaged moves`: the rows themselves may be counted.
                    let is_open = frame.measures.is_empty();
                    found.extend(
                        self.rows(&next, self.index.columns[column].table).filter(|_| is_open).map(|next| (end, next)),
                    );
                    found.push((end, next));
                }
            }
        }
    }

    /// Where a phrase for the rows ends that do not meet what was said before: `ordinary ones`, `unpaid`, `the rest`.
    fn complement_at(&self, said: &Kind, at: usize) -> Option<usize> {
        const OTHERS: &[&str] = &[
            "ordinary",
            "regular",
            "normal",
            "standard",
            "conventional",
            "other",
            "others",
            "rest",
            "non",
            "all",
            "everyone",
            "everything",
        ];
        let column = match said {
            Kind::Holds(column) | Kind::Undone(column) | Kind::Value(column, _) => *column,
            _ => return None,
        };
        let is_denied = self.is_word(at, &["not", "non"]);
        let start = if is_denied { self.skip(at + 1) } else { at };
        let is_other_side = |kind: &Kind| match (said, kind) {
            (Kind::Holds(_), Kind::Undone(other)) | (Kind::Undone(_), Kind::Holds(other)) => {
                *other == column && !is_denied
            }
            (said, kind) => is_denied && said == kind,
        };
        if let Some(piece) = self.pieces.at(start).iter().find(|piece| is_other_side(&piece.kind)) {
            return Some(self.behind_ones(column, piece.end));
        }
        if !self.is_word(at, OTHERS) {
            return None;
        }
        let end = at + 1 + usize::from(self.is_word(at + 1, &["others", "other", "else"]));
        Some(self.behind_ones(column, end))
    }

    /// Behind `ones` or the noun of a column's table.
    fn behind_ones(&self, column: ColumnId, at: usize) -> usize {
        if self.is_word(at, &["ones", "one"]) { at + 1 } else { self.behind_noun(column, at) }
    }
}

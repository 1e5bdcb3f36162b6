//! Two sides of one measure: named values, rows with and without a flag, and what a question of yes or no compares.

use super::Reader;
use super::clauses::{equals_any, with_condition};
use super::cues::Cue;
use super::frame::{Frame, Key};
use super::pieces::Kind;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
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

    /// `electric bikes vs ordinary ones`: rows that meet a condition of the model beside those that do not.
    pub(super) fn sides_by_flag(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        const OTHERS: &[&str] =
            &["ordinary", "regular", "normal", "standard", "conventional", "other", "others", "rest", "non"];
        for piece in self.pieces.at(at) {
            let Kind::Holds(column) = piece.kind else { continue };
            let end = self.behind_noun(column, piece.end);
            for (end, _) in self.pieces.cue_ends(end, |cue| cue == Cue::Against) {
                let other = self.skip(end);
                if !self.is_word(other, OTHERS) || frame.beside.is_some() {
                    continue;
                }
                let mut next = frame.clone();
                next.beside = Some(Condition::Named(column));
                next.cost += piece.cost;
                let is_noun = self.is_word(other + 1, &["ones", "one"]);
                found.push((if is_noun { other + 2 } else { self.behind_noun(column, other + 1) }, next));
            }
        }
    }
}

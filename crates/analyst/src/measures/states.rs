//! States of what is measured: `currently`, `still`, `former`, `valid in 2023`, `overdue`.

use chrono::NaiveDate;

use super::Reader;
use super::frame::{Frame, StateOf};
use super::pieces::Kind;
use crate::frame::states::{State, Stated, condition_of, end_of_filter, stated_at};
use crate::interpretation::query::{Comparison, Condition};
use crate::links::model_index::{ModelIndex, TableId};
use crate::question::time::day_range;
use crate::sql_generation::join_paths::leads_to_one;

/// What a state costs: a filter or a value of that name goes before it.
const STATE_COST: f32 = 0.25;
/// What it costs more to say nothing.
const MILD_COST: f32 = 0.1;
/// Words that only tell that the present is spoken of.
const MILD: &[&str] = &["still", "currently", "right", "at", "presently", "nowadays", "as"];

impl Reader<'_> {
    /// The frames behind a state at a word.
    pub fn states(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        for (stated, length) in stated_at(self.index, self.lattice.words, at) {
            let end = at + length;
            let named = self.pieces.at(end).iter().find_map(|piece| match piece.kind {
                Kind::Table(table) => Some(table),
                _ => None,
            });
            let is_mild = stated.state == State::Ongoing && MILD.contains(&self.lattice.words[at].lower.as_str());
            found.push((end, in_state(frame, StateOf { stated, of: named, is_mild }, STATE_COST)));
            self.states_during(frame, stated, end, found);
        }
        for piece in self.pieces.at(at) {
            let Kind::Holds(filter) = piece.kind else { continue };
            if let Some(ending) = end_of_filter(self.index, filter) {
                let stated = Stated { end: Some(ending), ..State::Ongoing.into() };
                self.states_during(frame, stated, piece.end, found);
            }
        }
    }

    /// `valid in 2023`, `in service in 2022`: the period behind a state tells when it holds.
    fn states_during(&self, frame: &Frame, stated: Stated, at: usize, found: &mut Vec<(usize, Frame)>) {
        let (start, part) = self.part_of_period(at);
        for (end, during, cost) in self.period_at(start) {
            let range = match part {
                Part::Whole => Some(during.range),
                Part::FirstDay => day_range(during.range.start),
                Part::LastDay => during.range.end.pred_opt().and_then(day_range),
            };
            if let (Comparison::Equal, Some(range)) = (during.comparison, range) {
                let stated = Stated { during: Some(range), ..stated };
                found.push((end, in_state(frame, StateOf { stated, of: None, is_mild: false }, cost)));
            }
        }
    }

    /// `at the end of 2023`: the place of the period, and which day of it is meant.
    fn part_of_period(&self, at: usize) -> (usize, Part) {
        let spelled = |phrase: &str| {
            let mut words = phrase.split(' ').enumerate();
            words.all(|(offset, word)| self.is_word(at + offset, &[word]))
        };
        let found = PARTS.iter().find(|(phrase, _)| spelled(phrase));
        found.map_or((at, Part::Whole), |(phrase, part)| (at + phrase.split(' ').count(), *part))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    FirstDay,
    LastDay,
}

const PARTS: &[(&str, Part)] = &[
    ("at the end of", Part::LastDay),
    ("by the end of", Part::LastDay),
    ("at the beginning of", Part::FirstDay),
    ("at the start of", Part::FirstDay),
];

fn in_state(frame: &Frame, state: StateOf, cost: f32) -> Frame {
    let mut next = frame.clone();
    next.states.push(state);
    next.cost += cost;
    next
}

/// What the states of a frame say of the rows of a table, and what that costs; none where they say nothing that is known.
pub fn conditions_of(
    index: &ModelIndex,
    frame: &Frame,
    owner: TableId,
    today: NaiveDate,
) -> Option<(Vec<Condition>, f32)> {
    let (mut conditions, mut cost) = (Vec::new(), 0.0);
    for state in &frame.states {
        let holds = |table: TableId| condition_of(index, table, state.stated, today);
        let named = state.of.filter(|table| leads_to_one(index, owner, *table)).and_then(holds);
        match named.or_else(|| holds(owner)) {
            Some(condition) => conditions.push(condition),
            None if state.is_mild => cost += MILD_COST,
            None => return None,
        }
    }
    Some((conditions, cost))
}

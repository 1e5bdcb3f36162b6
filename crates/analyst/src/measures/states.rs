//! States of what is measured: `currently`, `still`, `former`, `overdue`.

use chrono::NaiveDate;

use super::Reader;
use super::frame::{Frame, Stated};
use super::pieces::Kind;
use crate::frame::states::{State, condition_of, states_at};
use crate::interpretation::query::Condition;
use crate::links::model_index::{ModelIndex, TableId};
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
        for (state, length) in states_at(self.lattice.words, at) {
            let end = at + length;
            let named = self.pieces.at(end).iter().find_map(|piece| match piece.kind {
                Kind::Table(table) => Some(table),
                _ => None,
            });
            let is_mild = state == State::Ongoing && MILD.contains(&self.lattice.words[at].lower.as_str());
            let mut next = frame.clone();
            next.states.push(Stated { state, of: named, is_mild });
            next.cost += STATE_COST;
            found.push((end, next));
        }
    }
}

/// What the states of a frame say of the rows of a table, and what that costs; none where they say nothing that is known.
pub fn conditions_of(
    index: &ModelIndex,
    frame: &Frame,
    owner: TableId,
    today: NaiveDate,
) -> Option<(Vec<Condition>, f32)> {
    let (mut conditions, mut cost) = (Vec::new(), 0.0);
    for stated in &frame.states {
        let holds = |table: TableId| condition_of(index, table, stated.state, today);
        let named = stated.of.filter(|table| leads_to_one(index, owner, *table)).and_then(holds);
        match named.or_else(|| holds(owner)) {
            Some(condition) => conditions.push(condition),
            None if stated.is_mild => cost += MILD_COST,
            None => return None,
        }
    }
    Some((conditions, cost))
}

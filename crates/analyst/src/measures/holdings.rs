//! Rows that have rows of another table, or lack them: `customers with claims`, `policies without an agent`.

use super::Reader;
use super::cues::Cue;
use super::frame::Frame;
use super::pieces::Kind;
use crate::frame::reach::{having_rows, references_to};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::TableId;
use crate::sql_generation::join_paths::leads_to_one;

/// What a nested query costs.
const HOLDING_COST: f32 = 0.05;

impl Reader<'_> {
    /// The frames in which what was last named has or lacks rows of the table that is named at a word.
    pub fn holdings(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let Some(spoken) = frame.measures.last().map(|measure| measure.owner) else { return };
        for (end, cue) in self.pieces.cue_ends(at, |cue| matches!(cue, Cue::Having | Cue::Lacking)) {
            let start = self.skip(end);
            let mut led = vec![(start, Vec::new(), 0.0)];
            // `with open claims`: what is had is restricted.
            led.extend(self.condition_at(start).into_iter().map(|(end, condition, cost)| (end, vec![condition], cost)));
            for (start, restricted, cost) in led {
                for piece in self.pieces.at(start) {
                    let Kind::Table(table) = piece.kind else { continue };
                    let mut restrictions = vec![(piece.end, restricted.clone(), cost)];
                    restrictions.extend(self.restricted_behind(spoken, piece.end).map(|(end, condition, more)| {
                        (end, restricted.iter().cloned().chain([condition]).collect(), cost + more)
                    }));
                    for (end, restricted, cost) in restrictions {
                        if let Some(condition) = self.holding(spoken, table, restricted) {
                            let is_lacked = cue == Cue::Lacking;
                            let mut next = frame.clone();
                            next.conditions.push(if is_lacked { denied(condition) } else { condition });
                            next.cost += piece.cost + cost + HOLDING_COST;
                            found.push((end, next));
                        }
                    }
                }
            }
        }
    }

    /// `vehicles that have no permit in Harbour`: what the rows spoken of do not lead to is said of what they have.
    fn restricted_behind(&self, spoken: TableId, at: usize) -> impl Iterator<Item = (usize, Condition, f32)> {
        let led = self.pieces.cue_ends(at, |cue| cue == Cue::Preposition);
        let is_of_others = move |condition: &Condition| {
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            columns.iter().all(|column| !leads_to_one(self.index, spoken, self.index.columns[*column].table))
        };
        let conditions = led.into_iter().flat_map(|(end, _)| self.condition_at(self.skip(end)));
        conditions.filter(move |(_, condition, _)| is_of_others(condition))
    }

    /// `with and without a discount`: rows that have it beside rows that do not.
    pub fn sides_by_holding(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let Some(spoken) = frame.measures.last().map(|measure| measure.owner).filter(|_| frame.beside.is_none()) else {
            return;
        };
        for (end, _) in self.pieces.cue_ends(at, |cue| cue == Cue::WithAndWithout) {
            for piece in self.pieces.at(self.skip(end)) {
                let condition = match piece.kind {
                    Kind::Table(table) => self.holding(spoken, table, Vec::new()),
                    Kind::Holds(column) => Some(Condition::Named(column)),
                    Kind::Fact(column) => {
                        let zero = Operand::Literal(Literal::Number(0.0));
                        Some(Condition::Compare(Expr::Column(column), Comparison::Greater, zero))
                    }
                    _ => None,
                };
                found.extend(condition.map(|condition| {
                    let cost = frame.cost + piece.cost + HOLDING_COST;
                    (piece.end, Frame { beside: Some(condition), cost, ..frame.clone() })
                }));
            }
        }
    }

    /// That a row of a table has a row of another one: it refers to one, or some refer to it.
    fn holding(&self, spoken: TableId, table: TableId, restricted: Vec<Condition>) -> Option<Condition> {
        if spoken == table {
            return None;
        }
        if let [reference] = references_to(self.index, spoken, table).as_slice() {
            let has_gaps = self.index.columns[*reference].has_gaps && restricted.is_empty();
            return has_gaps.then(|| Condition::Not(Box::new(Condition::Missing(*reference))));
        }
        let is_own = |condition: &Condition| {
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            columns.iter().all(|column| leads_to_one(self.index, table, self.index.columns[*column].table))
        };
        if !leads_to_one(self.index, table, spoken) || !restricted.iter().all(is_own) {
            return None;
        }
        having_rows(self.index, spoken, table, Query { conditions: restricted, ..Query::default() })
    }
}

fn denied(condition: Condition) -> Condition {
    match condition {
        Condition::Not(inner) => *inner,
        other => Condition::Not(Box::new(other)),
    }
}

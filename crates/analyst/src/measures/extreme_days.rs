//! The first or last day of events for each of something: `the last inspection of each field`.

use super::Reader;
use super::frame::Frame;
use super::measure::with_measure;
use super::pieces::Kind;
use crate::interpretation::query::{Expr, Function};
use crate::sql_generation::time_of_rows;

impl Reader<'_> {
    /// `the last inspection of each field`: the day of it.
    pub fn extreme_day(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let (function, start) = match self.lattice.words[at].lower.as_str() {
            "last" | "latest" => (Function::Maximum, at + 1),
            "most" if self.is_word(at + 1, &["recent"]) => (Function::Maximum, at + 2),
            "first" | "earliest" => (Function::Minimum, at + 1),
            _ => return,
        };
        if !frame.measures.is_empty() || frame.asked.is_some() || !self.speaks_of_each(at) {
            return;
        }
        for piece in self.pieces.at(start) {
            let Kind::Table(table) = piece.kind else { continue };
            let last = &self.lattice.words[piece.end - 1];
            let is_one = last.lower == last.lemma && self.index.is_event(table);
            if let Some(day) = time_of_rows(self.index, table).filter(|_| is_one) {
                let mut next = with_measure(frame, Expr::Aggregate(function, day), table);
                next.cost += piece.cost + 0.05;
                found.push((piece.end, next));
            }
        }
    }
}

//! The day that the periods of a question are of, where it says so.

use super::Reader;
use super::frame::Frame;
use super::pieces::Kind;
use crate::links::model_index::ColumnId;
use crate::sql_generation::own_time;

impl Reader<'_> {
    /// `by invoice date`, `by date of the call`: the day that periods are of.
    pub(super) fn by_day(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if !self.is_word(at, &["by", "using", "per"]) || frame.periods.is_empty() || frame.time.is_some() {
            return;
        }
        let start = self.skip(at + 1);
        let is_day = |column: &ColumnId| !frame.shape.is_elapsed && self.index.is_time(*column);
        let mut days: Vec<(usize, ColumnId, f32)> = Vec::new();
        for piece in self.pieces.at(start) {
            if let Kind::Time(column) = piece.kind {
                days.push((piece.end, column, piece.cost));
            }
        }
        if self.is_word(start, &["date", "day", "time"]) && self.is_word(start + 1, &["of"]) {
            for piece in self.pieces.at(self.skip(start + 2)) {
                if let Kind::Table(table) = piece.kind {
                    days.extend(own_time(self.index, table).map(|column| (piece.end, column, piece.cost)));
                }
            }
        }
        for (end, column, cost) in days.into_iter().filter(|(_, column, _)| is_day(column)) {
            found.push((end, Frame { time: Some(column), cost: frame.cost + cost, ..frame.clone() }));
        }
    }
}

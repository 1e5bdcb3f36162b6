//! The pieces of a question: spans of words with one meaning each, from the lattice and from the table of cues.

use super::cues::{Cue, cues_at};
use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::question::time::TimeRange;

/// Names and values that are linked less well are not used.
const QUALITY_MIN: f32 = 0.74;
/// What a piece costs, so that one of many words is preferred to many of few.
const PIECE_COST: f32 = 0.1;

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Table(TableId),
    Metric(ColumnId),
    Fact(ColumnId),
    Dimension(ColumnId),
    Time(ColumnId),
    /// A filter of the model, or a column of true and false.
    Holds(ColumnId),
    Value(ColumnId, String),
    Number(f64),
    Period(TimeRange),
    Cue(Cue),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub cost: f32,
}

/// All pieces by the word they start at.
pub struct Pieces {
    by_start: Vec<Vec<Piece>>,
}

impl Pieces {
    pub fn new(index: &ModelIndex, lattice: &Lattice<'_>) -> Self {
        let mut by_start: Vec<Vec<Piece>> = vec![Vec::new(); lattice.words.len()];
        for item in &lattice.items {
            let least = if matches!(item.meaning, Meaning::Value(..)) { 0.7 } else { QUALITY_MIN };
            if item.quality < least {
                continue;
            }
            let cost = PIECE_COST + 2.0 * (1.0 - item.quality);
            let piece = |kind: Kind| Piece { start: item.start, end: item.end, kind, cost };
            by_start[item.start].extend(kinds_of(index, &item.meaning).into_iter().map(piece));
        }
        for (at, pieces) in by_start.iter_mut().enumerate() {
            pieces.extend(cues_at(lattice.words, at).into_iter().map(|(cue, length)| Piece {
                start: at,
                end: at + length,
                kind: Kind::Cue(cue),
                cost: if matches!(cue, Cue::Filler) { 0.0 } else { 0.02 },
            }));
        }
        Self { by_start }
    }

    pub fn at(&self, at: usize) -> &[Piece] {
        self.by_start.get(at).map_or(&[], Vec::as_slice)
    }

    /// The ends of the cue at a word.
    pub fn cue_ends(&self, at: usize, wanted: impl Fn(Cue) -> bool) -> Vec<(usize, Cue)> {
        let found = self.at(at).iter().filter_map(|piece| match piece.kind {
            Kind::Cue(cue) if wanted(cue) => Some((piece.end, cue)),
            _ => None,
        });
        found.collect()
    }
}

fn kinds_of(index: &ModelIndex, meaning: &Meaning) -> Vec<Kind> {
    match meaning {
        Meaning::Table(table) => vec![Kind::Table(*table)],
        Meaning::Column(column) => of_column(index, *column),
        Meaning::Value(column, value) => vec![Kind::Value(*column, value.clone())],
        Meaning::Number(number) => vec![Kind::Number(*number)],
        Meaning::Period(range) => vec![Kind::Period(*range)],
        Meaning::Quoted(_) | Meaning::Date(_) | Meaning::Operator(_) => Vec::new(),
    }
}

fn of_column(index: &ModelIndex, column: ColumnId) -> Vec<Kind> {
    let entry = &index.columns[column];
    match entry.kind {
        ColumnKind::Metric => vec![Kind::Metric(column)],
        ColumnKind::Fact => vec![Kind::Fact(column)],
        ColumnKind::Filter => vec![Kind::Holds(column)],
        ColumnKind::Time => vec![Kind::Time(column)],
        ColumnKind::Dimension if entry.data == DataKind::Boolean => vec![Kind::Holds(column), Kind::Dimension(column)],
        ColumnKind::Dimension if index.is_reference(column) || index.is_key(column) => Vec::new(),
        ColumnKind::Dimension => vec![Kind::Dimension(column)],
    }
}

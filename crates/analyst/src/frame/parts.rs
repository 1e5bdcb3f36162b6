//! The parts of a frame.

use super::clauses::{Clause, Role};
use crate::interpretation::operators::Adjectives;
use crate::interpretation::query::{Comparison, Direction, Expr, TimeUnit};
use crate::links::model_index::{ColumnId, TableId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Count,
    Rows,
    Persons,
    Amount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    Table(TableId),
    Column(ColumnId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Group {
    Column(ColumnId, Option<Role>),
    Rows(TableId, Option<Role>),
    Unit(TimeUnit),
    Weekday,
}

/// What rows are ranked by.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    Measure(Expr),
    Rows(TableId),
    Column(ColumnId),
}

#[derive(Debug, Clone)]
pub struct Rank {
    pub direction: Direction,
    pub limit: u64,
    pub by: Option<By>,
    /// By how many rows have a value: `most common`.
    pub is_common: bool,
    /// `oldest`: it tells the measure, unless another is stated.
    pub adjective: Option<Adjectives>,
}

#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub want: Option<Want>,
    pub head: Option<Head>,
    pub measures: Vec<Expr>,
    pub groups: Vec<Group>,
    pub rank: Option<Rank>,
    /// The clause of the rows asked for, and then those of the events they have or lack.
    pub clauses: Vec<Clause>,
    pub shown: Vec<ColumnId>,
    /// What a second part of the question asks of the same rows: `and in which town is it`.
    pub beside: Vec<(ColumnId, Option<Role>)>,
    /// What rows are ranked by is shown too: `and how many`.
    pub shows_measure: bool,
    /// Two named values are set side by side.
    pub is_versus: bool,
    pub order: Option<Direction>,
    /// `newest first`: what the adjective measures orders the rows.
    pub sorted_by: Option<Adjectives>,
    /// A verb of doing was said that no name of the model stands for: `bought`.
    pub does_something: bool,
    /// The head is only stated by a verb: `admitted in 2024`.
    pub is_head_implied: bool,
    /// The role of the head, where rows refer to its table several times.
    pub head_role: Option<Role>,
    /// `nobody is assigned`: the rows refer to no person.
    pub lacks_person: bool,
    pub cost: f32,
    /// What only a follow-up tells.
    pub edit: Edit,
}

/// Changes of the question before that lean on what it stated.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// It speaks of what was shown: `they`, `it`.
    pub has_pronoun: bool,
    /// It adds to what was shown: `also`.
    pub is_addition: bool,
    /// A comparison without its number.
    pub comparison: Option<Comparison>,
    /// A comparison with a number of whatever was measured.
    pub bare_number: Option<(Comparison, f64)>,
    pub bare_range: Option<(f64, f64)>,
    pub is_share: bool,
    pub limit: Option<u64>,
}

/// How a question is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Whole,
    /// As an edit of the question before.
    Edit,
}

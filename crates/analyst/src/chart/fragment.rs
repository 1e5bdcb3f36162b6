//! A fragment: a span of words with a typed meaning.

use super::Context;
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Condition, Direction, Expr, TimeUnit};
use crate::lattice::{Item, Meaning};
use crate::links::model_index::{ColumnId, TableId};
use crate::question::time::TimeRange;

#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    /// What its links, gaps and rules lose.
    pub cost: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Table(TableId),
    Column(ColumnId),
    Value(ColumnId, String),
    Text(String),
    Number(f64),
    Date(String),
    Period(TimeRange),
    Operator(Operator),
    /// A word of grammar that rules may ask for.
    Word(String),
    /// Something computed over rows.
    Measure(Expr),
    /// Several measures that share a word: `the average price and score`.
    Measures(Vec<Expr>),
    /// How many rows there are of whatever the question is about.
    CountOfMain,
    Condition(Condition),
    /// A condition on the number of rows, or on another measure of a group.
    Having(Condition),
    /// A range of time whose column is not named.
    During(TimeRange, Bound),
    /// Rows that have no row of the table, or none that meets the conditions.
    Absent(TableId, Vec<Condition>),
    Group(Expr),
    GroupRows(TableId),
    GroupUnit(TimeUnit),
    Order(Ordering),
    /// The value of a column that most rows have.
    Common(ColumnId, Direction, u64),
    CommonRows(TableId, Direction, u64),
    Limit(u64, Direction),
    Everything(TableId),
}

/// How a period restricts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Inside,
    Before,
    After,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ordering {
    pub by: OrderBy,
    pub direction: Direction,
    pub limit: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum OrderBy {
    Expr(Expr),
    /// By the first thing shown.
    Shown,
}

impl Fragment {
    pub fn of_item(context: &Context<'_>, item: &Item) -> Self {
        let kind = match &item.meaning {
            Meaning::Table(table) => Kind::Table(*table),
            Meaning::Column(column) => Kind::Column(*column),
            Meaning::Value(column, value) => Kind::Value(*column, value.clone()),
            Meaning::Quoted(text) => Kind::Text(text.clone()),
            Meaning::Number(number) => Kind::Number(*number),
            Meaning::Date(date) => Kind::Date(date.clone()),
            Meaning::Period(range) => Kind::Period(*range),
            Meaning::Operator(operator) => Kind::Operator(*operator),
        };
        let content = context.losses[item.start..item.end]
            .iter()
            .filter(|loss| **loss != crate::accounting::Loss::Nothing)
            .count();
        let cost = (1.0 - item.quality) * (content as f32).max(0.5) + 0.02;
        Self { start: item.start, end: item.end, kind, cost }
    }

    pub fn of_word(context: &Context<'_>, at: usize) -> Option<Self> {
        let lower = context.lattice.words[at].lower.as_str();
        let is_grammar = matches!(
            lower,
            "by" | "of"
                | "per"
                | "in"
                | "with"
                | "have"
                | "has"
                | "had"
                | "having"
                | "for"
                | "'s"
                | "is"
                | "are"
                | "was"
                | "were"
                | "to"
                | "and"
                | "but"
                | "or"
                | ","
                | "than"
                | "as"
                | "missing"
                | "null"
                | "empty"
                | "unknown"
                | "first"
                | "last"
                | "name"
                | "named"
                | "called"
                | "from"
                | "at"
                | "on"
                | "word"
                | "letter"
                | "both"
        );
        is_grammar.then(|| Self { start: at, end: at + 1, kind: Kind::Word(lower.to_string()), cost: 0.0 })
    }

    /// What stays where there are too many: cheap ones, and those that cover more.
    pub fn rank(&self) -> f32 {
        self.cost - 0.45 * (self.end - self.start) as f32
    }
}

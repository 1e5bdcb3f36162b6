//! What has been read of a question so far.

use crate::frame::states::Stated;
use crate::interpretation::query::{ClockPart, Comparison, Condition, Direction, Expr, Function, Lapse, TimeUnit};
use crate::links::model_index::{ColumnId, TableId};
use crate::question::time::TimeRange;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frame {
    /// What its links and liberties lose.
    pub cost: f32,
    pub measures: Vec<Measure>,
    pub groups: Vec<Key>,
    /// What the measure is divided by: `revenue per room`.
    pub per: Option<Key>,
    pub conditions: Vec<Condition>,
    /// What groups must amount to.
    pub having: Vec<Condition>,
    pub periods: Vec<During>,
    /// The column of time that a word names.
    pub time: Option<ColumnId>,
    /// The columns of time that bound a span.
    pub ends: Vec<ColumnId>,
    /// The days of the week that rows are on; any where there are none.
    pub days: Vec<u8>,
    /// Rows on these days of the week stand beside the others: `weekends versus weekdays`.
    pub days_beside: Option<&'static [u8]>,
    pub shape: Shape,
    /// The function of the measure that follows.
    pub function: Option<Function>,
    /// `how many` waits for what is counted.
    pub counting: Counting,
    /// Things that are asked for by a measure: `which supplier`, `top 5 customers`.
    pub asked: Option<Key>,
    /// Rows that must be there though nothing of them is shown: `customers who took loans`.
    pub joined: Vec<TableId>,
    /// `does a doctor have`: each of them is meant, and the average of what they have.
    pub awaits_average: bool,
    /// Where the words of the last measure end.
    pub measured_to: usize,
    /// How many nouns were named behind `and`: `visits and bookings`.
    pub listed_nouns: usize,
    /// What is said to last or to have ended.
    pub states: Vec<StateOf>,
    /// The places of words that were passed over.
    pub passed_over: Vec<usize>,
    /// Rows that meet this and rows that do not are set side by side: `with and without a discount`.
    pub beside: Option<Condition>,
    /// `which suppliers`, not `which supplier`.
    pub asks_for_many: bool,
    /// A group is led by `per`, which may also divide.
    pub is_per: bool,
    /// `which supplier`, where `the best supplier` is shown with what it is best by.
    pub is_which: bool,
}

/// A state of rows, of the table that is named behind it, if one is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StateOf {
    pub stated: Stated,
    pub of: Option<TableId>,
    /// `currently`: where rows have no end, it says nothing.
    pub is_mild: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Counting {
    #[default]
    Nothing,
    Rows,
    Different,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    pub expr: Expr,
    pub owner: TableId,
    /// Only named: `tickets 2023`. It is counted where nothing else is measured.
    pub is_noun: bool,
    /// Only a verb tells it: `sell`. A measure that is named goes before it.
    pub is_verb: bool,
    /// The column of time that the noun speaks of: `arrivals`.
    pub time: Option<ColumnId>,
    /// This of what each `per` has.
    pub summary: Option<Function>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Key {
    Column(ColumnId),
    Rows(TableId),
    /// The row that a reference leads to, and the column of it that is shown instead of its name.
    Referred(ColumnId, Option<ColumnId>),
    Unit(TimeUnit),
    Clock(ClockPart),
    Fact(ColumnId),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct During {
    pub range: TimeRange,
    pub comparison: Comparison,
    pub column: Option<ColumnId>,
    /// Stated as a year in digits.
    pub is_year: bool,
    /// A second range that counts as well.
    pub also: Option<TimeRange>,
}

/// What is made of the measures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    pub is_share: bool,
    /// The conditions from here on tell the part of a share.
    pub part_from: Option<usize>,
    pub in_percent: bool,
    pub is_growth: bool,
    pub over: Option<TimeUnit>,
    pub increase: Option<TimeUnit>,
    pub is_versus: bool,
    pub last_year: bool,
    pub running: Option<Running>,
    pub moving: Option<(u32, TimeUnit)>,
    pub sorted: Option<Direction>,
    pub limit: Option<(u64, Direction)>,
    /// So many things are asked for; what ranks them follows.
    pub asked_count: Option<u64>,
    pub extreme: Option<Direction>,
    pub shows_measure: bool,
    /// The last two measures are divided.
    pub quotient: Option<Quotient>,
    pub is_elapsed: bool,
    /// What the length of time is stated in, where the question says it.
    pub lapse: Option<Lapse>,
    /// From the day by which something is due: `how many days late`.
    pub is_late: bool,
    pub compare: Option<(Comparison, f64)>,
    pub money: bool,
    /// The rows are those of the part: `failure rate`.
    pub is_rate: bool,
    /// What is not among the first ones is shown as one more.
    pub with_rest: bool,
    /// `compare`: what is joined by `and` is set side by side.
    pub is_compared: bool,
    /// The part of a share are the rows that have such rows: `share of orders that were returned`.
    pub part_with: Option<TableId>,
    /// What is measured is no number of things: `how much`, `the largest`.
    pub is_amount: bool,
    /// How old rows are is measured, by the day they were born.
    pub is_age: bool,
    /// Things are ranked by how much of them is sold, however the model measures that.
    pub is_sold: bool,
    /// Things are ranked by how many events they have, where nothing else is measured: `the busiest branch`.
    pub is_busy: bool,
    /// What was reached is compared with what was to be reached.
    pub reach: Option<Reach>,
    /// What is to be reached of the measure takes part: `against target`.
    pub with_target: bool,
    /// What the counted rows amount to is shown too.
    pub with_amount: bool,
}

/// How a measure stands to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// `missed their target`.
    Compared(Comparison),
    /// `furthest below target`.
    Furthest(Direction),
}

impl Shape {
    /// Whether the measures are shown as they are.
    pub fn is_plain(&self) -> bool {
        let is_along_time = self.running.is_some() || self.moving.is_some() || self.increase.is_some();
        let is_compared = self.is_growth || self.over.is_some() || self.is_versus || self.last_year;
        !self.is_share && !is_along_time && !is_compared
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Running {
    Alone,
    Beside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotient {
    Plain,
    Percent,
    /// The second is taken from the first.
    Difference,
}

//! The typed interpretation. It renders to SQL, to English, and to suggestions; follow-ups edit it.

use chrono::NaiveDate;

use crate::links::model_index::{ColumnId, ModelIndex, TableId};
pub use crate::question::time::Unit as TimeUnit;
use crate::question::time::{TimeRange, unit};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    pub select: Vec<Expr>,
    pub distinct: bool,
    pub conditions: Vec<Condition>,
    /// Columns that group rows, beside the plain columns of `select`.
    pub group: Vec<Expr>,
    pub having: Vec<Condition>,
    pub order: Vec<(Expr, Direction)>,
    pub limit: Option<u64>,
    /// The limit counts within each group of these.
    pub limit_within: Vec<Expr>,
    /// What is beyond the limit is one row more.
    pub has_rest: bool,
    /// Tables that must take part though no column of theirs is used.
    pub joined: Vec<TableId>,
    pub combined: Option<(SetOperation, Box<Query>)>,
    /// The last thing selected is computed for each group, and this of it is the answer.
    pub summary: Option<Function>,
    /// The answer is given for each of these, which are selected too.
    pub summary_by: Vec<Expr>,
    /// Computed numbers are rounded to so many decimals.
    pub decimals: Option<u32>,
    /// Joins that are not taken, where another way between the tables than the usual one is meant.
    pub avoided: Vec<usize>,
}

impl Query {
    /// Whether another query is the same but for the order of its columns and conditions.
    #[must_use]
    pub fn is_same_reordered(&self, other: &Self) -> bool {
        let Self { select, distinct, conditions, group, having, order, limit, limit_within, .. } = self;
        let Self { joined, combined, summary, summary_by, decimals, avoided, .. } = self;
        // Columns of combined queries stand below each other, and a summary is of the last one.
        let may_differ = combined.is_none() && summary.is_none();
        (select == &other.select || may_differ && are_same(select, &other.select))
            && are_same(conditions, &other.conditions)
            && are_same(group, &other.group)
            && are_same(having, &other.having)
            && are_same(joined, &other.joined)
            && (distinct, order, limit, limit_within)
                == (&other.distinct, &other.order, &other.limit, &other.limit_within)
            && (combined, summary, summary_by, decimals, avoided)
                == (&other.combined, &other.summary, &other.summary_by, &other.decimals, &other.avoided)
    }
}

/// The same things in any order.
#[must_use]
pub fn are_same<T: PartialEq>(left: &[T], right: &[T]) -> bool {
    left.len() == right.len() && left.iter().all(|one| right.contains(one))
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Column(ColumnId),
    Aggregate(Function, ColumnId),
    /// The rows of a table, counted.
    CountRows(TableId),
    /// All columns of a table.
    Everything(TableId),
    /// A column cut to a unit of time.
    Truncated(TimeUnit, ColumnId),
    /// A part of a date, as a number.
    Part(TimeUnit, ColumnId),
    /// An expression as a share of its sum over the whole answer, in percent.
    Share(Box<Expr>),
    /// The expression added up along the order of the answer.
    RunningTotal(Box<Expr>),
    /// The change of an expression from the unit of time before, in percent.
    Growth(Box<Expr>),
    /// The change of an expression from the unit of time before.
    Increase(Box<Expr>),
    /// The average of an expression over this many units of time, the one of the row included.
    MovingAverage(Box<Expr>, u32),
    /// An aggregate over the rows of a range of time only.
    Within(Box<Expr>, ColumnId, TimeRange),
    /// The change from the second expression to the first, in percent.
    Change(Box<Expr>, Box<Expr>),
    /// The part of an aggregate that the rows with these conditions make, in percent.
    Portion(Box<Expr>, Vec<Condition>),
    /// The second column in the row that the first one refers to, where a table refers to itself or several times to
    /// another one.
    Referred(ColumnId, ColumnId),
    Difference(Box<Expr>, Box<Expr>),
    Ratio(Box<Expr>, Box<Expr>),
    /// The first expression in percent of the second.
    Percentage(Box<Expr>, Box<Expr>),
    /// The day of the week or the hour of a point in time.
    Clock(ClockPart, ColumnId),
    /// The length of time from one column to another, over rows.
    Elapsed(Function, Lapse, ColumnId, ColumnId),
    /// The whole years from a day of birth to a day, over rows.
    Age(Function, ColumnId, NaiveDate),
    /// The length of time from one column to another, in each row.
    Span(Lapse, ColumnId, ColumnId),
    /// Whether a condition holds: a group of the rows that meet it, and one of those that do not.
    Holds(Box<Condition>),
}

/// What a length of time is stated in: whole units that begin in it, or hours and minutes with their fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lapse {
    Units(TimeUnit),
    Hours,
    Minutes,
}

impl Lapse {
    pub const DAYS: Self = Self::Units(TimeUnit::Day);

    /// The length that a word in the singular names.
    #[must_use]
    pub fn named(lemma: &str) -> Option<Self> {
        match lemma {
            "hour" => Some(Self::Hours),
            "minute" => Some(Self::Minutes),
            _ => unit(lemma).map(Self::Units),
        }
    }
}

/// A part of a point in time that comes round again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockPart {
    WeekdayName,
    /// From 1 for Monday to 7 for Sunday.
    WeekdayNumber,
    Hour,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    CountDistinct,
    Count,
    Sum,
    Average,
    Minimum,
    Maximum,
    Median,
    /// Below this many percent of the values.
    Percentile(u8),
    /// A metric of the model, or the fact's default.
    Metric,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOperation {
    Intersect,
    Except,
    Union,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    Number(f64),
    Text(String),
    /// A date or point in time, as ISO text.
    Date(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Literal(Literal),
    Expr(Expr),
    Query(Box<Query>),
    /// So many percent of what a query gives.
    PercentOf(f64, Box<Query>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    Compare(Expr, Comparison, Operand),
    Between(Expr, Literal, Literal),
    Like(ColumnId, String),
    Missing(ColumnId),
    /// A filter of the model, or a boolean column.
    Named(ColumnId),
    In(ColumnId, Box<Query>),
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
}

impl Expr {
    /// Whether the expression sums rows up.
    #[must_use]
    pub fn is_aggregate(&self) -> bool {
        match self {
            Self::Aggregate(..) | Self::CountRows(_) | Self::Elapsed(..) | Self::Age(..) => true,
            Self::Column(_)
            | Self::Everything(_)
            | Self::Truncated(..)
            | Self::Part(..)
            | Self::Clock(..)
            | Self::Span(..)
            | Self::Holds(_)
            | Self::Referred(..) => false,
            Self::Share(inner)
            | Self::RunningTotal(inner)
            | Self::Growth(inner)
            | Self::Increase(inner)
            | Self::MovingAverage(inner, _)
            | Self::Within(inner, ..)
            | Self::Portion(inner, _) => inner.is_aggregate(),
            Self::Difference(first, second)
            | Self::Ratio(first, second)
            | Self::Percentage(first, second)
            | Self::Change(first, second) => first.is_aggregate() || second.is_aggregate(),
        }
    }

    /// A column cut to a unit of time: a year is its number, everything shorter its first day.
    #[must_use]
    pub fn unit_of_time(unit: TimeUnit, column: ColumnId) -> Self {
        match unit {
            TimeUnit::Year => Self::Part(unit, column),
            _ => Self::Truncated(unit, column),
        }
    }

    /// Whether the expression cuts time into units that follow each other.
    #[must_use]
    pub fn is_unit_of_time(&self) -> bool {
        matches!(self, Self::Truncated(..) | Self::Part(TimeUnit::Year, _))
    }

    /// The columns in the expression.
    pub fn columns(&self, found: &mut Vec<ColumnId>) {
        match self {
            Self::Column(column)
            | Self::Aggregate(_, column)
            | Self::Age(_, column, _)
            | Self::Truncated(_, column)
            | Self::Part(_, column)
            | Self::Clock(_, column) => found.push(*column),
            Self::CountRows(_) | Self::Everything(_) => {}
            Self::Share(inner)
            | Self::RunningTotal(inner)
            | Self::Growth(inner)
            | Self::Increase(inner)
            | Self::MovingAverage(inner, _) => inner.columns(found),
            Self::Referred(first, second) | Self::Elapsed(_, _, first, second) | Self::Span(_, first, second) => {
                found.extend([*first, *second]);
            }
            Self::Holds(condition) => condition.columns(found),
            Self::Portion(inner, conditions) => {
                inner.columns(found);
                conditions.iter().for_each(|condition| condition.columns(found));
            }
            Self::Within(inner, time, _) => {
                inner.columns(found);
                found.push(*time);
            }
            Self::Difference(first, second)
            | Self::Ratio(first, second)
            | Self::Percentage(first, second)
            | Self::Change(first, second) => {
                first.columns(found);
                second.columns(found);
            }
        }
    }

    /// The table whose rows the expression sums up or shows.
    #[must_use]
    pub fn owner(&self, index: &ModelIndex) -> Option<TableId> {
        let (mut columns, mut tables) = (Vec::new(), Vec::new());
        self.columns(&mut columns);
        self.tables(&mut tables);
        columns.first().map(|column| index.columns[*column].table).or(tables.first().copied())
    }

    /// Tables the expression names without a column.
    pub fn tables(&self, found: &mut Vec<TableId>) {
        match self {
            Self::CountRows(table) | Self::Everything(table) => found.push(*table),
            Self::Share(inner)
            | Self::RunningTotal(inner)
            | Self::Growth(inner)
            | Self::Increase(inner)
            | Self::MovingAverage(inner, _)
            | Self::Within(inner, ..)
            | Self::Portion(inner, _) => {
                inner.tables(found);
            }
            Self::Difference(first, second)
            | Self::Ratio(first, second)
            | Self::Percentage(first, second)
            | Self::Change(first, second) => {
                first.tables(found);
                second.tables(found);
            }
            _ => {}
        }
    }
}

impl Condition {
    /// Whether a time is on one of these days of the week.
    #[must_use]
    pub fn on_days(time: ColumnId, days: &[u8]) -> Self {
        let on = |day: &u8| {
            let day = Operand::Literal(Literal::Number(f64::from(*day)));
            Self::Compare(Expr::Clock(ClockPart::WeekdayNumber, time), Comparison::Equal, day)
        };
        match days {
            [day] => on(day),
            _ => Self::Any(days.iter().map(on).collect()),
        }
    }

    /// The columns compared, without those of nested queries.
    pub fn columns(&self, found: &mut Vec<ColumnId>) {
        self.each_compared(&mut |expr| expr.columns(found));
    }

    /// Calls back with each expression that is compared, without those of nested queries.
    pub fn each_compared(&self, note: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Compare(left, _, right) => {
                note(left);
                if let Operand::Expr(right) = right {
                    note(right);
                }
            }
            Self::Between(left, ..) => note(left),
            Self::Like(column, _) | Self::Missing(column) | Self::Named(column) | Self::In(column, _) => {
                note(&Expr::Column(*column));
            }
            Self::Any(conditions) | Self::All(conditions) => {
                conditions.iter().for_each(|condition| condition.each_compared(note));
            }
            Self::Not(condition) => condition.each_compared(note),
        }
    }

    /// Tables named without a column.
    pub fn tables(&self, found: &mut Vec<TableId>) {
        match self {
            Self::Compare(left, _, right) => {
                left.tables(found);
                if let Operand::Expr(right) = right {
                    right.tables(found);
                }
            }
            Self::Any(conditions) | Self::All(conditions) => {
                for condition in conditions {
                    condition.tables(found);
                }
            }
            Self::Not(condition) => condition.tables(found),
            _ => {}
        }
    }
}

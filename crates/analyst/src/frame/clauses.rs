//! What a question tells of rows, clause by clause: the rows asked for, the events they have, and those they lack.

use chrono::{Datelike, NaiveDate};

use super::states::Stated;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, TimeUnit};
use crate::links::model_index::{ColumnId, TableId};
use crate::question::time::TimeRange;

/// Which of several references to one table is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Reference(ColumnId),
    /// Behind `from`.
    Source,
    /// Behind `to`.
    Target,
}

/// One thing stated of rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    Equals {
        column: ColumnId,
        values: Vec<String>,
        role: Option<Role>,
    },
    Flag(ColumnId),
    Missing(ColumnId),
    /// No number, or zero: `no rating`.
    Lacking(ColumnId),
    Compare(ColumnId, Comparison, f64),
    Between(ColumnId, f64, f64),
    /// Compared with another column of the row, or of the row it refers to.
    Beside(ColumnId, Comparison, Expr),
    /// A day before or after another one: an age.
    Day(ColumnId, Comparison, NaiveDate),
}

impl Predicate {
    pub fn column(&self) -> ColumnId {
        match self {
            Self::Equals { column, .. }
            | Self::Flag(column)
            | Self::Missing(column)
            | Self::Lacking(column)
            | Self::Compare(column, ..)
            | Self::Between(column, ..)
            | Self::Beside(column, ..)
            | Self::Day(column, ..) => *column,
        }
    }
}

/// Whether something is stated or denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Polarity {
    #[default]
    Affirmed,
    Denied,
}

impl Polarity {
    /// The polarity, which is stated again afterwards.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

/// How a period restricts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Inside,
    /// Inside a year that is stated by its number.
    Year,
    Before,
    After,
    From,
    Until,
    /// On these days of the week, whatever the range.
    OnDays(&'static [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct When {
    pub column: Option<ColumnId>,
    pub range: TimeRange,
    pub bound: Bound,
}

impl When {
    /// On these days of the week.
    pub fn on_days(days: &'static [u8], today: NaiveDate) -> Self {
        Self { column: None, range: TimeRange::of_days(today, today), bound: Bound::OnDays(days) }
    }

    /// The restriction of a column of time.
    pub fn condition(self, column: ColumnId) -> Condition {
        let compare = |comparison: Comparison, day: chrono::NaiveDate| {
            let day = Operand::Literal(Literal::Date(day.to_string()));
            Condition::Compare(Expr::Column(column), comparison, day)
        };
        let TimeRange { start, end, .. } = self.range;
        match self.bound {
            Bound::Inside => {
                Condition::All(vec![compare(Comparison::GreaterOrEqual, start), compare(Comparison::Less, end)])
            }
            Bound::Year => {
                let year = Operand::Literal(Literal::Number(f64::from(start.year())));
                Condition::Compare(Expr::Part(TimeUnit::Year, column), Comparison::Equal, year)
            }
            Bound::Before => compare(Comparison::Less, start),
            Bound::After => compare(Comparison::GreaterOrEqual, end),
            Bound::From => compare(Comparison::GreaterOrEqual, start),
            Bound::Until => compare(Comparison::Less, end),
            Bound::OnDays(days) => Condition::on_days(column, days),
        }
    }
}

/// A number that the rows of a group are compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Many {
    pub measure: Expr,
    pub comparison: Comparison,
    pub number: f64,
}

#[derive(Debug, Clone, Default)]
pub struct Clause {
    /// The events that rows have or lack; none in the clause of the rows asked for, unless a verb tells it.
    pub table: Option<TableId>,
    pub polarity: Polarity,
    /// The clause that this one is like but for what it tells anew: `but not in 2024`.
    pub like: Option<usize>,
    pub predicates: Vec<(Predicate, Polarity)>,
    pub periods: Vec<When>,
    pub states: Vec<Stated>,
    pub many: Vec<Many>,
    /// The reference by which the events belong to the rows asked for, where they have several: `reviewed`.
    pub role: Option<ColumnId>,
    /// The column of time that a verb tells: `closed`, `hired`.
    pub time: Option<ColumnId>,
}

impl Clause {
    /// Adds what is stated; a further value of a column is another one that rows may have.
    pub fn add_predicate(&mut self, predicate: Predicate, polarity: Polarity) {
        if let Predicate::Equals { column, values, role } = &predicate {
            for (other, other_polarity) in &mut self.predicates {
                if let Predicate::Equals { column: known, values: known_values, role: known_role } = other
                    && known == column
                    && *other_polarity == polarity
                    && (known_role == role || role.is_none())
                {
                    known_values.extend(
                        values.iter().filter(|value| !known_values.contains(value)).cloned().collect::<Vec<_>>(),
                    );
                    return;
                }
            }
        }
        self.predicates.push((predicate, polarity));
    }

    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty() && self.periods.is_empty() && self.states.is_empty() && self.many.is_empty()
    }
}

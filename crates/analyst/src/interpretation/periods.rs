//! Periods of time side by side: a range beside the one before, beside the same a year ago, or beside one that is stated.

use super::parser::Parser;
use super::query::{Comparison, Condition, Expr, Literal, Operand, Query, TimeUnit};
use crate::links::model_index::ColumnId;
use crate::question::time::{TimeRange, year_range};

/// What a range of time is shown beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Versus {
    /// The second range of the question.
    Given,
    LastYear,
}

impl Parser<'_> {
    /// Growth without a unit of time compares a range with the one before it.
    pub(super) fn compares_periods(&self) -> bool {
        let ranges = self.shape.ranges.len();
        match self.shape.versus {
            Some(Versus::Given) if ranges == 2 => true,
            Some(Versus::LastYear) if ranges == 1 => true,
            _ => self.shape.growth && self.shape.grain.is_none() && ranges == 1,
        }
    }

    /// The range that the first one is compared with.
    fn compared_range(&self, range: TimeRange) -> TimeRange {
        match (self.shape.versus, self.shape.ranges.get(1)) {
            // `last month compared with the previous month` names one month by two names.
            (Some(Versus::Given), Some((_, other))) if *other != range => *other,
            (Some(Versus::LastYear), _) => range.a_year_before(),
            _ => range.before(),
        }
    }

    pub(super) fn compare_periods(&self, query: &mut Query) {
        let (Some(time), Some((_, range))) = (self.time_column(), self.shape.ranges.first().copied()) else { return };
        let shown = if self.shape.versus.is_some() { Shown::Sides } else { Shown::ChangeOnly };
        let change = set_beside(query, time, (range, self.compared_range(range)), shown);
        if let (Some(direction), Some(change)) = (self.shape.growth_extreme, change) {
            query.order = vec![(change, direction)];
            query.limit = Some(self.limit.unwrap_or(1));
        }
    }

    /// `the month before`: before a range that the question tells, or the question before it.
    pub(super) fn period_before(&mut self, at: usize, unit: TimeUnit) {
        let stated = self.shape.ranges.last().map(|(_, range)| *range);
        let Some(range) = stated.or(self.background.and_then(|background| background.range)) else {
            self.shape.is_unclear = true;
            return;
        };
        let before = if unit == TimeUnit::Year { range.a_year_before() } else { range.before() };
        self.time_compared(at, before, Comparison::Equal);
    }

    /// `compare it with last year`: what the range of the question before is to be shown beside.
    pub(super) fn beside_before(&self) -> Option<TimeRange> {
        let before = self.background?.range.filter(|_| self.selected.is_empty())?;
        match (self.shape.versus?, self.shape.ranges.as_slice()) {
            (Versus::Given, [(_, range)]) => Some(*range),
            (Versus::LastYear, []) => Some(before.a_year_before()),
            _ => None,
        }
    }
}

/// What is stated of two ranges of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The measure in either range.
    Sides,
    ChangeOnly,
}

/// Every measure of a query for a range of time beside the one `before` it.
pub fn set_beside(
    query: &mut Query,
    time: ColumnId,
    (range, before): (TimeRange, TimeRange),
    shown: Shown,
) -> Option<Expr> {
    let mut change = None;
    let mut select = Vec::new();
    for expr in std::mem::take(&mut query.select) {
        if !expr.is_aggregate() {
            select.push(expr);
            continue;
        }
        let now = Expr::Within(Box::new(expr.clone()), time, range);
        let then = Expr::Within(Box::new(expr), time, before);
        let changed = Expr::Change(Box::new(now.clone()), Box::new(then.clone()));
        match shown {
            Shown::Sides => select.extend([now, then]),
            Shown::ChangeOnly => select.push(changed.clone()),
        }
        change = Some(changed);
    }
    query.select = select;
    let either = Condition::Any(vec![
        range_condition(time, Comparison::Equal, range),
        range_condition(time, Comparison::Equal, before),
    ]);
    let whole = TimeRange { start: before.start, ..range };
    let adjoin = before.end == range.start;
    query.conditions.push(if adjoin { range_condition(time, Comparison::Equal, whole) } else { either });
    change
}

/// The column and the range of time that a condition keeps to.
pub fn stated_range(condition: &Condition) -> Option<(ColumnId, TimeRange)> {
    use Comparison::{Equal, GreaterOrEqual, Less};
    use Operand::Literal as Value;
    match condition {
        Condition::Compare(Expr::Part(TimeUnit::Year, column), Equal, Value(Literal::Number(year))) => {
            Some((*column, year_range(*year as i32)?))
        }
        Condition::All(all) => match all.as_slice() {
            [
                Condition::Compare(Expr::Column(column), GreaterOrEqual, Value(Literal::Date(start))),
                Condition::Compare(Expr::Column(other), Less, Value(Literal::Date(end))),
            ] if column == other => Some((*column, TimeRange::of_days(start.parse().ok()?, end.parse().ok()?))),
            _ => None,
        },
        _ => None,
    }
}

/// A range as a condition on a column: within it, before it, behind it.
pub fn range_condition(column: ColumnId, comparison: Comparison, range: TimeRange) -> Condition {
    let at = |comparison, date: chrono::NaiveDate| {
        Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Date(date.to_string())))
    };
    match comparison {
        Comparison::Equal => {
            Condition::All(vec![at(Comparison::GreaterOrEqual, range.start), at(Comparison::Less, range.end)])
        }
        Comparison::NotEqual => {
            Condition::Any(vec![at(Comparison::Less, range.start), at(Comparison::GreaterOrEqual, range.end)])
        }
        Comparison::Greater => at(Comparison::GreaterOrEqual, range.end),
        Comparison::GreaterOrEqual => at(Comparison::GreaterOrEqual, range.start),
        Comparison::Less => at(Comparison::Less, range.start),
        Comparison::LessOrEqual => at(Comparison::Less, range.end),
    }
}

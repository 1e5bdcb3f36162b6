//! A number that something is compared with: what that is stands before it, behind it, or is meant.

use super::context::Want;
use super::operators::Operator;
use super::parser::Parser;
use super::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind};

/// Words between a number and what it counts.
const COUNTING_WORDS: &[&str] = &[
    "different",
    "distinct",
    "of",
    "or more",
    "total",
    "or less",
    "or fewer",
    "or above",
    "or higher",
    "times",
    "such",
];

impl Parser<'_> {
    pub(super) fn number_compared(&mut self, at: usize, comparison: Comparison) {
        let Some(value) = self.number(at) else { return };
        self.used[at] = true;
        let _ = self.percent_of_whole(at, comparison, value)
            || self.named_before(at, comparison, value)
            || self.years_of_age(at, comparison, value)
            || self.named_behind(at, comparison, value)
            || self.compared_again(at, comparison, value)
            || self.is_amount_of_nothing(at)
            || self.meant(at, comparison, value);
    }

    /// `more than 5 percent of revenue`: compared with what all groups have together.
    fn percent_of_whole(&mut self, at: usize, comparison: Comparison, value: f64) -> bool {
        let is_percent = self.words[self.chunks[at].start].is_percent && self.text(at + 1) == "of";
        let place = self.skip(at + 2, &["the", "our", "all", "total", "overall", "whole", "entire", "combined"]);
        let Some(measure) = self.whole_measure(place).filter(|_| is_percent) else { return false };
        self.used[at..=place].fill(true);
        self.pending = None;
        if let Expr::CountRows(table) = measure {
            self.join_table(table);
        }
        let whole = Query { select: vec![measure.clone()], ..Query::default() };
        self.add_having(Condition::Compare(measure, comparison, Operand::PercentOf(value, Box::new(whole))));
        true
    }

    fn whole_measure(&self, place: usize) -> Option<Expr> {
        if let Some((_, table)) = self.tables_named.iter().find(|(named, _)| *named == place) {
            return Some(Expr::CountRows(*table));
        }
        let (column, _) = self.resolve(place, Want::Number)?;
        let entry = &self.index.columns[column];
        let is_amount = entry.data == DataKind::Number && !self.index.is_key(column);
        match entry.kind {
            ColumnKind::Metric => Some(Expr::Aggregate(Function::Metric, column)),
            _ if is_amount => Some(Expr::Aggregate(Function::Sum, column)),
            _ => None,
        }
    }

    /// The whole that a percentage is of has the conditions of the question.
    pub(super) fn wholes_of_question(conditions: &[Condition], having: &mut [Condition]) {
        for condition in having {
            if let Condition::Compare(_, _, Operand::PercentOf(_, whole)) = condition {
                whole.conditions = conditions.to_vec();
            }
        }
    }

    fn named_before(&mut self, at: usize, comparison: Comparison, value: f64) -> bool {
        let names_no_number = |(place, column): (usize, ColumnId)| {
            self.index.columns[column].data == DataKind::Text || self.is_verb_form(place, column)
        };
        let counts_rows = self.pending.is_some_and(names_no_number)
            && self.tables_named.iter().any(|(place, _)| (at + 1..at + 4).contains(place));
        if counts_rows {
            self.pending = None;
        }
        let Some((place, column)) = self.pending.take() else { return false };
        if self.text(at + 1) == "times" && self.is_verb(place) {
            self.count_having(at, Some(self.index.columns[column].table), comparison, value);
            return true;
        }
        self.compare_column(column, comparison, value);
        self.used[place] = true;
        self.column_behind_value(at, column);
        true
    }

    fn years_of_age(&mut self, at: usize, comparison: Comparison, value: f64) -> bool {
        if !matches!(self.text(at + 1), "year" | "years") {
            return false;
        }
        let Some(column) = self.column_near(at, &["age"], Want::Number) else { return false };
        self.used[at + 1] = true;
        self.compare_column(column, comparison, value);
        true
    }

    /// `more than 3 female students`, `at least 5 orders`, `under 20 active contracts`.
    fn named_behind(&mut self, at: usize, comparison: Comparison, value: f64) -> bool {
        let next = self.skip(at + 1, COUNTING_WORDS);
        if self.mention(next).is_some_and(|mention| mention.is_value_first())
            || (next < self.chunks.len() && self.is_rather_value(next))
        {
            let table = self.column_of_value(next).map(|column| self.index.columns[column].table);
            if self.value_at(next) {
                self.count_having(at, table, comparison, value);
                return true;
            }
        }
        let Some(mention) = self.mention(next).filter(|mention| !mention.is_value_first() && next <= at + 3) else {
            return false;
        };
        let table = mention.best_table().filter(|_| self.tables_named.iter().any(|(place, _)| *place == next));
        let number_column = self.resolve(next, Want::Number).filter(|&(column, _)| {
            self.index.columns[column].data == DataKind::Number
                && !self.index.is_key(column)
                && !self.index.is_reference(column)
        });
        let filter = self.condition_named(next).filter(|_| table.is_none());
        if let Some((table, _)) = table {
            self.count_having(next, Some(table), comparison, value);
        } else if let Some(filter) = filter {
            self.add_condition(Condition::Named(filter));
            self.count_having(next, Some(self.index.columns[filter].table), comparison, value);
        } else if let Some((column, _)) = number_column {
            self.compare_column(column, comparison, value);
        } else if self.is_unit_of_time(next) {
            self.shape.is_unclear = true;
        } else if let Some((column, _)) = self.resolve(next, Want::Any) {
            let table = self.index.columns[column].table;
            self.count_having(next, Some(table), comparison, value);
        } else {
            return true;
        }
        self.used[next] = true;
        true
    }

    fn is_unit_of_time(&self, at: usize) -> bool {
        crate::question::time::unit(self.text(at)).is_some()
    }

    /// `lasted at most 3 days`: a time that no column tells counts no rows either.
    fn is_amount_of_nothing(&mut self, at: usize) -> bool {
        let is_amount = matches!(
            self.text(at + 1),
            "day" | "days" | "week" | "weeks" | "month" | "months" | "hour" | "hours" | "minute" | "minutes"
        );
        self.shape.is_unclear |= is_amount;
        is_amount
    }

    /// `above 50 or below 46`, of the measure or the column compared just before.
    fn compared_again(&mut self, at: usize, comparison: Comparison, value: f64) -> bool {
        if self.text(at + 1) == "times" {
            self.count_having(at, None, comparison, value);
            return true;
        }
        if let (true, Some((_, Condition::Compare(expr, _, Operand::Literal(_))))) =
            (self.is_joined(at), self.having.last().cloned())
            && !matches!(expr, Expr::CountRows(_))
        {
            self.add_having(Condition::Compare(expr, comparison, Operand::Literal(Literal::Number(value))));
            return true;
        }
        let Some(column) = self.height_meant(at).or_else(|| self.compared_before(at)) else { return false };
        self.compare_column(column, comparison, value);
        true
    }

    /// Whether `or` or `and` stands just before.
    fn is_joined(&self, at: usize) -> bool {
        (at.saturating_sub(3)..at).any(|place| matches!(self.operator(place), Some(Operator::Or | Operator::And)))
    }

    /// A column that was named, a size, an age, a year, or else how many there are.
    fn meant(&mut self, at: usize, comparison: Comparison, value: f64) -> bool {
        let year = (1000.0..2200.0).contains(&value) && value.fract() == 0.0;
        if let Some(column) = self.nearest_number_column(at).or_else(|| self.size_meant(at)) {
            self.compare_column(column, comparison, value);
        } else if let Some(column) = self.age_meant(at, value) {
            self.compare_column(column, comparison, value);
        } else if year && let Some(column) = self.year_column(at) {
            let condition = self.year_condition(column, comparison, value);
            self.add_condition(condition);
        } else {
            self.count_having(at, None, comparison, value);
        }
        true
    }

    /// `stores larger than 1000`; `who spent more than 1000`.
    fn size_meant(&self, at: usize) -> Option<ColumnId> {
        let said = |place: usize| self.text(place).split(' ').next().unwrap_or_default();
        let before = at.checked_sub(1).map(said);
        if matches!(before, Some("larger" | "bigger" | "smaller")) {
            return self.size_column(self.main_table()?);
        }
        let spent = at.checked_sub(2).is_some_and(|place| matches!(said(place), "spent" | "spend" | "spends"));
        self.default_measure().filter(|_| spent)
    }

    /// `people under 40`: a bare number beside those who have an age.
    fn age_meant(&self, at: usize, value: f64) -> Option<ColumnId> {
        let stated =
            at.checked_sub(1).is_some_and(|before| matches!(self.text(before), "under" | "over" | "above" | "below"));
        let table = self.main_table().filter(|_| stated && (1.0..150.0).contains(&value))?;
        self.column_by_words(table, &["age"], Want::Number)
    }

    /// `above 50 or below 46`: the column of the comparison just before.
    fn compared_before(&self, at: usize) -> Option<ColumnId> {
        match self.conditions.last() {
            Some((_, Condition::Compare(Expr::Column(column), _, Operand::Literal(Literal::Number(_)))))
                if self.is_joined(at) =>
            {
                Some(*column)
            }
            _ => None,
        }
    }

    /// The last number column named before, asked for or not.
    pub(super) fn nearest_number_column(&self, at: usize) -> Option<ColumnId> {
        (at.saturating_sub(5)..at).rev().find_map(|place| {
            if self.used[place] {
                return None;
            }
            let (column, _) = self.resolve(place, Want::Number)?;
            let entry = &self.index.columns[column];
            (entry.data == DataKind::Number && !self.index.is_key(column)).then_some(column)
        })
    }
}

//! When things happen to rows: verbs that name an event, rows that are open or were ended, the first and the last.

use super::operators::Operator;
use super::parser::Parser;
use super::query::{Condition, Direction, Expr, Function, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::question::lemma::is_past;
use crate::question::time::unit;

impl Parser<'_> {
    /// `customers who ordered in 2024`: the time of the event that a verb names, not of the customers.
    pub(super) fn time_of_verb(&self) -> Option<ColumnId> {
        let is_verb = |place: usize| {
            let text = self.text(place);
            !text.contains(' ') && (text.ends_with("ed") || is_past(text))
        };
        let event = self.tables_named.iter().find(|(place, _)| is_verb(*place))?;
        self.time_column_of(event.1)
    }

    /// A date of birth is no time when anything happens.
    pub(super) fn is_birth(&self, column: ColumnId) -> bool {
        let words = &self.index.columns[column].words;
        let is_birth = |word: &str| matches!(word, "birth" | "birthday" | "born");
        words.iter().any(|word| is_birth(word)) && !self.words.iter().any(|word| is_birth(&word.lemma))
    }

    /// `products that were discontinued`: the day is there, where some rows have none.
    pub(super) fn note_event(&mut self) {
        let Some(column) = self.time_verb.filter(|&column| self.index.columns[column].has_gaps) else { return };
        let stated = self.conditions.iter().any(|(_, condition)| {
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            columns.contains(&column)
        });
        let timed = !self.shape.ranges.is_empty() || self.shape.grain.is_some() || !self.order.is_empty();
        if !stated && !timed {
            self.pending = None;
            self.add_condition(Condition::Not(Box::new(Condition::Missing(column))));
        }
    }

    /// What is missing is no value, however common.
    pub(super) fn note_common(&mut self) {
        let lacks = |column: &ColumnId| self.index.columns[*column].has_gaps;
        if let Some(column) = self.shape.common.filter(lacks) {
            self.add_condition(Condition::Not(Box::new(Condition::Missing(column))));
        }
    }

    /// `tickets that are still open`: those without a day on which they were closed.
    pub(super) fn open_at(&mut self, at: usize) -> bool {
        let named = matches!(self.text(at), "open" | "unresolved" | "unclosed");
        let Some(table) = self.main_table().filter(|_| named) else { return false };
        let ends = |column: &ColumnId| {
            let entry = &self.index.columns[*column];
            let words = entry.words.iter().any(|word| matches!(word.as_str(), "closed" | "resolved" | "close"));
            entry.kind == ColumnKind::Time && entry.has_gaps && words
        };
        let Some(column) = self.index.tables[table].columns.iter().copied().find(ends) else { return false };
        self.add_condition(Condition::Missing(column));
        true
    }

    /// `when was the first store opened`.
    pub(super) fn extreme_time(&self, at: usize, table: TableId, column: ColumnId) -> Expr {
        let noun = self.tables_named.iter().find(|(place, named)| *place > at && *named == table);
        let before = noun.and_then(|(place, _)| place.checked_sub(1));
        match before.map(|before| self.text(before)) {
            Some("first" | "earliest" | "oldest") => Expr::Aggregate(Function::Minimum, column),
            Some("last" | "latest" | "newest" | "most recent") => Expr::Aggregate(Function::Maximum, column),
            _ => Expr::Column(column),
        }
    }

    /// `which month had the fewest orders`, `the best quarter by revenue`: a unit of time as what is asked for.
    pub(super) fn unit_asked_at(&mut self, at: usize) -> bool {
        let unit = match self.text(at) {
            "month" => TimeUnit::Month,
            "quarter" => TimeUnit::Quarter,
            "week" => TimeUnit::Week,
            "year" => TimeUnit::Year,
            "day" => TimeUnit::Day,
            _ => return false,
        };
        if !self.selected.is_empty() || self.shape.grain.is_some() || self.has_column_called(self.text(at)) {
            return false;
        }
        let before = self.before(at).to_owned();
        let by_measure = (at + 1..self.chunks.len()).any(|place| self.text(place) == "by");
        let superlative = (at + 1..self.chunks.len())
            .any(|place| matches!(self.operator(place), Some(Operator::Superlative(_) | Operator::MostCommon(_))));
        let direction = match before.as_str() {
            "best" | "strongest" | "top" => Direction::Descending,
            "worst" | "weakest" => Direction::Ascending,
            "which" | "what" if superlative => {
                self.shape.grain = Some(unit);
                self.shape.is_extreme_time = true;
                return true;
            }
            _ => return false,
        };
        if !by_measure {
            return false;
        }
        self.shape.grain = Some(unit);
        self.shape.is_extreme_time = true;
        self.top = true;
        self.limit = Some(1);
        self.order_direction = Some(direction);
        true
    }

    /// `by category and year`: a unit of time beside another group.
    pub(super) fn unit_grouped_at(&mut self, at: usize) -> bool {
        let Some(unit) = unit(self.text(at)).filter(|_| at >= 3 && self.text(at - 1) == "and") else { return false };
        let by = (at - 3..at - 1).any(|place| {
            self.text(place) == "by" || matches!(self.operator(place), Some(Operator::Each | Operator::GroupBy))
        });
        if !by || self.groups.is_empty() || self.shape.grain.is_some() || self.has_column_called(self.text(at)) {
            return false;
        }
        self.used[at] = true;
        self.shape.grain = Some(unit);
        true
    }

    /// Whether the tables spoken of have a column of just this name that is no day.
    fn has_column_called(&self, word: &str) -> bool {
        self.index
            .columns
            .iter()
            .any(|entry| entry.words == [word] && entry.kind != ColumnKind::Time && self.is_named(entry.table))
    }
}

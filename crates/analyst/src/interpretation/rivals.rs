//! `more revenue than Oslo does`, `more orders in 2025 than in 2024`: the same measure of someone else, or of another time.

use super::context::Want;
use super::operators::Operator;
use super::parser::{DETERMINERS, Parser};
use super::query::{Comparison, Condition, Expr, Function, Operand, Query};
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, DataKind};
use crate::question::time::{TimeRange, year_range};

impl Parser<'_> {
    /// A comparing word whose `than` comes behind what is compared.
    pub(super) fn rival_at(&mut self, at: usize) -> bool {
        let comparison = match self.text(at) {
            "more" | "larger" | "higher" | "greater" | "bigger" | "longer" | "better" => Comparison::Greater,
            "fewer" | "less" | "lower" | "smaller" | "shorter" => Comparison::Less,
            _ => return false,
        };
        let Some(than) = (at + 2..(at + 7).min(self.chunks.len())).find(|&place| self.text(place) == "than") else {
            return false;
        };
        let Some(measure) = self.rival_measure(self.skip(at + 1, DETERMINERS)) else { return false };
        self.than_average(at, than, comparison, &measure)
            || self.other_time(at, than, comparison, &measure)
            || self.other_row(at, than, comparison, measure)
    }

    /// `more seats than average`.
    fn than_average(&mut self, at: usize, than: usize, comparison: Comparison, measure: &Expr) -> bool {
        let place = self.skip(than + 1, DETERMINERS);
        let average = self.operator(place) == Some(Operator::Aggregate(Function::Average));
        let ends = matches!(self.text(place + 1), "" | "." | "?" | "," | ":");
        let column = match measure {
            Expr::Column(column) => Some(*column),
            _ => self.own_number(self.skip(at + 1, DETERMINERS)),
        };
        let Some(column) = column.filter(|_| average && ends) else { return false };
        self.used[at..=place].fill(true);
        let whole = Query { select: vec![Expr::Aggregate(Function::Average, column)], ..Query::default() };
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(whole))));
        true
    }

    /// `ships that carry more passengers`: a number that the rows asked about have themselves.
    fn own_number(&self, at: usize) -> Option<ColumnId> {
        let table = self.main_table()?;
        let mut named = self.mention(at)?.columns.iter().map(|(column, _)| *column);
        named.find(|&column| {
            self.index.columns[column].table == table && self.index.columns[column].data == DataKind::Number
        })
    }

    fn rival_measure(&self, place: usize) -> Option<Expr> {
        if let Some((_, table)) = self.tables_named.iter().find(|(named, _)| *named == place) {
            return Some(Expr::CountRows(*table));
        }
        let (column, _) = self.resolve(place, Want::Number)?;
        if self.index.columns[column].data == DataKind::Text {
            return None;
        }
        Some(self.as_summed(column).unwrap_or(Expr::Column(column)))
    }

    fn other_time(&mut self, at: usize, than: usize, comparison: Comparison, measure: &Expr) -> bool {
        let end = (than + 4).min(self.chunks.len());
        let first = (at..than).find_map(|place| self.range_of(place));
        let second = (than + 1..end).find_map(|place| Some((place, self.range_of(place)?)));
        let (Some(first), Some((last, second))) = (first, second) else { return false };
        let Some(time) = self.time_of_measure(measure) else { return false };
        let within = |range: TimeRange| Expr::Within(Box::new(measure.clone()), time, range);
        self.used[at..=last].fill(true);
        self.add_having(Condition::Compare(within(first), comparison, Operand::Expr(within(second))));
        true
    }

    /// The range of time that a chunk names.
    pub(super) fn range_of(&self, at: usize) -> Option<TimeRange> {
        match self.chunks.get(at)?.kind {
            ChunkKind::Time(range) => Some(range),
            ChunkKind::Number(value) if value.fract() == 0.0 && (1900.0..2200.0).contains(&value) => {
                year_range(value as i32)
            }
            _ => None,
        }
    }

    fn time_of_measure(&self, measure: &Expr) -> Option<ColumnId> {
        let mut columns = Vec::new();
        let mut tables = Vec::new();
        measure.columns(&mut columns);
        measure.tables(&mut tables);
        tables.extend(columns.into_iter().map(|column| self.index.columns[column].table));
        self.time_column_near(*tables.first()?)
    }

    fn other_row(&mut self, at: usize, than: usize, comparison: Comparison, measure: Expr) -> bool {
        let place = self.skip(than + 1, &["the", "that", "those", "of", "in", "for", "from", "a", "an"]);
        if !self.mention(place).is_some_and(|mention| mention.is_value()) {
            return false;
        }
        let Some(rival) = self.rival_query(place, measure.clone()) else { return false };
        self.used[at..=place].fill(true);
        let condition = Condition::Compare(measure.clone(), comparison, Operand::Query(Box::new(rival)));
        if measure.is_aggregate() {
            self.add_having(condition);
        } else {
            self.add_condition(condition);
        }
        true
    }

    /// `a budget greater than the budget of "Iron Garden"`.
    pub(super) fn rival_behind(&mut self, at: usize, column: ColumnId, comparison: Comparison) -> bool {
        let same = self.resolve(at, Want::Any).is_some_and(|(right, _)| right == column);
        let place = self.skip(at + 1, &["of", "the", "for", "a", "an", "in", "named", "called", "titled"]);
        let place = if self.tables_named.iter().any(|(named, _)| *named == place) { place + 1 } else { place };
        let place = self.skip(place, &["named", "called", "titled", "with", "name"]);
        let is_value = self.mention(place).is_some_and(|mention| mention.is_value());
        if !same || !is_value {
            return false;
        }
        let Some(rival) = self.rival_query(place, Expr::Column(column)) else { return false };
        self.used[at..=place].fill(true);
        self.pending = None;
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(rival))));
        true
    }

    /// The measure of the rows with the value at a chunk.
    pub(super) fn rival_query(&self, at: usize, measure: Expr) -> Option<Query> {
        let column = self.column_of_value(at)?;
        let literal = self.literal_at(at, column)?;
        let same = Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(literal));
        Some(Query { select: vec![measure], conditions: vec![same], ..Query::default() })
    }
}

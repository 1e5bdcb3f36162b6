//! Time in a query: ranges, units to group by, growth, running totals and shares.

use super::context::Want;
use super::operators::Operator;
use super::parser::{Asked, Group, Parser, Phase};
use super::periods::{Versus, range_condition};
use super::query::{Comparison, Condition, Direction, Expr, Function, Query, TimeUnit};
use super::ratios::share_of;
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::question::time::TimeRange;
use crate::sql_generation::join_paths::distance;

/// What is to be done with the measures once they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Shape {
    pub grain: Option<TimeUnit>,
    pub share: bool,
    pub running_total: bool,
    pub growth: bool,
    pub growth_extreme: Option<Direction>,
    pub ratio: bool,
    /// One range of time is shown beside another.
    pub versus: Option<Versus>,
    /// What is asked of what each group has.
    pub summary: Option<Function>,
    /// The groups are stated with `per`.
    pub is_per: bool,
    /// Those of the groups that are.
    pub per_groups: Vec<Group>,
    /// Something is asked for that nothing is known of.
    pub is_unclear: bool,
    /// The column whose most common value is asked for.
    pub common: Option<ColumnId>,
    /// Where a share is asked for.
    pub share_at: usize,
    /// The row with the most of something is asked for in each group.
    pub row_of_group: bool,
    /// `the average number of X` where X are rows.
    pub counts_for_groups: bool,
    /// `which month had the most orders`: the unit is asked for, not what it has.
    pub is_extreme_time: bool,
    /// The row with the most of a fact is asked for, not a sum of it.
    pub is_one_row: bool,
    /// Ranges that wait for the column of time, with how they are compared.
    pub ranges: Vec<(Comparison, TimeRange)>,
    /// Pairs of ranges that wait for it, of which rows are in either.
    pub both: Vec<(TimeRange, TimeRange)>,
}

impl Parser<'_> {
    pub(super) fn time_range_at(&mut self, at: usize, range: TimeRange) {
        let until = matches!(self.text(at + 1), "to" | "until" | "through" | "-" | "and");
        if let (true, Some(ChunkKind::Time(last))) = (until, self.chunks.get(at + 2).map(|chunk| &chunk.kind)) {
            // `in May 2024 and May 2025`: what lies between them is not meant.
            if self.text(at + 1) == "and" && range.end < last.start && self.index.is_curated() {
                self.shape.both.push((range, *last));
                self.used[at..at + 3].fill(true);
                return;
            }
            let range = TimeRange { end: last.end, ..range };
            self.used[at..at + 3].fill(true);
            self.time_compared(at, range, Comparison::Equal);
            return;
        }
        self.time_compared(at, range, Comparison::Equal);
    }

    pub(super) fn time_compared(&mut self, at: usize, range: TimeRange, comparison: Comparison) {
        self.used[at] = true;
        if let Some((_, column)) =
            self.pending.take_if(|(_, column)| self.index.columns[*column].data == DataKind::Date)
        {
            self.add_condition(range_condition(column, comparison, range));
            return;
        }
        self.shape.ranges.push((comparison, range));
    }

    /// `between March and June`.
    pub(super) fn times_between(&mut self, low: usize, high: usize) -> bool {
        let (Some(ChunkKind::Time(first)), Some(ChunkKind::Time(last))) =
            (self.chunks.get(low).map(|chunk| &chunk.kind), self.chunks.get(high).map(|chunk| &chunk.kind))
        else {
            return false;
        };
        let range = TimeRange { end: last.end, ..*first };
        self.used[low..=high].fill(true);
        self.time_compared(low, range, Comparison::Equal);
        true
    }

    /// `by month`: a column of that name groups, else the column of time cut to the unit.
    pub(super) fn grain_at(&mut self, at: usize, unit: TimeUnit) {
        let word = match unit {
            TimeUnit::Day => "day",
            TimeUnit::Week => "week",
            TimeUnit::Month => "month",
            TimeUnit::Quarter => "quarter",
            TimeUnit::Year => "year",
        };
        let named = self.column_near(at, &[word], Want::Any).filter(|&column| {
            let entry = &self.index.columns[column];
            entry.words == [word] && entry.data != DataKind::Date
        });
        match named {
            Some(column) => self.groups.push(Group::Expr(Expr::Column(column))),
            None => self.shape.grain = Some(unit),
        }
    }

    /// The column of time that belongs to what is measured.
    pub(super) fn time_column(&self) -> Option<ColumnId> {
        if let Some(time) = self.time_verb.or_else(|| self.time_of_verb()) {
            return Some(time);
        }
        if let Some(time) = self.time_before().filter(|_| self.selected.is_empty()) {
            return Some(time);
        }
        let mut tables = self.measured_tables();
        if tables.is_empty() {
            if let Some(time) = self.time_before() {
                return Some(time);
            }
            tables.extend(self.asked_tables());
            tables.extend(self.joined.iter().copied());
            tables.extend(self.main_table());
            tables.extend(self.background.map(|background| background.table));
        }
        if let Some(&first) = tables.first() {
            tables.extend(self.tables_near(first));
        } else {
            tables.extend(0..self.index.tables.len());
        }
        tables.into_iter().find_map(|table| self.time_column_of(table))
    }

    /// The column of time of a table, or of the one nearest to it.
    pub(super) fn time_column_near(&self, table: TableId) -> Option<ColumnId> {
        std::iter::once(table).chain(self.tables_near(table)).find_map(|near| self.time_column_of(near))
    }

    /// The column of time where a measure says which it is, or the question before does.
    pub(super) fn known_time_column(&self) -> Option<ColumnId> {
        if self.measured_tables().is_empty() { self.time_before() } else { self.time_column() }
    }

    /// The time of the question before, or of what it measured.
    fn time_before(&self) -> Option<ColumnId> {
        let background = self.background?;
        background.time.or_else(|| self.time_column_near(background.measured?))
    }

    pub(super) fn time_column_of(&self, table: TableId) -> Option<ColumnId> {
        let columns = &self.index.tables[table].columns;
        let is_time =
            |column: &ColumnId| self.index.columns[*column].kind == ColumnKind::Time && !self.is_birth(*column);
        columns.iter().copied().find(is_time)
    }

    /// The other tables, nearest first. Of those equally near, the one with the most rows: events have more of them
    /// than the things that they are about.
    fn tables_near(&self, first: TableId) -> Vec<TableId> {
        let mut near: Vec<TableId> = (0..self.index.tables.len()).collect();
        near.sort_by_key(|&table| {
            let rows = self.index.tables[table].row_count.unwrap_or_default();
            (distance(self.index, first, table), std::cmp::Reverse(rows), table)
        });
        near
    }

    /// Where the measures are that are asked for, or meant.
    fn measured_tables(&self) -> Vec<TableId> {
        let mut tables = Vec::new();
        for (_, condition) in &self.having {
            if let Condition::Compare(expr, ..) = condition {
                self.add_tables(expr, &mut tables);
            }
        }
        for selected in &self.selected {
            if let Asked::Expr(expr) = &selected.asked
                && (expr.is_aggregate() || matches!(expr, Expr::Column(column) if self.is_measure(*column)))
            {
                self.add_tables(expr, &mut tables);
            }
        }
        for (expr, _) in self.order.iter().filter(|(expr, _)| expr.is_aggregate()) {
            self.add_tables(expr, &mut tables);
        }
        tables.extend(self.default_measure_table().filter(|_| self.needs_measure()));
        tables
    }

    fn asked_tables(&self) -> Vec<TableId> {
        let mut tables = Vec::new();
        for selected in &self.selected {
            match &selected.asked {
                Asked::Expr(expr) => self.add_tables(expr, &mut tables),
                Asked::Rows(table) => tables.push(*table),
                Asked::Count => {}
            }
        }
        tables
    }

    fn add_tables(&self, expr: &Expr, tables: &mut Vec<TableId>) {
        let mut columns = Vec::new();
        expr.columns(&mut columns);
        expr.tables(tables);
        tables.extend(columns.into_iter().map(|column| self.index.columns[column].table));
    }

    fn needs_measure(&self) -> bool {
        let shaped = self.shape.growth || self.shape.running_total || self.shape.share || self.shape.grain.is_some();
        let measured = self.selected.iter().any(|selected| match &selected.asked {
            Asked::Expr(Expr::Column(column)) => self.is_measure(*column),
            Asked::Expr(expr) => expr.is_aggregate(),
            Asked::Rows(_) => false,
            Asked::Count => true,
        });
        shaped && !measured && !self.shape.is_extreme_time
    }

    fn is_measure(&self, column: ColumnId) -> bool {
        matches!(self.index.columns[column].kind, ColumnKind::Fact | ColumnKind::Metric)
    }

    /// The measure meant where none is named: the model's first metric, else its first fact.
    pub(super) fn default_measure(&self) -> Option<ColumnId> {
        let of_kind = |kind| (0..self.index.columns.len()).find(move |&column| self.index.columns[column].kind == kind);
        let adds_up = |column: &ColumnId| {
            let entry = &self.index.columns[*column];
            entry.kind == ColumnKind::Metric && entry.expression.trim_start().to_ascii_uppercase().starts_with("SUM(")
        };
        let is_income = |column: &ColumnId| {
            let words = &self.index.columns[*column].words;
            matches!(words.as_slice(), [word] if matches!(word.as_str(), "revenue" | "sale" | "turnover" | "income"))
        };
        let income = (0..self.index.columns.len()).find(|column| adds_up(column) && is_income(column));
        let sum = income.or_else(|| (0..self.index.columns.len()).find(adds_up));
        sum.or_else(|| of_kind(ColumnKind::Metric)).or_else(|| of_kind(ColumnKind::Fact))
    }

    fn default_measure_table(&self) -> Option<TableId> {
        self.default_measure().map(|column| self.index.columns[column].table)
    }

    /// Ranges become conditions, the unit of time a group, now that the column of time is known.
    pub(super) fn resolve_times(&mut self) {
        let Some(column) = self.time_column() else { return };
        if !self.compares_periods() && self.beside_before().is_none() {
            for (comparison, range) in std::mem::take(&mut self.shape.ranges) {
                self.add_condition(range_condition(column, comparison, range));
            }
        }
        for (first, second) in std::mem::take(&mut self.shape.both) {
            let either = [first, second].map(|range| range_condition(column, Comparison::Equal, range));
            self.add_condition(Condition::Any(either.to_vec()));
        }
        if let Some(unit) = self.shape.grain {
            self.groups.insert(0, Group::Expr(Expr::unit_of_time(unit, column)));
        }
    }

    /// Facts beside groups are summed up as the model says; a missing measure is the model's first.
    pub(super) fn add_measures(&self, select: &mut Vec<Expr>) {
        if let Some(table) = self.shared_rows() {
            *select = vec![Expr::CountRows(table)];
        } else if self.needs_measure() {
            if let Some(column) = self.default_measure() {
                let fragment = self.selected.is_empty();
                if fragment {
                    select.clear();
                }
                select.push(Expr::Aggregate(Function::Metric, column));
            } else if self.selected.is_empty()
                && let Some(table) = self.main_table()
            {
                *select = vec![Expr::CountRows(table)];
            }
        }
        let all_facts = select.iter().all(|expr| match expr {
            Expr::Column(column) => self.is_measure(*column) && self.index.columns[*column].aggregation.is_some(),
            expr => expr.is_aggregate(),
        });
        let grouped =
            !self.groups.is_empty() || select.iter().any(Expr::is_aggregate) || self.shape != Shape::default();
        if !(all_facts || grouped) || self.limit.is_some() && !self.top && self.groups.is_empty() {
            return;
        }
        for expr in select.iter_mut() {
            if let Expr::Column(column) = expr
                && self.index.columns[*column].kind == ColumnKind::Fact
                && (self.index.columns[*column].aggregation.is_some() || self.is_of_many(*column))
                && !self.groups.contains(&Group::Expr(Expr::Column(*column)))
            {
                *expr = Expr::Aggregate(Function::Metric, *column);
            }
        }
    }

    /// Wraps the measures as shares, running totals or growth, and orders by time.
    pub(super) fn shape_answer(&self, query: &mut Query) {
        if let Some(grain) = query.select.iter().find(|expr| expr.is_unit_of_time()).cloned()
            && query.order.is_empty()
        {
            query.order.push((grain, Direction::Ascending));
        }
        self.divide(query);
        if self.compares_periods() {
            self.compare_periods(query);
        } else if self.shape.growth && self.shape.grain.is_some() {
            let growth: Vec<Expr> = query
                .select
                .iter()
                .filter(|expr| expr.is_aggregate())
                .map(|expr| Expr::Growth(Box::new(expr.clone())))
                .collect();
            query.select.extend(growth);
        }
        if self.portion(query) {
            return;
        }
        for expr in &mut query.select {
            if expr.is_aggregate() && self.shape.running_total && self.shape.grain.is_some() {
                *expr = Expr::RunningTotal(Box::new(expr.clone()));
            } else if expr.is_aggregate() && self.shape.share {
                *expr = share_of(self.index, expr);
            }
        }
        self.limit_in_groups(query);
    }

    /// `the top 3 products in each category`.
    fn limit_in_groups(&self, query: &mut Query) {
        let groups = self.group_expressions();
        let others = query.select.iter().any(|expr| !expr.is_aggregate() && !groups.contains(expr));
        let measured = query.limit == Some(1) && query.order.first().is_some_and(|(expr, _)| expr.is_aggregate());
        if (self.top || measured || self.shape.row_of_group)
            && query.limit.is_some()
            && !groups.is_empty()
            && others
            && !query.order.is_empty()
        {
            query.limit_within = groups;
        }
    }

    pub(super) fn group_expressions(&self) -> Vec<Expr> {
        self.expressions_of(self.groups.iter())
    }

    pub(super) fn expressions_of<'g>(&self, groups: impl Iterator<Item = &'g Group>) -> Vec<Expr> {
        let expressions = groups.flat_map(|group| match group {
            Group::Expr(expr) => vec![expr.clone()],
            Group::Rows(table) => self.index.label(*table).into_iter().map(Expr::Column).collect(),
        });
        expressions.collect()
    }

    /// Whether `by` stands before a noun and behind another: `revenue by region`.
    pub(super) fn is_by(&self, at: usize) -> bool {
        let last = &self.words[self.chunks[at].end - 1];
        if last.lower != last.lemma && !self.top {
            return false;
        }
        let place = (0..at).rev().find(|&place| !matches!(self.text(place), "the" | "product" | "each" | "a"));
        if place == Some(0) && self.text(0) == "by" && self.background.is_some() {
            return true;
        }
        let Some(place) = place.filter(|&place| self.text(place) == "by" && place > 0) else {
            return self.continues_by(at);
        };
        let verb = self.text(place - 1).ends_with("ed") || self.text(place - 1).ends_with("ing");
        (self.mention(place - 1).is_some_and(|mention| !mention.is_value_first()) && !verb)
            || (self.shape.share && self.used[place - 1])
            || matches!(self.operator(place - 1), Some(Operator::Punctual(_)))
            || matches!(self.chunks[place - 1].kind, ChunkKind::Time(_))
            || matches!(
                self.operator(place - 1),
                Some(Operator::SamePeriodLastYear | Operator::Share | Operator::Growth)
            )
            || (self.background.is_some() && matches!(self.text(place - 1), "down" | "it" | "them" | "that" | "split"))
            || self.number(place - 1).is_some()
            || matches!(self.text(place - 1), "have" | "has" | "had")
            || self.shape.is_extreme_time
    }

    /// `by region and channel`.
    fn continues_by(&self, at: usize) -> bool {
        let by_unit = at >= 2 && matches!(self.operator(at - 2), Some(Operator::Grain(_)));
        let by_column = at >= 3 && self.text(at - 3) == "by" && !self.groups.is_empty();
        at >= 2 && self.text(at - 1) == "and" && (by_unit || by_column)
    }

    /// Groups are stated with what is asked for; the part of a whole is stated before them.
    pub(super) fn may_group(&self) -> bool {
        self.phase == Phase::Select || self.shape.share
    }

    /// `by X` groups, or orders what a limit waits for.
    pub(super) fn by_column(&mut self, column: ColumnId) -> bool {
        let follows = (self.background.is_some() || self.shape.is_extreme_time) && self.selected.is_empty();
        if !self.may_group() || !(self.selected_in(self.sentence) || follows) {
            return false;
        }
        let entry = &self.index.columns[column];
        let measure = match entry.kind {
            ColumnKind::Metric => Some(Expr::Aggregate(Function::Metric, column)),
            ColumnKind::Fact if entry.aggregation.is_some() => Some(Expr::Aggregate(Function::Metric, column)),
            _ if entry.data == DataKind::Number && self.top => Some(Expr::Column(column)),
            _ => None,
        };
        if self.sorts_by {
            self.sorts_by = false;
            let expr = measure.unwrap_or(Expr::Column(column));
            self.order.push((expr, None));
            return true;
        }
        match measure {
            Some(measure) if self.top && self.order.is_empty() => {
                self.order.push((measure.clone(), Some(self.order_direction.unwrap_or(Direction::Descending))));
                if measure.is_aggregate() {
                    self.select(0, Asked::Expr(measure));
                }
            }
            _ => self.groups.push(Group::Expr(Expr::Column(column))),
        }
        true
    }

    /// A condition on rows that a join would multiply is asked apart, so that sums stay right.
    pub(super) fn without_fan_out(&self, mut query: Query) -> Query {
        let mut measured = Vec::new();
        for expr in query.select.iter().chain(query.order.iter().map(|(expr, _)| expr)) {
            if let Expr::Aggregate(Function::Sum | Function::Average | Function::Median | Function::Metric, column) =
                expr
            {
                measured.push(self.index.columns[*column].table);
            }
        }
        let Some(&owner) = measured.first() else { return query };
        let shown = crate::sql_generation::tables_of_columns(
            self.index,
            &Query { conditions: Vec::new(), joined: Vec::new(), ..query.clone() },
        );
        let conditions = std::mem::take(&mut query.conditions);
        for condition in conditions {
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            let table = columns.first().map(|column| self.index.columns[*column].table);
            let apart = table.filter(|table| !shown.contains(table) && self.multiplies(owner, *table));
            match apart.and_then(|table| self.not_among(owner, table, vec![condition.clone()])) {
                Some(Condition::Not(inside)) => {
                    query.joined.retain(|joined| shown.contains(joined) || !self.multiplies(owner, *joined));
                    query.conditions.push(*inside);
                }
                _ => query.conditions.push(condition),
            }
        }
        query
    }

    pub(super) fn multiplies(&self, from: TableId, to: TableId) -> bool {
        crate::sql_generation::join_paths::path(self.index, from, to)
            .is_some_and(|steps| steps.iter().any(|step| step.multiplies(self.index)))
    }
}

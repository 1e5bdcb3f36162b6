//! What a query says, nested queries included: the columns by role, the literals, the operations.

use std::collections::BTreeSet;

use crate::interpretation::query::{
    ClockPart, Comparison, Condition, Direction, Expr, Function, Lapse, Literal, Operand, Query, SetOperation, TimeUnit,
};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::sql_generation::join_paths::connect;
use crate::sql_generation::needed_tables;

#[derive(Debug, Default, Clone)]
pub struct Usage {
    /// Tables whose columns or rows are used.
    pub tables: BTreeSet<TableId>,
    /// Those and the ones that only connect them.
    pub joined: BTreeSet<TableId>,
    /// Joins of the outermost query.
    pub joins: usize,
    /// Joins that may show a row of the first table several times.
    pub multiplying: usize,
    pub selected: BTreeSet<ColumnId>,
    pub compared: BTreeSet<ColumnId>,
    pub grouped: BTreeSet<ColumnId>,
    pub ordered: BTreeSet<ColumnId>,
    pub counted: BTreeSet<TableId>,
    pub functions: Vec<(Function, Option<ColumnId>)>,
    pub texts: Vec<(ColumnId, String)>,
    pub patterns: Vec<(ColumnId, String)>,
    pub numbers: Vec<f64>,
    pub dates: Vec<String>,
    pub comparisons: Vec<Comparison>,
    pub limits: Vec<u64>,
    pub directions: Vec<Direction>,
    pub units: Vec<TimeUnit>,
    pub negations: usize,
    pub disjunctions: usize,
    pub intersections: usize,
    pub exceptions: usize,
    pub unions: usize,
    pub nested: usize,
    pub conditions: usize,
    pub havings: usize,
    pub missing: usize,
    pub averages_compared: usize,
    pub shares: usize,
    pub ratios: usize,
    pub differences: usize,
    pub growths: usize,
    pub running_totals: usize,
    pub periods_beside: usize,
    pub elapsed: usize,
    pub weekdays: usize,
    pub everything: bool,
    pub distinct: bool,
    pub is_grouped: bool,
    pub limits_within: bool,
    pub summary: bool,
    pub references: usize,
}

impl Usage {
    #[must_use]
    pub fn of(index: &ModelIndex, query: &Query) -> Self {
        let mut usage = Self::default();
        usage.note(index, query, Depth::Outer);
        usage
    }

    /// Every column in any role.
    #[must_use]
    pub fn has_column(&self, column: ColumnId) -> bool {
        self.selected.contains(&column)
            || self.compared.contains(&column)
            || self.grouped.contains(&column)
            || self.ordered.contains(&column)
    }

    pub fn columns(&self) -> BTreeSet<ColumnId> {
        let roles = [&self.selected, &self.compared, &self.grouped, &self.ordered];
        roles.into_iter().flatten().copied().collect()
    }

    /// Whether a filter of the model is used, or some column that it compares.
    #[must_use]
    pub fn compares_like(&self, index: &ModelIndex, filter: ColumnId) -> bool {
        let entry = &index.columns[filter];
        let text = entry.expression.to_lowercase();
        let is_part = |column: &ColumnId| {
            let part = &index.columns[*column];
            let names = [part.name.to_lowercase(), part.expression.to_lowercase()];
            part.table == entry.table && names.iter().any(|name| !name.is_empty() && text.contains(name.as_str()))
        };
        self.has_column(filter) || self.compared.iter().any(is_part)
    }

    #[must_use]
    pub fn has_function(&self, wanted: &[Function]) -> bool {
        self.functions.iter().any(|(function, _)| wanted.contains(function))
    }

    #[must_use]
    pub fn counts(&self) -> bool {
        !self.counted.is_empty() || self.has_function(&[Function::Count, Function::CountDistinct])
    }

    fn note(&mut self, index: &ModelIndex, query: &Query, depth: Depth) {
        let tables = needed_tables(index, query);
        let steps = connect(index, &tables).unwrap_or_default();
        if depth == Depth::Outer {
            self.joins = steps.len();
            self.multiplying = steps.iter().filter(|step| step.multiplies(index)).count();
        }
        self.joined.extend(steps.iter().map(|step| step.to));
        self.joined.extend(tables.iter().copied());
        self.tables.extend(tables);
        for expr in &query.select {
            self.note_expr(index, expr, Role::Selected);
        }
        for expr in query.group.iter().chain(&query.limit_within).chain(&query.summary_by) {
            self.note_expr(index, expr, Role::Grouped);
        }
        for (expr, direction) in &query.order {
            self.note_expr(index, expr, Role::Ordered);
            self.directions.push(*direction);
        }
        let aggregates = query.select.iter().any(Expr::is_aggregate)
            || query.order.iter().any(|(expr, _)| expr.is_aggregate())
            || !query.having.is_empty();
        let plain = query.select.iter().any(|expr| !expr.is_aggregate());
        self.is_grouped |= (aggregates && plain) || !query.group.is_empty();
        if aggregates {
            for expr in query.select.iter().filter(|expr| !expr.is_aggregate()) {
                self.note_expr(index, expr, Role::Grouped);
            }
        }
        self.limits.extend(query.limit);
        self.limits_within |= !query.limit_within.is_empty();
        self.distinct |= query.distinct;
        if let Some(function) = query.summary {
            self.summary = true;
            self.functions.push((function, None));
        }
        for condition in &query.conditions {
            self.conditions += 1;
            self.note_condition(index, condition);
        }
        for condition in &query.having {
            self.havings += 1;
            self.note_condition(index, condition);
        }
        if let Some((operation, other)) = &query.combined {
            match operation {
                SetOperation::Intersect => self.intersections += 1,
                SetOperation::Except => self.exceptions += 1,
                SetOperation::Union => self.unions += 1,
            }
            self.note(index, other, Depth::Nested);
        }
    }

    fn note_expr(&mut self, index: &ModelIndex, expr: &Expr, role: Role) {
        let mut columns = Vec::new();
        expr.columns(&mut columns);
        let own = match role {
            Role::Selected => &mut self.selected,
            Role::Grouped => &mut self.grouped,
            Role::Ordered => &mut self.ordered,
            Role::Compared => &mut self.compared,
        };
        own.extend(columns);
        match expr {
            Expr::Aggregate(function, column) => self.functions.push((*function, Some(*column))),
            Expr::CountRows(table) => {
                self.counted.insert(*table);
            }
            Expr::Everything(_) => self.everything = true,
            Expr::Truncated(unit, _) | Expr::Part(unit, _) => self.units.push(*unit),
            Expr::Share(inner) => self.note_inside(index, inner, role, |usage| usage.shares += 1),
            Expr::RunningTotal(inner) => self.note_inside(index, inner, role, |usage| usage.running_totals += 1),
            Expr::Growth(inner) | Expr::Increase(inner) => {
                self.note_inside(index, inner, role, |usage| usage.growths += 1);
            }
            Expr::MovingAverage(inner, count) => {
                self.numbers.push(f64::from(*count));
                self.functions.push((Function::Average, None));
                self.note_expr(index, inner, role);
            }
            Expr::Within(inner, _, range) => {
                self.dates.extend([range.start.to_string(), range.end.to_string()]);
                self.note_inside(index, inner, role, |usage| usage.periods_beside += 1);
            }
            Expr::Portion(inner, conditions) => {
                self.note_inside(index, inner, role, |usage| usage.shares += 1);
                conditions.iter().for_each(|condition| self.note_condition(index, condition));
            }
            Expr::Change(first, second) => {
                self.growths += 1;
                self.note_expr(index, first, role);
                self.note_expr(index, second, role);
            }
            Expr::Difference(first, second) => {
                self.differences += 1;
                self.note_expr(index, first, role);
                self.note_expr(index, second, role);
            }
            Expr::Percentage(first, second) => {
                self.ratios += 1;
                self.shares += 1;
                self.note_expr(index, first, role);
                self.note_expr(index, second, role);
            }
            Expr::Ratio(first, second) => {
                self.ratios += 1;
                self.note_expr(index, first, role);
                self.note_expr(index, second, role);
            }
            Expr::Elapsed(function, ..) => {
                self.elapsed += 1;
                self.functions.push((*function, None));
            }
            Expr::Span(lapse, ..) => {
                self.elapsed += 1;
                if let Lapse::Units(unit) = lapse {
                    self.units.push(*unit);
                }
            }
            Expr::Age(function, ..) => {
                self.elapsed += 1;
                self.functions.push((*function, None));
            }
            Expr::Holds(condition) => self.note_condition(index, condition),
            Expr::Referred(..) => self.references += 1,
            Expr::Clock(ClockPart::WeekdayName | ClockPart::WeekdayNumber, _) => self.weekdays += 1,
            Expr::Column(_) | Expr::Clock(..) => {}
        }
    }

    fn note_inside(&mut self, index: &ModelIndex, inner: &Expr, role: Role, note: impl FnOnce(&mut Self)) {
        note(self);
        self.note_expr(index, inner, role);
    }

    fn note_condition(&mut self, index: &ModelIndex, condition: &Condition) {
        match condition {
            Condition::Compare(left, comparison, right) => {
                self.note_expr(index, left, Role::Compared);
                self.comparisons.push(*comparison);
                if *comparison == Comparison::NotEqual {
                    self.negations += 1;
                }
                match right {
                    Operand::Literal(literal) => self.note_literal(left, literal),
                    Operand::Expr(right) => self.note_expr(index, right, Role::Compared),
                    Operand::Query(query) => self.note_nested(index, query),
                    Operand::PercentOf(percent, query) => {
                        self.numbers.push(*percent);
                        self.note_nested(index, query);
                    }
                }
            }
            Condition::Between(left, low, high) => {
                self.note_expr(index, left, Role::Compared);
                self.comparisons.extend([Comparison::GreaterOrEqual, Comparison::LessOrEqual]);
                self.note_literal(left, low);
                self.note_literal(left, high);
            }
            Condition::Like(column, pattern) => {
                self.compared.insert(*column);
                self.patterns.push((*column, pattern.trim_matches('%').to_lowercase()));
            }
            Condition::Missing(column) => {
                self.compared.insert(*column);
                self.missing += 1;
            }
            Condition::Named(column) => {
                self.compared.insert(*column);
            }
            Condition::In(column, query) => {
                self.compared.insert(*column);
                self.note_nested(index, query);
            }
            Condition::Any(conditions) => {
                self.disjunctions += 1;
                conditions.iter().for_each(|condition| self.note_condition(index, condition));
            }
            Condition::All(conditions) => conditions.iter().for_each(|condition| self.note_condition(index, condition)),
            Condition::Not(inner) => {
                // That a value is there denies nothing.
                self.negations += usize::from(!matches!(**inner, Condition::Missing(_)));
                self.note_condition(index, inner);
            }
        }
    }

    fn note_literal(&mut self, left: &Expr, literal: &Literal) {
        match literal {
            Literal::Number(number) => self.numbers.push(*number),
            Literal::Text(text) => {
                let mut columns = Vec::new();
                left.columns(&mut columns);
                self.texts.extend(columns.first().map(|column| (*column, text.clone())));
            }
            Literal::Date(date) => self.dates.push(date.clone()),
        }
    }

    fn note_nested(&mut self, index: &ModelIndex, query: &Query) {
        self.nested += 1;
        if matches!(query.select.as_slice(), [Expr::Aggregate(Function::Average, _)]) || query.summary.is_some() {
            self.averages_compared += 1;
        }
        let (selected, grouped) = (self.selected.clone(), self.is_grouped);
        self.note(index, query, Depth::Nested);
        // What a nested query gives is compared, not shown.
        let inner: Vec<ColumnId> = self.selected.difference(&selected).copied().collect();
        self.compared.extend(inner);
        self.selected = selected;
        self.is_grouped = grouped;
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Outer,
    Nested,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Selected,
    Compared,
    Grouped,
    Ordered,
}

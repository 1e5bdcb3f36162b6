//! Comparisons: with a number, a date, an average, another column, or a count of rows.

use super::context::Want;
use super::operators::{Adjectives, Operator};
use super::parser::{DETERMINERS, Parser, Phase};
use super::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query, TimeUnit};
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};

const BETWEEN_WORDS: &[&str] = &[
    "the", "their", "its", "his", "her", "a", "an", "of", "than", "to", "or", "equal", "equal to", "year", "date",
    "time", "number", "is", "$",
];

impl Parser<'_> {
    pub(super) fn comparison_at(&mut self, at: usize, comparison: Comparison) {
        let comparison = self.with_or_equal(at, comparison);
        let comparison =
            if at > 0 && self.operator(at - 1) == Some(Operator::Not) { comparison.negated() } else { comparison };
        let right = self.skip(at + 1, BETWEEN_WORDS);
        if self.named_number_compared(right, comparison) || self.deadline_at(at, comparison) {
            return;
        }
        match self.chunks.get(right).map(|chunk| &chunk.kind) {
            Some(ChunkKind::Number(_)) => self.number_compared(right, comparison),
            Some(ChunkKind::Date) => self.date_compared(right, comparison),
            Some(ChunkKind::Time(range)) => self.time_compared(right, *range, comparison),
            Some(ChunkKind::Operator(Operator::Times(count))) => {
                let count = *count;
                self.used[right] = true;
                self.count_having(right, None, comparison, f64::from(count));
            }
            Some(ChunkKind::Operator(Operator::Aggregate(_) | Operator::Count | Operator::Superlative(_))) => {
                self.aggregate_compared(right, comparison)
            }
            Some(ChunkKind::Mention(mention)) if mention.is_value() && mention.columns.is_empty() => {
                self.value_compared(right, comparison)
            }
            Some(ChunkKind::Mention(_)) => self.column_compared(right, comparison),
            _ => {}
        }
    }

    /// `after season 2007`: the column is named between the comparison and its number.
    fn named_number_compared(&mut self, at: usize, comparison: Comparison) -> bool {
        let Some(value) = self.number(at + 1).filter(|_| self.mention(at + 2).is_none()) else { return false };
        let column = self.resolve(at, Want::Number).map(|(column, _)| column);
        let Some(column) = column.filter(|&column| self.index.columns[column].data == DataKind::Number) else {
            return false;
        };
        self.used[at..=at + 1].fill(true);
        self.pending = None;
        self.compare_column(column, comparison, value);
        true
    }

    /// `greater than or equal to`, and `5 or more` behind the number.
    pub(super) fn with_or_equal(&mut self, at: usize, comparison: Comparison) -> Comparison {
        let or_equal = self.text(at + 1) == "or" && self.text(at + 2).starts_with("equal");
        if !or_equal {
            return comparison;
        }
        self.used[at + 1..=at + 2].fill(true);
        match comparison {
            Comparison::Greater => Comparison::GreaterOrEqual,
            Comparison::Less => Comparison::LessOrEqual,
            other => other,
        }
    }

    /// `multiple orders`: more than one.
    pub(super) fn multiple_at(&mut self, at: usize) {
        let next = self.skip(at + 1, &["different", "distinct"]);
        let table = self.mention(next).and_then(|mention| mention.best_table()).map(|(table, _)| table);
        self.count_having(at, table, Comparison::Greater, 1.0);
    }

    pub(super) fn compare_column(&mut self, column: ColumnId, comparison: Comparison, value: f64) {
        if let Some(measure) = self.as_summed(column) {
            let literal = Operand::Literal(Literal::Number(value));
            self.add_having(Condition::Compare(measure, comparison, literal));
            return;
        }
        let literal = match self.index.columns[column].data {
            DataKind::Date => {
                let condition = self.year_condition(column, comparison, value);
                self.add_condition(condition);
                return;
            }
            DataKind::Text => Literal::Text(value.to_string()),
            _ => Literal::Number(self.in_unit_of(column, value)),
        };
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Literal(literal)));
    }

    /// A metric, or a fact that what is asked for has many of, is summed up before it is compared.
    pub(super) fn as_summed(&self, column: ColumnId) -> Option<Expr> {
        let entry = &self.index.columns[column];
        let summed = || Expr::Aggregate(Function::Metric, column);
        match (entry.kind, entry.aggregation) {
            (ColumnKind::Metric, _) => Some(summed()),
            (ColumnKind::Fact, Some(_)) => {
                let main = self.main_table().filter(|main| *main != entry.table)?;
                self.multiplies(main, entry.table).then(summed)
            }
            _ => None,
        }
    }

    fn date_compared(&mut self, at: usize, comparison: Comparison) {
        self.used[at] = true;
        let date = self.words[self.chunks[at].start].text.clone();
        let column = self.pending.take().map(|(_, column)| column).or_else(|| self.date_column(at));
        if let Some(column) = column {
            self.add_condition(Condition::Compare(
                Expr::Column(column),
                comparison,
                Operand::Literal(Literal::Date(date)),
            ));
        }
    }

    fn value_compared(&mut self, at: usize, comparison: Comparison) {
        let column = self.pending.take().map(|(_, column)| column).or_else(|| self.column_of_value(at));
        let Some(column) = column else { return };
        let is_own = self.mention(at).is_some_and(|mention| mention.values.iter().any(|(of, _, _)| *of == column));
        if !is_own
            && self.index.columns[column].data == DataKind::Number
            && let Some(rival) = self.rival_query(at, Expr::Column(column))
        {
            self.used[at] = true;
            self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(rival))));
            return;
        }
        let Some(literal) = self.literal_at(at, column) else { return };
        self.used[at] = true;
        // `through the app` orders nothing.
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let is_text = self.index.columns[column].data == DataKind::Text;
        let comparison = if is_order && is_text { Comparison::Equal } else { comparison };
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Literal(literal)));
    }

    /// `more than the average age of all students`, `larger than the number of …`.
    fn aggregate_compared(&mut self, at: usize, comparison: Comparison) {
        let (function, mention_at) = match self.operator(at) {
            Some(Operator::Aggregate(function)) => (function, self.skip(at + 1, DETERMINERS)),
            Some(Operator::Superlative(direction)) => {
                let function = if direction == super::query::Direction::Descending {
                    Function::Maximum
                } else {
                    Function::Minimum
                };
                (function, self.skip(at + 1, DETERMINERS))
            }
            _ => return,
        };
        let stated = self.resolve(mention_at, Want::Number).map(|(column, _)| column);
        let pending = self.pending.take().map(|(_, column)| column);
        let Some(column) = pending.filter(|&column| !self.is_rather(column, stated)).or(stated) else { return };
        let right = stated.unwrap_or(column);
        let mut nested = Query { select: vec![Expr::Aggregate(function, right)], ..Query::default() };
        self.used[at] = true;
        if mention_at < self.used.len() && stated.is_some() {
            self.used[mention_at] = true;
        }
        self.nested_values(mention_at, &mut nested);
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(nested))));
    }

    /// Values behind a nested aggregate restrict it, not the whole question.
    fn nested_values(&mut self, from: usize, nested: &mut Query) {
        for at in from..self.chunks.len() {
            if matches!(self.text(at), "," | "." | "?" | "and") {
                return;
            }
            let is_value = self.mention(at).is_some_and(|mention| mention.is_value_first());
            if is_value
                && let Some(column) = self.column_of_value(at)
                && let Some(literal) = self.literal_at(at, column)
            {
                self.used[at] = true;
                nested.conditions.push(Condition::Compare(
                    Expr::Column(column),
                    Comparison::Equal,
                    Operand::Literal(literal),
                ));
            }
        }
    }

    /// `whose arrival is later than its departure`, or a comparison whose number column comes behind.
    fn column_compared(&mut self, at: usize, comparison: Comparison) {
        let Some((_, left)) = self.pending else { return };
        if let Some((reference, _)) = self.resolve(at, Want::Any)
            && self.index.refers_to_own_table(reference)
        {
            self.used[at] = true;
            self.pending = None;
            let other = Operand::Expr(Expr::Referred(reference, left));
            self.add_condition(Condition::Compare(Expr::Column(left), comparison, other));
            return;
        }
        if self.rival_behind(at, left, comparison) {
            return;
        }
        let quantified = (at.saturating_sub(3)..at).find_map(|place| match self.text(place) {
            "all" | "any" | "every" | "each" => Some(true),
            "some" => Some(false),
            _ => None,
        });
        let same = self.resolve(at, Want::Number).is_some_and(|(right, _)| right == left);
        let behind = (at + 1..(at + 4).min(self.chunks.len())).find_map(|place| match self.text(place) {
            "all" | "any" | "every" | "each" => Some(true),
            "some" => Some(false),
            _ => None,
        });
        let quantified = quantified.or(behind.filter(|_| same));
        let value = self.mention(at).is_some_and(|mention| mention.is_value());
        if let Some(all) = quantified.or(value.then_some(true)) {
            let larger = matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
            let function = if all == larger { Function::Maximum } else { Function::Minimum };
            let mut nested = Query { select: vec![Expr::Aggregate(function, left)], ..Query::default() };
            self.nested_values(at, &mut nested);
            self.used[at] = true;
            self.pending = None;
            self.add_condition(Condition::Compare(Expr::Column(left), comparison, Operand::Query(Box::new(nested))));
            return;
        }
        if let Some((right, _)) = self.resolve(at, Want::Any)
            && right != left
            && self.index.columns[right].data == self.index.columns[left].data
        {
            self.used[at] = true;
            self.pending = None;
            self.add_condition(Condition::Compare(Expr::Column(left), comparison, Operand::Expr(Expr::Column(right))));
        }
    }

    pub(super) fn adjective_comparison_at(&mut self, at: usize, form: Adjectives) {
        for measure in form.measures() {
            let want = if measure.is_extent() { Want::Extent } else { Want::Number };
            let Some(column) = self.column_near(at, measure.column_words, want) else { continue };
            let comparison = if form.wants_larger(measure) { Comparison::Greater } else { Comparison::Less };
            self.pending = Some((at, column));
            self.comparison_at(at, comparison);
            self.pending = None;
            return;
        }
        let comparison = form.measures().next().is_none_or(|measure| form.wants_larger(measure));
        self.comparison_at(at, if comparison { Comparison::Greater } else { Comparison::Less });
    }

    pub(super) fn above_average_at(&mut self, at: usize, comparison: Comparison) {
        let next = self.skip(at + 1, DETERMINERS);
        let stated = self
            .resolve(next, Want::Number)
            .map(|(column, _)| column)
            .filter(|&column| self.index.columns[column].data == DataKind::Number);
        let pending = self.pending.take().map(|(_, column)| column);
        let pending = pending.filter(|&column| !self.is_rather(column, stated));
        let Some(column) = pending.or(stated).or_else(|| self.nearest_number_column(at)) else { return };
        if stated.is_some() {
            self.used[next] = true;
        }
        let mut nested =
            Query { select: vec![Expr::Aggregate(Function::Average, stated.unwrap_or(column))], ..Query::default() };
        self.nested_values(next, &mut nested);
        self.add_condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(nested))));
    }

    pub(super) fn between_at(&mut self, at: usize) {
        let low = self.skip(at + 1, BETWEEN_WORDS);
        let and = self.skip(low + 1, &["years", "dollars"]);
        let high = self.skip(and + 1, BETWEEN_WORDS);
        if !matches!(self.text(and), "and" | "to") {
            return;
        }
        let behind = self.skip(high + 1, &["years", "of", "different"]);
        if self.times_between(low, high) {
            return;
        }
        let pending = self.pending.take().map(|(_, column)| column);
        let is_date = matches!(self.chunks.get(low).map(|chunk| &chunk.kind), Some(ChunkKind::Date));
        let column = pending.or_else(|| match is_date {
            true => self.date_column(at),
            false => self
                .resolve(behind, Want::Number)
                .map(|(column, _)| column)
                .or_else(|| self.nearest_number_column(at))
                .or_else(|| self.year_column(at)),
        });
        let Some(column) = column else { return };
        if let (Some(first), Some(second)) = (self.literal_at(low, column), self.literal_at(high, column)) {
            self.used[low..=high].fill(true);
            self.column_behind_value(high, column);
            let numbers = matches!((&first, &second), (Literal::Number(_), Literal::Number(_)));
            let expr = match self.index.columns[column].data {
                DataKind::Date if numbers => Expr::Part(TimeUnit::Year, column),
                _ => Expr::Column(column),
            };
            self.add_condition(Condition::Between(expr, first, second));
        }
    }

    pub(super) fn times_at(&mut self, at: usize, count: u32) {
        let only = at > 0 && matches!(self.text(at - 1), "only" | "exactly");
        let comparison = if only { Comparison::Equal } else { Comparison::GreaterOrEqual };
        if self.phase == Phase::Filter {
            self.count_having(at, None, comparison, f64::from(count));
        }
    }

    pub(super) fn count_compared(&mut self, at: usize, comparison: Comparison) {
        let Some(value) = self.number(at) else { return };
        let table = self.mention(at + 1).and_then(|mention| mention.best_table()).map(|(table, _)| table);
        self.used[at] = true;
        self.used[at + 1] = true;
        self.count_having(at, table, comparison, value);
    }

    /// Groups by what is asked for and compares how many rows there are.
    pub(super) fn count_having(&mut self, at: usize, table: Option<TableId>, comparison: Comparison, value: f64) {
        let or_more = (at..(at + 3).min(self.chunks.len())).find_map(|place| match self.operator(place) {
            Some(Operator::OrMore(comparison)) => Some(comparison),
            _ => None,
        });
        let comparison = or_more.unwrap_or(comparison);
        let table = table.or_else(|| self.counted_table());
        let Some(table) = table else { return };
        self.join_table(table);
        self.add_having(Condition::Compare(
            Expr::CountRows(table),
            comparison,
            Operand::Literal(Literal::Number(value)),
        ));
    }

    /// The rows meant where only `more than once` is said: those that refer to the table asked about.
    pub(super) fn counted_table(&self) -> Option<TableId> {
        let main = self.main_table()?;
        let named = self.tables_named.iter().rev().map(|(_, table)| *table).find(|table| *table != main);
        named.or(Some(main))
    }
}

//! Numbers and times: what is compared with them, and what they limit.

use super::Reader;
use crate::frame::clauses::{Bound, Clause, Many, Polarity, Predicate, Role, When};
use crate::frame::cover::Token;
use crate::frame::parts::{Head, Mode, Want};
use crate::frame::reach::only_event;
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Expr, Function};
use crate::links::amounts::{amount_of, column_in_unit, rate_in_unit};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::question::time::{Unit, YEARS, shift, unit};
use crate::question::units::is_currency;
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::leads_to_one;
use crate::sql_generation::own_time;

/// Nobody is so many years old.
const YEARS_MAX: f64 = 150.0;

impl Reader<'_> {
    pub(super) fn number(&mut self, number: f64) -> Option<()> {
        let is_ranked = |token: &Token| {
            matches!(token, Token::Operator(Operator::Superlative(_) | Operator::Top(_) | Operator::MostCommon(_)))
        };
        if YEARS.contains(&number) {
            return None;
        }
        if self.mode == Mode::Edit
            && number.fract() == 0.0
            && !matches!(self.token(1), Some(Token::Operator(Operator::OrMore(_))))
        {
            match self.tokens[self.at + 1..].iter().any(is_ranked) {
                true => self.number = Some(number),
                false => self.frame.edit.limit = Some(number as u64),
            }
            return Some(());
        }
        match self.token(1).cloned() {
            Some(Token::Operator(Operator::OrMore(comparison))) => {
                self.at += 1;
                self.compared(comparison, number)
            }
            Some(Token::Column(column)) => {
                let Some(Token::Operator(Operator::OrMore(comparison))) = self.token(2).cloned() else { return None };
                self.at += 2;
                self.compare_fact(column, comparison, number)
            }
            Some(Token::Operator(
                Operator::Superlative(_) | Operator::SuperlativeBy(_) | Operator::MostCommon(_) | Operator::Top(_),
            )) => {
                self.number = Some(number);
                Some(())
            }
            Some(Token::Table(table)) if self.frame.head.is_some() => {
                self.at += 1;
                self.many(Expr::CountRows(table), Some(table), Comparison::Equal, number)
            }
            _ => None,
        }
    }

    pub(super) fn period(&mut self, mut when: When) -> Option<()> {
        when.column = when.column.or(self.clause().time);
        if self.polarity == Polarity::Denied {
            return None;
        }
        if self.mode == Mode::Whole && self.holds_during(when).is_some() {
            return Some(());
        }
        let is_whole = |when: &When| matches!(when.bound, Bound::Inside | Bound::Year);
        if self.clause().periods.iter().any(is_whole) && is_whole(&when) {
            return self.also_during(when);
        }
        self.clause().periods.push(when);
        Some(())
    }

    /// `vessels that came in 2023 and in 2024`: things with events in the one period and events in the other. Two periods of
    /// anything else are set side by side, which is no frame's business.
    fn also_during(&mut self, when: When) -> Option<()> {
        let index = self.context.index;
        let is_led = |token: &&Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "in" | "during"));
        let before = self.tokens[..self.at].iter().rev().find(|token| !is_led(token));
        let is_and = match before? {
            Token::Operator(Operator::And) => true,
            Token::Word(word) => word == "and",
            _ => false,
        };
        let is_things = matches!(self.frame.head, Some(Head::Table(head)) if !index.is_event(head));
        let is_listed = !matches!(self.frame.want, Some(Want::Count | Want::Amount)) && !self.frame.is_versus;
        let is_plain = self.frame.measures.is_empty() && self.frame.rank.is_none() && self.frame.groups.is_empty();
        if self.mode == Mode::Edit || !is_and || !is_things || !is_listed || !is_plain {
            return None;
        }
        let polarity = self.clause().polarity;
        let like = Some(self.clause);
        self.frame.clauses.push(Clause { polarity, like, periods: vec![when], ..Clause::default() });
        self.clause = self.frame.clauses.len() - 1;
        Some(())
    }

    pub(super) fn compare(&mut self, comparison: Comparison) -> Option<()> {
        let behind = self.behind(1);
        let is_alone = self.tokens[self.at + 1..].iter().all(|token| matches!(token, Token::Word(_)));
        if self.mode == Mode::Edit && is_alone {
            self.frame.edit.comparison = Some(comparison);
            return Some(());
        }
        if let Some((offset, column, other)) = self.other_column() {
            self.at += offset;
            self.fact = None;
            self.clause().time = None;
            self.clause().add_predicate(Predicate::Beside(column, comparison, other), Polarity::Affirmed);
            return Some(());
        }
        match self.token(behind).cloned()? {
            Token::Number(number) => {
                self.at += behind;
                if let Some(Token::Operator(Operator::OrMore(wider))) = self.token(1).cloned() {
                    self.at += 1;
                    return self.compared(wider, number);
                }
                self.compared(comparison, number)
            }
            // `more than twice`.
            Token::Operator(Operator::Times(number)) => {
                self.at += behind;
                let table = self.table_of_deeds()?;
                self.many(Expr::CountRows(table), Some(table), comparison, f64::from(number))
            }
            Token::Period(range) | Token::Year(range) => {
                self.at += behind;
                let bound = match comparison {
                    Comparison::Less => Bound::Before,
                    Comparison::Greater => Bound::After,
                    Comparison::GreaterOrEqual => Bound::From,
                    Comparison::LessOrEqual => Bound::Until,
                    Comparison::Equal | Comparison::NotEqual => return None,
                };
                self.period(When { column: None, range, bound })
            }
            _ => None,
        }
    }

    /// A number that something is compared with: the column before or behind it, or rows that are counted.
    pub(super) fn compared(&mut self, comparison: Comparison, number: f64) -> Option<()> {
        let unit = match self.token(1) {
            Some(Token::Unit(unit)) => Some(unit.clone()),
            _ => None,
        };
        self.at += usize::from(unit.is_some());
        if unit.is_some() && self.is_word(1, &["a", "an", "per", "each"]) {
            return None;
        }
        if let Some(Token::Rate(unit)) = self.token(1).cloned() {
            self.at += 1;
            let comparison = if self.polarity.take() == Polarity::Denied { comparison.negated() } else { comparison };
            self.fact = None;
            let rate = rate_in_unit(self.context.index, self.head_table()?, &unit)?;
            return self.compare_fact(rate, comparison, number);
        }
        if let Some(Token::Role(reference)) = self.token(1).cloned() {
            self.role = Some(Role::Reference(reference));
            self.at += 1;
        }
        let polarity = self.polarity.take();
        let comparison = if polarity == Polarity::Denied { comparison.negated() } else { comparison };
        let behind = self.behind(1);
        // `stayed more than 3 times`: the verb tells what is counted, not how much of it.
        let fact = self.fact.take().filter(|_| !self.is_word(behind, &["times"]));
        if let Some(fact) = fact {
            // `longer than 400 pages`: what is compared is named behind the number.
            let is_named = matches!(self.token(behind), Some(Token::Column(column)) if *column == fact);
            self.at += if is_named { behind } else { 0 };
            return self.compare_fact(fact, comparison, number);
        }
        match self.token(behind).cloned() {
            Some(Token::Column(column)) if self.context.index.columns[column].data == DataKind::Number => {
                self.at += behind;
                self.compare_fact(column, comparison, number)
            }
            Some(Token::Metric(metric)) => {
                self.at += behind;
                let table = self.context.index.columns[metric].table;
                self.many(Expr::Aggregate(Function::Metric, metric), Some(table), comparison, number)
            }
            Some(Token::Table(table)) => {
                self.at += behind;
                self.many(Expr::CountRows(table), Some(table), comparison, number)
            }
            Some(Token::Word(word)) if word == "times" => {
                self.at += behind;
                let table = self.table_of_deeds()?;
                self.many(Expr::CountRows(table), Some(table), comparison, number)
            }
            _ if self.mode == Mode::Edit => {
                self.frame.edit.bare_number = Some((comparison, number));
                Some(())
            }
            _ => self.compare_rows(comparison, number, unit.as_deref()),
        }
    }

    /// The number column right behind the next number.
    pub(super) fn named_behind(&self) -> Option<ColumnId> {
        match (self.token(1), self.token(2)) {
            (Some(Token::Number(_)), Some(Token::Column(column)))
                if self.context.index.columns[*column].data == DataKind::Number =>
            {
                Some(*column)
            }
            _ => None,
        }
    }

    /// What was done so many times: the events that are stated or whose day is, else the only ones of the rows asked for.
    fn table_of_deeds(&self) -> Option<TableId> {
        let index = self.context.index;
        let clause = &self.frame.clauses[self.clause];
        let timed = clause.time.map(|time| index.columns[time].table);
        let own = match self.frame.head {
            Some(Head::Column(column)) => Some(index.columns[column].table),
            Some(Head::Table(head)) if self.frame.does_something => only_event(index, head),
            _ => None,
        };
        clause.table.or(timed).or(own)
    }

    /// A number of nothing that is named: what the rows amount to, or how old they are.
    fn compare_rows(&mut self, comparison: Comparison, number: f64, unit: Option<&str>) -> Option<()> {
        let index = self.context.index;
        let stated = self.frame.clauses[self.clause].table;
        if let (Some(unit), Some(table)) = (unit, stated.or(self.head_table()).or_else(|| self.table_of_values())) {
            // `zones that collected more than 1,500 kroner`: the number is of what was measured.
            if is_currency(unit) && !self.frame.measures.is_empty() {
                return None;
            }
            let amount = if is_currency(unit) { amount_of(index, table) } else { None };
            if let Some(column) = amount.or_else(|| column_in_unit(index, table, unit)) {
                return self.compare_fact(column, comparison, number);
            }
        }
        match unit {
            // `under 18`, but not `more than 18`, which counts something.
            None | Some("year" | "years") if self.says(&["under", "over", "above", "below", "aged"]) => {
                self.aged(comparison, number, None)
            }
            // `still open after more than 60 days`: so long ago the rows began.
            Some(stated) if self.is_in_state() && self.says(&["after", "for"]) => {
                self.aged(comparison, number, Some(crate::question::time::unit(stated)?))
            }
            _ => None,
        }
    }

    fn is_in_state(&self) -> bool {
        let clause = &self.frame.clauses[self.clause];
        let is_flag = |(predicate, _): &(Predicate, Polarity)| matches!(predicate, Predicate::Flag(_));
        !clause.states.is_empty() || clause.predicates.iter().any(is_flag)
    }

    fn says(&self, wanted: &[&str]) -> bool {
        self.context.lattice.words.iter().any(|word| wanted.contains(&word.lower.as_str()))
    }

    /// `older than 30 days`, `younger than 18`.
    pub(super) fn older(&mut self, comparison: Comparison) -> Option<()> {
        let Some(Token::Number(number)) = self.token(1).cloned() else { return None };
        self.at += 1;
        let stated = match self.token(1) {
            Some(Token::Unit(word)) => unit(word),
            _ => None,
        };
        self.at += usize::from(matches!(self.token(1), Some(Token::Unit(_))));
        self.aged(comparison, number, stated)
    }

    /// How long ago the rows began: a person's birth, else the day of the row.
    fn aged(&mut self, comparison: Comparison, number: f64, stated: Option<Unit>) -> Option<()> {
        let index = self.context.index;
        let table = self.head_table()?;
        if stated.is_none() && !(0.0..YEARS_MAX).contains(&number) {
            return None;
        }
        let is_birth = |column: &ColumnId| {
            let entry = &index.columns[*column];
            entry.kind == ColumnKind::Time && entry.words.iter().any(|word| word == "birth" || word == "born")
        };
        let birth = index.tables[table].columns.iter().copied().find(is_birth);
        let column = match stated {
            None | Some(Unit::Year) => birth,
            Some(_) => None,
        };
        let column = column.or_else(|| stated.and_then(|_| own_time(index, table)))?;
        let day = shift(self.context.today, stated.unwrap_or(Unit::Year), -(number as i64))?;
        let since = match comparison {
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Equal | Comparison::NotEqual => return None,
        };
        self.clause().add_predicate(Predicate::Day(column, since, day), Polarity::Affirmed);
        Some(())
    }

    /// What stands in place of a number: `than their manager`, `before they were shipped`. The column before it, and the
    /// other one, where both are of the same rows.
    fn other_column(&self) -> Option<(usize, ColumnId, Expr)> {
        let index = self.context.index;
        let grammar =
            ["their", "its", "his", "her", "they", "it", "were", "was", "are", "is", "the", "own", "been", "being"];
        let offset = (1..).find(|offset| !self.is_word(*offset, &grammar))?;
        let Some(Token::Column(other)) = self.token(offset).cloned() else { return None };
        let column = self.fact.or(self.frame.clauses[self.clause].time).or_else(|| self.own_day(other))?;
        let head = self.head_table();
        let is_same = index.columns[column].table == index.columns[other].table
            || head.is_some_and(|head| leads_to_one(index, head, index.columns[other].table));
        if index.refers_to_own_table(other) {
            return is_same.then_some((offset, column, Expr::Referred(other, column)));
        }
        let are_days = index.columns[other].kind == ColumnKind::Time && index.columns[column].kind == ColumnKind::Time;
        (are_days && is_same && other != column).then_some((offset, column, Expr::Column(other)))
    }

    /// `payments after the due date`: the day of the rows, where the other one is of what they belong to.
    fn own_day(&self, other: ColumnId) -> Option<ColumnId> {
        let index = self.context.index;
        let head = self.head_table()?;
        let is_of_another = index.columns[other].kind == ColumnKind::Time && index.columns[other].table != head;
        own_time(index, head).filter(|own| is_of_another && index.columns[*own].table == head)
    }

    /// `vegetarian mains under 200 kroner`: the rows are named by what they are.
    fn table_of_values(&self) -> Option<TableId> {
        let clause = &self.frame.clauses[self.clause];
        let is_value = |predicate: &&(Predicate, Polarity)| matches!(predicate.0, Predicate::Equals { .. });
        let value = clause.predicates.iter().find(is_value).filter(|_| self.frame.head.is_none())?;
        Some(self.context.index.columns[value.0.column()].table)
    }

    fn head_table(&self) -> Option<TableId> {
        match self.frame.head {
            Some(Head::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// A column of the rows themselves, or what a group of events sums up to.
    pub(super) fn compare_fact(&mut self, fact: ColumnId, comparison: Comparison, number: f64) -> Option<()> {
        let index = self.context.index;
        let entry = &index.columns[fact];
        let is_summed = entry.aggregation == Some(DefaultAggregation::Sum);
        let is_own = match self.frame.head {
            Some(Head::Table(head)) => leads_to_one(index, head, entry.table),
            _ => true,
        };
        let is_met = match self.frame.head {
            Some(Head::Table(head)) => is_own || leads_to_one(index, entry.table, head),
            _ => true,
        };
        if !is_met {
            return None;
        }
        if is_summed && self.repeats_on_rows_of(entry.table) {
            return self.many(Expr::Aggregate(Function::Metric, fact), None, comparison, number);
        }
        if is_summed && !is_own {
            return self.many(Expr::Aggregate(Function::Metric, fact), Some(entry.table), comparison, number);
        }
        self.clause().add_predicate(Predicate::Compare(fact, comparison, number), Polarity::Affirmed);
        Some(())
    }

    /// `cities with fewer than 50 docks`: a city has those of all its rows.
    fn repeats_on_rows_of(&self, table: TableId) -> bool {
        let index = self.context.index;
        let Some(Head::Column(column)) = self.frame.head else { return false };
        let entry = &index.columns[column];
        entry.table == table
            && entry.data == DataKind::Text
            && !entry.unique
            && !index.row_name(table).contains(&column)
    }

    pub(super) fn many(
        &mut self,
        measure: Expr,
        table: Option<TableId>,
        comparison: Comparison,
        number: f64,
    ) -> Option<()> {
        let is_events = matches!((self.frame.head, table), (Some(Head::Table(head)), Some(table)) if head != table);
        if is_events && self.frame.clauses[self.clause].table != table {
            self.open_clause(table?, Polarity::Affirmed);
        }
        self.clause().many.push(Many { measure, comparison, number });
        Some(())
    }

    pub(super) fn between(&mut self) -> Option<()> {
        let (Some(Token::Number(low)), Some(Token::Number(high))) = (self.token(1).cloned(), self.token(3).cloned())
        else {
            return None;
        };
        self.at += 3;
        let Some(column) = self.fact.take() else {
            self.frame.edit.bare_range = Some((low, high));
            return (self.mode == Mode::Edit).then_some(());
        };
        self.clause().add_predicate(Predicate::Between(column, low, high), Polarity::Affirmed);
        Some(())
    }
}

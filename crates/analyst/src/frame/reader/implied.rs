//! What the words imply without naming it: measures of money, ages and durations, deeds to count, periods that clauses share.

use super::{Reader, asks_what_is_done};
use crate::frame::clauses::{Clause, Polarity, Predicate, When};
use crate::frame::durations::duration_of;
use crate::frame::money::{day_of_arrival, is_money_verb, money_toward, pay_of};
use crate::frame::parts::{By, Group, Head, Want};
use crate::frame::reach::only_event;
use crate::interpretation::query::{Expr, Function};
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::sql_generation::join_paths::leads_to_one;

impl Reader<'_> {
    /// `how much did German owners spend`, `what do librarians earn`: the money of the rows that lead to them, or their pay.
    pub(super) fn measure_money(&mut self) {
        let (index, words) = (self.context.index, self.context.lattice.words);
        let is_asked =
            self.frame.want == Some(Want::Amount) || self.frame.want == Some(Want::Rows) && asks_what_is_done(words);
        let is_open = self.frame.measures.is_empty() && self.frame.clauses.len() == 1 && self.frame.rank.is_none();
        if !is_asked || !is_open || !words.iter().any(is_money_verb) {
            return;
        }
        let head = match self.frame.head {
            None => None,
            Some(Head::Table(table)) => Some(table),
            Some(Head::Column(_)) => return,
        };
        let function = self.function.take();
        let pay = head.and_then(|head| pay_of(index, words, head));
        let stated = self.frame.clauses[0].predicates.iter();
        let stated = stated.map(|(predicate, _)| index.columns[predicate.column()].table);
        let grouped = self.frame.groups.iter().filter_map(|group| match group {
            Group::Rows(table, _) => Some(*table),
            Group::Column(column, _) => Some(index.columns[*column].table),
            Group::Unit(_) | Group::Weekday => None,
        });
        let tables: Vec<TableId> = head.into_iter().chain(stated).chain(grouped).collect();
        let measure = match (pay, function) {
            (Some(pay), function) => Some(Expr::Aggregate(function.unwrap_or(Function::Metric), pay)),
            (None, None) => money_toward(index, words, &tables),
            (None, Some(_)) => None,
        };
        let Some(measure) = measure else {
            self.function = function;
            return;
        };
        let arrival = measure.owner(index).and_then(|owner| day_of_arrival(index, words, owner));
        let clause = &mut self.frame.clauses[0];
        clause.time = clause.time.or(arrival.filter(|_| !clause.periods.is_empty()));
        self.frame.head = None;
        self.frame.want = Some(Want::Amount);
        self.frame.measures.push(measure);
    }

    /// `how old is Ann`: by the day of birth of whoever is named.
    pub(super) fn measure_age(&mut self) -> Option<()> {
        if !self.is_age {
            return Some(());
        }
        let index = self.context.index;
        let ([clause], None, None) = (self.frame.clauses.as_slice(), self.frame.head, &self.frame.rank) else {
            return None;
        };
        let [(Predicate::Equals { column, .. }, Polarity::Affirmed)] = clause.predicates.as_slice() else {
            return None;
        };
        let table = index.columns[*column].table;
        let is_birth = |day: &ColumnId| {
            let entry = &index.columns[*day];
            entry.kind == ColumnKind::Time
                && entry.words.iter().any(|word| word == "birth" || word == "born" || word == "birthday")
        };
        let born = index.tables[table].columns.iter().copied().find(is_birth)?;
        let is_named = index.row_name(table).contains(column);
        self.frame.want = Some(Want::Amount);
        self.frame.measures = vec![Expr::Age(Function::Average, born, self.context.today)];
        is_named.then_some(())
    }

    /// `how long do people keep a book`: the days of the events of the verb, or the fact that holds how long they take.
    pub(super) fn measure_duration(&mut self) -> Option<()> {
        if !self.is_duration {
            return Some(());
        }
        let index = self.context.index;
        let [clause] = self.frame.clauses.as_mut_slice() else { return None };
        let timed = clause.time.take_if(|_| clause.periods.is_empty()).map(|time| index.columns[time].table);
        let stated = clause.predicates.first().map(|(predicate, _)| index.columns[predicate.column()].table);
        let head = match self.frame.head {
            Some(Head::Table(table)) => Some(table),
            _ => None,
        };
        let table = timed.or(head).or(stated)?;
        let events = if index.is_event(table) { table } else { only_event(index, table)? };
        let function = self.function.take().unwrap_or(Function::Average);
        self.frame.head = None;
        self.frame.want = Some(Want::Amount);
        self.frame.measures = vec![duration_of(index, events, function)?];
        Some(())
    }

    /// `which room type is booked most often`: what the verb tells of is counted.
    pub(super) fn count_deeds(&mut self) {
        let is_common = self.frame.rank.as_ref().is_some_and(|rank| rank.is_common && rank.by.is_none());
        if is_common && let Some(table) = self.deed_of_time() {
            let clause = &mut self.frame.clauses[0];
            clause.time = clause.time.filter(|_| !clause.periods.is_empty());
            if let Some(rank) = self.frame.rank.as_mut() {
                rank.by = Some(By::Rows(table));
            }
            return;
        }
        let [_, Clause { table: Some(table), polarity: Polarity::Affirmed, .. }] = self.frame.clauses.as_slice() else {
            return;
        };
        let deed = &self.frame.clauses[1];
        if is_common && deed.predicates.is_empty() && deed.many.is_empty() && deed.states.is_empty() {
            let (table, periods) = (*table, deed.periods.clone());
            self.frame.clauses.truncate(1);
            self.frame.clauses[0].periods.extend(periods);
            if let Some(rank) = self.frame.rank.as_mut() {
                rank.by = Some(By::Rows(table));
            }
        }
    }

    /// The rows of events whose day a verb tells, where it is said of other rows.
    pub(super) fn deed_of_time(&self) -> Option<TableId> {
        let index = self.context.index;
        let head = match self.frame.head? {
            Head::Table(table) => table,
            Head::Column(column) => index.columns[column].table,
        };
        let table = index.columns[self.frame.clauses[0].time?].table;
        (table != head && leads_to_one(index, table, head) && self.frame.clauses.len() == 1).then_some(table)
    }

    /// `both Tents and Stoves`: events with the one value and events with the other.
    pub(super) fn both_values(&mut self) {
        let [clause] = self.frame.clauses.as_mut_slice() else { return };
        let [(Predicate::Equals { column, values, role }, Polarity::Affirmed)] = clause.predicates.as_slice() else {
            return;
        };
        let one = |value: &String| {
            let predicate = Predicate::Equals { column: *column, values: vec![value.clone()], role: *role };
            let predicates = vec![(predicate, Polarity::Affirmed)];
            Clause { predicates, time: clause.time, periods: clause.periods.clone(), ..Clause::default() }
        };
        let several: Vec<Clause> = values.iter().map(one).collect();
        *clause = Clause { states: std::mem::take(&mut clause.states), ..Clause::default() };
        self.frame.clauses.extend(several);
    }

    /// `both an appointment and a stay in 2023`: the time holds for both.
    pub(super) fn share_periods(&mut self) -> Option<()> {
        let last = self.frame.clauses.last()?.periods.clone();
        if self.frame.clauses.len() < 3 {
            return None;
        }
        for clause in &mut self.frame.clauses[1..] {
            if clause.periods.is_empty() {
                clause.periods = last.iter().map(|when| When { column: None, ..*when }).collect();
            }
        }
        Some(())
    }
}

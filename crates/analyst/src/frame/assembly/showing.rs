//! What a query shows: groups and measures, rows under their labels, and what they are ranked by.

use super::Assembly;
use crate::chart::entities::adjective_columns;
use crate::frame::clauses::{Polarity, Predicate};
use crate::frame::money::{is_money_verb, money_toward};
use crate::frame::parts::{By, Group, Head, Rank, Want};
use crate::frame::reach::{event_between, only_event};
use crate::frame::subjects::{Subject, counted_in};
use crate::interpretation::operators::Adjectives;
use crate::interpretation::query::{
    ClockPart, Comparison, Condition, Direction, Expr, Function, Operand, Query, TimeUnit,
};
use crate::lattice::{Item, Meaning};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::sql_generation::join_paths::{distance, leads_to_one};
use crate::sql_generation::{own_time, time_of_measure, time_of_rows};

use super::JOIN_COST;

/// Superlatives of how long ago something began.
const AGES: &[&str] = &["oldest", "youngest", "newest", "latest", "earliest"];

impl Assembly<'_> {
    pub(super) fn show(&mut self) -> Option<()> {
        let groups = self.group_exprs()?;
        self.join_counted();
        match self.subject.clone() {
            Subject::Measure(measures, _) => {
                if self.frame.rank.is_some() || !self.frame.shown.is_empty() || !self.frame.beside.is_empty() {
                    return None;
                }
                self.show_measures(groups, measures)
            }
            Subject::Rows(table) => {
                let label = self.index().row_name(table);
                let is_unique = label.iter().any(|column| self.index().columns[*column].unique);
                let label = label.into_iter().map(Expr::Column).collect();
                let key = if is_unique { Vec::new() } else { self.index().tables[table].key.clone() };
                self.show_rows(groups, label, key, table)
            }
            Subject::Values(column, table) => {
                let ranked = self.frame.rank.is_some() || !self.query.having.is_empty();
                self.query.distinct = !ranked;
                if self.index().columns[column].has_gaps && self.frame.rank.is_some() {
                    self.query.conditions.push(Condition::Not(Box::new(Condition::Missing(column))));
                }
                if table != self.index().columns[column].table && self.frame.head_role.is_none() {
                    self.query.joined.push(table);
                }
                let shown = self.expr(table, column, self.frame.head_role)?;
                self.show_rows(groups, vec![shown], Vec::new(), table)
            }
        }
    }

    /// What was named and is counted by its events takes part in them.
    fn join_counted(&mut self) {
        let named = match (&self.subject, self.frame.rank.as_ref().and_then(|rank| rank.by.as_ref()), self.frame.head) {
            (Subject::Measure(measures, _), _, Some(Head::Table(head))) => match measures.as_slice() {
                [Expr::CountRows(counted)] if *counted != head => Some(head),
                [Expr::Aggregate(Function::CountDistinct, reference)]
                    if self.index().columns[*reference].table != head =>
                {
                    self.index().is_reference(*reference).then_some(head)
                }
                _ => None,
            },
            (_, Some(By::Rows(counted)), _) if self.events_with(*counted) != *counted => Some(*counted),
            _ => None,
        };
        if let Some(named) = named.filter(|named| !self.query.joined.contains(named)) {
            self.query.joined.push(named);
        }
    }

    fn show_measures(&mut self, mut groups: Vec<Expr>, measures: Vec<Expr>) -> Option<()> {
        if self.frame.is_versus {
            groups.insert(0, self.versus_group()?);
        }
        let unit = groups.iter().find(|group| matches!(group, Expr::Truncated(..) | Expr::Part(..))).cloned();
        self.query.select = groups;
        self.query.select.extend(measures.iter().cloned());
        if let (Some(direction), Some(measure)) = (self.frame.order, measures.first()) {
            self.query.order.push((measure.clone(), direction));
        } else if let Some(unit) = unit {
            self.query.order.push((unit, Direction::Ascending));
        }
        Some(())
    }

    /// `Oslo vs Bergen`: the column whose values are set side by side.
    fn versus_group(&self) -> Option<Expr> {
        let several = self.frame.clauses[0].predicates.iter().find_map(|(predicate, polarity)| match predicate {
            Predicate::Equals { column, values, role } if values.len() > 1 && *polarity == Polarity::Affirmed => {
                Some((*column, *role))
            }
            _ => None,
        });
        let (column, role) = several?;
        self.expr(self.subject.table(), column, role)
    }

    fn show_rows(&mut self, groups: Vec<Expr>, label: Vec<Expr>, key: Vec<ColumnId>, table: TableId) -> Option<()> {
        let Some(rank) = &self.frame.rank else {
            if !groups.is_empty() || self.frame.is_versus || self.frame.order.is_some() {
                return None;
            }
            self.query.select = label;
            self.show_more(table, table)?;
            if !self.query.having.is_empty() {
                self.query.group = key.into_iter().map(Expr::Column).collect();
            }
            if let Some(adjective) = self.frame.sorted_by {
                let (measured, larger) = self.measured_by(adjective)?;
                // `joined after 2010, newest first`: by the day that was spoken of.
                let is_time = self.index().columns[measured].kind == ColumnKind::Time;
                let column = self.frame.clauses[0].time.filter(|_| is_time).unwrap_or(measured);
                let direction = if larger { Direction::Descending } else { Direction::Ascending };
                self.query.order = vec![(Expr::Column(column), direction)];
            }
            return Some(());
        };
        if self.frame.sorted_by.is_some() {
            return None;
        }
        let by = self.ranked_by()?;
        let measured = by.owner(self.index())?;
        if measured != table && !leads_to_one(self.index(), measured, table) {
            return None;
        }
        self.query.select = groups.iter().cloned().chain(label).collect();
        // `the biggest ship of every line` has its size itself.
        let is_of_rows = rank.by.is_none() && matches!(&by, Expr::Column(_)) && measured == table;
        let is_grouped = !groups.is_empty() && self.frame.want.is_none() && !is_of_rows;
        self.show_more(measured, table)?;
        if self.frame.shows_measure || is_grouped || !self.frame.measures.is_empty() || self.is_named_top() {
            self.query.select.push(by.clone());
        }
        if by.is_aggregate() {
            self.query.group = key.into_iter().map(Expr::Column).collect();
        }
        let direction = self.direction()?;
        if let (Expr::Column(column), true) = (&by, self.asks_for_ties() && groups.is_empty()) {
            self.keep_extreme(*column, direction);
            return Some(());
        }
        self.query.order = vec![(by, direction)];
        self.query.limit = Some(rank.limit);
        self.query.limit_within = groups;
        Some(())
    }

    /// What a second part of the question asks of the rows.
    fn show_more(&mut self, from: TableId, table: TableId) -> Option<()> {
        for (column, role) in &self.frame.beside {
            let to = self.index().columns[*column].table;
            if !leads_to_one(self.index(), table, to) {
                return None;
            }
            let shown = self.expr(from, *column, *role)?;
            self.query.select.push(shown);
        }
        Some(())
    }

    /// What rows are ranked by: what is stated, else what the adjective measures.
    pub(super) fn ranked_by(&self) -> Option<Expr> {
        let rank = self.frame.rank.as_ref()?;
        let table = self.subject.table();
        match (&rank.by, self.frame.measures.as_slice()) {
            (Some(By::Measure(measure)), []) => Some(measure.clone()),
            (Some(By::Rows(counted)), []) => Some(counted_in(self.index(), *counted, self.events_with(*counted))),
            (Some(By::Column(column)), []) => Some(Expr::Column(*column)),
            (None, [measure]) => Some(measure.clone()),
            (None, []) if rank.is_common => Some(Expr::CountRows(self.counted_for(table)?)),
            (None, []) if rank.adjective.is_none() => self.amount_ranked(table),
            (None, []) => self.measured_by(rank.adjective?).map(|(column, _)| Expr::Column(column)),
            _ => None,
        }
    }

    /// `who borrowed the most books`: the loans are counted, where no book belongs to one borrower.
    fn events_with(&self, counted: TableId) -> TableId {
        let subject = self.subject.table();
        match leads_to_one(self.index(), counted, subject) {
            true => counted,
            false => event_between(self.index(), subject, &[counted]).unwrap_or(counted),
        }
    }

    /// `the most popular titles`: things are as common as the only events that tell of them.
    fn counted_for(&self, table: TableId) -> Option<TableId> {
        let is_rows = matches!(self.subject, Subject::Rows(_)) && !self.index().is_event(table);
        if is_rows { only_event(self.index(), table) } else { Some(table) }
    }

    /// What rows amount to, or the money that a verb tells of: `which play earned the most`.
    fn amount_ranked(&self, table: TableId) -> Option<Expr> {
        let words = self.context.lattice.words;
        let is_money = words.iter().any(is_money_verb);
        if self.frame.does_something && !is_money {
            return only_event(self.index(), table).map(Expr::CountRows);
        }
        let money = || money_toward(self.index(), words, &[table]).filter(|_| is_money);
        amount_of(self.index(), table).map(Expr::Column).filter(|_| !is_money).or_else(money)
    }

    /// The column of the rows that an adjective measures, and whether more of it means larger values.
    fn measured_by(&self, adjective: Adjectives) -> Option<(ColumnId, bool)> {
        let table = self.subject.table();
        let columns = adjective_columns(self.index(), adjective);
        let own = || columns.iter().copied().filter(|(column, _)| self.index().columns[*column].table == table);
        // A day tells more than the whole years of an age.
        let is_day = |(column, _): &(ColumnId, bool)| self.index().columns[*column].kind == ColumnKind::Time;
        let is_age = AGES.contains(&adjective.form);
        let own_day = || {
            let day = own_time(self.index(), table).filter(|day| self.index().columns[*day].table == table)?;
            Some((day, !matches!(adjective.form, "oldest" | "earliest")))
        };
        let measured = own().find(is_day).filter(|_| is_age).or_else(|| own().next());
        measured.or_else(|| is_age.then(own_day).flatten())
    }

    /// `which suppliers have the highest rating`: all that have it, as the plural says.
    fn asks_for_ties(&self) -> bool {
        let table = self.subject.table();
        let lattice = self.context.lattice;
        let is_plural = |item: &Item| {
            let last = &lattice.words[item.end - 1];
            item.meaning == Meaning::Table(table) && last.lower != last.lemma
        };
        let is_first = |rank: &Rank| rank.limit == 1;
        self.frame.want == Some(Want::Rows)
            && self.frame.rank.as_ref().is_some_and(is_first)
            && lattice.items.iter().any(is_plural)
    }

    /// Only rows whose column has the largest or smallest value of all rows in question.
    fn keep_extreme(&mut self, column: ColumnId, direction: Direction) {
        let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
        let extreme = Query {
            select: vec![Expr::Aggregate(function, column)],
            conditions: self.query.conditions.clone(),
            ..Query::default()
        };
        let is_it = Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Query(Box::new(extreme)));
        self.query.conditions.push(is_it);
    }

    /// The direction of a ranking: an adjective tells it for each measure.
    fn direction(&self) -> Option<Direction> {
        let rank = self.frame.rank.as_ref()?;
        let (Some(adjective), None, []) = (rank.adjective, &rank.by, self.frame.measures.as_slice()) else {
            return Some(rank.direction);
        };
        let Expr::Column(by) = self.ranked_by()? else { return Some(rank.direction) };
        let found = adjective_columns(self.index(), adjective).into_iter().find(|(column, _)| *column == by);
        let larger =
            found.map_or_else(|| self.measured_by(adjective).map(|(_, larger)| larger), |(_, larger)| Some(larger))?;
        Some(if larger { Direction::Descending } else { Direction::Ascending })
    }

    /// `the top 5`, not `which`.
    fn is_named_top(&self) -> bool {
        self.frame.want.is_none()
            && self.frame.rank.as_ref().is_some_and(|rank| rank.by.is_some() && !rank.is_common)
            && !matches!(self.frame.rank.as_ref().and_then(|rank| rank.by.as_ref()), Some(By::Rows(_) | By::Column(_)))
    }

    pub fn group_exprs(&mut self) -> Option<Vec<Expr>> {
        let from = match (&self.subject, self.frame.rank.as_ref().and_then(|rank| rank.by.as_ref())) {
            (Subject::Rows(_), Some(By::Measure(measure))) => measure.owner(self.index())?,
            (Subject::Rows(_), None) => self.base(),
            (Subject::Rows(_), Some(By::Rows(table))) => self.events_with(*table),
            _ => self.subject.table(),
        };
        let mut groups = Vec::new();
        for group in &self.frame.groups {
            let (column, role) = match group {
                Group::Column(column, role) => (*column, *role),
                Group::Rows(table, role) => match self.index().row_name(*table).as_slice() {
                    [label] => (*label, *role),
                    _ => return None,
                },
                Group::Unit(_) | Group::Weekday => {
                    let measured = self.frame.measures.first();
                    let own = |from: TableId| match measured {
                        Some(measure) => time_of_measure(self.context.index, measure, from),
                        None => time_of_rows(self.context.index, from),
                    };
                    let time = self.frame.clauses[0].time.or_else(|| own(from))?;
                    groups.push(match group {
                        Group::Unit(unit) => unit_of(*unit, time),
                        _ => Expr::Clock(ClockPart::WeekdayName, time),
                    });
                    continue;
                }
            };
            let table = self.index().columns[column].table;
            if !leads_to_one(self.index(), from, table) {
                self.cost += 0.3;
            }
            self.cost += JOIN_COST * distance(self.index(), from, table) as f32;
            groups.push(self.expr(from, column, role)?);
        }
        Some(groups)
    }
}

fn unit_of(unit: TimeUnit, time: ColumnId) -> Expr {
    match unit {
        TimeUnit::Year => Expr::Part(unit, time),
        _ => Expr::Truncated(unit, time),
    }
}

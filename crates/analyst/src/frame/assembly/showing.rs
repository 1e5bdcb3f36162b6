//! What a query shows: groups and measures, rows under their labels, and what they are ranked by.

use super::Assembly;
use crate::chart::entities::adjective_columns;
use crate::frame::clauses::{Polarity, Predicate};
use crate::frame::parts::{By, Group, Rank, Want};
use crate::frame::subjects::Subject;
use crate::interpretation::operators::Adjectives;
use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Function, Operand, Query, TimeUnit};
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
        match self.subject.clone() {
            Subject::Measure(measures, _) => {
                if self.frame.rank.is_some() || !self.frame.shown.is_empty() {
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
        let is_grouped = !groups.is_empty() && self.frame.want.is_none();
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

    /// What rows are ranked by: what is stated, else what the adjective measures.
    pub(super) fn ranked_by(&self) -> Option<Expr> {
        let rank = self.frame.rank.as_ref()?;
        let table = self.subject.table();
        match (&rank.by, self.frame.measures.as_slice()) {
            (Some(By::Measure(measure)), []) => Some(measure.clone()),
            (Some(By::Rows(counted)), []) => Some(Expr::CountRows(*counted)),
            (Some(By::Column(column)), []) => Some(Expr::Column(*column)),
            (None, [measure]) => Some(measure.clone()),
            (None, []) if rank.is_common => Some(Expr::CountRows(table)),
            (None, []) if rank.adjective.is_none() => amount_of(self.index(), table).map(Expr::Column),
            (None, []) => self.measured_by(rank.adjective?).map(|(column, _)| Expr::Column(column)),
            _ => None,
        }
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
            (Subject::Rows(_), Some(By::Rows(table))) => *table,
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
                Group::Unit(unit) => {
                    let measured = self.frame.measures.first();
                    let own = |from: TableId| match measured {
                        Some(measure) => time_of_measure(self.context.index, measure, from),
                        None => time_of_rows(self.context.index, from),
                    };
                    let time = self.frame.clauses[0].time.or_else(|| own(from))?;
                    groups.push(unit_of(*unit, time));
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

//! What a query shows: groups and measures, rows under their labels, and what they are ranked by.

use super::Assembly;
use crate::chart::entities::adjective_columns;
use crate::frame::clauses::{Polarity, Predicate};
use crate::frame::parts::{By, Group};
use crate::frame::reach::{label, leads_to_one, time_of};
use crate::frame::subjects::{Subject, owner};
use crate::interpretation::query::{Condition, Direction, Expr, TimeUnit};
use crate::links::model_index::{ColumnId, TableId};
use crate::sql_generation::join_paths::distance;

use super::JOIN_COST;

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
                let label = label(self.index(), table);
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
            return Some(());
        };
        let by = self.ranked_by()?;
        let measured = owner(self.index(), &by)?;
        if measured != table && !leads_to_one(self.index(), measured, table) {
            return None;
        }
        self.query.select = groups.iter().cloned().chain(label).collect();
        if self.frame.shows_measure || !groups.is_empty() || !self.frame.measures.is_empty() || self.is_named_top() {
            self.query.select.push(by.clone());
        }
        if by.is_aggregate() {
            self.query.group = key.into_iter().map(Expr::Column).collect();
        }
        self.query.order = vec![(by, self.direction()?)];
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
            (None, []) => {
                let columns = adjective_columns(self.index(), rank.adjective?);
                let is_own = |column: &ColumnId| self.index().columns[*column].table == table;
                columns.into_iter().map(|(column, _)| column).find(is_own).map(Expr::Column)
            }
            _ => None,
        }
    }

    /// The direction of a ranking: an adjective tells it for each measure.
    fn direction(&self) -> Option<Direction> {
        let rank = self.frame.rank.as_ref()?;
        let (Some(adjective), None, []) = (rank.adjective, &rank.by, self.frame.measures.as_slice()) else {
            return Some(rank.direction);
        };
        let Expr::Column(by) = self.ranked_by()? else { return Some(rank.direction) };
        let found = adjective_columns(self.index(), adjective).into_iter().find(|(column, _)| *column == by);
        found.map(|(_, larger)| if larger { Direction::Descending } else { Direction::Ascending })
    }

    /// `the top 5`, not `which`.
    fn is_named_top(&self) -> bool {
        self.frame.want.is_none()
            && self.frame.rank.as_ref().is_some_and(|rank| rank.by.is_some() && !rank.is_common)
            && !matches!(self.frame.rank.as_ref().and_then(|rank| rank.by.as_ref()), Some(By::Rows(_) | By::Column(_)))
    }

    pub fn group_exprs(&mut self) -> Option<Vec<Expr>> {
        let from = match (&self.subject, self.frame.rank.as_ref().and_then(|rank| rank.by.as_ref())) {
            (Subject::Rows(_), Some(By::Measure(measure))) => owner(self.index(), measure)?,
            (Subject::Rows(_), None) => self.base(),
            (Subject::Rows(_), Some(By::Rows(table))) => *table,
            _ => self.subject.table(),
        };
        let mut groups = Vec::new();
        for group in &self.frame.groups {
            let (column, role) = match group {
                Group::Column(column, role) => (*column, *role),
                Group::Rows(table, role) => match label(self.index(), *table).as_slice() {
                    [label] => (*label, *role),
                    _ => return None,
                },
                Group::Unit(unit) => {
                    let time = self.frame.clauses[0].time.or_else(|| time_of(self.context.index, from))?;
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

//! When the rows asked for happened: by the day that the question names, else by that of the rows or of what they did.

use chrono::Datelike;

use super::{Assembly, OWN_TIME_COST};
use crate::frame::clauses::{Bound, Clause};
use crate::frame::cover::is_done_by;
use crate::frame::parts::Group;
use crate::frame::reach::only_event;
use crate::frame::subjects::Subject;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::{ColumnId, TableId};
use crate::sql_generation::{time_of_measure, time_of_rows, year_column};

impl Assembly<'_> {
    pub(super) fn restrict_time(&mut self, clause: &Clause) -> Option<()> {
        let subject = self.base();
        for when in &clause.periods {
            let column = match when.column.or(clause.time) {
                Some(column) => column,
                None => {
                    // `customers who bought something in June`: the time is that of what they did.
                    let is_of_deed = self.frame.does_something || self.is_timeless(subject);
                    if is_of_deed && !self.index().is_event(subject) && !self.is_own_deed(subject) {
                        let events = only_event(self.index(), subject)?;
                        let deeds = Clause { periods: vec![*when], ..Clause::default() };
                        self.restrict_by_events(events, &deeds)?;
                        continue;
                    }
                    if let (Bound::Year, Some(year)) = (when.bound, year_column(self.index(), subject)) {
                        self.add(year, of_year(year, when.range.start.year()));
                        continue;
                    }
                    if matches!(self.subject, Subject::Rows(_)) {
                        self.cost += OWN_TIME_COST;
                    }
                    match &self.subject {
                        Subject::Measure(measures, _) => time_of_measure(self.index(), measures.first()?, subject)?,
                        _ => time_of_rows(self.index(), subject)?,
                    }
                }
            };
            self.add(column, when.condition(column));
        }
        let is_time = |group: &Group| matches!(group, Group::Unit(_) | Group::Weekday);
        let is_ordered = self.frame.rank.is_some() || self.frame.groups.iter().any(is_time);
        let is_stated = clause.periods.is_empty() && clause.states.is_empty() && clause.many.is_empty();
        if let (true, Some(time)) = (is_stated && !is_ordered, clause.time) {
            // `which hotels have closed`: the day is there.
            if !self.index().columns[time].has_gaps {
                let is_counted = matches!(self.subject, Subject::Measure(..));
                return is_counted.then_some(());
            }
            self.add(time, Condition::Not(Box::new(Condition::Missing(time))));
        }
        Some(())
    }
}

impl Assembly<'_> {
    /// `classes taught by Ann in May`: what was done to the rows is what they are, and has their time.
    fn is_own_deed(&self, table: TableId) -> bool {
        let index = self.index();
        let mut words = self.context.lattice.words.iter();
        words.any(|word| index.tables[table].columns.iter().any(|column| is_done_by(index, *column, word)))
    }
}

/// Rows of a year, by the column that holds its number.
fn of_year(column: ColumnId, year: i32) -> Condition {
    let year = Operand::Literal(Literal::Number(f64::from(year)));
    Condition::Compare(Expr::Column(column), Comparison::Equal, year)
}

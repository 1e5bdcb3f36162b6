//! A frame as a query: what is shown, and every clause where its rows are, in the query itself or in one nested in it.

mod showing;
mod timing;

use super::Context;
use super::clauses::{Clause, Many, Polarity, Predicate, Role};
use super::cover::parts;
use super::money::{is_owing, unpaid};
use super::parts::Frame;
use super::reach::{event_between, having_rows, only_event, references_to, referred_to_by};
use super::states::{State, Stated, condition_of};
use super::subjects::{Subject, subject_of};
use super::vacancy::occupied;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::links::person_roles::is_persons;
use crate::sql_generation::join_paths::{distance, leads_to_one};
use crate::sql_generation::{time_of_rows, year_column};

/// What each join costs between what is asked for and what is stated of it.
const JOIN_COST: f32 = 0.05;
/// What a time costs that is not of what is asked for but of the rows themselves.
const OWN_TIME_COST: f32 = 0.3;

/// The query of a frame, and what its joins cost.
pub fn assemble(context: &Context<'_>, frame: &Frame) -> Option<(Query, f32)> {
    let subject = subject_of(context, frame)?;
    let mut assembly = Assembly::over(context, frame, subject);
    assembly.restrict()?;
    assembly.restrict_owed()?;
    assembly.show()?;
    let mut known: Vec<Condition> = Vec::new();
    assembly.query.conditions.retain(|condition| {
        let is_new = !known.contains(condition);
        known.push(condition.clone());
        is_new
    });
    Some((assembly.query, assembly.cost))
}

pub struct Assembly<'a> {
    context: &'a Context<'a>,
    frame: &'a Frame,
    subject: Subject,
    pub query: Query,
    cost: f32,
}

impl<'a> Assembly<'a> {
    pub fn over(context: &'a Context<'a>, frame: &'a Frame, subject: Subject) -> Self {
        Self { context, frame, subject, query: Query::default(), cost: 0.0 }
    }

    fn index(&self) -> &ModelIndex {
        self.context.index
    }

    pub fn restrict(&mut self) -> Option<()> {
        for at in 0..self.frame.clauses.len() {
            let clause = with_none_counted(self.whole(at));
            if at > 0 && clause.table.is_some_and(|table| self.has_same_column(table)) {
                return None;
            }
            match (at, clause.table) {
                (0, _) => self.restrict_rows(&clause)?,
                (_, Some(table)) if self.is_joined(table, &clause) => self.join_events(table, &clause)?,
                (_, Some(table)) => self.restrict_by_events(table, &clause)?,
                (_, None) => {
                    let table = self.event_of(&clause)?;
                    self.restrict_by_events(table, &clause)?;
                }
            }
        }
        Some(())
    }

    /// `which client owes us the most`: what has been paid is not owed.
    fn restrict_owed(&mut self) -> Option<()> {
        if !self.context.lattice.words.iter().any(is_owing) {
            return Some(());
        }
        let condition = unpaid(self.index(), self.base())?;
        if !self.query.conditions.contains(&condition) {
            self.query.conditions.push(condition);
        }
        Some(())
    }

    /// `countries with suppliers but no customers`: both have a country, so that two sets of values are meant.
    fn has_same_column(&self, table: TableId) -> bool {
        let Subject::Values(column, _) = self.subject else { return false };
        let index = self.index();
        let name = index.columns[column].words.last();
        let is_same = |other: &ColumnId| *other != column && index.columns[*other].words.last() == name;
        table != index.columns[column].table && index.tables[table].columns.iter().any(is_same)
    }

    /// `customers with more than 3 orders`: nothing else speaks of events, so that they can be joined and counted.
    fn is_joined(&self, table: TableId, clause: &Clause) -> bool {
        let is_rows = matches!(self.subject, Subject::Rows(_)) && self.frame.rank.is_none();
        let is_only = self.frame.clauses.len() == 2 && !self.is_of_events(&self.frame.clauses[0]);
        let is_timed = self.frame.clauses[0].time.is_some();
        is_rows
            && is_only
            && !is_timed
            && clause.role.is_none()
            && clause.polarity == Polarity::Affirmed
            && !clause.many.is_empty()
            && leads_to_one(self.index(), table, self.subject.table())
    }

    fn join_events(&mut self, table: TableId, clause: &Clause) -> Option<()> {
        let nested = self.events(table, clause)?;
        self.query.conditions.extend(nested.conditions);
        self.query.having = nested.having;
        self.query.joined.push(table);
        Some(())
    }

    /// A clause with what it shares with the one it is like.
    fn whole(&self, at: usize) -> Clause {
        let mut clause = self.frame.clauses[at].clone();
        let Some(like) = clause.like else { return clause };
        let other = self.whole(like);
        clause.table = clause.table.or(other.table);
        clause.time = clause.time.or(other.time);
        clause.role = clause.role.or(other.role);
        let is_new = |predicate: &(Predicate, Polarity)| {
            !clause.predicates.iter().any(|(own, _)| own.column() == predicate.0.column())
        };
        let shared: Vec<(Predicate, Polarity)> =
            other.predicates.iter().filter(|predicate| is_new(predicate)).cloned().collect();
        for (predicate, _) in &mut clause.predicates {
            if let Predicate::Equals { column, role, .. } = predicate {
                let same = other.predicates.iter().find_map(|(predicate, _)| match predicate {
                    Predicate::Equals { column: known, role, .. } if known == column => *role,
                    _ => None,
                });
                *role = role.or(same);
            }
        }
        // Of the rows themselves nothing is denied but what is stated anew.
        if like > 0 || self.is_of_events(&other) {
            clause.predicates.extend(shared);
        }
        if clause.periods.is_empty() && !clause.predicates.is_empty() && (like > 0 || self.is_of_events(&other)) {
            clause.periods.clone_from(&other.periods);
        }
        clause
    }

    /// Whether a clause tells of events that rows have, without naming them.
    fn is_of_events(&self, clause: &Clause) -> bool {
        let subject = self.subject.table();
        clause
            .predicates
            .iter()
            .any(|(predicate, _)| !leads_to_one(self.index(), subject, self.index().columns[predicate.column()].table))
    }

    /// The events that a clause tells of.
    fn event_of(&self, clause: &Clause) -> Option<TableId> {
        let subject = self.subject.table();
        let columns = clause.predicates.iter().map(|(predicate, _)| predicate.column()).chain(clause.time);
        let tables: Vec<TableId> = columns.map(|column| self.index().columns[column].table).collect();
        if tables.is_empty() {
            // `who borrowed in 2023 but not in 2024`: what they did is not named.
            return only_event(self.index(), subject)
                .filter(|_| self.frame.does_something || !clause.periods.is_empty() && self.is_timeless(subject));
        }
        event_between(self.index(), subject, &tables)
    }

    /// Whether rows have no time, so that a period can only be that of their events.
    fn is_timeless(&self, table: TableId) -> bool {
        time_of_rows(self.index(), table).is_none() && year_column(self.index(), table).is_none()
    }

    /// The rows that what is stated restricts: those that are ranked by, where there are some.
    fn base(&self) -> TableId {
        let subject = self.subject.table();
        let measured = self.ranked_by().and_then(|by| by.owner(self.index()));
        measured.filter(|measured| leads_to_one(self.index(), *measured, subject)).unwrap_or(subject)
    }

    fn restrict_rows(&mut self, clause: &Clause) -> Option<()> {
        let subject = self.base();
        let index = self.context.index;
        let is_own = |column: ColumnId| leads_to_one(index, subject, index.columns[column].table);
        let is_of_rows = |predicate: &Predicate| is_own(predicate.column()) && self.has_role(subject, predicate);
        let (own, events): (Vec<_>, Vec<_>) =
            clause.predicates.iter().cloned().partition(|(predicate, _)| is_of_rows(predicate));
        for (predicate, polarity) in &own {
            let condition = self.condition(subject, predicate)?;
            self.add(predicate.column(), negated(condition, *polarity));
        }
        let mut states = clause.states.clone();
        let has_events = !events.is_empty();
        let is_time_of_events = clause.time.is_some_and(|time| !is_own(time));
        if has_events || is_time_of_events {
            let (denied, predicates): (Vec<_>, Vec<_>) =
                events.into_iter().partition(|(_, polarity)| *polarity == Polarity::Denied);
            let periods = clause.periods.clone();
            if !predicates.is_empty() || is_time_of_events {
                let mut part = Clause { predicates, periods, time: clause.time, ..Clause::default() };
                let table = self.event_of(&part)?;
                let today = self.context.today;
                let is_of_event = |state: &Stated| {
                    condition_of(index, subject, *state, today).is_none()
                        && condition_of(index, table, *state, today).is_some()
                };
                part.states = clause.states.iter().copied().filter(is_of_event).collect();
                states.retain(|state| !is_of_event(state));
                self.restrict_by_events(table, &part)?;
            }
            for (predicate, _) in denied {
                let part = Clause {
                    predicates: vec![(predicate, Polarity::Affirmed)],
                    polarity: Polarity::Denied,
                    ..Clause::default()
                };
                let table = self.event_of(&part)?;
                self.restrict_by_events(table, &part)?;
            }
        } else {
            self.restrict_time(clause)?;
        }
        self.restrict_states(&Clause { states, ..clause.clone() })?;
        if self.frame.lacks_person {
            let references = (0..index.tables.len()).filter(|table| is_persons(index, *table));
            let references = references.flat_map(|table| references_to(index, subject, table));
            let reference = references.into_iter().find(|reference| index.columns[*reference].has_gaps)?;
            self.query.conditions.push(Condition::Missing(reference));
        }
        // What is counted as a whole has no groups that could be compared.
        if !clause.many.is_empty() && matches!(self.subject, Subject::Measure(..)) && self.frame.groups.is_empty() {
            return None;
        }
        for many in &clause.many {
            self.query.having.push(many_condition(many));
        }
        Some(())
    }

    /// Whether rows of a table have the role that something is stated of.
    fn has_role(&self, from: TableId, predicate: &Predicate) -> bool {
        let Predicate::Equals { column, role: Some(role), .. } = predicate else { return true };
        let to = self.index().columns[*column].table;
        match role {
            Role::Reference(reference) => self.index().columns[*reference].table == from,
            Role::Source | Role::Target => {
                let is_only =
                    (0..self.index().tables.len()).all(|table| references_to(self.index(), table, to).len() < 2);
                is_only || references_to(self.index(), from, to).len() > 1 || from == to
            }
        }
    }

    /// A state of the rows asked for, else of the rows that something is stated of.
    fn restrict_states(&mut self, clause: &Clause) -> Option<()> {
        for state in &clause.states {
            let subject = self.subject.table();
            let predicate =
                clause.predicates.iter().map(|(predicate, _)| self.index().columns[predicate.column()].table);
            let tables: Vec<TableId> = [self.base(), subject].into_iter().chain(predicate).collect();
            let today = self.context.today;
            let found = tables.iter().find_map(|table| {
                let condition = condition_of(self.index(), *table, *state, today)?;
                Some((*table, condition))
            });
            match found {
                Some((table, condition)) if leads_to_one(self.index(), self.base(), table) => {
                    self.query.conditions.push(condition);
                }
                Some((table, condition)) => {
                    let nested = Query { conditions: vec![condition], ..Query::default() };
                    self.query.conditions.push(having_rows(self.index(), subject, table, nested)?);
                }
                // `which books are out at the moment`: those that something takes up now.
                None if state.state == State::Ongoing && clause.predicates.is_empty() && state.during.is_none() => {
                    self.query.conditions.push(occupied(self.index(), subject, today)?);
                }
                // `still pending`: the value tells the state.
                None if !clause.predicates.is_empty() => {}
                None => return None,
            }
        }
        Some(())
    }

    fn restrict_by_events(&mut self, table: TableId, clause: &Clause) -> Option<()> {
        let subject = self.subject.table();
        if table == subject {
            return self.exclude_values(table, clause);
        }
        let index = self.context.index;
        if let (Polarity::Denied, true, [reference, ..]) =
            (clause.polarity, clause.is_empty(), references_to(index, subject, table).as_slice())
        {
            self.query.conditions.push(Condition::Missing(*reference));
            return Some(());
        }
        let mut nested = self.events(table, clause)?;
        if let Some(reference) = clause.role {
            let condition = referred_to_by(index, reference, nested)?;
            self.query.conditions.push(negated(condition, clause.polarity));
            return Some(());
        }
        // Rows that do not belong to one row of the subject are met by events that belong to both.
        let met = match leads_to_one(index, table, subject) || leads_to_one(index, subject, table) {
            true => table,
            false => event_between(index, subject, &[table])?,
        };
        if met != table {
            nested.joined.push(table);
        }
        let condition = having_rows(index, subject, met, nested)?;
        self.cost += JOIN_COST * distance(index, subject, table) as f32;
        self.query.conditions.push(negated(condition, clause.polarity));
        Some(())
    }

    /// `cities with no business customers`: values that no row has which the clause tells of.
    fn exclude_values(&mut self, table: TableId, clause: &Clause) -> Option<()> {
        let Subject::Values(column, _) = self.subject else { return None };
        if clause.polarity != Polarity::Denied || clause.is_empty() {
            return None;
        }
        let mut rows = self.events(table, clause)?;
        rows.select = vec![Expr::Column(column)];
        rows.conditions.push(Condition::Not(Box::new(Condition::Missing(column))));
        self.query.conditions.push(Condition::Not(Box::new(Condition::In(column, Box::new(rows)))));
        Some(())
    }

    /// The rows of events that a clause tells of.
    fn events(&self, table: TableId, clause: &Clause) -> Option<Query> {
        let index = self.context.index;
        let mut nested = Query::default();
        for (predicate, polarity) in &clause.predicates {
            let condition = self.condition(table, predicate)?;
            nested.conditions.push(negated(condition, *polarity));
        }
        for when in &clause.periods {
            let column = when.column.or(clause.time).or_else(|| time_of_rows(index, table))?;
            nested.conditions.push(when.condition(column));
        }
        for state in &clause.states {
            nested.conditions.push(condition_of(index, table, *state, self.context.today)?);
        }
        nested.having = clause.many.iter().map(many_condition).collect();
        Some(nested)
    }

    fn add(&mut self, column: ColumnId, condition: Condition) {
        let far = distance(self.index(), self.subject.table(), self.index().columns[column].table);
        self.cost += JOIN_COST * far as f32;
        self.query.conditions.push(condition);
    }

    fn condition(&self, from: TableId, predicate: &Predicate) -> Option<Condition> {
        let compare = |expr: Expr, comparison: Comparison, literal: Literal| {
            Condition::Compare(expr, comparison, Operand::Literal(literal))
        };
        Some(match predicate {
            Predicate::Equals { column, values, role } => {
                let expr = self.expr(from, *column, *role)?;
                let equal = |value: &String| compare(expr.clone(), Comparison::Equal, Literal::Text(value.clone()));
                match values.as_slice() {
                    [only] => equal(only),
                    several => Condition::Any(several.iter().map(equal).collect()),
                }
            }
            Predicate::Flag(column) => Condition::Named(*column),
            Predicate::Missing(column) => Condition::Missing(self.missing(from, *column)),
            Predicate::Lacking(column) => {
                let is_zero = compare(Expr::Column(*column), Comparison::Equal, Literal::Number(0.0));
                Condition::Any(vec![is_zero, Condition::Missing(*column)])
            }
            Predicate::Compare(column, comparison, number) => {
                compare(Expr::Column(*column), *comparison, Literal::Number(*number))
            }
            Predicate::Between(column, low, high) => {
                Condition::Between(Expr::Column(*column), Literal::Number(*low), Literal::Number(*high))
            }
            Predicate::Beside(column, comparison, other) => {
                Condition::Compare(Expr::Column(*column), *comparison, Operand::Expr(other.clone()))
            }
            Predicate::Day(column, comparison, day) => {
                compare(Expr::Column(*column), *comparison, Literal::Date(day.to_string()))
            }
        })
    }

    /// Rows that lack what another row is called lack the row: their reference is missing.
    fn missing(&self, from: TableId, column: ColumnId) -> ColumnId {
        let index = self.index();
        let table = index.columns[column].table;
        match references_to(index, from, table).as_slice() {
            [reference] if table != from && index.row_name(table).contains(&column) => *reference,
            _ => column,
        }
    }

    /// A column as seen from a table: of the row that the reference in its role leads to, where there are several.
    fn expr(&self, from: TableId, column: ColumnId, role: Option<Role>) -> Option<Expr> {
        let index = self.index();
        let table = index.columns[column].table;
        let references = references_to(index, from, table);
        if let Some(Role::Reference(reference)) = role
            && references.contains(&reference)
        {
            return Some(Expr::Referred(reference, column));
        }
        if references.len() < 2 || table == from {
            return Some(Expr::Column(column));
        }
        let side = |words: &[&str]| {
            let is_side = |reference: &ColumnId| {
                parts(&index.columns[*reference].name).any(|part| words.contains(&part.as_str()))
            };
            references.iter().copied().find(is_side)
        };
        let reference = match role {
            Some(Role::Reference(_)) => None,
            // References that go nowhere have no source.
            Some(Role::Source | Role::Target) if side(SOURCES).or_else(|| side(TARGETS)).is_none() => {
                references.first().copied()
            }
            Some(Role::Source) => side(SOURCES),
            Some(Role::Target) => side(TARGETS),
            None => references.first().copied(),
        }?;
        Some(Expr::Referred(reference, column))
    }
}

const SOURCES: &[&str] = &["origin", "from", "source", "departure", "sender", "start", "pickup"];
const TARGETS: &[&str] = &["destination", "to", "target", "arrival", "receiver", "recipient", "end", "delivery"];

/// `fewer than 2 policies` holds for those without any: it is denied that they have 2 or more.
fn with_none_counted(mut clause: Clause) -> Clause {
    let [many] = clause.many.as_mut_slice() else { return clause };
    let is_count = matches!(many.measure, Expr::CountRows(_)) && clause.polarity == Polarity::Affirmed;
    let is_below = matches!(many.comparison, Comparison::Less | Comparison::LessOrEqual);
    let is_none = many.comparison == Comparison::Equal && many.number == 0.0;
    if is_count && clause.table.is_some() && (is_below || is_none) {
        many.comparison = many.comparison.negated();
        clause.polarity = Polarity::Denied;
        if is_none {
            clause.many.clear();
        }
    }
    clause
}

fn negated(condition: Condition, polarity: Polarity) -> Condition {
    match (polarity, condition) {
        (Polarity::Affirmed, condition) => condition,
        (Polarity::Denied, Condition::Compare(left, Comparison::Equal, right)) => {
            Condition::Compare(left, Comparison::NotEqual, right)
        }
        (Polarity::Denied, condition) => Condition::Not(Box::new(condition)),
    }
}

fn many_condition(many: &Many) -> Condition {
    let number = Operand::Literal(Literal::Number(many.number));
    Condition::Compare(many.measure.clone(), many.comparison, number)
}

//! Superlatives, comparisons of measures, and the days that rows are ordered by.

use super::Reader;
use super::picking::has_own_day;
use crate::chart::entities::adjective_columns;
use crate::frame::cover::Token;
use crate::frame::parts::{By, Group, Head, Mode, Rank, Want};
use crate::frame::reach::only_event;
use crate::frame::states::{State, upcoming_time};
use crate::interpretation::operators::{Adjectives, Operator};
use crate::interpretation::query::{Direction, Expr, Function};
use crate::links::model_index::{ColumnId, ColumnKind};
use crate::sql_generation::time_of_rows;

impl Reader<'_> {
    /// `dogs heavier than 20 kilograms`: the number of the rows spoken of that the adjective measures.
    pub(super) fn measured_fact(&self, adjective: Adjectives) -> Option<ColumnId> {
        let index = self.context.index;
        let stated = self.frame.clauses[self.clause].predicates.first();
        let table = match self.frame.head {
            Some(Head::Table(table)) => table,
            Some(Head::Column(_)) => return None,
            None => index.columns[stated?.0.column()].table,
        };
        let is_fact = |column: &ColumnId| {
            let entry = &index.columns[*column];
            entry.table == table && entry.kind == ColumnKind::Fact
        };
        let mut facts = adjective_columns(index, adjective).into_iter().map(|(column, _)| column).filter(is_fact);
        facts.next().filter(|_| facts.next().is_none())
    }

    /// `clients and the number of their projects`: what is named first is what the count is for.
    pub(super) fn counts_for_head(&mut self) -> bool {
        let is_and = |token: &Token| match token {
            Token::Operator(Operator::And) => true,
            Token::Word(word) => matches!(word.as_str(), "and" | "with"),
            _ => false,
        };
        let is_article = |token: &Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "the" | "their"));
        let before = self.tokens[..self.at].iter().rev().find(|token| !is_article(token));
        let Some(Head::Table(head)) = self.frame.head.filter(|_| before.is_some_and(is_and)) else { return false };
        let is_plain = self.frame.rank.is_none() && self.frame.measures.is_empty() && self.frame.clauses.len() == 1;
        if !is_plain || self.frame.want == Some(Want::Count) || self.context.index.is_event(head) {
            return false;
        }
        self.frame.groups.push(Group::Rows(head, self.role.take().or(self.frame.head_role.take())));
        self.frame.head = None;
        self.frame.want = Some(Want::Count);
        true
    }

    /// `when did Olga last borrow something`: the first or last day of the event.
    pub(super) fn day(&mut self) -> Option<()> {
        let words = self.context.lattice.words;
        let says = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.lower.as_str()));
        self.extreme_day = match (says(&["last", "latest", "recently"]), says(&["first", "earliest", "next"])) {
            (true, false) => Some(Function::Maximum),
            (false, true) => Some(Function::Minimum),
            _ => return None,
        };
        if says(&["next"]) {
            self.clause().states.push(State::Upcoming.into());
        }
        Some(())
    }

    /// The day that was asked for: that of the verb, else of the only events of whom the question tells.
    pub(super) fn measure_day(&mut self) -> Option<()> {
        let Some(function) = self.extreme_day else { return Some(()) };
        let index = self.context.index;
        let [clause] = self.frame.clauses.as_mut_slice() else { return None };
        let events = match (self.frame.head, clause.predicates.first()) {
            (Some(Head::Table(head)), _) if has_own_day(index, head) => Some(head),
            (_, Some((predicate, _))) => only_event(index, index.columns[predicate.column()].table),
            _ => None,
        };
        let is_next = clause.states.iter().any(|stated| stated.state == State::Upcoming);
        let time = match clause.time.take() {
            Some(time) => time,
            None if is_next => upcoming_time(index, events?, self.context.today)?,
            None => time_of_rows(index, events?)?,
        };
        self.frame.rank = None;
        self.awaits_measure = false;
        self.frame.head = None;
        self.frame.want = Some(Want::Amount);
        self.frame.measures = vec![Expr::Aggregate(function, time)];
        Some(())
    }

    /// A new ranking; a question has one.
    pub(super) fn rank(&mut self, direction: Direction, number: Option<f64>) -> Option<()> {
        if self.extreme_day.is_some() {
            return Some(());
        }
        if self.frame.rank.is_some() {
            return None;
        }
        self.number = None;
        let limit = number.map_or(1, |number| number as u64);
        self.frame.rank = Some(Rank { direction, limit, by: None, is_common: false, adjective: None });
        self.awaits_measure = self.mode == Mode::Whole;
        Some(())
    }

    pub(super) fn rank_by(&mut self, by: By) -> Option<()> {
        self.awaits_measure = false;
        let rank = self.frame.rank.as_mut().filter(|rank| rank.by.is_none())?;
        rank.by = Some(by);
        Some(())
    }

    /// `and how many`: nothing may follow that tells more.
    pub(super) fn shows_measure(&mut self) -> Option<()> {
        let rest = &self.tokens[self.at + 1..];
        let says_more =
            |token: &Token| !matches!(token, Token::Word(_) | Token::Unit(_) | Token::Operator(Operator::And));
        if rest.iter().any(says_more) {
            return None;
        }
        self.frame.shows_measure = true;
        self.at = self.tokens.len();
        Some(())
    }
}

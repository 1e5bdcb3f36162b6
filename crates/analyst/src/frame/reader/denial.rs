//! Events that rows have or lack by a value that stands before their name, and deeds that are denied without naming them.

use super::{DEEDS, Reader};
use crate::frame::clauses::{Clause, Polarity};
use crate::frame::cover::{Token, is_done};
use crate::frame::parts::{Head, Mode};
use crate::frame::reach::{is_own_row, only_event};
use crate::links::model_index::{ColumnId, TableId};
use crate::sql_generation::join_paths::leads_to_one;

impl Reader<'_> {
    /// `never had a declined transaction`: what is denied are the events that follow, and not the value alone.
    pub(super) fn denied_events(&self, column: ColumnId) -> Option<TableId> {
        let index = self.context.index;
        let table = index.columns[column].table;
        let is_of_others = match self.frame.head? {
            Head::Table(head) => !is_own_row(index, head, table),
            // `cities with no business customers`: no row of the city may have the value.
            Head::Column(head) => index.columns[head].table == table && head != column,
        };
        (self.polarity == Polarity::Denied && self.is_next(table) && is_of_others).then_some(table)
    }

    /// `carriers that lost shipments in 2024`: the value and what follows are stated of the same events.
    pub(super) fn stated_events(&self, column: ColumnId) -> Option<TableId> {
        let index = self.context.index;
        let table = index.columns[column].table;
        let Some(Head::Table(head)) = self.frame.head else { return None };
        let is_plain = self.mode == Mode::Whole && self.polarity == Polarity::Affirmed && !self.awaits_measure;
        let is_met = leads_to_one(index, table, head) && !is_own_row(index, head, table);
        let is_open = self.frame.measures.is_empty() && self.frame.clauses[self.clause].table != Some(table);
        (is_plain && is_met && is_open && self.is_next(table)).then_some(table)
    }

    /// `never ordered in 2024 but ordered in 2023`: what stands behind `but` is stated of rows that others were denied of.
    pub(super) fn affirms_after_denial(&mut self, table: TableId) -> bool {
        let is_denied = self.clause > 0 && self.frame.clauses[self.clause].polarity == Polarity::Denied;
        if !self.is_contrast || !is_denied {
            return false;
        }
        self.is_contrast = false;
        self.open_clause(table, Polarity::Affirmed);
        true
    }

    /// Whether a table is named right behind the present token.
    fn is_next(&self, table: TableId) -> bool {
        matches!(self.token(self.behind(1)), Some(Token::Table(next)) if *next == table)
    }

    /// Rows of a table are denied: with the events that a verb tells, where nothing else is stated of these (`who repaired no
    /// electric bike`), else by themselves.
    pub(super) fn deny_events(&mut self, table: TableId) {
        self.polarity = Polarity::Affirmed;
        let index = self.context.index;
        let open = &self.frame.clauses[self.clause];
        let is_of_verb = open.polarity == Polarity::Affirmed
            && open.is_empty()
            && open.table.is_some_and(|event| leads_to_one(index, event, table));
        match self.clause > 0 && is_of_verb {
            true => self.clause().polarity = Polarity::Denied,
            false => self.open_clause(table, Polarity::Denied),
        }
    }

    /// `which vessels have never been here`: no event is named, so that the only ones of the head are denied.
    pub(super) fn deny_only_events(&mut self) {
        let says_never = self.context.lattice.words.iter().any(|word| word.lower == "never");
        let Some(Head::Table(head)) = self.frame.head else { return };
        let is_plain = self.frame.measures.is_empty() && self.frame.rank.is_none() && self.frame.clauses.len() == 1;
        let is_open = self.polarity == Polarity::Denied && self.role.is_none() && self.frame.clauses[0].time.is_none();
        if !says_never || !is_plain || !is_open || self.mode == Mode::Edit {
            return;
        }
        if let Some(table) = only_event(self.context.index, head) {
            self.polarity = Polarity::Affirmed;
            self.open_clause(table, Polarity::Denied);
        }
    }

    /// `agents who sold nothing`, `machines nobody used`: the only events of the head are meant, where none are named.
    pub(super) fn deny_deeds(&mut self) -> bool {
        let named = self.table_of_value().filter(|_| self.frame.head.is_none());
        let ((Some(Head::Table(head)), _) | (_, Some(head))) = (self.frame.head, named) else { return false };
        let index = self.context.index;
        let names_more = |token: &Token| matches!(token, Token::Table(_) | Token::Column(_) | Token::Value(..));
        let tells =
            |token: &Token| matches!(token, Token::Word(word) if DEEDS.contains(&word.as_str()) || is_done(word));
        if self.tokens[self.at + 1..].iter().any(names_more) || !self.tokens.iter().any(tells) {
            return false;
        }
        let Some(table) = only_event(index, head) else { return false };
        self.frame.head = Some(Head::Table(head));
        // The day that the verb tells is that of the deed.
        let is_of_deed = |time: &ColumnId| index.columns[*time].table == table;
        let time = self.clause().time.take_if(|time| is_of_deed(time));
        self.frame.clauses.push(Clause { table: Some(table), polarity: Polarity::Denied, time, ..Clause::default() });
        self.clause = self.frame.clauses.len() - 1;
        true
    }
}

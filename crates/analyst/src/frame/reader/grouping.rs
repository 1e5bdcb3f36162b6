//! Groups behind `by`, `per` and `for each`.

use super::Reader;
use crate::frame::clauses::Role;
use crate::frame::cover::Token;
use crate::frame::doers::leads_doers;
use crate::frame::parts::{By, Group};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Expr, Function};
use crate::lattice::Meaning;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::question::time::unit;

impl Reader<'_> {
    /// Groups behind `by`, or what a ranking goes by.
    pub(super) fn groups(&mut self) -> Option<()> {
        let mut is_any = false;
        loop {
            let behind = self.behind(1);
            if let Some(Token::Role(reference)) = self.token(behind) {
                self.role = Some(Role::Reference(*reference));
                self.at += behind;
                continue;
            }
            let is_number = |column: ColumnId| self.context.index.columns[column].data == DataKind::Number;
            let group = match self.token(behind).cloned() {
                Some(Token::Column(column)) if self.awaits_measure && is_number(column) => {
                    self.at += behind - 1;
                    self.frame.shows_measure = true;
                    return Some(());
                }
                Some(Token::Table(table)) if !is_any && self.is_doer(table) => {
                    self.at += behind;
                    return self.table(table);
                }
                Some(Token::Table(table)) if !is_any && self.is_averaged_over(table) => {
                    self.at += behind;
                    return Some(());
                }
                // `revenue per room by hotel`: the first is what is divided by.
                _ if !is_any && !self.frame.groups.is_empty() && self.has_ratio => return None,
                Some(Token::Column(column)) => self.group_column(column)?,
                Some(Token::Table(table)) => {
                    if self.awaits_measure && !is_any && self.frame.head.is_some() && !self.is_every() {
                        self.at += behind;
                        self.frame.shows_measure = true;
                        return self.rank_by(By::Rows(table));
                    }
                    // Rows without a name make no groups: a measure per order is a ratio.
                    if self.context.index.is_event(table) {
                        return None;
                    }
                    Group::Rows(table, self.role.take())
                }
                Some(Token::Weekday) => Group::Weekday,
                Some(Token::Word(word)) => Group::Unit(unit(&word)?),
                Some(Token::Metric(_)) if self.frame.is_versus && self.frame.measures.is_empty() && !is_any => {
                    self.at += behind - 1;
                    return Some(());
                }
                // `how often was each crane hired`: the rows that the value names.
                Some(Token::Value(column, _)) if !is_any && self.is_every() && self.names_rows(column) => {
                    self.at += behind - 1;
                    let table = self.context.index.columns[column].table;
                    self.frame.groups.push(Group::Rows(table, self.role.take()));
                    return Some(());
                }
                Some(Token::Metric(_)) if self.awaits_measure => {
                    self.at += behind - 1;
                    self.frame.shows_measure = true;
                    return Some(());
                }
                Some(Token::Operator(Operator::Count)) if self.awaits_measure => {
                    self.at += behind;
                    self.frame.shows_measure = true;
                    return Some(());
                }
                Some(Token::Value(..)) if !is_any => return Some(()),
                _ => return None,
            };
            self.has_ratio |= self.says_per() && matches!(group, Group::Rows(..));
            self.at += behind;
            self.frame.groups.push(group);
            is_any = true;
            if let (true, Some(Token::Role(_))) = (self.is_word(1, &["of"]), self.token(2)) {
                self.at += 2;
                let Some(Token::Role(reference)) = self.token(0).cloned() else { return None };
                self.role(reference)?;
            }
            let goes_on =
                self.is_word(1, &[",", "and"]) || matches!(self.token(1), Some(Token::Operator(Operator::And)));
            let next = self
                .tokens
                .get(self.at + 2..)
                .and_then(|rest| rest.iter().find(|token| !matches!(token, Token::Word(word) if word == "the")));
            let is_group = match next {
                Some(Token::Column(_) | Token::Table(_) | Token::Role(_) | Token::Weekday) => true,
                Some(Token::Word(word)) => unit(word).is_some(),
                _ => false,
            };
            if !goes_on || !is_group {
                return Some(());
            }
            self.at += 1;
        }
    }

    /// `sold by agents of the North region`: the rows of a table did it.
    fn is_doer(&self, table: TableId) -> bool {
        let lattice = self.context.lattice;
        let names = |at: usize| {
            let mut items = lattice.items.iter().filter(|item| item.start > at && item.start <= at + 2);
            items.any(|item| item.meaning == Meaning::Table(table))
        };
        self.is_word(0, &["by"]) && (0..lattice.words.len()).any(|at| leads_doers(lattice.words, at) && names(at))
    }

    /// Whether a value says what kind of things rows are, that have names of their own.
    fn names_rows(&self, column: ColumnId) -> bool {
        let index = self.context.index;
        let table = index.columns[column].table;
        !index.is_event(table) && !index.row_name(table).contains(&column)
    }

    /// `per`, not `by` or `for each`.
    pub(super) fn says_per(&self) -> bool {
        let lattice = self.context.lattice;
        lattice.words.iter().any(|word| word.lower == "per")
    }

    /// `the average cost per order`, where each order has a cost: the average over the orders.
    pub(super) fn is_averaged_over(&self, table: TableId) -> bool {
        matches!(self.frame.measures.last(), Some(Expr::Aggregate(Function::Average | Function::Median, column))
            if self.context.index.columns[*column].table == table)
    }

    pub(super) fn is_every(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Operator(Operator::Each | Operator::GroupBy)))
    }

    pub(super) fn group_column(&mut self, column: ColumnId) -> Option<Group> {
        let index = self.context.index;
        let entry = &index.columns[column];
        if entry.kind == ColumnKind::Time || entry.aggregation.is_some() {
            return None;
        }
        if index.is_reference(column) {
            return Some(Group::Rows(index.referred_table(column)?, Some(Role::Reference(column))));
        }
        Some(Group::Column(column, self.role.take()))
    }
}

//! Second parts of a question: columns, names and measures that are asked for beside the head.

use super::Reader;
use crate::frame::cover::Token;
use crate::frame::parts::{By, Head, Mode, Want};
use crate::frame::states::{State, Stated, is_deadline};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::Direction;
use crate::links::model_index::{ColumnId, ColumnKind};
use crate::links::person_roles::is_persons;
use crate::question::time::unit;
use crate::sql_generation::join_paths::leads_to_one;

impl Reader<'_> {
    /// `…, and in which town is it?`: more is asked of the rows that the first part asks for.
    pub(super) fn asks_further(&self) -> bool {
        let is_and = |token: &Token| match token {
            Token::Operator(Operator::And) => true,
            Token::Word(word) => word == "and",
            _ => false,
        };
        let is_led = |token: &Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "in" | "at" | "for" | "from" | "to"));
        let before = self.tokens[..self.at].iter().rev().find(|token| !is_led(token));
        self.mode == Mode::Whole && self.frame.head.is_some() && self.frame.rank.is_some() && before.is_some_and(is_and)
    }

    /// `directors and their plays`: each play beside its director.
    pub(super) fn pairs_with_head(&mut self) -> bool {
        let index = self.context.index;
        let is_and = match self.before() {
            Some(Token::Operator(Operator::And)) => true,
            Some(Token::Word(word)) => matches!(word.as_str(), "and" | "with"),
            _ => false,
        };
        let (Some(Head::Table(head)), Some(Token::Table(next))) = (self.frame.head, self.token(1).cloned()) else {
            return false;
        };
        let is_plain =
            self.frame.want != Some(Want::Count) && self.frame.measures.is_empty() && self.frame.rank.is_none();
        let [label] = index.row_name(head)[..] else { return false };
        if self.mode == Mode::Edit || !is_and || !is_plain || !leads_to_one(index, next, head) || index.is_event(next) {
            return false;
        }
        self.frame.beside.push((label, self.frame.head_role.take()));
        self.frame.head = Some(Head::Table(next));
        self.frame.want = Some(Want::Rows);
        self.at += 1;
        true
    }

    /// `the cranes with their daily rate`.
    pub(super) fn asks_for_column(&self) -> bool {
        let index = self.context.index;
        let is_with = matches!(self.before(), Some(Token::Word(word)) if matches!(word.as_str(), "with" | "and"))
            || matches!(self.before(), Some(Token::Operator(Operator::And)));
        let stated =
            self.frame.clauses[0].predicates.first().map(|(predicate, _)| index.columns[predicate.column()].table);
        let table = match self.frame.head {
            Some(Head::Table(table)) => Some(table),
            Some(Head::Column(_)) => None,
            None => stated,
        };
        let is_own =
            matches!(self.token(1), Some(Token::Column(column)) if Some(index.columns[*column].table) == table);
        let is_plain = self.frame.measures.is_empty() && self.frame.rank.is_none() && self.frame.groups.is_empty();
        self.mode == Mode::Whole
            && is_with
            && is_own
            && is_plain
            && !matches!(self.frame.want, Some(Want::Count | Want::Amount))
    }

    /// `loans with the name of the borrower`.
    pub(super) fn asks_for_names(&mut self) -> bool {
        let is_article =
            |token: &Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "the" | "their" | "its"));
        let before = self.tokens[..self.at].iter().rev().find(|token| !is_article(token));
        let is_with = matches!(before, Some(Token::Word(word)) if word == "with");
        let is_of = self.is_word(1, &["of"]);
        let is_asked = self.mode == Mode::Whole && is_with && is_of && matches!(self.frame.head, Some(Head::Table(_)));
        if is_asked {
            self.frame.want.get_or_insert(Want::Rows);
        }
        is_asked
    }

    /// `which branch opened first`: by the day that the verb tells.
    pub(super) fn ranks_by_day(&mut self, word: &str) -> bool {
        let Some(Token::Column(day)) = self.before().cloned() else { return false };
        let entry = &self.context.index.columns[day];
        let is_person = self.frame.want == Some(Want::Persons) && self.frame.head.is_none();
        let is_person = is_person && is_persons(self.context.index, entry.table);
        let is_of_head = self.frame.head == Some(Head::Table(entry.table)) || is_person;
        let is_of_head = is_of_head && entry.kind == ColumnKind::Time;
        let is_next_name =
            matches!(self.token(1), Some(Token::Table(_) | Token::Column(_) | Token::Number(_) | Token::Period(_)));
        if !is_of_head || is_next_name || self.frame.rank.is_some() || self.mode == Mode::Edit {
            return false;
        }
        let direction = if word == "first" { Direction::Ascending } else { Direction::Descending };
        self.clause().time = None;
        self.rank(direction, None).and_then(|()| self.rank_by(By::Column(day))).is_some()
    }

    /// Something else that is shown of the rows asked for.
    pub(super) fn show_beside(&mut self, column: ColumnId) -> Option<()> {
        let role = self.role.take();
        self.is_further = false;
        self.frame.beside.push((column, role));
        Some(())
    }

    /// `whose license has expired`.
    pub(super) fn is_stated_next(&self) -> bool {
        matches!(self.token(1), Some(Token::State(Stated { end: Some(_), .. })))
    }

    /// `whose inspection is overdue`: the day by which it was to be done.
    pub(super) fn names_deadline_next(&self) -> bool {
        let is_deadline =
            matches!(self.token(1), Some(Token::Column(column)) if is_deadline(self.context.index, *column));
        let is_overdue = |token: &Token| matches!(token, Token::State(Stated { state: State::Overdue, .. }));
        let behind = (2..).find(|offset| !matches!(self.token(*offset), Some(Token::Word(_)))).unwrap_or(2);
        is_deadline && self.token(behind).is_some_and(is_overdue)
    }

    /// `and by year` goes on with the groups before, while `and by region` takes their place.
    pub(super) fn is_grouped_next(&self) -> bool {
        let is_led = self.is_word(1, &["by", "per"])
            || matches!(self.token(1), Some(Token::Operator(Operator::GroupBy | Operator::Each)));
        let is_unit = matches!(self.token(2), Some(Token::Word(word)) if unit(word).is_some());
        is_led && is_unit || matches!(self.token(1), Some(Token::Operator(Operator::Grain(_))))
    }
}

//! One row of many by its day: `the next class`, `the last order`, `her first 3 loans`.

use super::Reader;
use crate::frame::cover::Token;
use crate::frame::parts::{By, Mode};
use crate::frame::states::{State, upcoming_time};
use crate::interpretation::query::Direction;
use crate::lattice::Meaning;
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::sql_generation::time_of_rows;

/// Whether the rows of a table happen on a day: events, and things that have a day called after them.
pub(super) fn has_own_day(index: &ModelIndex, table: TableId) -> bool {
    let is_own = |column: &ColumnId| index.columns[*column].is_tables_own_time;
    index.is_event(table) || index.tables[table].columns.iter().any(is_own)
}

impl Reader<'_> {
    /// Whether the word picks rows of the table behind it, which are ranked by their day then.
    pub(super) fn picks_by_day(&mut self, word: &str) -> bool {
        let index = self.context.index;
        let is_open = self.mode == Mode::Whole
            && self.frame.rank.is_none()
            && self.frame.head.is_none()
            && self.frame.measures.is_empty()
            && self.frame.groups.is_empty();
        let Some((table, number)) = self.picked().filter(|_| is_open) else { return false };
        let (time, direction) = match word {
            "next" => (upcoming_time(index, table, self.context.today), Direction::Ascending),
            "first" => (time_of_rows(index, table), Direction::Ascending),
            _ => (time_of_rows(index, table), Direction::Descending),
        };
        let Some(time) = time.filter(|time| index.columns[*time].table == table) else { return false };
        self.at += usize::from(number.is_some());
        if word == "next" {
            self.clause().states.push(State::Upcoming.into());
        }
        self.is_picked = true;
        self.rank(direction, number).and_then(|()| self.rank_by(By::Column(time))).is_some()
    }

    /// The events that follow, and how many of them: one, unless a number says it.
    fn picked(&self) -> Option<(TableId, Option<f64>)> {
        let (number, from) = match self.token(1) {
            Some(Token::Number(number)) => (Some(*number), 2),
            _ => (None, 1),
        };
        let is_between = |token: &&Token| matches!(token, Token::Value(..) | Token::Flag(_));
        let Some(Token::Table(table)) = self.tokens[self.at + from..].iter().find(|token| !is_between(token)) else {
            return None;
        };
        let is_dated = has_own_day(self.context.index, *table);
        (is_dated && (number.is_some() || self.is_singular(*table))).then_some((*table, number))
    }

    fn is_singular(&self, table: TableId) -> bool {
        let lattice = self.context.lattice;
        lattice.items.iter().any(|item| {
            let last = &lattice.words[item.end - 1];
            item.meaning == Meaning::Table(table) && last.lower == last.lemma
        })
    }
}

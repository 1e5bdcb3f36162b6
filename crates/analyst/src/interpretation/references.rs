//! References within a table: `the name of the manager of …` is of the row that another row refers to.

use super::context::Want;
use super::parser::{Asked, Parser};
use super::query::Expr;
use crate::links::model_index::ColumnId;

impl Parser<'_> {
    /// `the first name of the supervisor`: a column and the reference behind it.
    pub(super) fn referred_at(&mut self, at: usize, column: ColumnId) -> bool {
        if self.possessed_at(at, column) {
            return true;
        }
        let place = self.skip(at + 1, &["of", "the", "a", "an", "their", "its", "his", "her"]);
        let of = (at + 1..place).any(|between| self.text(between) == "of");
        let Some((reference, _)) = self.resolve(place, Want::Any).filter(|_| of) else { return false };
        if !self.index.refers_to_own_table(reference) || !self.are_of_one_table(reference, column) {
            return false;
        }
        self.used[place] = true;
        self.entity.get_or_insert(self.index.columns[column].table);
        self.select(at, Asked::Expr(Expr::Referred(reference, column)));
        true
    }

    /// `the supervisor's first name`.
    fn possessed_at(&mut self, at: usize, reference: ColumnId) -> bool {
        if self.text(at + 1) != "'s" || !self.index.refers_to_own_table(reference) {
            return false;
        }
        let shown = self.resolve(at + 2, Want::Any).filter(|(shown, _)| self.are_of_one_table(reference, *shown));
        let Some((shown, _)) = shown else { return false };
        self.used[at..=at + 2].fill(true);
        self.entity.get_or_insert(self.index.columns[shown].table);
        self.select(at, Asked::Expr(Expr::Referred(reference, shown)));
        true
    }

    /// `Who manages Ann? Show the last name.`: what is asked for behind is of the row referred to.
    pub(super) fn tell_of_referred(&mut self) {
        let stated =
            self.selected.iter().position(|selected| matches!(selected.asked, Asked::Expr(Expr::Referred(..))));
        let Some((stated, Asked::Expr(Expr::Referred(reference, _)))) =
            stated.map(|place| (place, self.selected[place].asked.clone()))
        else {
            return;
        };
        let sentence = self.selected[stated].sentence;
        let mut is_asked_anew = false;
        for place in 0..self.selected.len() {
            if let Asked::Expr(Expr::Column(column)) = self.selected[place].asked
                && self.selected[place].sentence > sentence
                && self.are_of_one_table(reference, column)
            {
                self.selected[place].asked = Asked::Expr(Expr::Referred(reference, column));
                is_asked_anew = true;
            }
        }
        if is_asked_anew {
            self.selected.remove(stated);
        }
    }

    fn are_of_one_table(&self, one: ColumnId, other: ColumnId) -> bool {
        self.index.columns[one].table == self.index.columns[other].table
    }
}

//! `all categories`, and values that two tables share: `countries with a store but no supplier`.

use super::context::Want;
use super::operators::Operator;
use super::parser::{DETERMINERS, Parser, Reading};
use super::query::{Comparison, Condition, Expr, Function, Operand, Query, SetOperation};
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, TableId};
use crate::links::phrase_match::is_function_word;
use crate::question::lemma::is_past;

impl Parser<'_> {
    /// `who bought products of all categories`: as many different ones as there are.
    pub(super) fn all_at(&mut self, at: usize) -> bool {
        let place = self.skip(at + 1, DETERMINERS);
        let ends = matches!(self.text(place + 1), "" | "?" | ".");
        let [super::parser::Selected { asked: super::parser::Asked::Rows(rows), at: asked, .. }] =
            self.selected.as_slice()
        else {
            return false;
        };
        let (rows, asked) = (*rows, *asked);
        let spread = matches!(self.text(at - 1), "across" | "among" | "amongst" | "for" | "with" | "over");
        if spread || !ends || self.mention(place).is_none() || !(asked + 1..at).any(|between| self.is_verb(between)) {
            return false;
        }
        let named = self.tables_named.iter().find(|(named, _)| *named == place).map(|(_, table)| *table);
        let counted = match named {
            Some(table) => match self.index.tables[table].key.as_slice() {
                [key] => Some(*key),
                _ => None,
            },
            None => self.resolve(place, Want::Any).map(|(column, _)| column),
        };
        let Some(column) = counted.filter(|&column| self.index.columns[column].table != rows) else {
            return false;
        };
        self.used[at..=place].fill(true);
        let different = Expr::Aggregate(Function::CountDistinct, column);
        let whole = Query { select: vec![different.clone()], ..Query::default() };
        self.add_having(Condition::Compare(different, Comparison::Equal, Operand::Query(Box::new(whole))));
        true
    }

    /// `how many members take part in an activity`: those that any such row belongs to count once.
    pub(super) fn counted_with(&mut self, at: usize, table: TableId) -> bool {
        let any = at.checked_sub(1).is_some_and(|before| matches!(self.text(before), "a" | "an" | "any" | "some"));
        let ends = matches!(self.text(at + 1), "" | "?" | "." | "," | "and");
        let [super::parser::Selected { asked: super::parser::Asked::Expr(Expr::CountRows(rows)), .. }] =
            self.selected.as_slice()
        else {
            return false;
        };
        let rows = *rows;
        if !any || !ends || rows == table || !self.multiplies(rows, table) {
            return false;
        }
        let Some(Condition::Not(inside)) = self.not_among(rows, table, Vec::new()) else { return false };
        self.add_condition(*inside);
        true
    }

    /// A word that says what is done.
    pub(super) fn is_verb(&self, at: usize) -> bool {
        let text = self.text(at);
        match &self.chunks[at].kind {
            ChunkKind::Word => !is_function_word(text) && text.chars().any(char::is_alphabetic),
            ChunkKind::Mention(_) => text.ends_with("ed") || text.ends_with("ing") || is_past(text),
            _ => false,
        }
    }

    /// `which countries have X but no Y`, where both X and Y have a country.
    pub(super) fn shared_values(&self) -> Option<Reading> {
        let first = self.skip(0, &["which", "what", "list", "show", "find", "the", "are", "all", "me", "different"]);
        let link = self.skip(first + 1, &["there", "that", "which", "number", "numbers"]);
        self.mention(first)?;
        if matches!(self.text(link), "of" | "for") {
            return self.values_of_both(first, link);
        }
        if !matches!(self.text(link), "have" | "has" | "with" | "having") {
            return None;
        }
        let left = self.skip(link + 1, &["both", "a", "an", "any", "either", "the"]);
        let one = self.table_named_at(left)?;
        let mut right = left + 1;
        let mut operation = None;
        while right < self.chunks.len() && self.table_named_at(right).is_none() {
            operation = match (self.operator(right), self.text(right)) {
                (Some(Operator::Without | Operator::Not), _) => Some(SetOperation::Except),
                (Some(Operator::Or), _) => operation.or(Some(SetOperation::Union)),
                (Some(Operator::And), _) => operation.or(Some(SetOperation::Intersect)),
                (_, "but" | "," | "a" | "an" | "any" | "also" | "do" | "have" | "the" | "with") => operation,
                _ => return None,
            };
            right += 1;
        }
        let other = self.table_named_at(right).filter(|other| *other != one)?;
        if !matches!(self.text(right + 1), "" | "?" | ".") {
            return None;
        }
        let (own, its) = self.same_column(first, one, other)?;
        Some(self.combined(own, operation?, its))
    }

    /// `the phone numbers of all customers and suppliers`, which have nothing else to do with each other.
    fn values_of_both(&self, first: usize, link: usize) -> Option<Reading> {
        let left = self.skip(link + 1, &["all", "the", "both", "our"]);
        let one = self.table_named_at(left)?;
        matches!(self.operator(left + 1), Some(Operator::And)).then_some(())?;
        let right = self.skip(left + 2, &["all", "the", "our"]);
        let other = self.table_named_at(right).filter(|other| *other != one)?;
        let ends = matches!(self.text(right + 1), "" | "?" | ".");
        let related =
            self.index.joins.iter().any(|join| [one, other].contains(&join.left) && [one, other].contains(&join.right));
        let (own, its) = self.same_column(first, one, other).filter(|_| ends && !related)?;
        Some(self.combined(own, SetOperation::Union, its))
    }

    fn combined(&self, own: ColumnId, operation: SetOperation, its: ColumnId) -> Reading {
        let of = |column: ColumnId| Query { select: vec![Expr::Column(column)], ..Query::default() };
        let query = Query { combined: Some((operation, Box::new(of(its)))), distinct: true, ..of(own) };
        Reading {
            query,
            explained: self.explained(),
            is_fragment: false,
            groups: Vec::new(),
            is_share: false,
            repeats: 0,
            is_bare_count: false,
            top: None,
            beside: None,
        }
    }

    fn table_named_at(&self, at: usize) -> Option<TableId> {
        self.tables_named.iter().find(|(place, _)| *place == at).map(|(_, table)| *table)
    }

    /// A column of each of two tables that a mention names alike.
    fn same_column(&self, at: usize, one: TableId, other: TableId) -> Option<(ColumnId, ColumnId)> {
        let words = &self.words[self.chunks[at].start..self.chunks[at].end];
        let named = |table: TableId| {
            let columns = self.index.tables[table].columns.iter().copied();
            let spelled = |column: &ColumnId| {
                let own = &self.index.columns[*column].words;
                let words = match words {
                    [start @ .., last] if own.len() < words.len() && last.lemma == "number" => start,
                    words => words,
                };
                own.len() == words.len() && own.iter().zip(words).all(|(own, word)| *own == word.lemma)
            };
            let label =
                || matches!(words, [word] if word.lemma == "name").then(|| self.index.label(table).first().copied());
            columns.into_iter().find(spelled).or_else(|| label().flatten())
        };
        Some((named(one)?, named(other)?))
    }
}

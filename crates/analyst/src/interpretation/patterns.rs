//! Parts of texts: what a column contains, starts or ends with.

use super::context::Want;
use super::operators::Operator;
use super::parser::{Joiner, Parser};
use super::query::Condition;
use crate::links::model_index::{ColumnId, DataKind};

impl Parser<'_> {
    /// `contains "x"`, `starts with "x"`.
    pub(super) fn pattern_at(&mut self, at: usize, operator: Operator) {
        let value_at = self.skip(
            at + 1,
            &[
                "the",
                "a",
                "an",
                "word",
                "letter",
                "letters",
                "string",
                "substring",
                "phrase",
                "prefix",
                "character",
                "in",
                "it",
                "them",
                "name",
                "with",
                "value",
            ],
        );
        if value_at >= self.chunks.len() {
            return;
        }
        if matches!(self.operator(value_at), Some(Operator::Compare(_))) {
            return;
        }
        let words = &self.words[self.chunks[value_at].start..self.chunks[value_at].end];
        let value = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let column = self.pending.map(|(_, column)| column).or_else(|| self.last_text_column(at));
        let Some(column) = column else { return };
        if operator == Operator::Contains && self.holds_rows(value_at, column) {
            return;
        }
        let pattern_of = |value: &str| match operator {
            Operator::StartsWith => format!("{value}%"),
            Operator::EndsWith => format!("%{value}"),
            _ => format!("%{value}%"),
        };
        let quoted = self.mention(value_at).is_some_and(|mention| mention.quoted.is_some());
        if !quoted && value.chars().count() > 1 && self.mention(value_at).is_some_and(|mention| !mention.is_value()) {
            return;
        }
        let negated = (0..at).rev().take(2).any(|place| self.operator(place) == Some(Operator::Not));
        let like = |value: &str| {
            let like = Condition::Like(column, pattern_of(value));
            if negated { Condition::Not(Box::new(like)) } else { like }
        };
        self.used[value_at] = true;
        self.pending = None;
        self.add_condition(like(&value));
        let mut last = value_at;
        while let Some((place, joiner, value)) = self.next_quoted(last) {
            self.used[last + 1..=place].fill(true);
            self.joiner = joiner;
            self.add_condition(like(&value));
            last = place;
        }
    }

    /// `'superstar' or 'edu'`: the next text in quotation marks.
    fn next_quoted(&self, at: usize) -> Option<(usize, Joiner, String)> {
        let joiner = match self.operator(at + 1)? {
            Operator::Or => Joiner::Or,
            Operator::And => Joiner::And,
            _ => return None,
        };
        let quoted = self.mention(at + 2)?.quoted.clone()?;
        Some((at + 2, joiner, quoted))
    }

    /// `receipts that contain an apple pie`: a whole value of another table is a row that belongs to them, no part of a text.
    fn holds_rows(&self, value_at: usize, column: ColumnId) -> bool {
        let table = self.index.columns[column].table;
        let whole = self.mention(value_at).is_some_and(|mention| {
            let of = |of: ColumnId| self.index.columns[of].table;
            !mention.values.is_empty()
                && mention.values.iter().all(|(other, _, score)| *score >= 0.95 && of(*other) != table)
        });
        whole || self.operator(value_at).is_some()
    }

    fn last_text_column(&self, at: usize) -> Option<ColumnId> {
        let mentioned = (0..at).rev().find_map(|place| {
            let (column, _) = self.resolve(place, Want::Text)?;
            (self.index.columns[column].data == DataKind::Text).then_some(column)
        });
        mentioned.or_else(|| self.index.label(self.main_table()?).first().copied())
    }
}

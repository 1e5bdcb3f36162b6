//! Ratios of measures, the part that some rows make of the whole, and averages over groups.

use super::parser::{Asked, Group, Parser};
use super::query::{Comparison, Condition, Expr, Function, Operand, Query};
use crate::links::model_index::{ColumnKind, ModelIndex, TableId};

impl Parser<'_> {
    /// `the ratio of A to B`.
    pub(super) fn divide(&self, query: &mut Query) {
        let measures: Vec<usize> = (0..query.select.len()).filter(|&at| query.select[at].is_aggregate()).collect();
        let (true, [first, second]) = (self.shape.ratio, measures.as_slice()) else { return };
        let denominator = query.select.remove(*second);
        let numerator = query.select[*first].clone();
        query.select[*first] = Expr::Ratio(Box::new(numerator), Box::new(denominator));
    }

    /// `the difference between the highest and the lowest price`.
    pub(super) fn subtract(&self, query: &mut Query) {
        let asked = self.words.windows(2).any(|pair| pair[0].lower == "difference" && pair[1].lower == "between");
        if let (true, [first @ Expr::Aggregate(..), second @ Expr::Aggregate(..)]) = (asked, query.select.as_slice()) {
            query.select = vec![Expr::Difference(Box::new(first.clone()), Box::new(second.clone()))];
        }
    }

    /// `what percentage of orders were cancelled`: the last condition tells the part, the others the whole.
    pub(super) fn portion(&self, query: &mut Query) -> bool {
        let measures: Vec<usize> = (0..query.select.len()).filter(|&at| query.select[at].is_aggregate()).collect();
        let ([measure], false) = (measures.as_slice(), query.conditions.is_empty()) else { return false };
        if !self.shape.share || (query.select.len() > 1 && !self.tells_part()) {
            return false;
        }
        let place = (0..query.conditions.len()).rev().find(|&at| !self.is_about_time(&query.conditions[at]));
        if place.is_none() && query.select.len() > 1 {
            return false;
        }
        let part = query.conditions.remove(place.unwrap_or(query.conditions.len() - 1));
        query.select[*measure] = Expr::Portion(Box::new(query.select[*measure].clone()), vec![part]);
        true
    }

    /// `what percentage of orders were cancelled by channel` says of what the part is; `the share of revenue by channel
    /// in Norway` does not.
    fn tells_part(&self) -> bool {
        let says = |place: usize| {
            matches!(
                self.text(place),
                "is" | "are" | "was" | "were" | "came" | "come" | "comes" | "have" | "has" | "had"
            )
        };
        let asks = (0..self.chunks.len()).any(|place| matches!(self.text(place), "do" | "does" | "did"));
        !asks && (self.shape.share_at + 1..self.chunks.len()).any(says)
    }

    fn is_about_time(&self, condition: &Condition) -> bool {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        let is_between_two = matches!(condition, Condition::Compare(_, _, Operand::Expr(_)));
        !is_between_two && columns.iter().all(|column| self.index.columns[*column].kind == ColumnKind::Time)
    }

    /// Rows that a share is asked of are counted.
    pub(super) fn shared_rows(&self) -> Option<TableId> {
        let only_rows = self.selected.iter().all(|selected| matches!(selected.asked, Asked::Rows(_)));
        match self.selected.first().map(|selected| &selected.asked) {
            Some(Asked::Rows(table)) if self.shape.share && only_rows => Some(*table),
            _ => None,
        }
    }

    /// `the average number of orders per customer`: an aggregate of what each group has.
    pub(super) fn summarise(&self, query: &mut Query) {
        let Some(function) = self.shape.summary.filter(|_| self.shape.is_per || self.shape.counts_for_groups) else {
            return;
        };
        let groups = query.select.iter().filter(|expr| !expr.is_aggregate()).count() + query.group.len();
        let measures = query.select.iter().filter(|expr| expr.is_aggregate()).count();
        if groups > 0 && measures == 1 && query.order.is_empty() && query.having.is_empty() {
            query.select.sort_by_key(Expr::is_aggregate);
            query.summary = Some(function);
            query.summary_by = self.larger_groups();
            self.keep_rows_apart(query);
        }
    }

    /// Rows that are averaged over are distinguished by their key.
    fn keep_rows_apart(&self, query: &mut Query) {
        if let [Group::Rows(table)] = self.shape.per_groups.as_slice() {
            let key = self.index.tables[*table].key.iter().map(|key| Expr::Column(*key));
            let new: Vec<Expr> = key.filter(|key| !query.select.contains(key) && !query.group.contains(key)).collect();
            query.group.extend(new);
        }
    }

    /// `the average revenue per order by channel`: an order is averaged over, a channel is stated.
    fn larger_groups(&self) -> Vec<Expr> {
        match self.shape.per_groups.as_slice() {
            [per] => self.expressions_of(self.groups.iter().filter(|group| *group != per)),
            _ => Vec::new(),
        }
    }

    /// `how many customers placed at least 5 orders`: those who did are found first.
    pub(super) fn count_groups(&self, query: &mut Query) {
        let [counted] = query.select.as_slice() else { return };
        if query.having.is_empty() || !query.group.is_empty() || query.combined.is_some() {
            return;
        }
        let key = match counted {
            Expr::CountRows(table) if !query.having.iter().any(|one| counts(one, *table)) => {
                match self.index.tables[*table].key.as_slice() {
                    [key] => *key,
                    _ => return,
                }
            }
            Expr::Aggregate(Function::CountDistinct, column) => *column,
            _ => return,
        };
        let nested = Query {
            select: vec![Expr::Column(key)],
            group: vec![Expr::Column(key)],
            conditions: std::mem::take(&mut query.conditions),
            having: std::mem::take(&mut query.having),
            joined: std::mem::take(&mut query.joined),
            ..Query::default()
        };
        query.conditions = vec![Condition::In(key, Box::new(nested))];
    }
}

/// A measure as a share of its sum; what the model averages is summed up for it.
pub fn share_of(index: &ModelIndex, measure: &Expr) -> Expr {
    let summed = match measure {
        Expr::Aggregate(Function::Metric, column) if index.columns[*column].kind == ColumnKind::Fact => {
            Expr::Aggregate(Function::Sum, *column)
        }
        other => other.clone(),
    };
    Expr::Share(Box::new(summed))
}

fn counts(condition: &Condition, table: TableId) -> bool {
    match condition {
        Condition::Compare(Expr::CountRows(other), comparison, _) => {
            *other == table && *comparison != Comparison::NotEqual
        }
        Condition::Any(all) | Condition::All(all) => all.iter().any(|one| counts(one, table)),
        _ => false,
    }
}

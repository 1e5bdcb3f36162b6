//! What is denied: a value, or the very existence of related rows.

use super::context::Want;
use super::flags::Said;
use super::operators::Operator;
use super::parser::{LINKING_WORDS, Parser, Phase};
use super::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::mentions::Mention;
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::sql_generation::join_paths::path;

impl Parser<'_> {
    /// `not`, `never`: denies what follows in the clause.
    pub(super) fn not_at(&mut self, at: usize) {
        self.phase = Phase::Filter;
        let next = self.skip(
            at + 1,
            &[
                "the", "a", "an", "be", "been", "is", "are", "in", "from", "have", "to", "at", "on", "by", "of", "any",
                "yet", "already", "ever",
            ],
        );
        let compared = matches!(
            self.operator(next),
            Some(
                Operator::Compare(_)
                    | Operator::Contains
                    | Operator::StartsWith
                    | Operator::EndsWith
                    | Operator::Between
            )
        );
        if compared {
            return;
        }
        if let (Some((_, column)), Some(mention)) = (self.pending, self.mention(next))
            && (mention.values.iter().any(|(of, _, _)| *of == column) || mention.quoted.is_some())
            && let Some(literal) = self.literal_at(next, column)
        {
            self.used[next] = true;
            self.pending = None;
            self.add_condition(Condition::Compare(
                Expr::Column(column),
                Comparison::NotEqual,
                Operand::Literal(literal),
            ));
            return;
        }
        if self.denied_year(next) || self.not_done_at(next) {
            return;
        }
        if let Some(column) = self.condition_named(next) {
            self.used[next] = true;
            self.add_condition(Condition::Not(Box::new(Condition::Named(column))));
            return;
        }
        if let Some(condition) = self.flag_at(next).and_then(|column| self.flag_condition(column, Said::No)) {
            self.used[next] = true;
            self.add_condition(condition);
            return;
        }
        self.without_at(at);
    }

    /// `who ordered in 2024 but not in 2025`: no such row in that year.
    fn denied_year(&mut self, at: usize) -> bool {
        let year = self.number(at).filter(|year| year.fract() == 0.0 && (1900.0..2200.0).contains(year));
        let (Some(year), Some(owner), Some(event)) =
            (year, self.main_table(), self.time_verb.or_else(|| self.time_of_verb()))
        else {
            return false;
        };
        let target = self.index.columns[event].table;
        let denied = (target != owner)
            .then(|| self.not_among(owner, target, vec![self.year_condition(event, Comparison::Equal, year)]));
        let Some(condition) = denied.flatten() else { return false };
        self.used[at] = true;
        self.add_condition(condition);
        true
    }

    /// `without X`, `no X`, `except those with X`: rows that no such row refers to.
    pub(super) fn without_at(&mut self, at: usize) {
        self.phase = Phase::Filter;
        let end = self.clause_end(at + 1);
        let Some(owner) = self.denied_owner(at) else { return };
        if let Some(condition) = self.denied_value(at, end, owner) {
            let condition = self.denied_of_group(at, condition);
            self.add_condition(condition);
            return;
        }
        if let Some(condition) = self.denied_rows(at, end, owner) {
            self.add_condition(condition);
        }
    }

    fn clause_end(&self, from: usize) -> usize {
        (from..self.chunks.len())
            .find(|&at| {
                matches!(self.text(at), "," | "." | "?" | "but" | ";")
                    || (self.operator(at) == Some(Operator::And) && !self.next_is_value(at + 1))
                    || matches!(
                        self.operator(at),
                        Some(Operator::OrderBy | Operator::Sorted(_) | Operator::SortedBy(_) | Operator::Alphabetical)
                    )
            })
            .unwrap_or(self.chunks.len())
    }

    fn next_is_value(&self, from: usize) -> bool {
        let at = self.skip(from, &["the", "a", "or", "and"]);
        self.mention(at).is_some_and(Mention::is_value)
    }

    /// The table whose rows are asked for.
    fn denied_owner(&self, at: usize) -> Option<TableId> {
        let before = self.tables_named.iter().rev().find(|(place, _)| *place < at).map(|(_, table)| *table);
        let mentions = (at + 1..self.chunks.len()).any(|place| self.mention(place).is_some());
        let stated = self.entity.or(before).or_else(|| self.selected_tables().first().copied());
        stated.or_else(|| self.background.filter(|_| mentions).map(|background| background.table))
    }

    /// Values of the owner itself are just unequal.
    fn denied_value(&mut self, at: usize, end: usize, owner: TableId) -> Option<Condition> {
        let place = (at + 1..end).find(|&place| {
            self.mention(place).is_some_and(|mention| mention.is_value() && mention.best_table().is_none())
        })?;
        let column = self.mention(place.wrapping_sub(1)).and_then(|mention| {
            let value = self.mention(place)?;
            mention
                .columns
                .iter()
                .map(|(column, _)| *column)
                .find(|column| value.values.iter().any(|(of, _, _)| of == column))
        });
        let column = column.or_else(|| self.column_of_value(place))?;
        let named_other = (at + 1..end)
            .any(|place| self.tables_named.iter().any(|(named, table)| *named == place && *table != owner));
        if self.index.columns[column].table != owner || named_other {
            return None;
        }
        let literal = self.literal_at(place, column)?;
        self.used[at..=place].fill(true);
        let unequal =
            |literal| Condition::Compare(Expr::Column(column), Comparison::NotEqual, Operand::Literal(literal));
        let mut denied = vec![unequal(literal)];
        let mut last = place;
        while let Some((next, literal)) = self.next_value(last, column) {
            self.used[last..=next].fill(true);
            denied.push(unequal(literal));
            last = next;
        }
        Some(if denied.len() == 1 { denied.remove(0) } else { Condition::All(denied) })
    }

    /// `Germany or Austria`: the value of the same column behind one.
    fn next_value(&self, at: usize, column: ColumnId) -> Option<(usize, Literal)> {
        let next = self.skip(at + 1, &["or", "and", ",", "nor", "from", "in"]);
        let joined = next > at + 1 && matches!(self.text(at + 1), "or" | "and" | "," | "nor");
        let mention = self.mention(next).filter(|_| joined)?;
        mention.values.iter().find(|(of, _, _)| *of == column)?;
        Some((next, self.literal_at(next, column)?))
    }

    /// `ranks without captains in X`: no row of the same rank may have it.
    fn denied_of_group(&mut self, at: usize, condition: Condition) -> Condition {
        let whole_group = self.operator(at) != Some(Operator::Not);
        let selected = match self.selected.as_slice() {
            [super::parser::Selected { asked: super::parser::Asked::Expr(Expr::Column(column)), .. }] => Some(*column),
            _ => None,
        };
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        match (selected, &condition) {
            (Some(column), Condition::Compare(compared, Comparison::NotEqual, value))
                if whole_group
                    && !self.index.columns[column].unique
                    && self.index.columns[column].kind == ColumnKind::Dimension
                    && !columns.contains(&column)
                    && columns
                        .iter()
                        .all(|other| self.index.columns[*other].table == self.index.columns[column].table) =>
            {
                let inner = Condition::Compare(compared.clone(), Comparison::Equal, value.clone());
                self.distinct = true;
                let nested = Query { select: vec![Expr::Column(column)], conditions: vec![inner], ..Query::default() };
                Condition::Not(Box::new(Condition::In(column, Box::new(nested))))
            }
            _ => condition,
        }
    }

    fn denied_rows(&mut self, at: usize, end: usize, owner: TableId) -> Option<Condition> {
        let mut inner = self.compared_inside(at, end);
        let mut target: Option<TableId> = None;
        let mut missing: Option<ColumnId> = None;
        for place in at + 1..end {
            if self.used[place] {
                continue;
            }
            let named = self.tables_named.iter().find(|(named, _)| *named == place).map(|(_, table)| *table);
            let Some(mention) = self.mention(place) else { continue };
            if mention.is_value_first() {
                let column = self.column_of_value(place)?;
                let literal = self.literal_at(place, column)?;
                push_alternative(
                    &mut inner,
                    column,
                    Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(literal)),
                );
                target = target.or(Some(self.index.columns[column].table));
            } else if let Some(table) = named {
                target = if table == owner { target } else { Some(table) };
            } else if let Some((column, _)) = self.resolve(place, Want::Any) {
                let table = self.index.columns[column].table;
                if table == owner {
                    missing = missing.or(Some(column));
                } else {
                    target = target.or(Some(table));
                }
            }
            self.used[place] = true;
        }
        if target.is_none() && !inner.is_empty() {
            return self.denied_kind(owner, inner);
        }
        if target.is_none() && inner.is_empty() {
            if let Some(column) = missing {
                return Some(self.lacking(column));
            }
            target = self.only_child(owner);
        }
        let target = target?;
        self.joined.retain(|table| *table != target);
        self.not_among(owner, target, inner)
    }

    /// `countries without a stadium opened after 2006`, where the country is a column of the stadiums.
    fn denied_kind(&mut self, owner: TableId, inner: Vec<Condition>) -> Option<Condition> {
        let [super::parser::Selected { asked: super::parser::Asked::Expr(Expr::Column(column)), .. }] =
            self.selected.as_slice()
        else {
            return None;
        };
        let column = *column;
        let entry = &self.index.columns[column];
        if entry.table != owner || entry.unique || entry.kind != ColumnKind::Dimension {
            return None;
        }
        self.distinct = true;
        let nested = Query { select: vec![Expr::Column(column)], conditions: inner, ..Query::default() };
        Some(Condition::Not(Box::new(Condition::In(column, Box::new(nested)))))
    }

    /// Comparisons inside what is denied belong to it.
    fn compared_inside(&mut self, at: usize, end: usize) -> Vec<Condition> {
        let outside = std::mem::take(&mut self.conditions);
        let owner = self.main_table();
        let denied = self.tables_named.iter().find(|(place, table)| (at..end).contains(place) && Some(*table) != owner);
        let own_time = denied.and_then(|(_, table)| self.time_column_of(*table));
        let time_verb = self.time_verb;
        self.time_verb = time_verb.or(own_time);
        for place in at + 1..end {
            let compares = matches!(
                self.operator(place),
                Some(Operator::Compare(_) | Operator::CompareBy(_) | Operator::Between | Operator::AboveAverage(_))
            );
            let number_column = self.resolve(place, Want::Number).filter(|(column, _)| {
                self.index.columns[*column].data == crate::links::model_index::DataKind::Number
                    && !self.tables_named.iter().any(|(named, _)| *named == place)
            });
            if compares && !self.used[place] {
                self.used[place] = true;
                self.step(place);
            } else if self.is_numbered_column(place) && self.condition_with_column(place) {
                // Stated of what is denied.
            } else if let Some((column, _)) = number_column {
                self.pending = Some((place, column));
            }
        }
        self.pending = None;
        self.time_verb = time_verb;
        let inside = std::mem::replace(&mut self.conditions, outside);
        inside.into_iter().map(|(_, condition)| condition).collect()
    }

    /// `a result with place 1`.
    fn is_numbered_column(&self, at: usize) -> bool {
        let is_column = self.mention(at).is_some_and(|mention| !mention.columns.is_empty())
            && !self.tables_named.iter().any(|(named, _)| *named == at);
        is_column && self.number(self.skip(at + 1, LINKING_WORDS)).is_some()
    }

    fn only_child(&self, owner: TableId) -> Option<TableId> {
        let mut children = self.index.joins.iter().filter(|join| join.right == owner).map(|join| join.left);
        let first = children.next()?;
        children.next().is_none().then_some(first)
    }

    /// `key NOT IN (SELECT reference FROM … WHERE …)`.
    pub(super) fn not_among(&self, owner: TableId, target: TableId, inner: Vec<Condition>) -> Option<Condition> {
        let steps = path(self.index, owner, target)?;
        let first = steps.first()?;
        let (own, other) = first.columns(self.index).into_iter().next()?;
        let own = self.index.column_named(owner, own)?;
        let other = self.index.column_named(first.to, other)?;
        let edge = &self.index.joins[first.join];
        if inner.is_empty() && edge.left == owner && first.to == target && edge.has_gaps {
            return Some(Condition::Missing(own));
        }
        let mut conditions = inner;
        if !self.index.is_key(other) {
            conditions.push(Condition::Not(Box::new(Condition::Missing(other))));
        }
        let nested = Query { select: vec![Expr::Column(other)], conditions, joined: vec![target], ..Query::default() };
        Some(Condition::Not(Box::new(Condition::In(own, Box::new(nested)))))
    }
}

/// Values of one column are alternatives.
fn push_alternative(conditions: &mut Vec<Condition>, column: ColumnId, condition: Condition) {
    let same = conditions.iter_mut().find(|other| {
        let mut columns = Vec::new();
        other.columns(&mut columns);
        columns.contains(&column)
    });
    match same {
        Some(Condition::Any(any)) => any.push(condition),
        Some(other) => *other = Condition::Any(vec![other.clone(), condition]),
        None => conditions.push(condition),
    }
}

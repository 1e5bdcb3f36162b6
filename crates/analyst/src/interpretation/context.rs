//! Which of several columns of the same name is meant: the table named beside it, before it, or anywhere.

use crate::links::mentions::Mention;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::sql_generation::join_paths::distance;

use super::operators::Operator;
use super::parser::{DETERMINERS, Parser};

/// What kind of column is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Any,
    Number,
    Text,
    /// What rows can be the most of: a number or a time.
    Measure,
    /// The same without points in time.
    Extent,
}

impl Parser<'_> {
    /// Notes every table the question names.
    pub(super) fn name_tables(&mut self) {
        for at in 0..self.chunks.len() {
            let Some(mention) = self.mention(at) else { continue };
            if let Some((table, score)) = mention.best_table()
                && score >= 0.5
                && score >= mention.best_column_score() + self.style.table_lead
                && !self.is_rather_value(at)
                && !self.names_event(at)
            {
                self.tables_named.push((at, table));
            }
        }
    }

    /// A value that matches in full outweighs a table that does so only in other words.
    pub(super) fn is_rather_value(&self, at: usize) -> bool {
        let Some(mention) = self.mention(at) else { return false };
        let value = mention.values.iter().map(|(_, _, score)| *score).fold(0.0, f32::max);
        value >= 0.85 && mention.best_table().is_none_or(|(_, score)| score < 0.8) && mention.best_column_score() < 0.8
    }

    pub(super) fn is_named(&self, table: TableId) -> bool {
        self.tables_named.iter().any(|(_, named)| *named == table)
    }

    /// The table a mention of a column belongs to by its place: `ages of students`, `student's age`, `student age`.
    pub(super) fn attached_table(&self, at: usize) -> Option<TableId> {
        self.attached_before(at).or_else(|| self.attached_behind(at))
    }

    fn attached_before(&self, at: usize) -> Option<TableId> {
        let before = at.checked_sub(1)?;
        let owner = if self.text(before) == "'s" { before.checked_sub(1)? } else { before };
        self.tables_named.iter().find(|(place, _)| *place == owner).map(|(_, table)| *table)
    }

    fn attached_behind(&self, at: usize) -> Option<TableId> {
        let mut position = at + 1;
        while position < self.chunks.len() {
            let text = self.text(position);
            if matches!(text, "of" | "for" | "from" | "in" | "across" | "among" | "on")
                || self.operator(position) == Some(Operator::Each)
            {
                let next = self.skip_modifiers(position + 1);
                if let Some((_, table)) = self.tables_named.iter().find(|(place, _)| *place == next) {
                    return Some(*table);
                }
                return self.owner_of_column(next);
            }
            let in_list = matches!(text, "," | "and" | "the" | "as well as" | "all" | "each" | "or" | "along with")
                || self.operator(position).is_some_and(|operator| {
                    matches!(operator, Operator::Aggregate(_) | Operator::Distinct | Operator::And)
                })
                || self.mention(position).is_some_and(|mention| !mention.columns.is_empty());
            if text.contains(" of ") || text.contains(" for ") {
                return self
                    .mention(position)
                    .and_then(|mention| mention.columns.first())
                    .map(|(column, _)| self.index.columns[*column].table);
            }
            if !in_list {
                return None;
            }
            position += 1;
        }
        None
    }

    /// `the description of the role code`: the table of the column named behind.
    fn owner_of_column(&self, at: usize) -> Option<TableId> {
        let mention = self.mention(at)?;
        let (best, score) = mention.columns.first().copied()?;
        if mention.tables.iter().any(|(table, _)| *table != self.index.columns[best].table) {
            return None;
        }
        let keys = mention.columns.iter().find(|(column, link)| *link >= score && self.index.is_key(*column));
        (score >= 0.95).then(|| self.index.columns[keys.map_or(best, |(column, _)| *column)].table)
    }

    /// Passes determiners, values (`of female students`) and superlatives on the way to a noun.
    fn skip_modifiers(&self, from: usize) -> usize {
        let mut at = self.skip(from, DETERMINERS);
        while at < self.chunks.len() {
            let passes = self.mention(at).is_some_and(Mention::is_value_first)
                || self.number(at).is_some()
                || matches!(
                    self.operator(at),
                    Some(
                        Operator::SuperlativeBy(_)
                            | Operator::Superlative(_)
                            | Operator::MostCommon(_)
                            | Operator::Distinct
                            | Operator::Each
                            | Operator::Top(_)
                    )
                );
            if !passes {
                break;
            }
            at = self.skip(at + 1, DETERMINERS);
        }
        at
    }

    /// The nearest table named before a chunk.
    pub(super) fn antecedent(&self, at: usize) -> Option<TableId> {
        if self.sentence > 0 && self.phase == super::parser::Phase::Select && self.entity.is_some() {
            return self.entity;
        }
        self.tables_named.iter().rev().find(|(place, _)| *place < at).map(|(_, table)| *table)
    }

    /// The best column for a mention in its place.
    pub(super) fn resolve(&self, at: usize, want: Want) -> Option<(ColumnId, f32)> {
        let mention = self.mention(at)?;
        let attached = self.attached_table(at);
        let antecedent = self.antecedent(at);
        let anchor =
            attached.or(antecedent).or(self.entity).or_else(|| self.tables_named.first().map(|(_, table)| *table));
        if let Some(label) = self.name_of(at, attached) {
            return Some((label, 1.2));
        }
        mention
            .columns
            .iter()
            .map(|&(column, link)| {
                let own = if self.names_table(at, column) { 0.3 } else { 0.0 };
                (column, link + own + self.fit(column, want, attached, antecedent, anchor))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Whether the words of a mention hold the name of the column's own table: `customer ids` are those of customers.
    pub(super) fn names_table(&self, at: usize, column: ColumnId) -> bool {
        let chunk = &self.chunks[at];
        let own = &self.index.tables[self.index.columns[column].table].words;
        let lemmas: Vec<&str> = self.words[chunk.start..chunk.end].iter().map(|word| word.lemma.as_str()).collect();
        lemmas.len() > own.len() && own.iter().all(|word| lemmas.contains(&word.as_str()))
    }

    /// The `name` of a table without a column of that name is what names its rows.
    fn name_of(&self, at: usize, attached: Option<TableId>) -> Option<ColumnId> {
        let owned = at.checked_sub(1).is_some_and(|before| matches!(self.text(before), "whose" | "their" | "its"));
        let table = attached.or_else(|| self.antecedent(at).filter(|_| owned))?;
        if !matches!(self.text(at), "name" | "names") {
            return None;
        }
        let own = self.mention(at)?.columns.iter().any(|(column, _)| self.index.columns[*column].table == table);
        let label = self.index.label(table);
        (!own && !self.index.tables[table].key.contains(label.first()?)).then(|| label[0])
    }

    fn fit(
        &self,
        column: ColumnId,
        want: Want,
        attached: Option<TableId>,
        antecedent: Option<TableId>,
        anchor: Option<TableId>,
    ) -> f32 {
        let entry = &self.index.columns[column];
        let mut score = 0.0;
        if attached == Some(entry.table) {
            score += 0.6;
        }
        if antecedent == Some(entry.table) {
            score += 0.2;
        }
        if self.is_named(entry.table) {
            score += 0.25;
        }
        if self.entity == Some(entry.table) {
            score += 0.1;
        }
        if let Some(anchor) = anchor {
            score -= self.style.distance * distance(self.index, anchor, entry.table).min(5) as f32;
        }
        if self.index.is_key(column) {
            score += 0.06;
        } else if self.index.is_reference(column) {
            score -= 0.05;
        }
        if self.selected_tables().contains(&entry.table) {
            score += self.style.cohesion;
        }
        let number = entry.data == DataKind::Number || entry.kind == ColumnKind::Metric;
        match want {
            Want::Number if !number => score -= 0.4,
            Want::Text if number => score -= 0.4,
            _ => {}
        }
        score
    }

    /// Tables whose columns are already asked for or compared.
    pub(super) fn selected_tables(&self) -> Vec<TableId> {
        let mut columns = Vec::new();
        for selected in &self.selected {
            if let super::parser::Asked::Expr(expr) = &selected.asked {
                expr.columns(&mut columns);
            }
        }
        for (_, condition) in &self.conditions {
            condition.columns(&mut columns);
        }
        columns.into_iter().map(|column| self.index.columns[column].table).collect()
    }

    /// The column of a table, or of the tables near it, that one of the words names; words are in order of preference.
    pub(super) fn column_by_words(&self, table: TableId, words: &[&str], want: Want) -> Option<ColumnId> {
        let matches = |column: ColumnId, wanted: &str| {
            let entry = &self.index.columns[column];
            let typed = match want {
                Want::Any => true,
                Want::Number => entry.data != DataKind::Text,
                Want::Text => entry.data == DataKind::Text,
                Want::Measure => entry.data != DataKind::Text || is_written_time(&entry.words),
                Want::Extent => entry.data != DataKind::Date && !is_point_in_time(&entry.words),
            };
            let is_own = !self.index.is_key(column) && !self.index.is_birth_of_another(column);
            typed && is_own && !entry.is_share_of_rows() && entry.words.iter().any(|word| word == wanted)
        };
        words
            .iter()
            .find_map(|wanted| self.index.tables[table].columns.iter().copied().find(|&column| matches(column, wanted)))
    }

    /// The same over the tables the question speaks of, the nearest first.
    pub(super) fn column_near(&self, at: usize, words: &[&str], want: Want) -> Option<ColumnId> {
        let mut tables: Vec<TableId> = self.antecedent(at).into_iter().chain(self.entity).collect();
        tables.extend(self.tables_named.iter().map(|(_, table)| *table));
        tables.extend(self.selected_tables());
        if tables.is_empty() {
            tables.extend(0..self.index.tables.len());
        }
        let mut near: Vec<(usize, TableId)> = Vec::new();
        if let Some(&main) = tables.first() {
            near.extend(
                (0..self.index.tables.len())
                    .map(|table| (distance(self.index, main, table), table))
                    .filter(|(steps, _)| *steps <= 2),
            );
            near.sort_unstable();
        }
        tables
            .into_iter()
            .chain(near.into_iter().map(|(_, table)| table))
            .find_map(|table| self.column_by_words(table, words, want))
    }

    /// The table the question is about, as far as is known.
    pub(super) fn main_table(&self) -> Option<TableId> {
        self.entity
            .or_else(|| self.tables_named.first().map(|(_, table)| *table))
            .or_else(|| self.selected_tables().first().copied())
            .or_else(|| self.background.map(|background| background.table))
    }
}

/// A time that a table may keep as text: `birth date`, but no `birth place`.
fn is_written_time(words: &[String]) -> bool {
    let of_time = ["date", "year", "day", "time", "birthday", "month", "duration", "timestamp"];
    words.len() == 1 || words.iter().any(|word| of_time.contains(&word.as_str()))
}

/// `release year` is when, `years of experience` is how long.
fn is_point_in_time(words: &[String]) -> bool {
    words.len() > 1 && words.last().is_some_and(|last| matches!(last.as_str(), "year" | "date" | "day"))
}

//! Rows in a role: where a table refers to another one several times, or to itself, the words of the reference tell which row
//! is meant: `pickup station`, `country of destination`, `team lead`.

use super::Reader;
use super::clauses::with_condition;
use super::frame::{Frame, Key};
use super::pieces::Kind;
use crate::frame::{leads_doers, references_to, roles_called};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::lattice::Meaning;
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::links::person_roles::is_persons;

/// A reference that is linked less well is not meant.
const QUALITY_MIN: f32 = 0.74;
const COST: f32 = 0.1;
/// A word that tells the reference stands alone.
const ALONE_COST: f32 = 0.3;
/// A reference is named that has no rival.
const UNTOLD_COST: f32 = 0.1;
/// Words that name the key itself.
const KEYS: &[&str] = &["id", "key", "number", "code"];
/// Nouns for wherever something happens: `the place of pickup`.
const PLACES: &[&str] = &["place", "point", "location", "side", "end"];

/// A role with what is shown of it, and where its words end.
#[derive(Debug, Clone, Copy)]
pub struct Referred {
    pub end: usize,
    pub reference: ColumnId,
    pub column: Option<ColumnId>,
    pub cost: f32,
}

impl Reader<'_> {
    /// The roles that are named from a word on.
    pub(super) fn referred_at(&self, at: usize) -> Vec<Referred> {
        if at >= self.lattice.words.len() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (end, reference, cost) in self.references_at(at) {
            found.push(Referred { end, reference, column: None, cost });
            found.extend(self.noun_of(reference, end).map(|(end, column, more)| Referred {
                end,
                reference,
                column,
                cost: cost.min(COST) + more,
            }));
        }
        found.extend(self.led_by_noun(at));
        found.extend(self.doer_at(at));
        found
    }

    /// References by their own words, each with what it costs.
    fn references_at(&self, at: usize) -> Vec<(usize, ColumnId, f32)> {
        let mut found = Vec::new();
        let Some(word) = self.lattice.words.get(at) else { return found };
        for (_, item) in self.lattice.starting_at(at) {
            if let Meaning::Column(column) = item.meaning
                && item.quality >= QUALITY_MIN
                && self.index.is_reference(column)
                && !self.lattice.words[item.start..item.end].iter().any(|word| KEYS.contains(&word.lemma.as_str()))
            {
                let alone = if is_told_apart(self.index, column) { 0.0 } else { UNTOLD_COST };
                found.push((item.end, column, COST + alone + 2.0 * (1.0 - item.quality)));
            }
        }
        let roles = roles_called(self.index, word).into_iter();
        found.extend(roles.map(|reference| (at + 1, reference, ALONE_COST)));
        // `picked up` of PICKUP_STATION_ID.
        let pair = self
            .lattice
            .words
            .get(at + 1)
            .map(|particle| crate::question::words::words(&format!("{}{}", word.lemma, particle.lower)));
        let roles = pair.iter().flatten().flat_map(|joined| roles_called(self.index, joined));
        found.extend(roles.map(|reference| (at + 2, reference, ALONE_COST)));
        found
    }

    /// `the agent who took the call`: the one that the call refers to.
    fn doer_at(&self, at: usize) -> Vec<Referred> {
        let word = &self.lattice.words[at].lower;
        let mut persons: Vec<(usize, Option<TableId>, f32)> = Vec::new();
        for piece in self.pieces.at(at) {
            if let Kind::Table(table) = piece.kind {
                persons.push((piece.end, Some(table), piece.cost));
            }
        }
        if matches!(word.as_str(), "person" | "one" | "people") {
            persons.push((at + 1, None, COST));
        }
        let mut found = Vec::new();
        for (end, table, cost) in persons {
            if !self.is_word(end, &["who", "that"]) {
                continue;
            }
            for piece in self.pieces.at(self.skip(end + 2)) {
                let Kind::Table(event) = piece.kind else { continue };
                let is_persons = |to: TableId| table.map_or_else(|| is_persons(self.index, to), |table| table == to);
                let mut joins = self.index.joins.iter().filter(|join| join.left == event && is_persons(join.right));
                let (Some(join), None) = (joins.next(), joins.next()) else { continue };
                let Some(reference) = join.columns.first().and_then(|(name, _)| self.index.column_named(event, name))
                else {
                    continue;
                };
                found.push(Referred { end: piece.end, reference, column: None, cost: cost + piece.cost });
            }
        }
        found
    }

    /// The noun behind the word of a role: the table that is referred to, or one of its columns.
    fn noun_of(&self, reference: ColumnId, at: usize) -> Option<(usize, Option<ColumnId>, f32)> {
        let to = self.index.referred_table(reference)?;
        let pieces = self.pieces.at(at).iter();
        pieces
            .filter_map(|piece| match piece.kind {
                Kind::Table(table) if table == to => Some((piece.end, None, piece.cost)),
                Kind::Dimension(column) if self.index.columns[column].table == to => {
                    Some((piece.end, Some(column), piece.cost))
                }
                _ => None,
            })
            .min_by(|left, right| left.2.total_cmp(&right.2))
    }

    /// `country of destination`, `place of pickup`.
    fn led_by_noun(&self, at: usize) -> Vec<Referred> {
        let mut found = Vec::new();
        let mut nouns: Vec<(usize, Option<TableId>, Option<ColumnId>, f32)> = Vec::new();
        for piece in self.pieces.at(at) {
            match piece.kind {
                Kind::Table(table) => nouns.push((piece.end, Some(table), None, piece.cost)),
                Kind::Dimension(column) => {
                    nouns.push((piece.end, Some(self.index.columns[column].table), Some(column), piece.cost));
                }
                _ => {}
            }
        }
        if self.is_word(at, PLACES) {
            nouns.push((at + 1, None, None, COST));
        }
        for (end, table, column, cost) in nouns {
            if !self.is_word(end, &["of"]) {
                continue;
            }
            for (end, reference, _) in self.references_at(self.skip(end + 1)) {
                let to = self.index.referred_table(reference);
                if table.is_none() || table == to {
                    found.push(Referred { end, reference, column, cost });
                }
            }
        }
        found
    }

    /// `with the destination Oslo`, `pickup station Lisbon Airport`: the value is of the row in the role.
    pub(super) fn conditions_in_role(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if at >= self.lattice.words.len() || leads_doers(self.lattice.words, at) {
            return;
        }
        for referred in self.referred_at(at) {
            let to = self.index.referred_table(referred.reference);
            let led = self.is_word(referred.end, &["at", "in", "to", "from", "on", "by", "is", "was"]);
            for piece in self.pieces.at(self.skip(referred.end + usize::from(led))) {
                let Kind::Value(column, value) = &piece.kind else { continue };
                if Some(self.index.columns[*column].table) != to {
                    continue;
                }
                let expr = Expr::Referred(referred.reference, *column);
                let text = Operand::Literal(Literal::Text(value.clone()));
                let condition = Condition::Compare(expr, Comparison::Equal, text);
                found.push((piece.end, with_condition(frame, condition, referred.cost + piece.cost)));
            }
        }
    }
}

impl From<Referred> for Key {
    fn from(referred: Referred) -> Self {
        Self::Referred(referred.reference, referred.column)
    }
}

/// Whether a reference is one of several between two tables, or leads back to its own.
fn is_told_apart(index: &ModelIndex, column: ColumnId) -> bool {
    let from = index.columns[column].table;
    index.is_reference(column)
        && index.referred_table(column).is_some_and(|to| to == from || references_to(index, from, to).len() > 1)
}

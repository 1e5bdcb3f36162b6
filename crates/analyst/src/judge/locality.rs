//! Features of place: whether what belongs together in the query stands together in the question.

use super::features::Feature;
use crate::accounting::{Accounting, Usage};
use crate::interpretation::operators::Operator;
use crate::lattice::{Item, Lattice, Meaning};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};

/// A link to a table below this does not claim the columns around it.
const TABLE_MIN: f32 = 0.4;
/// Words between things that belong together.
const NEAR: usize = 4;

pub(super) struct Locality {
    pub counts: Vec<(Feature, f32)>,
}

pub(super) fn locality(index: &ModelIndex, lattice: &Lattice<'_>, usage: &Usage, accounting: &Accounting) -> Locality {
    let used = accounting.used_items(lattice);
    let place = Place { index, lattice, usage, used };
    let mut counts = Vec::new();
    place.columns(&mut counts);
    place.values(&mut counts);
    place.functions(&mut counts);
    place.operators(&mut counts);
    place.clauses(&mut counts);
    Locality { counts }
}

struct Place<'a> {
    index: &'a ModelIndex,
    lattice: &'a Lattice<'a>,
    usage: &'a Usage,
    used: Vec<&'a Item>,
}

impl Place<'_> {
    fn columns(&self, counts: &mut Vec<(Feature, f32)>) {
        for item in &self.used {
            let Meaning::Column(column) = item.meaning else { continue };
            let own = self.index.columns[column].table;
            let is_own = |other: &Item| other.meaning == Meaning::Table(own) && other.quality >= TABLE_MIN;
            if !self.lattice.items.iter().any(is_own) {
                counts.push((Feature::ColumnTableUnnamed, 1.0));
            }
            let Some(nearest) = self.nearest_tables(item) else { continue };
            if nearest.contains(&own) {
                counts.push((Feature::ColumnNearTable, 1.0));
            } else if self.rivals(item).any(|rival| nearest.contains(&self.index.columns[rival].table)) {
                counts.push((Feature::ColumnNearOther, 1.0));
            }
        }
    }

    /// Other columns that the same words may name.
    fn rivals(&self, item: &Item) -> impl Iterator<Item = ColumnId> {
        let (start, end) = (item.start, item.end);
        self.lattice.items.iter().filter_map(move |other| match other.meaning {
            Meaning::Column(column) if other.start == start && other.end == end => Some(column),
            _ => None,
        })
    }

    /// The tables that the nearest words name: those behind `of` first, else whatever is closest.
    fn nearest_tables(&self, item: &Item) -> Option<Vec<TableId>> {
        let gap = |other: &Item| {
            if other.start >= item.end {
                Some(other.start - item.end)
            } else if other.end <= item.start {
                // What follows belongs to a column more often than what precedes it.
                Some(item.start - other.end + 1 - usize::from(self.is_possessive(other.end)))
            } else {
                None
            }
        };
        let tables = || self.lattice.items.iter().filter(|other| other.quality >= TABLE_MIN);
        let least = tables().filter(|other| matches!(other.meaning, Meaning::Table(_))).filter_map(gap).min()?;
        let at_least = tables().filter(|other| gap(other) == Some(least));
        Some(
            at_least
                .filter_map(|other| if let Meaning::Table(table) = other.meaning { Some(table) } else { None })
                .collect(),
        )
    }

    fn is_possessive(&self, at: usize) -> bool {
        self.lattice.words.get(at).is_some_and(|word| word.lower == "'s")
    }

    fn values(&self, counts: &mut Vec<(Feature, f32)>) {
        for item in &self.used {
            let Meaning::Value(column, _) = &item.meaning else { continue };
            let near = |meaning: &Meaning| {
                self.lattice.items.iter().any(|other| other.meaning == *meaning && distance(item, other) <= NEAR)
            };
            let by_column = near(&Meaning::Column(*column));
            if by_column {
                counts.push((Feature::ValueNearColumn, 1.0));
            }
            if near(&Meaning::Table(self.index.columns[*column].table)) {
                counts.push((Feature::ValueNearTable, 1.0));
            }
            let rival = |other: &Item| match &other.meaning {
                Meaning::Value(rival, _) => {
                    other.start == item.start && rival != column && near(&Meaning::Column(*rival))
                }
                _ => false,
            };
            if !by_column && self.lattice.items.iter().any(rival) {
                counts.push((Feature::ValueElsewhere, 1.0));
            }
        }
    }

    /// An aggregate stands before its column.
    fn functions(&self, counts: &mut Vec<(Feature, f32)>) {
        for (function, column) in &self.usage.functions {
            let Some(column) = column else { continue };
            let named: Vec<&&Item> = self.used.iter().filter(|item| item.meaning == Meaning::Column(*column)).collect();
            let said = self.used.iter().filter(|item| match item.meaning {
                Meaning::Operator(Operator::Aggregate(said)) => said == *function,
                Meaning::Operator(Operator::Count) => true,
                _ => false,
            });
            let said: Vec<&&Item> = said.collect();
            if named.is_empty() || said.is_empty() {
                continue;
            }
            let near = said.iter().any(|said| named.iter().any(|named| distance(said, named) <= 2));
            counts.push((if near { Feature::FunctionNear } else { Feature::FunctionFar }, 1.0));
        }
    }

    fn operators(&self, counts: &mut Vec<(Feature, f32)>) {
        for (at, item) in self.used.iter().enumerate() {
            let Meaning::Operator(operator) = item.meaning else { continue };
            let next = self.used[at + 1..].iter().find(|next| !matches!(next.meaning, Meaning::Operator(_)));
            match operator {
                Operator::Superlative(_) | Operator::Top(_) => {
                    let fits = next.is_some_and(|next| self.is_measure(next));
                    counts.push((if fits { Feature::SuperlativeNear } else { Feature::SuperlativeFar }, 1.0));
                }
                Operator::Compare(_) | Operator::Between => {
                    let before = self.used[..at].iter().rev().find(|item| matches!(item.meaning, Meaning::Column(_)));
                    let fits = |item: &&&Item| match item.meaning {
                        Meaning::Column(column) => self.usage.compared.contains(&column),
                        Meaning::Table(table) => self.usage.counted.contains(&table),
                        _ => false,
                    };
                    let behind = self.used[at + 1..].iter().find(|item| !matches!(item.meaning, Meaning::Number(_)));
                    let near = before.iter().any(fits) || behind.iter().any(fits);
                    counts.push((if near { Feature::CompareNear } else { Feature::CompareFar }, 1.0));
                }
                Operator::Each | Operator::GroupBy => {
                    let fits = next.is_some_and(|next| match next.meaning {
                        Meaning::Column(column) => self.usage.grouped.contains(&column),
                        Meaning::Table(table) => {
                            self.usage.grouped.iter().any(|column| self.index.columns[*column].table == table)
                        }
                        _ => false,
                    });
                    counts.push((if fits { Feature::GroupNear } else { Feature::GroupFar }, 1.0));
                }
                _ => {}
            }
        }
    }

    /// Whether the rows are ordered by what the words name.
    fn is_measure(&self, item: &Item) -> bool {
        match item.meaning {
            Meaning::Column(column) => {
                self.usage.ordered.contains(&column)
                    || self.usage.functions.iter().any(|(_, measured)| *measured == Some(column))
            }
            Meaning::Table(table) => self.usage.counted.contains(&table),
            _ => false,
        }
    }

    /// What is shown stands before a relative clause, what is compared in it.
    fn clauses(&self, counts: &mut Vec<(Feature, f32)>) {
        let opens = |at: usize| {
            let word = self.lattice.words[at].lower.as_str();
            at > 1 && matches!(word, "whose" | "who" | "that" | "with" | "where" | "having" | "have" | "has" | "which")
        };
        let clause = (0..self.lattice.words.len()).find(|at| opens(*at));
        for item in &self.used {
            let (Meaning::Column(column), Some(clause)) = (&item.meaning, clause) else { continue };
            let (shown, compared) = (self.usage.selected.contains(column), self.usage.compared.contains(column));
            if shown && !compared && item.start > clause {
                counts.push((Feature::ShownBehindClause, 1.0));
            }
            if compared && !shown && item.start < clause {
                counts.push((Feature::ComparedBeforeClause, 1.0));
            }
        }
        let first = self.used.iter().find(|item| matches!(item.meaning, Meaning::Table(_) | Meaning::Column(_)));
        let shown = first.map(|item| match item.meaning {
            Meaning::Column(column) => self.usage.selected.contains(&column),
            Meaning::Table(table) => {
                self.usage.counted.contains(&table)
                    || self.usage.selected.iter().any(|column| self.index.columns[*column].table == table)
            }
            _ => false,
        });
        match shown {
            Some(true) => counts.push((Feature::FirstNounShown, 1.0)),
            Some(false) => counts.push((Feature::FirstNounHidden, 1.0)),
            None => {}
        }
    }
}

/// Words between two spans.
fn distance(first: &Item, second: &Item) -> usize {
    second.start.saturating_sub(first.end).max(first.start.saturating_sub(second.end))
}

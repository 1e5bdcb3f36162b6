//! `including cancelled ones`, `regardless of status`: rows that a default of the model leaves out are meant too. The phrase
//! restricts nothing, so it is taken out of the words before they are read.

use chrono::NaiveDate;

use super::Interpreter;
use crate::frame::is_form_of;
use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::{ColumnId, TableId};
use crate::question::words::Word;

/// Phrases before what is included.
const INCLUDING: &[&str] = &["including", "incl", "incl.", "inclusive of", "included", "counting also"];
/// Phrases before the column whose value does not matter.
const REGARDLESS: &[&str] = &["regardless of", "irrespective of", "whatever the", "independent of"];
/// Words between such a phrase and what it speaks of.
const DETERMINERS: &[&str] = &["the", "all", "any", "those", "also", "of", "their", "its"];
/// Pronouns behind a value: `cancelled ones`.
const PRONOUNS: &[&str] = &["ones", "one", "those"];
/// A weaker link names no value.
const VALUE_QUALITY_MIN: f32 = 0.7;
/// A weaker link names no table and no column.
const QUALITY_MIN: f32 = 0.9;

/// What is found behind a phrase: the columns it is of, and where it ends.
struct Included {
    columns: Vec<ColumnId>,
    end: usize,
}

impl Interpreter<'_> {
    /// Takes out what is said to be included, and gives back the columns by which nothing is left out then.
    pub(super) fn take_included(&self, words: &mut Vec<Word>, today: NaiveDate) -> Vec<ColumnId> {
        let phrases = || INCLUDING.iter().chain(REGARDLESS);
        let at_phrase = |at: usize| phrases().find(|phrase| is_spelled(words, at, phrase));
        // A phrase that opens the question goes on with the one before.
        let Some((start, phrase)) = (1..words.len()).find_map(|at| Some((at, at_phrase(at)?))) else {
            return Vec::new();
        };
        let lattice = Lattice::new(&self.index, words, today);
        let from = behind(words, start + phrase.split(' ').count());
        let found = match REGARDLESS.contains(phrase) {
            true => self.column_at(&lattice, from),
            false => self.values_at(&lattice, from),
        };
        let Some(Included { columns, end }) = found else { return Vec::new() };
        words.drain(start..end);
        columns
    }

    /// Values of the data, or filters of the model, with the noun they belong to.
    fn values_at(&self, lattice: &Lattice<'_>, at: usize) -> Option<Included> {
        let end = self.named_at(lattice, at).map(|(_, end)| end).max()?;
        let at_end = self.named_at(lattice, at).filter(|(_, other)| *other == end);
        let mut columns: Vec<ColumnId> = at_end.map(|(column, _)| column).collect();
        let is_joined = lattice.words.get(end).is_some_and(|word| matches!(word.lower.as_str(), "and" | "or" | ","));
        if let Some(further) = is_joined.then(|| self.values_at(lattice, behind(lattice.words, end + 1))).flatten() {
            columns.extend(further.columns);
            return Some(Included { columns, end: further.end });
        }
        let tables: Vec<TableId> = columns.iter().map(|column| self.index.columns[*column].table).collect();
        Some(Included { columns, end: self.behind_noun(lattice, &tables, end) })
    }

    fn named_at<'a>(&'a self, lattice: &'a Lattice<'a>, at: usize) -> impl Iterator<Item = (ColumnId, usize)> + 'a {
        let items = lattice.items.iter().filter(move |item| item.start == at);
        items.filter_map(move |item| match item.meaning {
            Meaning::Value(column, _) if item.quality >= VALUE_QUALITY_MIN => Some((column, item.end)),
            Meaning::Column(column) if self.index.holds_or_not(column) && item.quality >= QUALITY_MIN => {
                Some((column, item.end))
            }
            // `including resigned ones`: those with a day on which they resigned.
            Meaning::Column(column) if self.is_deed(column, lattice.words, at) => Some((column, item.end)),
            _ => None,
        })
    }

    /// Whether a word is the verb of a day that rows may lack.
    fn is_deed(&self, column: ColumnId, words: &[Word], at: usize) -> bool {
        let entry = &self.index.columns[column];
        let is_said = |part: &String| words[at].lower == *part || is_form_of(part, &words[at]);
        self.index.is_time(column) && entry.has_gaps && entry.words.iter().any(is_said)
    }

    fn column_at(&self, lattice: &Lattice<'_>, at: usize) -> Option<Included> {
        let items = lattice.items.iter().filter(|item| item.start == at && item.quality >= QUALITY_MIN);
        let columns = items.filter_map(|item| match item.meaning {
            Meaning::Column(column) => Some((column, item.end)),
            _ => None,
        });
        let found: Vec<(ColumnId, usize)> = columns.collect();
        let end = found.iter().map(|(_, end)| *end).max()?;
        Some(Included { columns: found.into_iter().map(|(column, _)| column).collect(), end })
    }

    /// The noun of a value's own table says nothing more: `cancelled work orders`, `cancelled orders`.
    fn behind_noun(&self, lattice: &Lattice<'_>, tables: &[TableId], at: usize) -> usize {
        let Some(word) = lattice.words.get(at) else { return at };
        let is_own = |table: &TableId| self.index.tables[*table].words.contains(&word.lemma);
        if PRONOUNS.contains(&word.lower.as_str()) {
            return at + 1;
        }
        let nouns = lattice.items.iter().filter(|item| {
            item.start == at && matches!(item.meaning, Meaning::Table(table) if tables.contains(&table))
        });
        let whole = nouns.filter(|item| item.quality >= QUALITY_MIN).map(|item| item.end).max();
        whole.unwrap_or(at + usize::from(tables.iter().any(is_own)))
    }
}

fn is_spelled(words: &[Word], at: usize, phrase: &str) -> bool {
    let mut parts = phrase.split(' ').enumerate();
    parts.all(|(offset, part)| words.get(at + offset).is_some_and(|word| word.lower == part))
}

fn behind(words: &[Word], at: usize) -> usize {
    let is_determiner =
        |place: &usize| words.get(*place).is_some_and(|word| DETERMINERS.contains(&word.lower.as_str()));
    (at..).find(|place| !is_determiner(place)).unwrap_or(at)
}

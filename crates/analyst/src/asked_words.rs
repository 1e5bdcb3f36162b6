//! The question's own words for what is computed, where the model has others.

use crate::links::model_index::{ColumnId, ModelIndex};
use crate::links::phrase_match::is_function_word;
use crate::question::lemma::lemma;

/// What the question calls columns that have other names in the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedWords {
    columns: Vec<(ColumnId, String)>,
}

/// More words are no name.
const ASKED_WORDS_MAX: usize = 3;

impl AskedWords {
    /// Notes that the question says `phrase` for a column; the column's own words, and what is no name, are not noted.
    pub fn note(&mut self, index: &ModelIndex, column: ColumnId, phrase: &str) {
        let words: Vec<String> = phrase.split_whitespace().map(str::to_lowercase).collect();
        let is_name = (1..=ASKED_WORDS_MAX).contains(&words.len())
            && words.iter().all(|word| word.chars().all(char::is_alphabetic) && !is_function_word(word));
        let entry = &index.columns[column];
        let own = entry.words.iter().chain(&index.tables[entry.table].words);
        let own: Vec<String> = own.map(|word| lemma(word)).collect();
        let is_own = words.iter().all(|word| own.contains(&lemma(word)));
        if is_name && !is_own && self.of(column).is_none() {
            self.columns.push((column, words.join(" ")));
        }
    }

    #[must_use]
    pub fn of(&self, column: ColumnId) -> Option<&str> {
        self.columns.iter().find(|(known, _)| *known == column).map(|(_, words)| words.as_str())
    }
}

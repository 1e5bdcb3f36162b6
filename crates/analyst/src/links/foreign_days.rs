//! Days in the life of something else than the rows that have them: QUEEN_BORN_ON of a hive.

use super::entries::ColumnId;
use super::model_index::{ModelIndex, TIME_WORDS};
use super::phrase_match::Target;
use crate::lexicon::{PartOfSpeech, parts_of_speech};

impl ModelIndex {
    /// Whether a day of birth is that of something else than the rows, by the noun before it. Only curated models are named so.
    #[must_use]
    pub fn is_birth_of_another(&self, column: ColumnId) -> bool {
        let entry = &self.columns[column];
        let Some(birth) = entry.words.iter().position(|word| word.starts_with("birth") || word == "born") else {
            return false;
        };
        let own = Target::Table(entry.table);
        let phrases = self.vocabulary.phrases.iter().filter(|phrase| phrase.target == own);
        let own: Vec<&String> = phrases.flat_map(|phrase| &phrase.words).collect();
        let is_other = |word: &String| {
            let is_noun = parts_of_speech(word).main().is_none_or(|part| part == PartOfSpeech::Noun);
            is_noun && !TIME_WORDS.contains(&word.as_str()) && !own.contains(&word)
        };
        self.is_curated() && entry.words[..birth].iter().any(is_other)
    }
}

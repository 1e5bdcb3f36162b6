//! Words that the model uses in its descriptions: they are not unknown, though nothing is called by them alone.

use super::Interpreter;
use super::silent_choices::deeds;
use crate::frame::{is_done, is_form_of, parts_of_name};
use crate::lexicon::{self, PartOfSpeech, RelationKind};
use crate::question::lemma::lemma;
use crate::question::words::{Word, words};
use crate::semantic_model::{LogicalTable, TimeDimension};

impl Interpreter<'_> {
    /// `colonies that died` where LOST_ON is described as the day on which the colony died: verbs that only the description of
    /// one day has are replaced by the verb in its name.
    pub(super) fn name_described_deeds(&self, asked: &mut Vec<Word>) {
        for at in deeds(asked) {
            let word = &asked[at];
            if self.index.vocabulary.knows(&word.lemma) || self.index.values.has_word(&word.lower) {
                continue;
            }
            let days = self.model.tables.iter().flat_map(|table| &table.time_dimensions);
            let mut verbs = days.filter(|day| tells_deed(day, word)).map(verb_of);
            if let (Some(Some(verb)), None) = (verbs.next(), verbs.next()) {
                asked.splice(at..=at, words(&verb));
            }
        }
    }

    pub(super) fn is_described(&self, word: &Word) -> bool {
        let model = self.model.description.iter().map(String::as_str);
        model.chain(self.model.tables.iter().flat_map(said_of)).any(|text| says(text, word))
    }
}

/// Whether the description of a day has a verb, or one that means the same.
fn tells_deed(day: &TimeDimension, word: &Word) -> bool {
    let description = day.description.as_deref().unwrap_or_default().to_lowercase();
    let mut said = description.split(|character: char| !character.is_alphanumeric()).filter(|said| is_done(said));
    said.any(|said| is_form_of(said, word) || are_synonyms(said, &word.lower))
}

/// Whether two forms are of verbs that mean the same: `died`, `perished`.
fn are_synonyms(first: &str, second: &str) -> bool {
    let bases = |form: &str| lexicon::lemmas(form, Some(PartOfSpeech::Verb));
    let is_synonym =
        |one: &str, other: &str| lexicon::relation(one, other).is_some_and(|found| found.kind == RelationKind::Synonym);
    bases(first).iter().any(|one| bases(second).iter().any(|other| is_synonym(one.text, other.text)))
}

/// The verb that a day is called by: `lost` of LOST_ON.
fn verb_of(day: &TimeDimension) -> Option<String> {
    parts_of_name(&day.name).find(|part| is_done(part))
}

fn says(text: &str, word: &Word) -> bool {
    let words = text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|said| !said.is_empty()).any(|said| said == word.lower || lemma(&said) == word.lemma)
}

/// The descriptions and synonyms of a table and its columns.
fn said_of(table: &LogicalTable) -> impl Iterator<Item = &str> {
    let own = std::iter::once((&table.description, &table.synonyms));
    let dimensions = table.dimensions.iter().map(|column| (&column.description, &column.synonyms));
    let times = table.time_dimensions.iter().map(|column| (&column.description, &column.synonyms));
    let facts = table.facts.iter().map(|column| (&column.description, &column.synonyms));
    let metrics = table.metrics.iter().map(|column| (&column.description, &column.synonyms));
    let filters = table.filters.iter().map(|column| (&column.description, &column.synonyms));
    let all = own.chain(dimensions).chain(times).chain(facts).chain(metrics).chain(filters);
    all.flat_map(|(description, synonyms)| description.iter().chain(synonyms).map(String::as_str))
}

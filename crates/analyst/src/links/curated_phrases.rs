//! Further ways to name what a curated model has: people by their roles, numbers by the units that their names end with,
//! filters by the verbs inside of their names.

use super::model_index::{ColumnEntry, ColumnId, ColumnKind, DataKind, ModelIndex, ROLE_WORTH};
use super::person_roles::{peer_roles, person_roles};
use super::phrase_match::{Phrase, Target};
use super::targets::target_measures;
use crate::lexicon::{self, PartOfSpeech, parts_of_speech};
use crate::question::lemma::lemma;
use crate::question::units::{is_currency, is_unit, spelled_out};
use crate::semantic_model::SemanticModel;

/// What a name or a declared synonym is worth.
const NAME_WORTH: f32 = 1.0;
/// What the end of a fact's name is worth where it is the whole name of a metric.
const OVERRULED_WORTH: f32 = 0.5;
/// A unit names the number less surely than its own name does.
const UNIT_WORTH: f32 = 0.75;
/// `work here` for the filter `working here`.
const VERB_WORTH: f32 = 0.95;

/// What people say for `now` behind what holds then.
const NOW: [&str; 5] = ["at the moment", "right now", "at present", "today", "currently"];

impl ModelIndex {
    pub(super) fn add_curated_phrases(&mut self, model: &SemanticModel) {
        self.person_roles = person_roles(self, model);
        self.peer_roles = peer_roles(self, model);
        self.targets = target_measures(self, model);
        self.prefer_metrics();
        for (role, noun) in self.person_roles.iter().flat_map(|role| role.nouns.iter().map(move |noun| (role, noun))) {
            self.vocabulary.add_table_phrase(role.persons, vec![noun.clone()], ROLE_WORTH);
        }
        let columns = self.columns.iter().enumerate();
        let mut units: Vec<(ColumnId, Vec<String>)> = columns.flat_map(|(id, entry)| unit_phrases(id, entry)).collect();
        units.extend(self.described_units(model));
        let flags: Vec<(ColumnId, Vec<String>)> = self.columns.iter().enumerate().filter_map(flag_phrase).collect();
        for (column, words) in flags {
            self.vocabulary.add_column_phrase(column, words, ROLE_WORTH);
        }
        self.name_by_descriptions(model);
        for (column, words) in units {
            self.vocabulary.add_column_phrase(column, words, UNIT_WORTH);
        }
        let said: Vec<(ColumnId, Vec<String>)> =
            self.vocabulary.phrases.iter().filter_map(|phrase| self.with_verbs(phrase)).collect();
        for (column, words) in said {
            self.vocabulary.add_column_phrase(column, words, VERB_WORTH);
        }
        let now: Vec<(ColumnId, Vec<String>)> =
            self.vocabulary.phrases.iter().flat_map(|phrase| self.said_of_now(phrase)).collect();
        for (column, words) in now {
            self.vocabulary.add_column_phrase(column, words, VERB_WORTH);
        }
    }

    /// What a metric is called names no fact of another table whose own name merely ends so.
    fn prefer_metrics(&mut self) {
        let Self { columns, vocabulary, .. } = self;
        let kind = |target: Target| match target {
            Target::Column(column) => Some((columns[column].kind, columns[column].table)),
            Target::Table(_) => None,
        };
        let metrics: Vec<(usize, Vec<String>)> = vocabulary
            .phrases
            .iter()
            .filter(|phrase| phrase.worth >= NAME_WORTH)
            .filter_map(|phrase| match kind(phrase.target) {
                Some((ColumnKind::Metric, table)) => Some((table, phrase.words.clone())),
                _ => None,
            })
            .collect();
        let is_weak = |phrase: &Phrase| {
            let Some((ColumnKind::Fact, own)) = kind(phrase.target) else { return false };
            phrase.worth < NAME_WORTH && metrics.iter().any(|(table, words)| *table != own && *words == phrase.words)
        };
        vocabulary.devalue(is_weak, OVERRULED_WORTH);
    }

    /// `tonnes` for a fact that is described as a weight in tonnes.
    fn described_units(&self, model: &SemanticModel) -> Vec<(ColumnId, Vec<String>)> {
        let mut found = Vec::new();
        for (table, described) in model.tables.iter().enumerate() {
            for fact in &described.facts {
                let words = words_of(fact.description.as_deref().unwrap_or_default());
                let unit = words.windows(2).find(|pair| pair[0] == "in" && is_unit(&pair[1]) && !is_currency(&pair[1]));
                let column = self.column_named(table, &fact.name);
                if let (Some(unit), Some(column)) = (unit, column) {
                    found.push((column, vec![lemma(&unit[1])]));
                }
            }
        }
        found
    }

    /// A table that is described as `loads that growers bring in` is also called loads.
    fn name_by_descriptions(&mut self, model: &SemanticModel) {
        for (table, described) in model.tables.iter().enumerate() {
            let words = words_of(described.description.as_deref().unwrap_or_default());
            let [noun, relative, ..] = words.as_slice() else { continue };
            let (base, is_relative) = (lemma(noun), matches!(relative.as_str(), "that" | "which" | "who"));
            let is_own =
                |target: Target| matches!(target, Target::Column(column) if self.columns[column].table == table);
            let mut named = self.vocabulary.phrases.iter().filter(|phrase| phrase.words == [base.as_str()]);
            let is_known = named.any(|phrase| !is_own(phrase.target));
            if is_relative && base != *noun && !is_known && parts_of_speech(&base).has(PartOfSpeech::Noun) {
                self.vocabulary.add_table_phrase(table, vec![base], ROLE_WORTH);
            }
        }
    }

    /// `out at the moment` for the filter `out now`.
    fn said_of_now(&self, phrase: &Phrase) -> Vec<(ColumnId, Vec<String>)> {
        let Target::Column(column) = phrase.target else { return Vec::new() };
        let [words @ .., last] = phrase.words.as_slice() else { return Vec::new() };
        if self.columns[column].kind != ColumnKind::Filter || last != "now" || words.is_empty() {
            return Vec::new();
        }
        let said = |now: &&str| now.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let behind = NOW.iter().map(|now| [words, &said(now)].concat());
        let before = std::iter::once([&["currently".to_owned()], words].concat());
        behind.chain(before).map(|words| (column, words)).collect()
    }

    /// The phrase of a filter with the base of the verb that it begins with.
    fn with_verbs(&self, phrase: &Phrase) -> Option<(ColumnId, Vec<String>)> {
        let Target::Column(column) = phrase.target else { return None };
        let [first, rest @ ..] = phrase.words.as_slice() else { return None };
        if self.columns[column].kind != ColumnKind::Filter || rest.is_empty() || !first.ends_with("ing") {
            return None;
        }
        let verbs = lexicon::lemmas(first, Some(PartOfSpeech::Verb));
        let base = verbs.into_iter().find(|verb| verb.text != *first)?;
        Some((column, [&[base.text.to_string()], rest].concat()))
    }
}

/// `electric` for IS_ELECTRIC.
fn flag_phrase((id, entry): (ColumnId, &ColumnEntry)) -> Option<(ColumnId, Vec<String>)> {
    let [first, rest @ ..] = entry.words.as_slice() else { return None };
    let is_flag = entry.data == DataKind::Boolean && matches!(first.as_str(), "is" | "has" | "was" | "are" | "be");
    (is_flag && !rest.is_empty()).then(|| (id, rest.to_vec()))
}

/// The words of a description in lower case.
fn words_of(description: &str) -> Vec<String> {
    let words = description.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn unit_phrases(id: ColumnId, entry: &ColumnEntry) -> Vec<(ColumnId, Vec<String>)> {
    let last = entry.name.to_lowercase().rsplit('_').next().map(str::to_owned).unwrap_or_default();
    if entry.kind != ColumnKind::Fact || !entry.name.contains('_') {
        return Vec::new();
    }
    let spelled = spelled_out(&last).iter();
    spelled.map(|words| (id, words.iter().map(|word| (*word).to_owned()).collect())).collect()
}

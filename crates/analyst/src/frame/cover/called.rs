//! Tables, columns and roles that a word calls by a form of their names.

use super::{DERIVED_MIN, EXACT, is_done, is_verb_form};
use crate::frame::plain_words::EVENTS;
use crate::frame::states::ends_called;
use crate::lattice::{Item, Meaning};
use crate::lexicon;
use crate::lexicon::PartOfSpeech;
use crate::links::model_index::{ColumnEntry, ColumnId, ColumnKind, DataKind, JoinEdge, ModelIndex, TableId};
use crate::links::person_roles::is_persons;
use crate::links::phrase_match::{Phrase, Target};
use crate::question::lemma::{is_past, lemma, stem};
use crate::question::words::Word;

/// The columns of time that a verb tells: `closed`, `hired`, `born`.
pub(super) fn times_called(index: &ModelIndex, words: &[Word], at: usize) -> Vec<ColumnId> {
    let lower = words[at].lower.as_str();
    let noun = EVENTS.iter().find(|(verb, _)| *verb == lower).map(|(_, noun)| *noun);
    if noun.is_none() && !is_verb_form(words, at) && !is_going_on(lower) {
        return Vec::new();
    }
    let own = stem(&lemma(noun.unwrap_or(lower)));
    let is_called = |column: &ColumnId| {
        let entry = &index.columns[*column];
        entry.kind == ColumnKind::Time && parts(&entry.name).any(|part| part == lower || stem(&lemma(&part)) == own)
    };
    let called: Vec<ColumnId> = (0..index.columns.len()).filter(is_called).collect();
    if called.is_empty() { ends_called(index, lower) } else { called }
}

/// `expiring`: what is to happen.
pub(super) fn is_going_on(lower: &str) -> bool {
    lower.ends_with("ing") && lexicon::parts_of_speech(&stem(lower)).has(PartOfSpeech::Verb)
        || lower.strip_suffix("ing").is_some_and(|base| {
            let silent = format!("{base}e");
            [base, silent.as_str()].iter().any(|verb| lexicon::parts_of_speech(verb).has(PartOfSpeech::Verb))
        })
}

/// The tables of the events that a verb tells: `ordered`, `shipped`, `prescribed`.
pub fn tables_called(index: &ModelIndex, lower: &str) -> Vec<TableId> {
    if !is_done(lower) {
        return Vec::new();
    }
    let base = lemma(lower);
    let start = lower.get(..5).unwrap_or(lower);
    let is_called = |table: &TableId| {
        let tells = |part: String| {
            let is_alike = base.len() >= 4 && part.starts_with(&base) || part.starts_with(start);
            part.len() > 4 && (is_alike || is_derived(lower, &lemma(&part)))
        };
        let synonyms = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Table(*table));
        let mut synonyms = synonyms.filter(|phrase| phrase.words.len() == 1 && phrase.worth >= EXACT);
        // The name of shippers does not say what they do.
        let mut is_other = || !is_persons(index, *table) && synonyms.any(|phrase| tells(phrase.words[0].clone()));
        parts(&index.tables[*table].name).any(tells) || is_other()
    };
    (0..index.tables.len()).filter(is_called).collect()
}

/// `cited` tells of citations.
pub(super) fn is_derived(done: &str, noun: &str) -> bool {
    let is_made = |relation: lexicon::Relation| {
        relation.kind == lexicon::RelationKind::Derived && relation.strength >= DERIVED_MIN
    };
    let bases = lexicon::lemmas(done, Some(PartOfSpeech::Verb)).into_iter();
    let mut related = bases.filter_map(|verb| lexicon::relation(verb.text, noun));
    noun.get(..3) == done.get(..3) && related.any(is_made)
}

/// What a word with a denying prefix denies: a filter of the model, or the day of an event.
pub fn undone(index: &ModelIndex, lower: &str) -> Vec<ColumnId> {
    let rest = ["un", "non-", "non", "not-"].iter().find_map(|prefix| lower.strip_prefix(prefix));
    let Some(rest) = rest.filter(|rest| rest.len() > 3) else { return Vec::new() };
    let is_named = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let is_flag = entry.kind == ColumnKind::Filter || entry.data == DataKind::Boolean;
        let is_filter =
            is_flag && (entry.name.eq_ignore_ascii_case(rest) || entry.words.last().is_some_and(|last| last == rest));
        is_filter
            || entry.has_gaps
                && entry.kind == ColumnKind::Time
                && is_done(rest)
                && parts(&entry.name).any(|part| part == rest)
    };
    (0..index.columns.len()).filter(is_named).collect()
}

/// References that share their table and target with others and are distinguished from them by a word.
pub fn roles_called(index: &ModelIndex, word: &Word) -> Vec<ColumnId> {
    let has_rival = |join: &JoinEdge| {
        index.joins.iter().filter(|other| other.left == join.left && other.right == join.right).count() > 1
    };
    let joins = index.joins.iter().filter(|join| join.columns.len() == 1 && has_rival(join));
    joins
        .filter(|join| {
            let rivals = index.joins.iter().filter(|other| other.left == join.left && other.right == join.right);
            let has = |join: &JoinEdge| {
                let name = &join.columns[0].0;
                let column = index.column_named(join.left, name);
                parts(name).any(|part| part == word.lemma)
                    || column.is_some_and(|column| is_done_by(index, column, word))
            };
            has(join) && rivals.filter(|rival| has(rival)).count() == 1
        })
        .filter_map(|join| index.column_named(join.left, &join.columns[0].0))
        .collect()
}

/// `left` is the past of a verb that a day of the model is called by; then it is no leave.
pub fn is_other_form(index: &ModelIndex, words: &[Word], item: &Item) -> bool {
    let [word] = &words[item.start..item.end] else { return false };
    let name = match item.meaning {
        Meaning::Table(table) => &index.tables[table].name,
        Meaning::Column(column) => &index.columns[column].name,
        _ => return false,
    };
    let has_form = |name: &str| parts(name).any(|part| part == word.lower);
    let is_day = |column: &ColumnEntry| column.kind == ColumnKind::Time && has_form(&column.name);
    is_past(&word.lower) && !has_form(name) && index.columns.iter().any(is_day)
}

/// Whether a reference tells who did something: REVIEWED_BY.
pub fn is_deed(name: &str) -> bool {
    name.to_lowercase().ends_with("_by")
}

/// Whether two words are forms of one verb: `fixed`, `fix`.
pub fn is_form_of(verb: &str, word: &Word) -> bool {
    let bases = |form: &str| lexicon::lemmas(form, Some(PartOfSpeech::Verb));
    let said = bases(&word.lower);
    stem(verb) == stem(&word.lemma) || bases(verb).iter().any(|base| said.contains(base) || base.text == word.lemma)
}

/// Whether a word is the verb of such a reference, by its name or another one that the model gives it: `reviewed` and
/// `review` of REVIEWED_BY, `wrote` of what is also called `written by`.
pub fn is_done_by(index: &ModelIndex, column: ColumnId, word: &Word) -> bool {
    if !index.is_reference(column) {
        return false;
    }
    let mut phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(column));
    let is_verb = |phrase: &Phrase| match phrase.words.as_slice() {
        [verb, by] => by == "by" && (is_form_of(verb, word) || *verb == word.lower),
        _ => false,
    };
    phrases.any(is_verb)
}

/// The parts of a column's name in lower case.
pub fn parts(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split('_').map(str::to_lowercase)
}

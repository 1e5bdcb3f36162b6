//! The pieces of a question: spans of words with one meaning each, from the lattice and from the table of cues.

use super::cues::{Cue, cues_at};
use super::split_names::split_names;
use crate::accounting::{Loss, losses};
use crate::frame::states::{ends_called, states_at, tells_validity};
use crate::frame::{denies_what_is_had, is_done_by, is_form_of, is_other_form, tables_called, tells_doer, undone};
use crate::interpretation::operators::Operator;
use crate::lattice::word_class::is_general_noun;
use crate::lattice::{Item, Lattice, Meaning};
use crate::lexicon::{self, PartOfSpeech};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::links::person_roles::is_persons;
use crate::links::phrase_match::{Target, is_function_word};
use crate::question::lemma::stem;
use crate::question::time::TimeRange;
use crate::question::words::{Word, WordKind};

/// Names and values that are linked less well are not used.
const QUALITY_MIN: f32 = 0.74;
/// What a piece costs, so that one of many words is preferred to many of few.
const PIECE_COST: f32 = 0.1;
/// A word that is linked at least so well to something has a meaning.
const KNOWN_QUALITY: f32 = 0.5;
/// From here on every word of a name is said.
const WHOLE_NAME_MIN: f32 = 0.95;

/// How much better a name fits that leaves another one out.
const EXACT_LEAD: f32 = 0.2;

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Table(TableId),
    Metric(ColumnId),
    Fact(ColumnId),
    Dimension(ColumnId),
    Time(ColumnId),
    /// Rows of a table that a verb tells of: `returned`.
    Events(TableId),
    /// A filter of the model, or a column of true and false.
    Holds(ColumnId),
    /// What a word with a denying prefix denies: `unplanned`.
    Undone(ColumnId),
    Value(ColumnId, String),
    Number(f64),
    Period(TimeRange),
    Cue(Cue),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub cost: f32,
    pub origin: Origin,
}

/// What stated the meaning of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Name,
    Verb,
}

/// All pieces by the word they start at.
pub struct Pieces {
    by_start: Vec<Vec<Piece>>,
}

impl Pieces {
    pub fn new(index: &ModelIndex, lattice: &Lattice<'_>) -> Self {
        let mut by_start: Vec<Vec<Piece>> = vec![Vec::new(); lattice.words.len()];
        let losses = losses(lattice);
        for item in &lattice.items {
            // A word that compares, denies or ranks is not a part of a name that only resembles it.
            let is_name = matches!(item.meaning, Meaning::Table(_) | Meaning::Column(_));
            let is_grave = |loss: &Loss| loss.is_grave() && !matches!(loss, Loss::Name | Loss::Number);
            let is_operation = losses[item.start..item.end].iter().any(is_grave) || has_punctuality(lattice, item);
            if is_name && item.quality < WHOLE_NAME_MIN && is_operation {
                continue;
            }
            let is_denied = denies_what_is_had(lattice.words, item) || tells_doer(index, lattice.words, item);
            if item.quality < least_quality(index, lattice, item)
                || is_name && (is_surpassed(lattice, item) || is_factor(index, lattice, item))
                || is_denied
                || is_other_form(index, lattice.words, item)
            {
                continue;
            }
            let is_time = |kind: &Kind| matches!(kind, Kind::Time(_));
            // `valid today`: the word compares two days with another one, and is neither of them.
            // `bookings` are rows, whatever the day is called on which they are booked.
            if is_name
                && item.quality < WHOLE_NAME_MIN
                && names_rows_too(lattice, item)
                && kinds_of(index, &item.meaning).iter().any(is_time)
            {
                continue;
            }
            let is_validity = (item.start..item.end).all(|at| tells_validity(lattice.words, at));
            if is_validity && kinds_of(index, &item.meaning).iter().any(is_time) {
                continue;
            }
            let cost = PIECE_COST + 2.0 * (1.0 - item.quality);
            let piece = |kind: Kind| Piece { start: item.start, end: item.end, kind, cost, origin: Origin::Name };
            by_start[item.start].extend(kinds_of(index, &item.meaning).into_iter().map(piece));
        }
        for (at, pieces) in by_start.iter_mut().enumerate() {
            pieces.extend(value_of_rate(index, lattice, at));
            pieces.extend(named_by_verb(index, lattice, at));
            pieces.extend(people(index, lattice, at));
            let denied = undone(index, &lattice.words[at].lower).into_iter();
            pieces.extend(denied.map(|column| Piece {
                start: at,
                end: at + 1,
                kind: Kind::Undone(column),
                cost: PIECE_COST,
                origin: Origin::Name,
            }));
            pieces.extend(cues_at(lattice.words, at).into_iter().map(|(cue, length)| Piece {
                start: at,
                end: at + length,
                kind: Kind::Cue(cue),
                cost: if matches!(cue, Cue::Filler) { 0.0 } else { 0.02 },
                origin: Origin::Name,
            }));
            let says = |piece: &Piece| !matches!(piece.kind, Kind::Events(_));
            if !pieces.iter().any(says) && is_passed_over(lattice, &losses, at) {
                pieces.push(Piece {
                    start: at,
                    end: at + 1,
                    kind: Kind::Cue(Cue::Unknown),
                    cost: 0.0,
                    origin: Origin::Name,
                });
            }
        }
        for piece in split_names(index, lattice.words) {
            by_start[piece.start].push(piece);
        }
        Self { by_start }
    }

    pub fn at(&self, at: usize) -> &[Piece] {
        self.by_start.get(at).map_or(&[], Vec::as_slice)
    }

    /// The ends of the cue at a word.
    pub fn cue_ends(&self, at: usize, wanted: impl Fn(Cue) -> bool) -> Vec<(usize, Cue)> {
        let found = self.at(at).iter().filter_map(|piece| match piece.kind {
            Kind::Cue(cue) if wanted(cue) => Some((piece.end, cue)),
            _ => None,
        });
        found.collect()
    }
}

/// `people`, where one table alone is of persons and nothing is called so.
fn people(index: &ModelIndex, lattice: &Lattice<'_>, at: usize) -> Option<Piece> {
    let is_people = matches!(lattice.words[at].lower.as_str(), "people" | "persons" | "individuals");
    let is_known = |item: &Item| matches!(item.meaning, Meaning::Table(_) | Meaning::Column(_) | Meaning::Value(..));
    let is_named = lattice.starting_at(at).any(|(_, item)| is_known(item) && item.quality >= QUALITY_MIN);
    let mut persons = (0..index.tables.len()).filter(|table| is_persons(index, *table));
    let table = persons.next().filter(|_| is_people && !is_named && persons.next().is_none())?;
    Some(Piece { start: at, end: at + 1, kind: Kind::Table(table), cost: PIECE_COST + 0.1, origin: Origin::Name })
}

/// `failure rate`, `cancellation rate`: the value that the noun is made from.
fn value_of_rate(index: &ModelIndex, lattice: &Lattice<'_>, at: usize) -> Vec<Piece> {
    let is_rate = |word: &Word| matches!(word.lemma.as_str(), "rate" | "quota" | "ratio");
    if !lattice.words.get(at + 1).is_some_and(is_rate) {
        return Vec::new();
    }
    let values = index.values.derived_from(&lattice.words[at].lower).into_iter();
    let values = values.map(|(column, value)| Kind::Value(column, value));
    // `damage rate`: the rows that are damaged.
    let is_flag = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let is_flag = entry.kind == ColumnKind::Filter || entry.data == DataKind::Boolean;
        let is_called =
            |word: &String| word != &lattice.words[at].lower && root(word) == root(&lattice.words[at].lemma);
        is_flag && entry.words.last().is_some_and(is_called)
    };
    let flags = (0..index.columns.len()).filter(is_flag).map(Kind::Holds);
    let piece = |kind: Kind| Piece { start: at, end: at + 1, kind, cost: PIECE_COST + 0.2, origin: Origin::Name };
    values.chain(flags).map(piece).collect()
}

/// A verb or an adverb that nothing in the model is called by.
fn is_passed_over(lattice: &Lattice<'_>, losses: &[Loss], at: usize) -> bool {
    let word = &lattice.words[at];
    let part = lexicon::parts_of_speech(&word.lower).main();
    let is_known =
        lattice.items.iter().any(|item| (item.start..item.end).contains(&at) && item.quality >= KNOWN_QUALITY);
    losses[at] == Loss::Content
        && matches!(part, Some(PartOfSpeech::Verb | PartOfSpeech::Adverb))
        && !is_known
        && at > 0
        && lattice.words[at - 1].lower != "many"
        && states_at(lattice.words, at).is_empty()
}

/// `late` and `on time` compare two days.
fn has_punctuality(lattice: &Lattice<'_>, item: &Item) -> bool {
    let is_punctual = |item: &Item| matches!(item.meaning, Meaning::Operator(Operator::Punctual(_)));
    (item.start..item.end).any(|at| lattice.starting_at(at).any(|(_, other)| is_punctual(other)))
}

/// A fact may be named by the last word of its name: `days` for working days.
fn least_quality(index: &ModelIndex, lattice: &Lattice<'_>, item: &Item) -> f32 {
    match item.meaning {
        Meaning::Value(..) => 0.7,
        Meaning::Column(column) if index.columns[column].kind == ColumnKind::Fact => {
            let is_name = |other: &Item| {
                other.start == item.start && matches!(other.meaning, Meaning::Table(_) | Meaning::Column(_))
            };
            // `outages` are the rows, whatever fact has them in its name.
            let is_rows = |other: &Item| {
                is_name(other)
                    && matches!(other.meaning, Meaning::Table(_))
                    && other.end == item.end
                    && other.quality >= WHOLE_NAME_MIN
            };
            if lattice.items.iter().any(is_rows) {
                return WHOLE_NAME_MIN;
            }
            let is_better_named = lattice.items.iter().any(|other| is_name(other) && other.quality >= QUALITY_MIN);
            let last = &lattice.words[item.end - 1].lower;
            if is_better_named || is_general_noun(last) { QUALITY_MIN } else { 0.58 }
        }
        _ => QUALITY_MIN,
    }
}

/// What only resembles a name gives way to what is one: `shipments` are no shippers.
fn is_surpassed(lattice: &Lattice<'_>, item: &Item) -> bool {
    let is_exact = |other: &Item| {
        let is_name = matches!(other.meaning, Meaning::Table(_) | Meaning::Column(_));
        is_name && other.quality >= WHOLE_NAME_MIN && item.quality + EXACT_LEAD <= other.quality
    };
    lattice.starting_at(item.start).any(|(_, other)| other.end == item.end && is_exact(other))
}

/// Whether the words are the whole name of a table.
fn names_rows_too(lattice: &Lattice<'_>, item: &Item) -> bool {
    let is_table = |other: &Item| matches!(other.meaning, Meaning::Table(_)) && other.quality >= WHOLE_NAME_MIN;
    lattice.starting_at(item.start).any(|(_, other)| other.end == item.end && is_table(other))
}

/// `average wage`: the wage, and not its product with the hours, where the price of a unit is called by the very word.
fn is_factor(index: &ModelIndex, lattice: &Lattice<'_>, item: &Item) -> bool {
    let is_product = matches!(item.meaning, Meaning::Column(column) if index.columns[column].formula.is_some());
    let word = &lattice.words[item.end - 1].lemma;
    let is_called = |other: &Item| match other.meaning {
        Meaning::Column(column) => {
            let entry = &index.columns[column];
            entry.formula.is_none() && entry.kind == ColumnKind::Fact && entry.words.last() == Some(word)
        }
        _ => false,
    };
    is_product
        && item.quality < WHOLE_NAME_MIN
        && item.length() == 1
        && lattice.starting_at(item.start).any(|(_, other)| other.end == item.end && is_called(other))
}

/// Verbs and the nouns that name what they measure.
pub const VERB_NOUNS: &[(&str, &[&str])] = &[
    ("sell", &["sale", "revenue", "turnover"]),
    ("earn", &["earning", "revenue", "income"]),
    ("spend", &["spend", "spending", "cost", "expense"]),
    ("bill", &["billing", "revenue"]),
    ("refund", &["refund"]),
    ("consume", &["consumption"]),
    ("produce", &["production", "output"]),
    ("generate", &["generation"]),
    ("take", &["taking"]),
];

/// What a verb names: the time at which it happened, or what is measured by it.
fn named_by_verb(index: &ModelIndex, lattice: &Lattice<'_>, at: usize) -> Vec<Piece> {
    let word = &lattice.words[at];
    let piece = |kind: Kind, cost: f32| Piece { start: at, end: at + 1, kind, cost, origin: Origin::Verb };
    let is_table = |item: &Item| matches!(item.meaning, Meaning::Table(_)) && item.quality >= WHOLE_NAME_MIN;
    let names_table = lattice.starting_at(at).any(|(_, item)| is_table(item));
    let mut found: Vec<Piece> = Vec::new();
    if word.kind == WordKind::Plain && word.lemma.len() > 2 && !is_function_word(&word.lower) {
        // `bookings` are rows, though each was booked on a day.
        let is_other = tells_validity(lattice.words, at) || names_table;
        let times = (0..index.columns.len()).filter(|column| !is_other && is_time_of(index, *column, word));
        let mut times: Vec<ColumnId> = times.collect();
        if times.is_empty() {
            times = ends_called(index, &word.lower);
        }
        found.extend(times.into_iter().map(|column| piece(Kind::Time(column), PIECE_COST + 0.05)));
        let called = tables_called(index, &word.lower).into_iter();
        found.extend(called.map(|table| piece(Kind::Events(table), PIECE_COST + 0.1)));
    }
    // `written on weekends`: who wrote it is not asked.
    let is_happening = |column: &ColumnId| !index.columns[*column].has_gaps && is_done_by(index, *column, word);
    if (0..index.columns.len()).any(|column| is_happening(&column)) {
        found.push(piece(Kind::Cue(Cue::Happened), PIECE_COST));
    }
    found.extend(metrics_of_verb(index, word).into_iter().map(|metric| piece(Kind::Metric(metric), PIECE_COST + 0.1)));
    for (_, nouns) in VERB_NOUNS.iter().filter(|(verb, _)| *verb == word.lemma && !names_table) {
        for phrase in &index.vocabulary.phrases {
            let (Target::Column(column), [noun]) = (phrase.target, phrase.words.as_slice()) else { continue };
            if phrase.worth < 0.9 || !nouns.contains(&noun.as_str()) {
                continue;
            }
            match index.columns[column].kind {
                ColumnKind::Metric => found.push(piece(Kind::Metric(column), PIECE_COST + 0.1)),
                ColumnKind::Fact => found.push(piece(Kind::Fact(column), PIECE_COST + 0.2)),
                _ => {}
            }
        }
    }
    found
}

/// `how much did we collect`: a metric that is called `collected`.
fn metrics_of_verb(index: &ModelIndex, word: &Word) -> Vec<ColumnId> {
    let is_metric = |column: ColumnId| index.columns[column].kind == ColumnKind::Metric;
    let mut found: Vec<ColumnId> = Vec::new();
    for phrase in &index.vocabulary.phrases {
        if let (Target::Column(column), [participle]) = (phrase.target, phrase.words.as_slice())
            && is_metric(column)
            && participle.ends_with("ed")
            && *participle != word.lower
            && is_form_of(participle, word)
            && !found.contains(&column)
        {
            found.push(column);
        }
    }
    found
}

/// `paid` names PAID_ON: the column has no other word that says something.
fn is_time_of(index: &ModelIndex, column: ColumnId, verb: &Word) -> bool {
    let entry = &index.columns[column];
    let says = |word: &&String| !matches!(word.as_str(), "on" | "at" | "date" | "time" | "day" | "timestamp" | "the");
    let mut telling = entry.words.iter().filter(says);
    let first = telling.next();
    let is_name = telling.next().is_none() && first.is_some_and(|word| root(word) == root(&verb.lemma));
    entry.kind == ColumnKind::Time && !is_doer(verb) && (is_name || is_called_in_past(index, column, verb))
}

/// The stem without the vowel that `settlement` has and `settled` has not.
fn root(word: &str) -> String {
    stem(&stem(word))
}

/// `workers` are no verb, though they work.
fn is_doer(word: &Word) -> bool {
    let is_called = word.lemma.ends_with("er") || word.lemma.ends_with("or");
    is_called && lexicon::lemmas(&word.lower, Some(PartOfSpeech::Verb)).is_empty()
}

/// `fix` names RECTIFIED_ON, which the model also calls `fixed on`.
fn is_called_in_past(index: &ModelIndex, column: ColumnId, said: &Word) -> bool {
    let mut phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(column));
    phrases.any(|phrase| match phrase.words.as_slice() {
        [verb, on] => matches!(on.as_str(), "on" | "at") && is_form_of(verb, said),
        [verb] => verb.ends_with("ed") && is_form_of(verb, said),
        _ => false,
    })
}

fn kinds_of(index: &ModelIndex, meaning: &Meaning) -> Vec<Kind> {
    match meaning {
        Meaning::Table(table) => vec![Kind::Table(*table)],
        Meaning::Column(column) => of_column(index, *column),
        Meaning::Value(column, value) => vec![Kind::Value(*column, value.clone())],
        Meaning::Number(number) => vec![Kind::Number(*number)],
        Meaning::Period(range) => vec![Kind::Period(*range)],
        Meaning::Quoted(_) | Meaning::Date(_) | Meaning::Operator(_) => Vec::new(),
    }
}

fn of_column(index: &ModelIndex, column: ColumnId) -> Vec<Kind> {
    let entry = &index.columns[column];
    match entry.kind {
        ColumnKind::Metric => vec![Kind::Metric(column)],
        ColumnKind::Fact => vec![Kind::Fact(column)],
        ColumnKind::Filter => vec![Kind::Holds(column)],
        ColumnKind::Time => vec![Kind::Time(column)],
        ColumnKind::Dimension if entry.data == DataKind::Boolean => vec![Kind::Holds(column), Kind::Dimension(column)],
        ColumnKind::Dimension if index.is_reference(column) || index.is_key(column) => Vec::new(),
        ColumnKind::Dimension => vec![Kind::Dimension(column)],
    }
}

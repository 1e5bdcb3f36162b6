//! The lattice of a question: every span of words with everything it may mean. Nothing is decided here; each candidate
//! carries the quality of its link.

pub mod word_class;

use chrono::NaiveDate;

use crate::interpretation::operators::{Operator, operators_at};
use crate::lexicon;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::links::person_roles::is_persons;
use crate::links::phrase_match::{PhraseHit, Target};
use crate::links::value_index::ValueHit;
use crate::question::time::{TimeRange, YEARS, time_at, year_range};
use crate::question::words::{Word, WordKind};

pub use word_class::WordClass;

/// Candidates of one span beyond these are dropped, the weakest first.
const CANDIDATES_MAX: usize = 10;
/// A word that is linked at least so well is a name of the model.
const NAMED_MIN: f32 = 0.9;
/// A candidate this much weaker than the best of its span is dropped.
const RELATIVE_MIN: f32 = 0.5;

/// What a span of words may mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    Table(TableId),
    Column(ColumnId),
    /// A value of the data in its column.
    Value(ColumnId, String),
    /// Quoted text; it need not be in the data.
    Quoted(String),
    Number(f64),
    /// A date or point in time, as ISO text.
    Date(String),
    Period(TimeRange),
    Operator(Operator),
}

/// Words `start..end` under one meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub start: usize,
    pub end: usize,
    pub meaning: Meaning,
    /// From 0 to 1: an exact name has 1.
    pub quality: f32,
}

impl Item {
    #[must_use]
    pub fn length(&self) -> usize {
        self.end - self.start
    }
}

/// All candidates of a question, by the word they start at.
#[derive(Debug)]
pub struct Lattice<'a> {
    pub words: &'a [Word],
    pub classes: Vec<WordClass>,
    pub items: Vec<Item>,
    starts: Vec<Vec<usize>>,
}

impl<'a> Lattice<'a> {
    #[must_use]
    pub fn new(index: &ModelIndex, words: &'a [Word], today: NaiveDate) -> Self {
        let matches = index.vocabulary.with_related(words, index.vocabulary.word_matches(words));
        let mut items = Vec::new();
        for at in 0..words.len() {
            add_plain(words, at, &mut items);
            add_times(words, at, today, &mut items);
            for (operator, length) in operators_at(words, at) {
                items.push(Item { start: at, end: at + length, meaning: Meaning::Operator(operator), quality: 1.0 });
            }
            let hits = index.vocabulary.starting_at(words, &matches, at);
            add_names(index, at, &hits, &mut items);
            add_values(index, words, at, &hits, &mut items);
        }
        let mut starts = vec![Vec::new(); words.len()];
        for (number, item) in items.iter().enumerate() {
            starts[item.start].push(number);
        }
        let classes = word_class::classes(words);
        Self { words, classes, items, starts }
    }

    /// The candidates that start at a word.
    pub fn starting_at(&self, at: usize) -> impl Iterator<Item = (usize, &Item)> {
        self.starts.get(at).into_iter().flatten().map(|&number| (number, &self.items[number]))
    }

    /// Whether the question has one of these operators anywhere.
    #[must_use]
    pub fn says(&self, wanted: &[Operator]) -> bool {
        self.items.iter().any(|item| matches!(&item.meaning, Meaning::Operator(operator) if wanted.contains(operator)))
    }

    #[must_use]
    pub fn text(&self, start: usize, end: usize) -> String {
        self.words[start..end].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

fn add_plain(words: &[Word], at: usize, items: &mut Vec<Item>) {
    let word = &words[at];
    let meaning = match &word.kind {
        WordKind::Number(value) => Meaning::Number(*value),
        WordKind::Quoted => Meaning::Quoted(word.text.clone()),
        WordKind::Date => Meaning::Date(word.text.clone()),
        WordKind::Plain | WordKind::Mark => return,
    };
    items.push(Item { start: at, end: at + 1, meaning, quality: 1.0 });
}

fn add_times(words: &[Word], at: usize, today: NaiveDate, items: &mut Vec<Item>) {
    if let Some((range, length)) = time_at(words, at, today) {
        items.push(Item { start: at, end: at + length, meaning: Meaning::Period(range), quality: 1.0 });
    }
    if let WordKind::Number(value) = words[at].kind
        && value.fract() == 0.0
        && YEARS.contains(&value)
        && let Some(range) = year_range(value as i32)
    {
        items.push(Item { start: at, end: at + 1, meaning: Meaning::Period(range), quality: 0.9 });
    }
}

fn add_names(index: &ModelIndex, at: usize, hits: &[PhraseHit], items: &mut Vec<Item>) {
    let mut lengths: Vec<usize> = hits.iter().map(|hit| hit.length).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for length in lengths {
        let of_length = || hits.iter().filter(|hit| hit.length == length && is_whole(index, hit));
        let best = of_length().map(|hit| hit.score).fold(0.0, f32::max);
        let good = of_length().filter(|hit| hit.score >= best * RELATIVE_MIN && hit.score > 0.25);
        items.extend(good.take(CANDIDATES_MAX).map(|hit| Item {
            start: at,
            end: at + length,
            meaning: match hit.target {
                Target::Table(table) => Meaning::Table(table),
                Target::Column(column) => Meaning::Column(column),
            },
            quality: hit.score.min(1.0),
        }));
    }
}

/// Filters and metrics are not meant by one word of many in their names, nor by a word that only resembles one.
fn is_whole(index: &ModelIndex, hit: &PhraseHit) -> bool {
    match hit.target {
        Target::Column(column) => match index.columns[column].kind {
            ColumnKind::Filter => hit.score >= 0.96,
            ColumnKind::Metric => hit.score >= 0.93,
            _ => true,
        },
        Target::Table(_) => true,
    }
}

/// The values at a word, which may also be one of `names` of the model.
fn add_values(index: &ModelIndex, words: &[Word], at: usize, names: &[PhraseHit], items: &mut Vec<Item>) {
    let mut values = index.values.starting_at(words, at);
    if values.is_empty() && names.is_empty() && at > 0 {
        values = index.values.misspelled(&words[at]);
    }
    if values.is_empty() {
        for place in lexicon::places_of(&words[at].lower) {
            let hits = index.values.quoted(place).into_iter().filter(|hit| hit.score >= 0.95);
            values.extend(hits.map(|hit| ValueHit { score: 0.9, ..hit }));
        }
    }
    if values.is_empty() && index.is_curated() && is_asked_deed(words, at) {
        values = index.values.done_by(&words[at].lower);
    }
    if values.is_empty() && index.is_curated() && names.iter().all(|name| name.score < NAMED_MIN) {
        values = practised(index, &words[at], names);
    }
    if values.is_empty() {
        let adjective = words[at].lower.strip_suffix("ly").filter(|adjective| adjective.len() > 3);
        let hits = adjective.into_iter().flat_map(|adjective| index.values.quoted(adjective));
        values.extend(hits.filter(|hit| hit.score >= 0.95).map(|hit| ValueHit { score: 0.9, ..hit }));
    }
    let first = items.len();
    // `contractor` is a role of companies, and says more there than their kind does.
    let is_role = |hit: &ValueHit| {
        let table = index.columns[hit.column].table;
        hit.length == 1 && index.person_roles.iter().any(|role| role.persons == table && role.is_called(&words[at]))
    };
    values.retain(|hit| !is_role(hit));
    for hit in values {
        let end = at + hit.length;
        let of_span = items[first..].iter().filter(|item| item.end == end).count();
        if of_span < CANDIDATES_MAX {
            let quality = hit.score * value_quality(&words[at..end], at);
            items.push(Item { start: at, end, meaning: Meaning::Value(hit.column, hit.value), quality });
        }
    }
}

/// `did we reject`, `did they reject`: a verb behind an auxiliary and whoever does it.
fn is_asked_deed(words: &[Word], at: usize) -> bool {
    let [.., auxiliary, doer] = &words[..at] else { return false };
    matches!(auxiliary.lower.as_str(), "do" | "does" | "did")
        && matches!(doer.lower.as_str(), "we" | "they" | "you" | "it")
}

/// What people of a profession practise. A cardiologist is a doctor: where the word tells whose field it is, it is theirs.
fn practised(index: &ModelIndex, word: &Word, names: &[PhraseHit]) -> Vec<ValueHit> {
    let table = |hit: &ValueHit| index.columns[hit.column].table;
    let mut found = index.values.practised_by(&word.lemma);
    found.retain(|hit| is_persons(index, table(hit)));
    let is_named = |hit: &ValueHit| names.iter().any(|name| name.target == Target::Table(table(hit)));
    if found.iter().any(is_named) {
        found.retain(is_named);
    }
    found
}

/// A value in lower case may just be a word; one in capitals, in quotation marks or of several words hardly is.
fn value_quality(covered: &[Word], at: usize) -> f32 {
    let first = &covered[0];
    match first.kind {
        WordKind::Quoted => 1.0,
        WordKind::Number(_) if covered.len() == 1 => 0.5,
        _ if first.capitalised() && at > 0 => 1.0,
        _ if covered.len() > 1 => 0.97,
        _ => 0.85,
    }
}

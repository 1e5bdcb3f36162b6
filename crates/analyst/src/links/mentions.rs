//! The question as a row of chunks: mentions of the model and its values, operators, numbers, and the words between.
//! Of all ways to cover the words, the one that explains most of them best is taken; candidates stay open within it.

use crate::interpretation::operators::{Operator, operator_at};
use chrono::NaiveDate;

use crate::question::time::{TimeRange, time_at};
use crate::question::words::{Word, WordKind};

use crate::interpretation::style::Style;

use super::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use super::phrase_match::{PhraseHit, Target};
use super::value_index::ValueHit;

/// Words `start..end` of the question, and what they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    pub start: usize,
    pub end: usize,
    pub text: String,
    pub kind: ChunkKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ChunkKind {
    Mention(Mention),
    Operator(Operator),
    Number(f64),
    Date,
    Time(TimeRange),
    Word,
}

/// What a run of words may speak of, best first in each list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mention {
    pub tables: Vec<(TableId, f32)>,
    pub columns: Vec<(ColumnId, f32)>,
    pub values: Vec<(ColumnId, String, f32)>,
    /// Text in quotation marks.
    pub quoted: Option<String>,
}

impl Mention {
    #[must_use]
    pub fn best_table(&self) -> Option<(TableId, f32)> {
        self.tables.first().copied()
    }

    #[must_use]
    pub fn best_column_score(&self) -> f32 {
        self.columns.first().map_or(0.0, |(_, score)| *score)
    }

    #[must_use]
    pub fn is_value(&self) -> bool {
        self.quoted.is_some() || !self.values.is_empty()
    }

    /// Whether it speaks of a value and of nothing better.
    #[must_use]
    pub fn is_value_first(&self) -> bool {
        self.is_value() && self.tables.is_empty() && self.columns.is_empty()
    }
}

/// A candidate cover of some words.
struct Span {
    length: usize,
    gain: f32,
    kind: ChunkKind,
}

/// Cuts the words into chunks.
#[must_use]
pub fn chunks(index: &ModelIndex, words: &[Word], today: NaiveDate, style: &Style) -> Vec<Chunk> {
    let matches = index.vocabulary.word_matches(words);
    let spans: Vec<Vec<Span>> = (0..words.len())
        .map(|at| {
            let mut spans = vec![plain_span(&words[at])];
            spans.extend(operator_span(words, at));
            spans.extend(time_at(words, at, today).map(|(range, length)| Span {
                length,
                gain: length as f32 + 0.3,
                kind: ChunkKind::Time(range),
            }));
            spans.extend(link_spans(index, words, &matches, at, style));
            spans
        })
        .collect();
    best_cover(spans, words)
}

fn best_cover(spans: Vec<Vec<Span>>, words: &[Word]) -> Vec<Chunk> {
    let count = words.len();
    let mut gains = vec![0.0_f32; count + 1];
    let mut choices = vec![0_usize; count];
    for at in (0..count).rev() {
        let mut best = f32::MIN;
        for (choice, span) in spans[at].iter().enumerate() {
            let end = at + span.length;
            if end <= count && span.gain + gains[end] > best {
                best = span.gain + gains[end];
                choices[at] = choice;
            }
        }
        gains[at] = best;
    }
    let mut chunks = Vec::new();
    let mut at = 0;
    let mut spans = spans;
    while at < count {
        let span = spans[at].swap_remove(choices[at]);
        let end = at + span.length;
        let text = words[at..end].iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
        chunks.push(Chunk { start: at, end, text, kind: span.kind });
        at = end;
    }
    chunks
}

fn plain_span(word: &Word) -> Span {
    let kind = match word.kind {
        WordKind::Number(value) => ChunkKind::Number(value),
        WordKind::Date => ChunkKind::Date,
        WordKind::Quoted => ChunkKind::Mention(Mention { quoted: Some(word.text.clone()), ..Mention::default() }),
        WordKind::Plain | WordKind::Mark => ChunkKind::Word,
    };
    let gain = if kind == ChunkKind::Word { 0.0 } else { 0.5 };
    Span { length: 1, gain, kind }
}

fn operator_span(words: &[Word], at: usize) -> Option<Span> {
    let (operator, length) = operator_at(words, at)?;
    Some(Span { length, gain: 0.95 * length as f32 - 0.05, kind: ChunkKind::Operator(operator) })
}

fn link_spans(
    index: &ModelIndex,
    words: &[Word],
    matches: &[Vec<(String, f32)>],
    at: usize,
    style: &Style,
) -> Vec<Span> {
    let hits = index.vocabulary.starting_at(words, matches, at);
    let mut values = index.values.starting_at(words, at);
    if values.is_empty() && hits.is_empty() && at > 0 {
        values = index.values.misspelled(&words[at]);
    }
    let quoted = (words[at].kind == WordKind::Quoted).then_some(1);
    let mut lengths: Vec<usize> = quoted
        .into_iter()
        .chain(hits.iter().map(|hit| hit.length))
        .chain(values.iter().map(|hit| hit.length))
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
        .into_iter()
        .map(|length| {
            let hits: Vec<&PhraseHit> = hits.iter().filter(|hit| hit.length == length).collect();
            let values: Vec<&ValueHit> = values.iter().filter(|hit| hit.length == length).collect();
            link_span(index, words, at, length, &hits, &values, style)
        })
        .collect()
}

fn link_span(
    index: &ModelIndex,
    words: &[Word],
    at: usize,
    length: usize,
    hits: &[&PhraseHit],
    values: &[&ValueHit],
    style: &Style,
) -> Span {
    let covered = &words[at..at + length];
    let content: f32 = covered.iter().map(|word| if is_filler(word) { style.filler } else { 1.0 }).sum();
    let whole = |hit: &&&PhraseHit| match hit.target {
        Target::Column(column) => hit.score >= whole_score(index, column),
        Target::Table(_) => true,
    };
    let hits: Vec<&PhraseHit> = hits.iter().filter(whole).copied().collect();
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let mut mention = Mention::default();
    for hit in hits {
        if hit.score < best * 0.55 {
            continue;
        }
        match hit.target {
            Target::Table(table) => mention.tables.push((table, hit.score)),
            Target::Column(column) => mention.columns.push((column, hit.score)),
        }
    }
    mention.values = values.iter().map(|hit| (hit.column, hit.value.clone(), hit.score)).collect();
    if let [Word { kind: WordKind::Quoted, text, .. }] = covered {
        mention.quoted = Some(text.clone());
    }
    if mention.quoted.is_some() && values.is_empty() {
        mention.columns = quoted_columns(index, &covered[0].text);
    }
    let value_gain = values.first().map_or(0.0, |hit| hit.score * value_worth(covered, at, style) * content);
    let gain = (best * content).max(value_gain) - 0.05;
    Span { length, gain, kind: ChunkKind::Mention(mention) }
}

/// What of a name must be said: filters and metrics are not meant by one word of many in their names, nor by a word
/// that only resembles one.
fn whole_score(index: &ModelIndex, column: ColumnId) -> f32 {
    match index.columns[column].kind {
        ColumnKind::Filter => 0.96,
        ColumnKind::Metric => 0.93,
        _ => 0.0,
    }
}

/// Quoted text may be the name of a column.
fn quoted_columns(index: &ModelIndex, text: &str) -> Vec<(ColumnId, f32)> {
    let words = crate::question::words::words(text);
    if words.is_empty() {
        return Vec::new();
    }
    let matches = index.vocabulary.word_matches(&words);
    let hits = index.vocabulary.starting_at(&words, &matches, 0);
    let whole = hits.iter().filter(|hit| hit.length == words.len() && hit.score > 0.9);
    whole
        .filter_map(|hit| if let Target::Column(column) = hit.target { Some((column, hit.score)) } else { None })
        .collect()
}

/// A value in lower case may just be a word; one in capitals, in quotation marks or of several words hardly is.
fn value_worth(covered: &[Word], at: usize, style: &Style) -> f32 {
    let first = &covered[0];
    match first.kind {
        WordKind::Quoted => 2.0,
        WordKind::Number(_) if covered.len() == 1 => 0.3,
        _ if first.capitalised() && at > 0 => 1.15,
        _ if covered.len() > 1 => 1.05,
        _ => style.lower_value,
    }
}

fn is_filler(word: &Word) -> bool {
    matches!(word.lower.as_str(), "of" | "the" | "for" | "'s" | "a" | "in" | "," | "-")
}

//! Follow-ups that take a part of the question before away: `drop the year`, `remove the channel filter`, `no limit`.

use crate::interpretation::query::{Condition, Query};
use crate::interpretation::stated_range;
use crate::links::model_index::ModelIndex;
use crate::links::phrase_match::Target;
use crate::question::words::{Word, WordKind};

const DROPPING: &[&str] = &["drop", "remove", "delete", "clear", "forget", "lift", "no", "without", "undo"];
const DETERMINERS: &[&str] = &["the", "that", "this", "any", "all", "a"];
const OPENINGS: &[&str] = &["and", "now", "then", "but", "please", "ok", "okay"];
/// Nouns for what restricts rows.
const RESTRICTIONS: &[&str] = &["filter", "condition", "restriction", "constraint"];
const TIMES: &[&str] = &["year", "period", "date", "time", "month", "quarter", "week", "range"];

/// The query before without the part that a follow-up names; none where it names no part of it.
#[must_use]
pub(crate) fn without_part(index: &ModelIndex, words: &[Word], previous: &Query) -> Option<Query> {
    let plain: Vec<&Word> = words.iter().filter(|word| word.kind != WordKind::Mark).collect();
    let opening = plain.iter().take_while(|word| OPENINGS.contains(&word.lower.as_str())).count();
    let [verb, named @ ..] = &plain[opening..] else { return None };
    let skipped = named.iter().take_while(|word| DETERMINERS.contains(&word.lower.as_str())).count();
    let named = &named[skipped..];
    if !DROPPING.contains(&verb.lower.as_str()) || named.is_empty() {
        return None;
    }
    let mut query = previous.clone();
    let restricts = |word: &Word| RESTRICTIONS.contains(&word.lemma.as_str());
    let is_time = |word: &Word| TIMES.contains(&word.lemma.as_str());
    match named {
        [only] if only.lower == "limit" => query.limit = None,
        [only] if matches!(only.lemma.as_str(), "order" | "sorting" | "ordering") => query.order.clear(),
        [only] if restricts(only) => query.conditions.clear(),
        [times @ .., last] if times.iter().all(|word| is_time(word)) && (is_time(last) || restricts(last)) => {
            query.conditions.retain(|condition| stated_range(condition).is_none());
        }
        [name @ .., last] if restricts(last) => {
            query.conditions.retain(|condition| !is_about(index, condition, name));
        }
        _ => return None,
    }
    (query != *previous).then_some(query)
}

/// Whether a condition compares nothing but a column of that name.
fn is_about(index: &ModelIndex, condition: &Condition, name: &[&Word]) -> bool {
    let mut columns = Vec::new();
    condition.columns(&mut columns);
    let is_called = |column: &usize| {
        let mut phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(*column));
        phrases.any(|phrase| {
            phrase.words.len() == name.len()
                && phrase.words.iter().zip(name).all(|(part, word)| word.lemma == *part || word.lower == *part)
        })
    };
    !columns.is_empty() && columns.iter().all(is_called)
}

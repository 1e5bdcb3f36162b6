//! Questions of two sentences, the last of which says what the first one asks.

use super::understanding::{CONTENT_LOSS, MEASURED, Understood};
use super::{ANSWERED_FROM, Interpreter};
use crate::interpretation::query::Query;
use crate::lexicon;
use crate::links::model_index::{ColumnId, ColumnKind};
use crate::links::phrase_match::{Target, is_function_word};
use crate::question::words::{Word, WordKind};
use chrono::NaiveDate;

impl Interpreter<'_> {
    /// `How strict is each lead? Average points by lead`: the last sentence, where it names all that the one before it does.
    pub(super) fn understand_last(
        &self,
        first: &[Word],
        last: Vec<Word>,
        previous: Option<&Query>,
        today: NaiveDate,
    ) -> Option<Understood> {
        let said: Vec<String> = last.iter().map(|word| word.lemma.clone()).collect();
        let further = first.iter().filter(|word| {
            let is_plain = word.kind == WordKind::Plain && !is_function_word(&word.lower);
            (is_plain || word.number().is_some()) && !said.contains(&word.lemma)
        });
        let further: Vec<&Word> = further.collect();
        let is_known = |word: &&&Word| {
            let is_name = self.index.vocabulary.knows(&word.lemma) || self.index.values.has_word(&word.lower);
            is_name || word.number().is_some() || word.capitalised() && !lexicon::is_word(&word.lower)
        };
        if further.iter().any(|word| is_known(&word)) {
            return None;
        }
        let mut understood = self.understand_whole(last, previous, today);
        let is_answered = understood.reading.is_some() && understood.confidence >= ANSWERED_FROM;
        let loss = CONTENT_LOSS / 2.0 * further.len() as f32;
        understood.confidence = (understood.confidence.min(MEASURED) - loss).max(0.0);
        understood.unused.extend(further.iter().map(|word| word.text.clone()));
        is_answered.then_some(understood)
    }

    /// Whether a word is one of a measure's name.
    pub(super) fn names_measure(&self, word: &Word) -> bool {
        let is_measure =
            |column: ColumnId| matches!(self.index.columns[column].kind, ColumnKind::Fact | ColumnKind::Metric);
        self.index.vocabulary.phrases.iter().any(|phrase| match phrase.target {
            Target::Column(column) => is_measure(column) && phrase.words.contains(&word.lemma),
            Target::Table(_) => false,
        })
    }
}

/// A question and the last sentence behind it.
pub(super) fn sentences(words: &[Word]) -> Option<(Vec<Word>, Vec<Word>)> {
    const WORDS_MIN: usize = 3;
    let is_end = |word: &Word| word.kind == WordKind::Mark && matches!(word.lower.as_str(), "?" | "." | "!");
    let end = words.iter().rposition(|word| !is_end(word))?;
    let at = words[..end].iter().rposition(is_end).filter(|at| end - at >= WORDS_MIN && *at > 0)?;
    Some((words[..at].to_vec(), words[at + 1..].to_vec()))
}

//! What was asked before a question, and how sure one can be that goes on with it.

use super::{ANSWERED_FROM, HISTORY_MAX, Interpreter};
use crate::interpretation::query::Query;
use crate::question::words::{Word, WordKind};
use chrono::NaiveDate;

/// How probable a follow-up to a question is at most that was not answered.
const CONTINUED_MAX: f32 = 0.6;
/// A question of no more words that follows another one may be a part of it.
const SCANT_WORDS_MAX: usize = 3;

impl Interpreter<'_> {
    /// The query that the last question of a conversation goes on with, and how sure one that does so is at most: no surer than
    /// what it goes on with.
    pub(super) fn asked_before(&self, history: &[String], today: NaiveDate) -> (Option<Query>, f32) {
        let mut previous: Option<Query> = None;
        let mut most = 1.0;
        for earlier in history.iter().rev().take(HISTORY_MAX).rev() {
            let understood = self.understand(earlier, previous.as_ref(), today);
            let is_answered = understood.confidence >= ANSWERED_FROM && understood.reading.is_some();
            most = if is_answered { 1.0 } else { CONTINUED_MAX };
            previous = understood.query().or(previous);
        }
        (previous, most)
    }
}

/// `which guests?`: so few words behind a question hardly leave it.
pub(super) fn is_scant(words: &[Word]) -> bool {
    words.iter().filter(|word| word.kind != WordKind::Mark).count() <= SCANT_WORDS_MAX
}

//! Readings that are known to say another thing than the question go behind those that are not.

use super::{Interpreter, JudgedReading};
use crate::accounting::Usage;
use crate::interpretation::query::Query;
use crate::question::words::Word;

/// What a reading gains at most that says another thing than the question: any other goes before it.
const MISREAD_GAIN: f32 = 10.0;
/// The same of one that decides what the question does not say: another reader's goes before it.
const UNSAID_GAIN: f32 = 80.0;

impl Interpreter<'_> {
    /// The readings that say another thing than the question, or decide what it does not say, and what they gain at most.
    pub(super) fn doubted(&self, words: &[Word], judged: &[JudgedReading]) -> Vec<(Query, f32)> {
        let queries = judged.iter().map(|judged| &judged.reading.query);
        let doubted = queries.filter_map(|query| {
            let usage = Usage::of(&self.index, query);
            let most = match (self.says_another(words, query, &usage), self.decides_more(words, query, &usage)) {
                (true, _) => MISREAD_GAIN,
                (false, true) => UNSAID_GAIN,
                (false, false) => return None,
            };
            Some((query.clone(), most))
        });
        doubted.collect()
    }
}

//! What a question is understood as: its best reading, how probable that is, and which of its words it leaves out.

use chrono::NaiveDate;

use super::{Interpreter, JudgedReading, Origin, QUESTION_CHARACTERS_MAX, is_mention};
use crate::accounting::{Accounting, Loss, Usage, account, losses};
use crate::conversation::{edit, is_follow_up};
use crate::interpretation::Reading;
use crate::interpretation::query::Query;
use crate::interpretation::style::PLAIN;
use crate::judge::{Feature, confidence};
use crate::lattice::Lattice;
use crate::lexicon::{self, PartOfSpeech};
use crate::links::mentions::{Chunk, chunks};
use crate::question::today::take_stated;
use crate::question::words::{Word, words};

/// A reading that leaves out a negation, a comparison or a grouping is never surer than this.
const LOSSY_MAX: f32 = 0.6;
/// A reading that leaves out a number or a name is never surer than this: what was asked of it is not in the data.
const NAMELESS_MAX: f32 = 0.45;
/// How probable an edit of the question before is where all its words are used.
const EDIT_CONFIDENCE: f32 = 0.85;
/// What each unused word of an edit takes from that.
const EDIT_LOSS: f32 = 0.2;
/// From this, what a reading over a curated model loses is taken.
const CURATED_CONFIDENCE: f32 = 0.93;
/// Of the answers over the curated models of `tests/analyst/domains` that would count as sure, this share was right: none
/// of them is reported as sure.
const CURATED_MAX: f32 = 0.66;
/// A reading of a measure that uses every word was right so often over the same models.
const MEASURED_MAX: f32 = 0.85;
/// The same where the reader from left to right reads it too.
const AGREED_MAX: f32 = 0.93;
/// What an unused verb takes from that: `placed`, `bought`.
const VERB_LOSS: f32 = 0.08;
/// What another unused word takes from it.
const CONTENT_LOSS: f32 = 0.2;
/// What links lose that are not exact.
const LINK_LOSS: f32 = 0.15;
/// Readings that compete with the best one.
const RIVALS_MAX: usize = 3;

pub(super) struct Understood {
    pub reading: Option<Reading>,
    pub chunks: Vec<Chunk>,
    /// The probability that the reading is right.
    pub confidence: f32,
    /// Words of the question that the reading does not use.
    pub unused: Vec<String>,
    /// The queries of the next best readings.
    pub rivals: Vec<Query>,
}

impl Understood {
    pub(super) fn query(self) -> Option<Query> {
        self.reading.map(|reading| reading.query)
    }
}

impl Interpreter<'_> {
    /// Understands a question by itself, or as an edit of the one before.
    pub(super) fn understand(&self, question: &str, previous: Option<&Query>, today: NaiveDate) -> Understood {
        let question: String = question.chars().take(QUESTION_CHARACTERS_MAX).collect();
        let mut words = words(&question);
        let today = take_stated(&mut words, today).unwrap_or(today);
        let background = previous.and_then(|query| self.background(query));
        let readings = self.readings(&words, background, today);
        let Some(best) = readings.first() else {
            let chunks = chunks(&self.index, &words, today, &PLAIN);
            return Understood { reading: None, chunks, confidence: 0.0, unused: Vec::new(), rivals: Vec::new() };
        };
        if let Some(previous) = previous.filter(|_| is_follow_up(&words, Some(&best.reading))) {
            return self.edited(previous, best, &words, today);
        }
        let is_nothing = previous.is_none() && best.reading.is_fragment && !best.chunks.iter().any(is_mention);
        let scores: Vec<f32> = readings.iter().map(|judged| judged.score).collect();
        let probability = match self.is_curated() {
            true => curated_confidence(&words, best),
            false => confidence(&best.features, &scores),
        };
        let bound = bound_of(&best.accounting);
        Understood {
            reading: (!is_nothing).then(|| best.reading.clone()),
            chunks: best.chunks.clone(),
            confidence: probability.min(bound),
            unused: unused_words(&words, &best.accounting),
            rivals: readings.iter().take(RIVALS_MAX).map(|judged| judged.reading.query.clone()).collect(),
        }
    }

    /// The question before, changed as this one says.
    fn edited(&self, previous: &Query, follow_up: &JudgedReading, words: &[Word], today: NaiveDate) -> Understood {
        let reading = &follow_up.reading;
        let query = edit(&self.index, previous, reading, words);
        let lattice = Lattice::new(&self.index, words, today);
        let accounting = account(&self.index, &lattice, &losses(&lattice), &Usage::of(&self.index, &query));
        let lost = accounting.unused.iter().filter(|(_, loss)| *loss > Loss::Connective || *loss == Loss::Content);
        let confidence = EDIT_CONFIDENCE - EDIT_LOSS * lost.count() as f32;
        // What changes nothing was not understood.
        let is_changed = query != *previous;
        Understood {
            reading: is_changed.then(|| Reading { query, explained: reading.explained.max(0.6), ..reading.clone() }),
            chunks: follow_up.chunks.clone(),
            confidence: confidence.max(0.0),
            unused: unused_words(words, &accounting),
            rivals: Vec::new(),
        }
    }
}

/// How sure a reading over a curated model is: what its words leave unused, and how weak its links are. The fitted
/// confidence does not hold there, since no curated model was fitted on.
fn curated_confidence(words: &[Word], judged: &JudgedReading) -> f32 {
    let loss_of = |(at, loss): &(usize, Loss)| match loss {
        Loss::Content if is_verb(&words[*at]) => VERB_LOSS,
        Loss::Connective => VERB_LOSS,
        _ => CONTENT_LOSS,
    };
    // The chart does not know metrics in every combination: what only it reads is not answered.
    let most = match judged.origin {
        Origin::Agreed => AGREED_MAX,
        Origin::Measured => MEASURED_MAX,
        Origin::Procedure | Origin::Style => CURATED_MAX,
        Origin::Chart | Origin::Edit => NAMELESS_MAX,
    };
    let unused: f32 = judged.accounting.unused.iter().map(loss_of).sum();
    let weak: f32 = [Feature::TableLinkLoss, Feature::ColumnLinkLoss, Feature::ValueLinkLoss]
        .into_iter()
        .map(|feature| judged.features.get(feature))
        .sum();
    (CURATED_CONFIDENCE - unused - LINK_LOSS * weak).clamp(0.0, most)
}

fn is_verb(word: &Word) -> bool {
    lexicon::parts_of_speech(&word.lower).main() == Some(PartOfSpeech::Verb)
}

/// How sure a reading can be at most, by what it leaves out.
fn bound_of(accounting: &Accounting) -> f32 {
    let is_nameless = accounting.unused.iter().any(|(_, loss)| matches!(loss, Loss::Name | Loss::Number));
    match (is_nameless, accounting.has_grave_loss()) {
        (true, _) => NAMELESS_MAX,
        (false, true) => LOSSY_MAX,
        (false, false) => 1.0,
    }
}

/// The words that nothing of the query stands for, as the user wrote them.
fn unused_words(words: &[Word], accounting: &Accounting) -> Vec<String> {
    accounting.unused.iter().map(|(at, _)| words[*at].text.clone()).collect()
}

//! What was reached beside what was to be reached: `dues against target by berth`, `which berths missed their goal`.

use super::Reader;
use super::cues::Cue;
use super::frame::{Counting, Frame, Key, Measure, Quotient, Reach};
use super::pieces::Kind;
use crate::interpretation::query::{Comparison, Direction, Expr, Function};
use crate::links::model_index::ModelIndex;
use crate::links::targets::{TargetMeasure, is_target_noun};
use crate::question::words::Word;

/// What a target costs beside its measure.
const TARGET_COST: f32 = 0.05;
/// So far behind the verb its target may be named.
const TARGET_WORDS_MAX: usize = 6;

/// Phrases that compare with a target, the longest first.
const REACHES: &[(Reach, &[&str])] = &[
    (Reach::Furthest(Direction::Ascending), &["furthest below", "farthest below", "furthest behind", "furthest under"]),
    (Reach::Furthest(Direction::Descending), &["furthest above", "farthest above", "furthest ahead of"]),
    (
        Reach::Compared(Comparison::Less),
        &[
            "failed to reach",
            "failed to meet",
            "failed to hit",
            "did not reach",
            "did not meet",
            "did not hit",
            "have not reached",
            "has not reached",
            "fell short of",
            "falls short of",
            "fall short of",
            "missed",
            "miss",
            "misses",
            "below",
            "behind",
            "under",
            "short of",
        ],
    ),
    (
        Reach::Compared(Comparison::GreaterOrEqual),
        &[
            "reached",
            "reach",
            "reaches",
            "met",
            "meet",
            "meets",
            "hit",
            "hits",
            "achieved",
            "achieve",
            "achieves",
            "made",
            "make",
            "fulfilled",
            "fulfil",
        ],
    ),
    (
        Reach::Compared(Comparison::Greater),
        &[
            "exceeded",
            "exceed",
            "exceeds",
            "beat",
            "beats",
            "surpassed",
            "surpass",
            "outperformed",
            "ahead of",
            "above",
            "over",
        ],
    ),
];

/// Words that open a question of yes or no.
const YES_OR_NO: &[&str] = &["did", "do", "does", "have", "has", "had", "is", "are", "was", "were", "will"];

impl Reader<'_> {
    pub(super) fn targets(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if self.index.targets.is_empty() || frame.shape.with_target {
            return;
        }
        found.extend(self.reach_at(frame, at));
        if frame.shape.reach.is_some() {
            found.extend(self.target_at(at).map(|end| (end, with_target(frame))));
        }
        if frame.measures.is_empty() {
            return;
        }
        let joins = |cue: Cue| {
            matches!(cue, Cue::Against | Cue::Versus | Cue::And | Cue::PercentOf | Cue::DividedBy)
                || cue == Cue::Preposition && frame.shape.is_compared
        };
        for (end, cue) in self.pieces.cue_ends(at, joins) {
            let Some(end) = self.target_at(end) else { continue };
            let mut next = with_target(frame);
            next.shape.quotient = match cue {
                Cue::PercentOf => Some(Quotient::Percent),
                Cue::DividedBy => Some(Quotient::Plain),
                _ => None,
            };
            // Both sides are shown as they are.
            next.shape.is_compared = false;
            found.push((end, next));
        }
    }

    /// A verb that compares with the target that follows it, or follows what it is the target of.
    fn reach_at(&self, frame: &Frame, at: usize) -> Option<(usize, Frame)> {
        let words = self.lattice.words;
        let (reach, end) = reach_phrase(words, at)?;
        let has_target = leads_target(words, end);
        if frame.shape.reach.is_some() || !has_target || frame.counting != Counting::Nothing {
            return None;
        }
        let mut next = frame.clone();
        next.shape.reach = Some(reach);
        next.cost += 0.02;
        let opening = words[0].lower.as_str();
        if frame.asked.is_none() && !YES_OR_NO.contains(&opening) {
            // `berths that missed their goal`: the things stand before the verb.
            let [Measure { expr: Expr::CountRows(_), owner, is_noun: true, .. }] = frame.measures.as_slice() else {
                return None;
            };
            next.asked = Some(Key::Rows(*owner));
            next.asks_for_many = true;
            next.is_which = true;
            next.measures.clear();
        }
        Some((end, next))
    }

    /// Where a noun for what is to be reached ends, with the word that leads what it is to be reached of.
    fn target_at(&self, at: usize) -> Option<usize> {
        let leads = |word: &Word| matches!(word.lower.as_str(), "the" | "its" | "their" | "our" | "a" | "planned");
        let words = self.lattice.words;
        let start = (at..words.len()).find(|at| !leads(&words[*at]))?;
        if !is_target_noun(&words[start].lemma) {
            return None;
        }
        let end = start + 1;
        let measures = |kind: &Kind| matches!(kind, Kind::Table(_) | Kind::Fact(_) | Kind::Metric(_));
        let is_led = self.is_word(end, &["for", "of", "in"])
            && self.pieces.at(self.skip(end + 1)).iter().any(|piece| measures(&piece.kind));
        Some(end + usize::from(is_led))
    }
}

fn with_target(frame: &Frame) -> Frame {
    let mut next = frame.clone();
    next.shape.with_target = true;
    next.cost += TARGET_COST;
    next
}

/// Whether a question compares something with what was to be reached: `did Oslo reach its target`.
pub(crate) fn compares_with_target(words: &[Word]) -> bool {
    (0..words.len()).any(|at| reach_phrase(words, at).is_some_and(|(_, end)| leads_target(words, end)))
}

/// Whether a noun for what is to be reached follows soon.
fn leads_target(words: &[Word], from: usize) -> bool {
    words[from..].iter().take(TARGET_WORDS_MAX).any(|word| is_target_noun(&word.lemma))
}

fn reach_phrase(words: &[Word], at: usize) -> Option<(Reach, usize)> {
    let fits = |phrase: &&&str| {
        let mut place = at;
        phrase.split(' ').all(|expected| {
            place += 1;
            words.get(place - 1).is_some_and(|word| word.lower == expected)
        })
    };
    REACHES.iter().find_map(|(reach, phrases)| {
        let phrase = phrases.iter().find(fits)?;
        Some((*reach, at + phrase.split(' ').count()))
    })
}

/// Puts both sides in the place of the measure that is named, or of none where the model has one target only.
pub(super) fn add_target(index: &ModelIndex, frame: &mut Frame) -> Option<()> {
    let is_target = |measure: &Measure| match measure.expr {
        Expr::Aggregate(_, column) => index.targets.iter().any(|pair| pair.fact == column),
        _ => false,
    };
    let has_target = frame.shape.with_target || frame.measures.iter().any(is_target);
    if !has_target || frame.per.is_some() || !frame.shape.is_plain() {
        return None;
    }
    let is_side = |pair: &&TargetMeasure| frame.measures.iter().any(|measure| pair.is_side(&measure.expr));
    let is_named =
        frame.measures.iter().any(|measure| !measure.is_noun) || index.targets.iter().any(|pair| is_side(&pair));
    let mut pairs = index.targets.iter().filter(|pair| !is_named || is_side(pair));
    let pair = pairs.next().filter(|_| pairs.next().is_none())?.clone();
    frame.measures.retain(|measure| !pair.is_side(&measure.expr));
    if frame.measures.iter().any(|measure| !measure.is_noun) {
        return None;
    }
    frame.shape.with_target = true;
    let side = |expr: Expr, owner| Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None };
    frame.measures.push(side(pair.actual, pair.owner));
    let target = Expr::Aggregate(Function::Metric, pair.fact);
    frame.measures.push(side(target, index.columns[pair.fact].table));
    match (frame.asked, frame.shape.reach) {
        (Some(_), Some(Reach::Compared(comparison))) => frame.shape.compare = Some((comparison, 0.0)),
        (Some(_), Some(Reach::Furthest(direction))) => frame.shape.extreme = Some(direction),
        (None, Some(Reach::Furthest(_))) | (Some(_), None) => return None,
        (None, _) => return Some(()),
    }
    frame.shape.quotient = Some(Quotient::Difference);
    Some(())
}

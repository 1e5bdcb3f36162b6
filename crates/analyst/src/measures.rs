//! Reads questions that ask for a measure: what is measured, over which rows, in which time, for each of what, in which
//! shape. A reading is only given where every word of the question is a part of it, so what it says can be trusted.

mod assembly;
mod clauses;
mod comparisons;
mod cues;
mod elapsed;
mod extreme_days;
mod frame;
mod having;
mod holdings;
mod measure;
mod pieces;
mod referred;
mod shapes;
mod sides;
mod sold;
mod sorted_things;
mod spans;
mod split_names;
mod stated_days;
mod states;
mod targets;
mod weekdays;

use chrono::NaiveDate;

use crate::interpretation::query::{Expr, Query};
use crate::lattice::Lattice;
use crate::links::model_index::ModelIndex;
use crate::question::units::{bare_rate_at, is_currency, rate_at};
use crate::question::words::FRAGMENT_OPENINGS;
use crate::question::words::Word;

use assembly::assemble;
use frame::Frame;
use pieces::Pieces;
pub(crate) use sold::PIECES;
pub(crate) use targets::compares_with_target;

/// Frames that are followed from one word.
const BEAM: usize = 28;
/// Whole frames that are assembled.
const FRAMES_MAX: usize = 28;
/// What a frame may cost more than the cheapest one.
const SLACK: f32 = 0.6;
/// A question of more words is not read.
const WORDS_MAX: usize = 60;

/// What reads one question.
pub(crate) struct Reader<'a> {
    pub index: &'a ModelIndex,
    pub lattice: &'a Lattice<'a>,
    pub pieces: Pieces,
}

/// The query that a question about a measure asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub query: Query,
    /// The places of verbs and adverbs that no name of the model stands for.
    pub passed_over: Vec<usize>,
}

/// What a question about a measure asks for; `None` where a word of it has no place.
#[must_use]
pub fn read(index: &ModelIndex, lattice: &Lattice<'_>, today: NaiveDate) -> Option<Measured> {
    let count = lattice.words.len();
    let opening = lattice.words.first().map_or("", |word| word.lower.as_str());
    if count > WORDS_MAX
        || FRAGMENT_OPENINGS.contains(&opening)
        || asks_for_money(lattice.words)
        || compares_rate(lattice.words)
    {
        return None;
    }
    let reader = Reader { index, lattice, pieces: Pieces::new(index, lattice) };
    let mut open: Vec<Vec<Frame>> = vec![Vec::new(); count + 1];
    open[0].push(Frame::default());
    for at in 0..count {
        let mut here = std::mem::take(&mut open[at]);
        keep_best(&mut here, BEAM);
        for frame in &here {
            for (end, next) in reader.continued(frame, at) {
                open[end].push(next);
            }
        }
    }
    let mut whole = std::mem::take(&mut open[count]);
    keep_best(&mut whole, FRAMES_MAX);
    let least = whole.first().map_or(0.0, |frame| frame.cost);
    let mut best: Option<(f32, Measured)> = None;
    for frame in whole {
        // A reading by much weaker links is no substitute for one that does not fit together.
        if frame.cost > least + SLACK {
            break;
        }
        if best.as_ref().is_some_and(|(cost, _)| *cost <= frame.cost) {
            continue;
        }
        let passed_over = frame.passed_over.clone();
        if let Some((cost, query)) = assemble(index, frame, today)
            && best.as_ref().is_none_or(|(least, _)| cost < *least)
        {
            best = Some((cost, Measured { query, passed_over }));
        }
    }
    best.map(|(_, found)| found).filter(|found| !(shares_all(&found.query) && tells_part(lattice.words)))
}

/// `how many euros of fines`: no rows are counted.
fn asks_for_money(words: &[Word]) -> bool {
    let [first, second, third, ..] = words else { return false };
    first.lower == "how" && second.lower == "many" && is_currency(&third.lower)
}

/// `under 150 euros a night`: what is compared is a price, and no night is counted.
fn compares_rate(words: &[Word]) -> bool {
    let is_rate = |at: usize| words[at - 1].number().is_some() && rate_at(words, at).is_some();
    (1..words.len()).any(|at| is_rate(at) || bare_rate_at(words, at).is_some())
}

fn shares_all(query: &Query) -> bool {
    query.select.iter().any(|expr| matches!(expr, Expr::Share(_)))
}

/// `what percentage of payments is disputed`: the verb leads the part, which a share of all groups does not have.
fn tells_part(words: &[Word]) -> bool {
    words.iter().skip(3).any(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were"))
}

fn keep_best(frames: &mut Vec<Frame>, most: usize) {
    frames.sort_by(|left, right| left.cost.total_cmp(&right.cost));
    frames.dedup();
    frames.truncate(most);
}

//! Orders that name the thing which comes first.

use super::cues::Cue;
use crate::interpretation::query::Direction::{Ascending, Descending};
use crate::question::words::{Word, WordKind};

/// `biggest debtor first`: whatever the thing is called, it stands at the end and only says the order.
pub fn sorted_thing(words: &[Word], at: usize) -> Option<(Cue, usize)> {
    let [superlative, thing, first, rest @ ..] = &words[at..] else { return None };
    let direction = match superlative.lower.as_str() {
        "biggest" | "largest" | "highest" | "best" | "longest" | "heaviest" => Descending,
        "smallest" | "lowest" | "worst" | "shortest" | "lightest" => Ascending,
        _ => return None,
    };
    let is_end = rest.iter().all(|word| word.kind == WordKind::Mark);
    let is_thing = thing.kind == WordKind::Plain && first.lower == "first" && at > 0;
    (is_thing && is_end).then_some((Cue::Sorted(direction), 3))
}

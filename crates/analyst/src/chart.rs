//! Typed fragments of a question, composed bottom-up by a table of rules, and put together to whole queries. It proposes;
//! the judge decides.

mod assembly;
mod builders;
mod composition;
pub mod edits;
pub(crate) mod entities;
mod fragment;
mod rules;
#[cfg(test)]
mod tests;

use crate::accounting::Loss;
use crate::interpretation::query::Query;
use crate::lattice::Lattice;
use crate::links::model_index::ModelIndex;

use assembly::best_sequences;
use composition::compose;
use fragment::Fragment;
use rules::RULES;

/// Fragments that may start at one word.
const FRAGMENTS_PER_START_MAX: usize = 64;
/// Rules are applied to what rules have made so many times.
const ROUNDS_MAX: usize = 3;
/// Words without meaning between the parts of a fragment.
const GAP_MAX: usize = 4;

/// The question and what is known of it, for builders of fragments.
pub(crate) struct Context<'a> {
    pub index: &'a ModelIndex,
    pub lattice: &'a Lattice<'a>,
    pub losses: &'a [Loss],
}

/// Whole queries that the question may mean, the cheapest first.
#[must_use]
pub fn queries(index: &ModelIndex, lattice: &Lattice<'_>, losses: &[Loss]) -> Vec<Query> {
    let context = Context { index, lattice, losses };
    let fragments = fragments(&context);
    let mut found: Vec<Query> = Vec::new();
    for sequence in best_sequences(&context, &fragments) {
        for query in compose(&context, &sequence) {
            if !found.contains(&query) {
                found.push(query);
            }
        }
    }
    found
}

/// All fragments by the word they start at.
fn fragments(context: &Context<'_>) -> Vec<Vec<Fragment>> {
    let count = context.lattice.words.len();
    let mut by_start: Vec<Vec<Fragment>> = vec![Vec::new(); count];
    for item in &context.lattice.items {
        by_start[item.start].push(Fragment::of_item(context, item));
    }
    for (word, fragments) in by_start.iter_mut().enumerate() {
        fragments.extend(Fragment::of_word(context, word));
    }
    prune(&mut by_start);
    for _ in 0..ROUNDS_MAX {
        let made: Vec<Fragment> = (0..count)
            .flat_map(|start| RULES.iter().map(move |rule| (start, rule)))
            .flat_map(|(start, rule)| matches(context, &by_start, rule, start))
            .collect();
        let mut is_new = false;
        for fragment in made {
            let known = &mut by_start[fragment.start];
            if !known.iter().any(|other| other.end == fragment.end && other.kind == fragment.kind) {
                known.push(fragment);
                is_new = true;
            }
        }
        prune(&mut by_start);
        if !is_new {
            break;
        }
    }
    by_start
}

/// The cheapest fragments of each start; what covers more words may cost more.
fn prune(by_start: &mut [Vec<Fragment>]) {
    for fragments in by_start {
        fragments.sort_by(|left, right| left.rank().total_cmp(&right.rank()));
        fragments.truncate(FRAGMENTS_PER_START_MAX);
    }
}

/// Every way in which a rule matches from a word on.
fn matches(context: &Context<'_>, by_start: &[Vec<Fragment>], rule: &rules::Rule, start: usize) -> Vec<Fragment> {
    let mut partial: Vec<(Vec<&Fragment>, f32)> = vec![(Vec::new(), rule.cost)];
    for (place, slot) in rule.slots.iter().enumerate() {
        let mut longer = Vec::new();
        for (parts, cost) in &partial {
            let from = parts.last().map_or(start, |last| last.end);
            let starts = if place == 0 { 0..=0 } else { 0..=gap(context, from) };
            for skipped in starts {
                let Some(fragments) = by_start.get(from + skipped) else { continue };
                for fragment in fragments.iter().filter(|fragment| slot.takes(fragment)) {
                    let mut parts = parts.clone();
                    parts.push(fragment);
                    longer.push((parts, cost + fragment.cost + 0.03 * skipped as f32));
                }
            }
        }
        partial = longer;
    }
    let made = partial.into_iter().flat_map(|(parts, cost)| {
        let end = parts.last().map_or(start, |last| last.end);
        let kinds = (rule.build)(context, &parts);
        kinds.into_iter().map(move |kind| Fragment { start, end, kind, cost })
    });
    made.collect()
}

/// How many words from a place on say nothing.
fn gap(context: &Context<'_>, from: usize) -> usize {
    let silent = |at: &usize| context.losses.get(*at).is_some_and(|loss| *loss <= Loss::Weak);
    (from..from + GAP_MAX).take_while(silent).count()
}

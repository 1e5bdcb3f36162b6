//! A business question as one frame: what is asked for, of which rows, in which groups and order. Where a question has no
//! telling word without a place in the frame, the frame is its reading; where it has one, there is none.

mod assembly;
mod clauses;
mod cover;
mod doers;
mod dropped_parts;
mod durations;
mod follow_up;
mod money;
mod parts;
mod plain_words;
pub(crate) mod reach;
mod reader;
pub(crate) mod states;
mod subjects;
mod vacancy;
pub(crate) mod validity;

use chrono::NaiveDate;

use crate::accounting::Loss;
use crate::interpretation::query::Query;
use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::ModelIndex;
use crate::question::words::FRAGMENT_OPENINGS;

pub(crate) use cover::{
    denies_having, denies_what_is_had, is_deed, is_done, is_done_by, is_form_of, is_other_form, parts as parts_of_name,
    roles_called, tables_called, tells_doer, undone,
};
pub(crate) use doers::leads_doers;
pub(crate) use dropped_parts::without_part;
pub(crate) use follow_up::compared_by_filter;
pub(crate) use money::{is_payment_verb, money_toward};
use parts::Mode;
pub(crate) use plain_words::LIGHT_VERBS;
pub(crate) use reach::references_to;

/// A metric that is named less surely may not be meant.
const METRIC_QUALITY_MIN: f32 = 0.9;

/// The question and what is known of it.
pub(crate) struct Context<'a> {
    pub index: &'a ModelIndex,
    pub lattice: &'a Lattice<'a>,
    pub losses: &'a [Loss],
    pub today: NaiveDate,
}

/// A query and what its links and its shape lose.
#[derive(Debug, Clone, PartialEq)]
pub struct Framed {
    pub query: Query,
    pub cost: f32,
}

/// The cheapest frame that has a place for every telling word of the question.
#[must_use]
pub fn read(index: &ModelIndex, lattice: &Lattice<'_>, losses: &[Loss], today: NaiveDate) -> Option<Framed> {
    let context = Context { index, lattice, losses, today };
    let opening = lattice.words.first().map_or("", |word| word.lower.as_str());
    if names_wide_metric(index, lattice) || FRAGMENT_OPENINGS.contains(&opening) {
        return None;
    }
    let framed = |cover: &cover::Cover| {
        let frame = reader::read(&context, &cover.tokens, Mode::Whole)?;
        let (query, cost) = assembly::assemble(&context, &frame)?;
        Some(Framed { query, cost: cover.cost + frame.cost + cost })
    };
    let found = cover::covers(&context).iter().filter_map(framed).collect::<Vec<_>>();
    found.into_iter().min_by(|left, right| left.cost.total_cmp(&right.cost))
}

/// Whether a metric over several tables is named, which a frame has no place for.
fn names_wide_metric(index: &ModelIndex, lattice: &Lattice<'_>) -> bool {
    lattice.items.iter().any(|item| match item.meaning {
        Meaning::Column(column) => item.quality >= METRIC_QUALITY_MIN && reach::is_of_several_tables(index, column),
        _ => false,
    })
}

/// The query before as a follow-up changes it, where every telling word of the follow-up has a place in the change.
#[must_use]
pub fn edit(
    index: &ModelIndex,
    lattice: &Lattice<'_>,
    losses: &[Loss],
    today: NaiveDate,
    previous: &Query,
) -> Option<Query> {
    // Two periods beside each other are no edit of one.
    if lattice.words.first().is_some_and(|word| word.lower == "compare") {
        return None;
    }
    follow_up::edited(&Context { index, lattice, losses, today }, previous)
}

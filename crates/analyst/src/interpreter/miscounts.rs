//! Readings that count other rows than the question does.

use crate::frame::{is_done, is_payment_verb};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Expr, Query};
use crate::lattice::{Lattice, Meaning};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ModelIndex, TableId};
use crate::question::words::Word;
use crate::sql_generation::join_paths::leads_to_one;

/// A table that is named less surely is not what is counted.
const TABLE_QUALITY_MIN: f32 = 0.8;
/// A value that names things less surely may be something else.
const KIND_QUALITY_MIN: f32 = 0.6;

/// Whether a query counts rows that the question does not ask for.
pub(super) fn is_miscounted(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query) -> bool {
    counts_payments(index, lattice, query)
        || counts_owners(index, lattice, query)
        || counts_totals(lattice.words, query)
        || counts_sizes(index, lattice, query)
}

/// `total invoiced per client`: how much, not how many invoices.
pub(super) fn counts_totals(words: &[Word], query: &Query) -> bool {
    let is_total = |pair: &[Word]| matches!(pair[0].lower.as_str(), "total" | "amount") && is_done(&pair[1].lower);
    let is_counted = |expr: &Expr| matches!(expr, Expr::CountRows(_));
    words.windows(2).any(is_total) && query.select.iter().any(is_counted)
}

/// `the most popular brand` by how many pieces there are of it, though events tell how often they were wanted.
pub(super) fn counts_stock(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    ranked_by_own_rows(index, words, query).is_some_and(|table| !index.is_event(table))
}

/// The same of rows without a name, which may be events themselves.
pub(super) fn may_count_stock(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    ranked_by_own_rows(index, words, query).is_some()
}

/// The table whose rows make a value of theirs popular, though the rows of another one refer to them.
fn ranked_by_own_rows(index: &ModelIndex, words: &[Word], query: &Query) -> Option<TableId> {
    if !words.iter().any(|word| word.lower == "popular") {
        return None;
    }
    let has_events = |table: TableId| {
        let mut events = (0..index.tables.len()).filter(|other| *other != table && index.is_event(*other));
        events.any(|events| leads_to_one(index, events, table))
    };
    let shows = |table: TableId| {
        query.select.iter().any(|expr| matches!(expr, Expr::Column(column) if index.columns[*column].table == table))
    };
    query.order.iter().find_map(|(expr, _)| match expr {
        Expr::CountRows(table) if shows(*table) && has_events(*table) => Some(*table),
        _ => None,
    })
}

/// Adjectives that compare how much, never how many.
const SIZES: &[&str] = &["highest", "largest", "biggest", "lowest", "smallest"];

/// `who has the highest fines`: the fines are high, not their number.
fn counts_sizes(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query) -> bool {
    let is_sized = |table: TableId| {
        lattice.items.iter().any(|item| {
            let before = item.start.checked_sub(1).map_or("", |before| lattice.words[before].lower.as_str());
            item.meaning == Meaning::Table(table) && SIZES.contains(&before)
        })
    };
    query.order.iter().any(|(expr, _)| match expr {
        Expr::CountRows(table) => amount_of(index, *table).is_some() && is_sized(*table),
        _ => false,
    })
}

/// `who paid the most in fines`: how much money, not how many rows.
fn counts_payments(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query) -> bool {
    let is_counted = |expr: &Expr| matches!(expr, Expr::CountRows(table) if amount_of(index, *table).is_some());
    let is_much = lattice.words.windows(2).any(|pair| pair[0].lower == "most" && pair[1].lower == "in");
    let pays = lattice.words.iter().any(is_payment_verb);
    is_much && pays && query.order.iter().any(|(expr, _)| is_counted(expr))
}

/// `how many dogs do Spanish owners have` counts no owners.
fn counts_owners(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query) -> bool {
    let [Expr::CountRows(counted)] = query.select[..] else { return false };
    let counts = lattice.items.iter().filter(|item| item.meaning == Meaning::Operator(Operator::Count));
    let Some(behind) = counts.map(|item| item.end).min() else { return false };
    let mut names_table = lattice.starting_at(behind).filter(|(_, item)| matches!(item.meaning, Meaning::Table(_)));
    if names_table.any(|(_, item)| item.quality >= TABLE_QUALITY_MIN) {
        return false;
    }
    let kinds = lattice.starting_at(behind).filter_map(|(_, item)| match item.meaning {
        Meaning::Value(column, ..) if item.quality >= KIND_QUALITY_MIN => Some(index.columns[column].table),
        _ => None,
    });
    let kinds: Vec<TableId> = kinds.collect();
    !kinds.is_empty() && kinds.iter().all(|kind| *kind != counted && !leads_to_one(index, counted, *kind))
}

//! Follow-ups: a question that edits the one before it.

use crate::interpretation::query::{Condition, Direction, Expr, Query};
use crate::interpretation::{Reading, Shown, set_beside, share_of, stated_range};
use crate::links::model_index::{ColumnId, ModelIndex};
use crate::question::time::TimeRange;
use crate::question::words::Word;

/// Openings that always lean on the question before.
const LEANING: &[&str] = &[
    "what about",
    "how about",
    "and",
    "only",
    "just",
    "now",
    "instead",
    "also",
    "same",
    "why not",
    "as a",
    "but",
    "then",
    "what if",
    "make it",
    "show it",
    "break it",
    "break that",
    "split",
    "sort it",
    "sort them",
    "order them",
    "order it",
    "add",
    "include",
    "plus",
    "compare it",
    "compare that",
    "compare this",
    "compare them",
];

/// Openings that add to what was shown instead of taking its place.
const ADDING: &[&str] = &["add", "also", "include", "plus"];

/// Whether a question edits the one before it instead of standing by itself.
#[must_use]
pub fn is_follow_up(words: &[Word], reading: Option<&Reading>) -> bool {
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let leans = LEANING.iter().any(|opening| {
        let opening: Vec<&str> = opening.split(' ').collect();
        lower.starts_with(&opening)
    });
    let short = words.len() <= 8;
    reading.is_none_or(|reading| reading.is_fragment || reading.is_bare_count) || (leans && short)
}

/// Phrases inside a question that speak of what the one before showed.
const BACKWARD: &[&str] = &[
    "split that",
    "that by",
    "it by",
    "them by",
    "the same",
    "same but",
    "the other way",
    "after that",
    "before that",
    "do they",
    "did they",
    "are they",
    "were they",
    "of them",
    "of those",
    "of these",
    "their",
    "handled it",
    "that one",
    "instead",
    "way round",
    "way around",
    "vice versa",
    "at the bottom",
    "the ones",
    "which one",
];

/// Whether a short question speaks of what the one before showed.
#[must_use]
pub fn leans_back(words: &[Word]) -> bool {
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let says = |phrase: &str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        lower.windows(phrase.len()).any(|window| window == phrase)
    };
    words.len() <= 10 && BACKWARD.iter().any(|phrase| says(phrase))
}

/// The query before, changed as the follow-up says.
#[must_use]
pub fn edit(index: &ModelIndex, previous: &Query, follow_up: &Reading, words: &[Word]) -> Query {
    if follow_up.is_bare_count {
        return counted(index, previous).unwrap_or_else(|| previous.clone());
    }
    if let Some(beside) = follow_up.beside {
        return compared(previous, beside).unwrap_or_else(|| previous.clone());
    }
    if previous.limit.is_some() && speaks_of_rows(words) {
        return previous.clone();
    }
    let first = words.first().map_or("", |word| word.lower.as_str());
    let mut query = previous.clone();
    let change = &follow_up.query;
    for condition in &change.conditions {
        let columns = columns_of(condition);
        query.conditions.retain(|old| !columns_of(old).iter().any(|column| columns.contains(column)));
        query.conditions.push(condition.clone());
    }
    if !follow_up.is_fragment && ADDING.contains(&first) {
        let new = change.select.iter().filter(|expr| expr.is_aggregate() && !query.select.contains(expr));
        query.select.extend(new.cloned().collect::<Vec<_>>());
    } else if !follow_up.is_fragment {
        replace_measures(&mut query, change);
    }
    if !follow_up.groups.is_empty() {
        let is_addition = first == "and" || ADDING.contains(&first);
        regroup(&mut query, &follow_up.groups, if is_addition { Groups::Extended } else { Groups::Replaced });
    }
    if follow_up.is_share {
        for expr in query.select.iter_mut().filter(|expr| expr.is_aggregate()) {
            if !matches!(expr, Expr::Share(_)) {
                *expr = share_of(index, expr);
            }
        }
    }
    let ordered = change.order.iter().any(|(expr, _)| !expr.is_unit_of_time());
    if ordered {
        query.order.clone_from(&change.order);
    }
    if change.limit.is_some() {
        query.limit = change.limit;
        if let (true, Some(measure)) = (!ordered, query.select.iter().find(|expr| expr.is_aggregate()).cloned()) {
            query.order = vec![(measure, follow_up.top.unwrap_or(Direction::Descending))];
        }
    }
    for table in &change.joined {
        if !query.joined.contains(table) && (!follow_up.is_fragment || !change.conditions.is_empty()) {
            query.joined.push(*table);
        }
    }
    query
}

/// `which of them are in Norway?`: some of just the rows that were shown, which cannot be asked for where they were limited.
fn speaks_of_rows(words: &[Word]) -> bool {
    let is_pair = |pair: &[Word]| pair[0].lower == "of" && matches!(pair[1].lower.as_str(), "them" | "these" | "those");
    words.windows(2).any(is_pair)
}

fn columns_of(condition: &Condition) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    condition.columns(&mut columns);
    columns
}

/// `what about profit?`: another measure, the rest as before.
fn replace_measures(query: &mut Query, change: &Query) {
    let measures: Vec<Expr> = change.select.iter().filter(|expr| expr.is_aggregate()).cloned().collect();
    if measures.is_empty() {
        return;
    }
    let old = query.select.iter().find(|expr| expr.is_aggregate()).cloned();
    query.select.retain(|expr| !expr.is_aggregate());
    query.select.extend(measures.iter().cloned());
    for (expr, _) in &mut query.order {
        if Some(&*expr) == old.as_ref()
            && let Some(measure) = measures.first()
        {
            *expr = measure.clone();
        }
    }
}

/// `how many are there?`: the rows that were shown, counted.
fn counted(index: &ModelIndex, previous: &Query) -> Option<Query> {
    let [Expr::Column(shown), ..] = previous.select.as_slice() else { return None };
    let table = index.columns[*shown].table;
    let whole = previous.limit.is_none() && previous.combined.is_none() && previous.summary.is_none();
    let plain = previous.select.iter().all(|expr| matches!(expr, Expr::Column(_)));
    if !whole || !plain || previous.distinct {
        return None;
    }
    let count = Query { select: vec![Expr::CountRows(table)], order: Vec::new(), ..previous.clone() };
    if previous.having.is_empty() {
        return Some(Query { group: Vec::new(), ..count });
    }
    let [key] = index.tables[table].key.as_slice() else { return None };
    let groups = Query { select: vec![Expr::Column(*key)], group: vec![Expr::Column(*key)], ..count };
    let among = Condition::In(*key, Box::new(groups));
    Some(Query { select: vec![Expr::CountRows(table)], conditions: vec![among], ..Query::default() })
}

/// `compare it with last year`: the same measures for another time beside the one they were for.
fn compared(previous: &Query, beside: TimeRange) -> Option<Query> {
    let stated = previous.conditions.iter().position(|condition| stated_range(condition).is_some())?;
    let plain = previous.combined.is_none() && previous.summary.is_none() && previous.having.is_empty();
    if !plain || !previous.select.iter().any(Expr::is_aggregate) {
        return None;
    }
    let mut query = previous.clone();
    let (time, range) = stated_range(&query.conditions.remove(stated))?;
    set_beside(&mut query, time, (range, beside), Shown::Sides)?;
    query.order.retain(|(expr, _)| query.select.contains(expr));
    Some(query)
}

/// What becomes of the groups before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Groups {
    Extended,
    Replaced,
}

/// `by month`: other groups for the same measures; a list of rows becomes a list of its groups' measures only where
/// there are some.
fn regroup(query: &mut Query, groups: &[Expr], old: Groups) {
    let measures: Vec<Expr> = query.select.iter().filter(|expr| expr.is_aggregate()).cloned().collect();
    if measures.is_empty() {
        return;
    }
    let earlier =
        query.select.iter().filter(|expr| old == Groups::Extended && !expr.is_aggregate() && !groups.contains(expr));
    query.select = groups.iter().chain(earlier).cloned().chain(measures).collect();
    if old == Groups::Replaced {
        query.group.clear();
    }
    query.order.retain(|(expr, _)| expr.is_aggregate());
    query.limit = None;
    query.limit_within.clear();
    if let Some(time) = groups.iter().find(|expr| expr.is_unit_of_time()) {
        query.order = vec![(time.clone(), Direction::Ascending)];
    }
}

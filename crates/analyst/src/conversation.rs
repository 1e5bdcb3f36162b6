//! Follow-ups: a question that edits the one before it.

use crate::interpretation::Reading;
use crate::interpretation::query::{Condition, Direction, Expr, Query};
use crate::links::model_index::ColumnId;
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
];

/// Whether a question edits the one before it instead of standing by itself.
#[must_use]
pub fn is_follow_up(words: &[Word], reading: Option<&Reading>) -> bool {
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let leans = LEANING.iter().any(|opening| {
        let opening: Vec<&str> = opening.split(' ').collect();
        lower.starts_with(&opening)
    });
    let short = words.len() <= 8;
    reading.is_none_or(|reading| reading.is_fragment) || (leans && short)
}

/// The query before, changed as the follow-up says.
#[must_use]
pub fn edit(previous: &Query, follow_up: &Reading) -> Query {
    let mut query = previous.clone();
    let change = &follow_up.query;
    for condition in &change.conditions {
        let columns = columns_of(condition);
        query.conditions.retain(|old| !columns_of(old).iter().any(|column| columns.contains(column)));
        query.conditions.push(condition.clone());
    }
    if !follow_up.is_fragment {
        replace_measures(&mut query, change);
    }
    if !follow_up.groups.is_empty() {
        regroup(&mut query, &follow_up.groups);
    }
    if follow_up.is_share {
        for expr in query.select.iter_mut().filter(|expr| expr.is_aggregate()) {
            if !matches!(expr, Expr::Share(_)) {
                *expr = Expr::Share(Box::new(expr.clone()));
            }
        }
    }
    let ordered = change.order.iter().any(|(expr, _)| !matches!(expr, Expr::Truncated(..)));
    if ordered {
        query.order.clone_from(&change.order);
    }
    if change.limit.is_some() {
        query.limit = change.limit;
        if let (true, Some(measure)) = (!ordered, query.select.iter().find(|expr| expr.is_aggregate()).cloned()) {
            query.order = vec![(measure, Direction::Descending)];
        }
    }
    for table in &change.joined {
        if !query.joined.contains(table) && (!follow_up.is_fragment || !change.conditions.is_empty()) {
            query.joined.push(*table);
        }
    }
    query
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

/// `by month`: other groups for the same measures; a list of rows becomes a list of its groups' measures only where
/// there are some.
fn regroup(query: &mut Query, groups: &[Expr]) {
    let measures: Vec<Expr> = query.select.iter().filter(|expr| expr.is_aggregate()).cloned().collect();
    if measures.is_empty() {
        return;
    }
    query.select = groups.iter().cloned().chain(measures).collect();
    query.group.clear();
    query.order.retain(|(expr, _)| expr.is_aggregate());
    query.limit = None;
    query.limit_within.clear();
    if let Some(time) = groups.iter().find(|expr| matches!(expr, Expr::Truncated(..))) {
        query.order = vec![(time.clone(), Direction::Ascending)];
    }
}

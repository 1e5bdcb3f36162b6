//! Readings whose rows are known before they are read: the value that was asked with, a count of one, nobody at all. They
//! give way to any other reading.

use super::JudgedReading;
use crate::interpretation::flatten;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::question::words::Word;
use crate::sql_generation::needed_tables;

/// Words that ask whether there is something, for which the thing itself is an answer.
const WHETHER: &[&str] = &["is", "are", "was", "were", "do", "does", "did", "has", "have", "any"];

/// Drops readings that tell nothing, where there are others.
pub(super) fn drop_void(index: &ModelIndex, words: &[Word], judged: &mut Vec<JudgedReading>) {
    let is_void = |judged: &JudgedReading| tells_nothing(index, words, &judged.reading.query);
    if !judged.iter().all(is_void) {
        judged.retain(|reading| !is_void(reading));
    }
}

fn tells_nothing(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let asks_whether = words.first().is_some_and(|word| WHETHER.contains(&word.lower.as_str()));
    !asks_whether && repeats_question(index, query)
        || counts_each_row(index, query)
        || meets_what_is_lacking(index, query)
        || splits_name(index, words, query)
}

/// `campuses in Los Angeles county` as the county Los Angeles.
fn repeats_question(index: &ModelIndex, query: &Query) -> bool {
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    let is_known = |expr: &Expr| {
        all.iter().any(|condition| match condition {
            Condition::Compare(known, Comparison::Equal, Operand::Literal(_)) => is_same_value(index, expr, known),
            _ => false,
        })
    };
    let is_single = !query.conditions.iter().any(|condition| matches!(condition, Condition::Any(_)));
    is_single && query.combined.is_none() && !query.select.is_empty() && query.select.iter().all(is_known)
}

/// Whether two expressions give the same value of a row: a column, or the same one over the only reference to its table.
fn is_same_value(index: &ModelIndex, shown: &Expr, known: &Expr) -> bool {
    match (shown, known) {
        (Expr::Column(shown), Expr::Column(known)) => shown == known,
        (Expr::Referred(reference, shown), Expr::Column(known)) => {
            let (from, to) = (index.columns[*reference].table, index.columns[*known].table);
            shown == known && from != to && references(index, from, to) == 1
        }
        _ => shown == known && matches!(shown, Expr::Referred(..)),
    }
}

/// `the number of times people have been on a side` as the number of people by their own key or name: one each.
fn counts_each_row(index: &ModelIndex, query: &Query) -> bool {
    let counted = query.select.iter().chain(query.order.iter().map(|(expr, _)| expr)).find_map(|expr| match expr {
        Expr::CountRows(table) => Some(*table),
        _ => None,
    });
    let Some(counted) = counted else { return false };
    let is_unique = |expr: &Expr| match expr {
        Expr::Column(column) => index.columns[*column].table == counted && index.columns[*column].unique,
        _ => false,
    };
    let is_alone = needed_tables(index, query).iter().all(|table| *table == counted);
    is_alone && query.summary.is_none() && query.group.iter().chain(&query.select).any(is_unique)
}

/// `mountains that no climber has climbed` shown beside their climbers: there is no such row.
fn meets_what_is_lacking(index: &ModelIndex, query: &Query) -> bool {
    let needed = needed_tables(index, query);
    query.conditions.iter().any(|condition| {
        let Condition::Not(inner) = condition else { return false };
        let Condition::In(key, lacking) = &**inner else { return false };
        let Some(Expr::Column(reference)) = lacking.select.first() else { return false };
        let events = index.columns[*reference].table;
        let refers_once = references(index, events, index.columns[*key].table) == 1;
        let is_bare = lacking.conditions.iter().all(is_presence) && lacking.having.is_empty();
        is_bare && refers_once && index.columns[*key].table != events && needed.contains(&events)
    })
}

fn is_presence(condition: &Condition) -> bool {
    matches!(condition, Condition::Not(inner) if matches!(**inner, Condition::Missing(_)))
}

fn references(index: &ModelIndex, from: TableId, to: TableId) -> usize {
    index.joins.iter().filter(|join| join.left == from && join.right == to).count()
}

/// `Steve Johnson` as somebody called Steve who belongs to somebody called Johnson.
fn splits_name(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let mut all = Vec::new();
    note_texts(&query.conditions, &mut all);
    let column_of = |word: &Word, part: &str| {
        let is_it = |(column, text): &&(ColumnId, String)| {
            let name = &index.columns[*column].words;
            text.eq_ignore_ascii_case(&word.lower) && name.first().is_some_and(|first| first == part)
        };
        all.iter().find(is_it).map(|(column, _)| index.columns[*column].table)
    };
    words.windows(2).filter(|pair| pair.iter().all(Word::capitalised)).any(|pair| {
        match (column_of(&pair[0], "first"), column_of(&pair[1], "last")) {
            (Some(first), Some(last)) => first != last,
            _ => false,
        }
    })
}

/// The texts that columns are compared with, in nested queries too.
fn note_texts(conditions: &[Condition], found: &mut Vec<(ColumnId, String)>) {
    for condition in conditions {
        match condition {
            Condition::All(all) | Condition::Any(all) => note_texts(all, found),
            Condition::In(_, query) => note_texts(&query.conditions, found),
            Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Text(text))) => {
                found.push((*column, text.clone()));
            }
            _ => {}
        }
    }
}

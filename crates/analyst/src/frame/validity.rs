//! The time in which rows are valid: a day on which it begins, if the table has one, and a day on which it ends. A row
//! without the day of the end is valid for ever; without a day that is called after something else (LICENSE_VALID_UNTIL), it
//! lacks that thing.

use chrono::NaiveDate;

use super::states::{Stated, has_part, time_called};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::links::phrase_match::Target;
use crate::question::time::{TimeRange, day_range};
use crate::question::words::Word;
use crate::sql_generation::own_time;

/// Parts of the name of the last day on which something is valid, the surest first.
const ENDS: &[&str] = &["until", "to", "expires", "expiry", "expiration", "expired", "end", "ends", "ended", "thru"];
/// Parts of the name of the first day.
const BEGINS: &[&str] =
    &["from", "since", "start", "starts", "started", "begin", "begins", "issued", "effective", "delivered", "hired"];
/// Words of such names that do not say what is valid.
const PLAIN: &[&str] = &[
    "valid",
    "validity",
    "date",
    "day",
    "on",
    "at",
    "until",
    "to",
    "from",
    "thru",
    "expire",
    "expires",
    "expiry",
    "expiration",
    "expired",
    "end",
    "ends",
    "ended",
    "the",
    "of",
    "time",
];

/// The days of an end that a thing named at a word has, and how many words name it: `license` of LICENSE_VALID_UNTIL.
pub fn named_ends(index: &ModelIndex, words: &[Word], at: usize) -> Vec<(ColumnId, usize)> {
    let mut found = Vec::new();
    for phrase in &index.vocabulary.phrases {
        let Target::Column(column) = phrase.target else { continue };
        if !is_end(index, column) {
            continue;
        }
        let thing = thing_of(index, column, &phrase.words);
        let is_said = |(offset, part): (usize, &&String)| {
            words.get(at + offset).is_some_and(|word| word.lemma == **part || word.lower == **part)
        };
        if !thing.is_empty() && thing.iter().enumerate().all(is_said) && !found.contains(&(column, thing.len())) {
            found.push((column, thing.len()));
        }
    }
    found
}

/// That rows of a table are valid at some time of a range, or today.
pub fn valid_within(index: &ModelIndex, table: TableId, stated: Stated, today: NaiveDate) -> Option<Condition> {
    let range = stated.during.or_else(|| day_range(today))?;
    let is_own = |column: &ColumnId| is_end(index, *column) && is_of_rows(index, *column);
    let named = ENDS.iter().find_map(|name| {
        let mut columns = index.tables[table].columns.iter().copied();
        columns.find(|column| is_own(column) && has_part(index, *column, name))
    });
    let end = stated.end.or(named)?;
    if !is_of_rows(index, end) {
        return Some(not_before(end, range));
    }
    match time_called(index, table, BEGINS) {
        Some(begin) => Some(Condition::All(vec![begun(begin, range), not_ended(index, end, range)])),
        None => Some(not_ended(index, end, range)),
    }
}

/// That rows of a table had begun and not ended at some time of a range.
pub fn overlapping(index: &ModelIndex, table: TableId, end: ColumnId, range: TimeRange) -> Option<Condition> {
    let begin = time_called(index, table, BEGINS).or_else(|| own_time(index, table)).filter(|begin| *begin != end)?;
    Some(Condition::All(vec![begun(begin, range), not_ended(index, end, range)]))
}

/// A column of time that tells a last day.
pub fn is_end(index: &ModelIndex, column: ColumnId) -> bool {
    index.columns[column].kind == ColumnKind::Time && ENDS.iter().any(|name| has_part(index, column, name))
}

/// Whether the rows themselves end on a day, and not something that they have.
fn is_of_rows(index: &ModelIndex, column: ColumnId) -> bool {
    thing_of(index, column, &index.columns[column].words).is_empty()
}

/// What a name says of a day besides that it is the last one.
fn thing_of<'a>(index: &ModelIndex, column: ColumnId, name: &'a [String]) -> Vec<&'a String> {
    let own = &index.tables[index.columns[column].table].words;
    name.iter().filter(|word| !PLAIN.contains(&word.as_str()) && !own.contains(word)).collect()
}

fn begun(begin: ColumnId, range: TimeRange) -> Condition {
    match range.start.succ_opt() == Some(range.end) {
        true => compared(begin, Comparison::LessOrEqual, range.start),
        false => compared(begin, Comparison::Less, range.end),
    }
}

fn not_ended(index: &ModelIndex, end: ColumnId, range: TimeRange) -> Condition {
    match index.columns[end].has_gaps {
        true => Condition::Any(vec![Condition::Missing(end), not_before(end, range)]),
        false => not_before(end, range),
    }
}

fn not_before(end: ColumnId, range: TimeRange) -> Condition {
    compared(end, Comparison::GreaterOrEqual, range.start)
}

fn compared(column: ColumnId, comparison: Comparison, day: NaiveDate) -> Condition {
    Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Date(day.to_string())))
}

//! Events that did not happen have no day on which they did: a cancelled sailing of 2024 is one that was scheduled for 2024.

use crate::frame::is_form_of;
use crate::interpretation::flatten;
use crate::interpretation::query::{Condition, Expr, Literal, Operand, Query};
use crate::interpretation::stated_range;
use crate::lexicon::{PartOfSpeech, parts_of_speech};
use crate::links::model_index::{ColumnId, ModelIndex, TIME_WORDS};
use crate::question::lemma::stem;
use crate::question::words::Word;
use crate::sql_generation::with_time;

/// The beginnings of words for what did not happen.
const UNDONE: &[&str] = &["cancel", "abort", "postpon", "withdr", "skipp", "revok"];

/// Restricts rows that did not happen by a day that all of them have, unless the question names the other one.
pub(super) fn date_what_was_undone(index: &ModelIndex, words: &[Word], query: &mut Query) {
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    if !all.into_iter().any(|condition| is_undone(index, condition)) {
        return;
    }
    for condition in &mut query.conditions {
        let Some((day, _)) = stated_range(condition) else { continue };
        if let Some(other) = day_of_all(index, words, day) {
            *condition = with_time(condition, other);
        }
    }
}

/// `how many did we lose each year`: rows without the day on which it happened are in no year.
pub(super) fn drop_what_has_not_happened(index: &ModelIndex, words: &[Word], query: &mut Query) {
    let is_said = |column: ColumnId| {
        let tells = index.columns[column].words.iter().filter(|part| !TIME_WORDS.contains(&part.as_str()));
        let is_verb = |word: &Word| parts_of_speech(&word.lower).has(PartOfSpeech::Verb);
        let is_form = |part: &String, word: &Word| stem(&word.lemma) == stem(part) || is_form_of(part, word);
        tells.into_iter().any(|part| words.iter().any(|word| is_verb(word) && is_form(part, word)))
    };
    let days = query.select.iter().filter(|expr| expr.is_unit_of_time()).flat_map(|expr| {
        let mut columns = Vec::new();
        expr.columns(&mut columns);
        columns
    });
    let is_counted = query.select.iter().any(|expr| matches!(expr, Expr::CountRows(_)));
    let days: Vec<ColumnId> = days.filter(|day| is_counted && index.columns[*day].has_gaps && is_said(*day)).collect();
    for day in days {
        let mut restricted = Vec::new();
        query.conditions.iter().for_each(|condition| condition.columns(&mut restricted));
        if !restricted.contains(&day) {
            query.conditions.push(Condition::Not(Box::new(Condition::Missing(day))));
        }
    }
}

fn is_undone(index: &ModelIndex, condition: &Condition) -> bool {
    let says = |text: &str| UNDONE.iter().any(|undone| text.to_lowercase().starts_with(undone));
    let is_called =
        |column: &ColumnId| index.holds_or_not(*column) && index.columns[*column].words.iter().any(|word| says(word));
    match condition {
        Condition::Named(column) => is_called(column),
        Condition::Compare(Expr::Column(_), _, Operand::Literal(Literal::Text(text))) if says(text) => true,
        Condition::Compare(Expr::Column(column), ..) => is_called(column),
        _ => false,
    }
}

/// Another day of the same rows, which none of them lacks; none where this one has no gaps or is named.
fn day_of_all(index: &ModelIndex, words: &[Word], day: ColumnId) -> Option<ColumnId> {
    let entry = &index.columns[day];
    let tells = |part: &&String| !TIME_WORDS.contains(&part.as_str());
    let is_said = |part: &String| words.iter().any(|word| word.lower == *part || is_form_of(part, word));
    if !entry.has_gaps || entry.words.iter().filter(tells).any(is_said) {
        return None;
    }
    let mut others = index.tables[entry.table].columns.iter().copied();
    others.find(|other| *other != day && index.is_time(*other) && !index.columns[*other].has_gaps)
}

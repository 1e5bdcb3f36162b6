//! Further ways to name a column than by its own words.

use super::data_kind::data_kind;
use super::entries::{ColumnKind, DataKind};
use super::identifier_words::parts;
use super::offered_columns::{Offered, offered_columns};
use super::schema_words::is_schema_word;
use super::targets::is_target_noun;
use crate::question::lemma::lemma;
use crate::semantic_model::LogicalTable;

/// Looser ways to name a column: without the table's name inside its own, a date as a date, a key as an id.
pub(super) fn other_phrases(
    full: &[String],
    own: &[String],
    offered: &Offered<'_>,
    logical: &LogicalTable,
) -> Vec<(Vec<String>, f32)> {
    let mut phrases = Vec::new();
    let inside = (1..full.len().saturating_sub(own.len())).find(|&at| full[at..].starts_with(own));
    if let Some(at) = inside.filter(|_| !own.is_empty()) {
        phrases.push(([&full[..at], &full[at + own.len()..]].concat(), 0.93));
    }
    let has = |word: &str| full.iter().any(|own| own == word);
    let is_date = data_kind(offered.data_type, offered.kind) == DataKind::Date;
    if is_date && full.len() > 1 && has("date") && full.last().is_some_and(|last| last != "date") {
        phrases.push((vec!["date".to_owned()], 0.62));
    }
    let event = match full {
        [event @ .., last] if !event.is_empty() && matches!(last.as_str(), "on" | "at") => Some(event),
        [only] if only != "date" => Some(full),
        _ => None,
    };
    if let Some(event) = event.filter(|_| is_date) {
        phrases.push(([event, &["date".to_owned()]].concat(), 0.9));
    }
    let spelled: Vec<String> = parts(offered.name).iter().map(|part| lemma(part)).collect();
    if spelled.len() > 1 && spelled != full {
        phrases.push((spelled, 0.97));
    }
    let bare = bare_words(full, own, offered.kind);
    let is_distinct = !bare.iter().any(|word| own.contains(word));
    for start in (1..own.len()).filter(|_| is_distinct) {
        phrases.push(([&own[start..], &bare].concat(), 0.96));
    }
    // The visit minutes of a visit are no visits.
    if let Some(bare) = without_unit(full).filter(|bare| *bare != own) {
        phrases.push((bare_words(bare, own, offered.kind), 0.94));
        phrases.push((bare.to_vec(), 0.97));
    }
    if logical.primary_key == [offered.name] && !has("id") {
        phrases.push((vec!["id".to_owned()], 0.62));
    }
    phrases
}

/// Units that a name ends with and nobody says before the number.
const UNITS: &[&str] = &[
    "kg", "g", "lb", "lbs", "ton", "km", "m", "cm", "mm", "ft", "foot", "feet", "mi", "mile", "inch", "ml", "l",
    "liter", "kmh", "mph", "usd", "eur", "dollar", "euro", "min", "minute", "sec", "second", "hour", "percent",
    "thousand", "million", "billion", "sqm", "sqft",
];

/// `tower height m` is the tower height, `sales in billion` are the sales.
fn without_unit(full: &[String]) -> Option<&[String]> {
    let is_spare = |word: &String| {
        UNITS.contains(&word.as_str())
            || matches!(word.as_str(), "in" | "per")
            || word.chars().all(|character| character.is_ascii_digit())
    };
    let spare = full.iter().rev().take_while(|word| is_spare(word)).count();
    let has_unit = full[full.len() - spare..].iter().any(|word| UNITS.contains(&word.as_str()));
    let bare = &full[..full.len() - spare];
    (has_unit && !bare.is_empty()).then_some(bare)
}

/// `bk name` among others that begin with `bk` in the table of beekeepers is `name`.
pub(super) fn without_prefix(full: Vec<String>, logical: &LogicalTable, own: &[String]) -> Vec<String> {
    let names = offered_columns(logical).into_iter().map(|offered| offered.name);
    let Some(first) = full.first().filter(|first| full.len() > 1 && first.len() <= 4 && !is_schema_word(first)) else {
        return full;
    };
    let is_first = |name: &str| parts(name).first().is_some_and(|part| part == first);
    let initial = own.first().is_some_and(|word| word.chars().next() == first.chars().next());
    if initial && names.filter(|name| is_first(name)).count() > 1 { full[1..].to_vec() } else { full }
}

/// A column's words without those of its table. What is to be reached is not what was reached: `target revenue` of the
/// table of targets is no revenue.
pub(super) fn bare_words(full: &[String], own: &[String], kind: ColumnKind) -> Vec<String> {
    let is_measure = matches!(kind, ColumnKind::Fact | ColumnKind::Metric);
    let bare = without_table_words(full, own);
    let is_to_reach = |words: &[String]| words.iter().any(|word| is_target_noun(word));
    if is_measure && is_to_reach(full) && !is_to_reach(&bare) { full.to_vec() } else { bare }
}

/// `customer name` in the table `customer` is `name`.
fn without_table_words(full: &[String], own: &[String]) -> Vec<String> {
    let own = match own {
        [start @ .., last]
            if !start.is_empty() && matches!(last.as_str(), "detail" | "info" | "profile" | "record" | "data") =>
        {
            start
        }
        _ => own,
    };
    for skip in 0..own.len() {
        let tail = &own[skip..];
        if full.len() > tail.len() && full.starts_with(tail) {
            return full[tail.len()..].to_vec();
        }
    }
    if own.len() == 1 && full.len() > 1 && own[0] == full[0] {
        return full[1..].to_vec();
    }
    full.to_vec()
}

#[cfg(test)]
mod tests {
    use super::without_unit;

    fn check(name: &str, expected: Option<&str>) {
        let words: Vec<String> = name.split(' ').map(str::to_string).collect();
        assert_eq!(without_unit(&words).map(|bare| bare.join(" ")).as_deref(), expected);
    }

    #[test]
    fn units_are_no_part_of_the_name() {
        check("tower height m", Some("tower height"));
        check("sales in billion", Some("sales"));
        check("area km 2", Some("area"));
        check("minute", None);
        check("address line 1", None);
    }
}

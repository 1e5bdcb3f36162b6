//! Fiscal years as days. A fiscal year is called after the calendar year in which it ends.

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::question::words::{Word, words};

/// Puts the days for every fiscal year that the words name: `fiscal year 2024`, `FY2024`, `last fiscal year`.
pub(super) fn in_dates(asked: &mut Vec<Word>, month: u32, today: NaiveDate) {
    let mut at = 0;
    while at < asked.len() {
        match named_at(&asked[at..], month, today).and_then(|(year, length)| Some((days(year, month)?, length))) {
            Some(((first, last), length)) => {
                let is_led = at > 0 && matches!(asked[at - 1].lower.as_str(), "in" | "during" | "for" | "of");
                let start = at - usize::from(is_led);
                let meant = words(&format!("between {first} and {last}"));
                let end = start + meant.len();
                asked.splice(start..at + length, meant);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// The fiscal year that the words begin with, and how many of them name it.
fn named_at(asked: &[Word], month: u32, today: NaiveDate) -> Option<(i32, usize)> {
    let word = |at: usize| asked.get(at).map_or("", |word| word.lower.as_str());
    let is_year = |at: usize| matches!(word(at), "fiscal" | "financial") && word(at + 1) == "year";
    let this = fiscal_year_of(today, month);
    let article = usize::from(word(0) == "the");
    match word(article) {
        "this" | "current" if is_year(article + 1) => return Some((this, article + 3)),
        "last" | "previous" if is_year(article + 1) => return Some((this - 1, article + 3)),
        _ => {}
    }
    if is_year(0) || word(0) == "fy" {
        let at = if is_year(0) { 2 } else { 1 };
        return Some((full_year(word(at))?, at + 1));
    }
    Some((full_year(word(0).strip_prefix("fy")?)?, 1))
}

fn full_year(text: &str) -> Option<i32> {
    let number: i32 = text.trim_start_matches(['-', '\'']).parse().ok()?;
    match number {
        0..=99 => Some(2000 + number),
        1900..=2199 => Some(number),
        _ => None,
    }
}

fn fiscal_year_of(day: NaiveDate, month: u32) -> i32 {
    day.year() + i32::from(month > 1 && day.month() >= month)
}

/// The first and the last day.
fn days(year: i32, month: u32) -> Option<(NaiveDate, NaiveDate)> {
    let first = NaiveDate::from_ymd_opt(if month > 1 { year - 1 } else { year }, month, 1)?;
    let last = first.checked_add_months(Months::new(12))?.checked_sub_days(Days::new(1))?;
    Some((first, last))
}

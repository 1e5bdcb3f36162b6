//! Time expressions: `last quarter`, `past 90 days`, `Q3 2024`, `March 2023`, `year to date`. Each becomes a range of
//! days relative to a given today.

use chrono::{Datelike, Days, Months, NaiveDate};

use super::words::{Word, WordKind};

/// Numbers that are taken for years where nothing says what else they are.
pub const YEARS: std::ops::Range<f64> = 1900.0..2100.0;

/// Days from `start` up to, but not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeRange {
    pub start: NaiveDate,
    pub end: NaiveDate,
    pub unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// The unit that an adjective of time names: `annual`, `monthly`.
#[must_use]
pub fn grain_of(lower: &str) -> Option<Unit> {
    Some(match lower {
        "daily" => Unit::Day,
        "weekly" => Unit::Week,
        "monthly" => Unit::Month,
        "quarterly" => Unit::Quarter,
        "yearly" | "annual" | "annually" => Unit::Year,
        _ => return None,
    })
}

impl TimeRange {
    /// The range of equal length just before.
    #[must_use]
    pub fn before(self) -> Self {
        let days = (self.end - self.start).num_days().max(0) as u64;
        let start = match self.unit {
            Unit::Month | Unit::Quarter | Unit::Year if is_unit_start(self.start, self.unit) => {
                let months = months_between(self.start, self.end);
                self.start.checked_sub_months(Months::new(months))
            }
            _ => self.start.checked_sub_days(Days::new(days)),
        };
        Self { start: start.unwrap_or(self.start), end: self.start, unit: self.unit }
    }

    /// The range of equal length just behind.
    #[must_use]
    pub fn after(self) -> Self {
        let end = match self.unit {
            Unit::Month | Unit::Quarter | Unit::Year if is_unit_start(self.start, self.unit) => {
                self.end.checked_add_months(Months::new(months_between(self.start, self.end)))
            }
            _ => self.end.checked_add_signed(self.end - self.start),
        };
        Self { start: self.end, end: end.unwrap_or(self.end), unit: self.unit }
    }

    /// The same days a unit of time later.
    #[must_use]
    pub fn later_by(self, unit: Unit) -> Option<Self> {
        Some(Self { start: shift(self.start, unit, 1)?, end: shift(self.end, unit, 1)?, unit: self.unit })
    }

    /// The same days a unit of time earlier.
    #[must_use]
    pub fn earlier_by(self, unit: Unit) -> Option<Self> {
        Some(Self { start: shift(self.start, unit, -1)?, end: shift(self.end, unit, -1)?, unit: self.unit })
    }

    /// Whole months where the days are some, else just the days.
    #[must_use]
    pub fn of_days(start: NaiveDate, end: NaiveDate) -> Self {
        let whole = is_unit_start(start, Unit::Month) && is_unit_start(end, Unit::Month);
        Self { start, end, unit: if whole { Unit::Month } else { Unit::Day } }
    }

    /// The same days a year earlier.
    #[must_use]
    pub fn a_year_before(self) -> Self {
        let earlier = |date: NaiveDate| date.checked_sub_months(Months::new(12)).unwrap_or(date);
        Self { start: earlier(self.start), end: earlier(self.end), unit: self.unit }
    }
}

/// A whole year.
#[must_use]
pub fn year_range(year: i32) -> Option<TimeRange> {
    whole(NaiveDate::from_ymd_opt(year, 1, 1)?, Unit::Year, 0)
}

fn is_unit_start(date: NaiveDate, unit: Unit) -> bool {
    start_of(date, unit) == Some(date)
}

fn months_between(start: NaiveDate, end: NaiveDate) -> u32 {
    let months = (end.year() - start.year()) * 12 + end.month() as i32 - start.month() as i32;
    months.max(1) as u32
}

/// Two times and what lies between them: `between 2024-01-15 and 2024-03-31`, `from January 2024 to March 2024`. Bare years
/// are numbers until something says otherwise.
fn between(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    if !matches!(words.get(at)?.lower.as_str(), "between" | "from") {
        return None;
    }
    let (first, length) = day_or_time(words, at + 1, today)?;
    let link = at + 1 + length;
    if !matches!(words.get(link)?.lower.as_str(), "and" | "to" | "until" | "till" | "through" | "-" | "–") {
        return None;
    }
    let (last, last_length) = day_or_time(words, link + 1, today)?;
    let range = TimeRange::of_days(first.start, last.end);
    (range.end > range.start && first.end <= last.start).then_some((range, link + 1 + last_length - at))
}

fn day_or_time(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    let word = words.get(at)?;
    if word.kind == WordKind::Date {
        let day = word.text.get(..10)?.parse().ok()?;
        return Some((whole(day, Unit::Day, 0)?, 1));
    }
    time_at(words, at, today)
}

/// The time expression at a word, and how many words it takes.
#[must_use]
pub fn time_at(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    let word = |offset: usize| words.get(at + offset).map_or("", |word| word.lower.as_str());
    match word(0) {
        "today" => return Some((whole(today, Unit::Day, 0)?, 1)),
        "yesterday" => return Some((whole(today, Unit::Day, -1)?, 1)),
        "ytd" => return Some((to_date(today, Unit::Year)?, 1)),
        "qtd" => return Some((to_date(today, Unit::Quarter)?, 1)),
        "mtd" => return Some((to_date(today, Unit::Month)?, 1)),
        _ => {}
    }
    if word(1) == "to" && word(2) == "date" {
        return Some((to_date(today, unit(word(0))?)?, 3));
    }
    if word(0) == "so" && word(1) == "far" && word(2) == "this" {
        return Some((to_date(today, unit(word(3))?)?, 4));
    }
    if word(0) == "this" && word(2) == "so" && word(3) == "far" {
        return Some((to_date(today, unit(word(1))?)?, 4));
    }
    between(words, at, today)
        .or_else(|| relative(words, at, today))
        .or_else(|| quarter(words, at, today))
        .or_else(|| half(words, at, today))
        .or_else(|| joined_months(words, at, today))
        .or_else(|| month(words, at, today))
}

/// `this month`, `last quarter`, `past 90 days`, `the last 3 months`.
fn relative(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    let first = words.get(at)?.lower.as_str();
    let steps = match first {
        "this" | "current" => 0,
        "last" | "previous" | "past" | "prior" => -1,
        "next" => 1,
        "coming" if words.get(at + 1)?.number().is_some() => 1,
        _ => return None,
    };
    let second = words.get(at + 1)?;
    if let Some(count) = second.number() {
        let unit = unit(&words.get(at + 2)?.lower)?;
        (steps != 0 && count >= 1.0).then_some(())?;
        let far = shift(today, unit, steps * count as i64)?;
        let (start, last) = if steps < 0 { (far, today) } else { (today, far) };
        return Some((TimeRange { start, end: last.succ_opt()?, unit: Unit::Day }, 3));
    }
    Some((whole(today, unit(&second.lower)?, steps)?, 2))
}

/// `Q3 2024`, `2024 Q3`, `Q3`, `third quarter of 2024`.
fn quarter(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    let number_of = |word: &Word| match word.lower.as_str() {
        "q1" => Some(1),
        "q2" => Some(2),
        "q3" => Some(3),
        "q4" => Some(4),
        _ => None,
    };
    let range = |year: i32, quarter: u32| whole(NaiveDate::from_ymd_opt(year, quarter * 3 - 2, 1)?, Unit::Quarter, 0);
    if let Some(number) = number_of(words.get(at)?) {
        // `Q1 and Q3 2025`: both are of the year.
        let is_listed = words.get(at + 1).is_some_and(|word| matches!(word.lower.as_str(), "and" | "to" | "or" | "-"));
        let of_next = words.get(at + 2).filter(|next| is_listed && number_of(next).is_some());
        let shared = of_next.and_then(|_| words.get(at + 3)).and_then(year);
        return match words.get(at + 1).and_then(year) {
            Some(year) => Some((range(year, number)?, 2)),
            None => Some((range(shared.unwrap_or(today.year()), number)?, 1)),
        };
    }
    if let (Some(year), Some(number)) = (year(words.get(at)?), words.get(at + 1).and_then(number_of)) {
        return Some((range(year, number)?, 2));
    }
    let ordinal = match words.get(at)?.lower.as_str() {
        "first" | "1st" => 1,
        "second" | "2nd" => 2,
        "third" | "3rd" => 3,
        "fourth" | "4th" | "last" => 4,
        _ => return None,
    };
    (words.get(at + 1)?.lower == "quarter").then_some(())?;
    let of = usize::from(words.get(at + 2).is_some_and(|word| word.lower == "of"));
    let year = words.get(at + 2 + of).and_then(year)?;
    Some((range(year, ordinal)?, 3 + of))
}

/// `H1 2024`, `the first half of 2024`.
fn half(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    let (first, length) = match words.get(at)?.lower.as_str() {
        "h1" => (true, 1),
        "h2" => (false, 1),
        "first" | "second" if words.get(at + 1)?.lower == "half" => (words[at].lower == "first", 2),
        _ => return None,
    };
    let of = usize::from(words.get(at + length).is_some_and(|word| word.lower == "of"));
    let stated = words.get(at + length + of).and_then(year);
    if stated.is_none() && length == 2 {
        return None;
    }
    let start = NaiveDate::from_ymd_opt(stated.unwrap_or(today.year()), if first { 1 } else { 7 }, 1)?;
    let range = TimeRange { start, end: shift(start, Unit::Month, 6)?, unit: Unit::Month };
    Some((range, length + if stated.is_some() { of + 1 } else { 0 }))
}

/// `in May and June`: two months in a row are one time, unless the question sets them side by side.
fn joined_months(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    const BESIDE: &[&str] =
        &["compare", "compared", "comparison", "versus", "vs", "between", "both", "each", "difference"];
    let (first, second) = (month_number(words.get(at)?)?, month_number(words.get(at + 2)?)?);
    let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_str());
    let is_joined = words[at + 1].lower == "and" && second == first + 1 && is_led_month(before);
    let is_beside = words.iter().any(|word| BESIDE.contains(&word.lower.as_str()));
    if !is_joined || is_beside || !words[at].capitalised() || !words[at + 2].capitalised() {
        return None;
    }
    let stated = words.get(at + 3).and_then(year);
    let unstated = if second > today.month() { today.year() - 1 } else { today.year() };
    let start = NaiveDate::from_ymd_opt(stated.unwrap_or(unstated), first, 1)?;
    let range = TimeRange { start, end: shift(start, Unit::Month, 2)?, unit: Unit::Month };
    Some((range, 3 + usize::from(stated.is_some())))
}

/// `March 2024`, `March 5, 2024`, `5 March 2024`, and `March` behind a preposition.
fn month(words: &[Word], at: usize, today: NaiveDate) -> Option<(TimeRange, usize)> {
    let day_before = words.get(at)?.number().filter(|day| (1.0..=31.0).contains(day));
    if let (Some(day), Some(month), Some(year)) =
        (day_before, words.get(at + 1).and_then(month_number), words.get(at + 2).and_then(year))
    {
        return Some((whole(NaiveDate::from_ymd_opt(year, month, day as u32)?, Unit::Day, 0)?, 3));
    }
    let month = month_number(words.get(at)?)?;
    let day = words.get(at + 1).and_then(Word::number).filter(|day| (1.0..=31.0).contains(day));
    let comma = usize::from(words.get(at + 2).is_some_and(|word| word.lower == ","));
    if let (Some(day), Some(year)) = (day, words.get(at + 2 + comma).and_then(year)) {
        return Some((whole(NaiveDate::from_ymd_opt(year, month, day as u32)?, Unit::Day, 0)?, 3 + comma));
    }
    let of = usize::from(words.get(at + 1).is_some_and(|word| matches!(word.lower.as_str(), "of" | ",")));
    if let Some(year) = words.get(at + 1 + of).and_then(year) {
        return Some((whole(NaiveDate::from_ymd_opt(year, month, 1)?, Unit::Month, 0)?, 2 + of));
    }
    let until =
        words.get(at + 1).is_some_and(|word| matches!(word.lower.as_str(), "to" | "and" | "until" | "through" | "-"));
    if let (true, Some(_), Some(year)) =
        (until, words.get(at + 2).and_then(month_number), words.get(at + 3).and_then(year))
    {
        return Some((whole(NaiveDate::from_ymd_opt(year, month, 1)?, Unit::Month, 0)?, 1));
    }
    let before = at.checked_sub(1).map_or("", |before| words[before].lower.as_str());
    if !is_led_month(before) || !words[at].capitalised() {
        return None;
    }
    let year = if month > today.month() { today.year() - 1 } else { today.year() };
    Some((whole(NaiveDate::from_ymd_opt(year, month, 1)?, Unit::Month, 0)?, 1))
}

/// Whether a word before the bare name of a month says that it is a time, and not a verb or somebody's name.
fn is_led_month(before: &str) -> bool {
    const LEADS: &[&str] = &[
        "in", "since", "until", "before", "after", "during", "for", "from", "to", "and", "between", "with", "versus",
        "vs", "vs.", "than", "or", "against", "of",
    ];
    LEADS.contains(&before)
}

/// Whether a word is the name of a month.
pub(crate) fn is_month(word: &Word) -> bool {
    month_number(word).is_some()
}

pub(crate) fn month_number(word: &Word) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = word.lower.as_str();
    let found = MONTHS.iter().position(|month| *month == lower || (lower.len() == 3 && month.starts_with(lower)));
    found.map(|at| at as u32 + 1)
}

fn year(word: &Word) -> Option<i32> {
    match word.kind {
        WordKind::Number(value) if value.fract() == 0.0 && (1000.0..3000.0).contains(&value) => Some(value as i32),
        _ => None,
    }
}

/// The unit a word names.
#[must_use]
pub fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "month" | "months" => Unit::Month,
        "quarter" | "quarters" => Unit::Quarter,
        "year" | "years" => Unit::Year,
        _ => return None,
    })
}

fn start_of(date: NaiveDate, unit: Unit) -> Option<NaiveDate> {
    match unit {
        Unit::Day => Some(date),
        Unit::Week => date.checked_sub_days(Days::new(u64::from(date.weekday().num_days_from_monday()))),
        Unit::Month => date.with_day(1),
        Unit::Quarter => date.with_day(1)?.with_month((date.month() - 1) / 3 * 3 + 1),
        Unit::Year => date.with_day(1)?.with_month(1),
    }
}

/// The range of a single day.
#[must_use]
pub fn day_range(day: NaiveDate) -> Option<TimeRange> {
    whole(day, Unit::Day, 0)
}

/// A day so many units on, or back.
pub(crate) fn shift(date: NaiveDate, unit: Unit, steps: i64) -> Option<NaiveDate> {
    let months = match unit {
        Unit::Day => return date.checked_add_signed(chrono::Duration::try_days(steps)?),
        Unit::Week => return date.checked_add_signed(chrono::Duration::try_days(steps.checked_mul(7)?)?),
        Unit::Month => steps,
        Unit::Quarter => steps.checked_mul(3)?,
        Unit::Year => steps.checked_mul(12)?,
    };
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    if months < 0 { date.checked_sub_months(count) } else { date.checked_add_months(count) }
}

/// The whole unit around a date, some steps on.
fn whole(date: NaiveDate, unit: Unit, steps: i64) -> Option<TimeRange> {
    let start = shift(start_of(date, unit)?, unit, steps)?;
    Some(TimeRange { start, end: shift(start, unit, 1)?, unit })
}

fn to_date(today: NaiveDate, unit: Unit) -> Option<TimeRange> {
    Some(TimeRange { start: start_of(today, unit)?, end: today.succ_opt()?, unit: Unit::Day })
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::time_at;
    use crate::question::words::words;

    fn check(text: &str, start: &str, end: &str) {
        let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap_or_default();
        let words = words(text);
        let found = (0..words.len()).find_map(|at| time_at(&words, at, today));
        let range = found.map(|(range, _)| (range.start.to_string(), range.end.to_string()));
        assert_eq!(range, Some((start.to_string(), end.to_string())), "{text}");
    }

    #[test]
    fn expressions_become_ranges() {
        check("last quarter", "2024-01-01", "2024-04-01");
        check("this month", "2024-05-01", "2024-06-01");
        check("last week", "2024-05-06", "2024-05-13");
        check("in the past 90 days", "2024-02-15", "2024-05-16");
        check("last 3 months", "2024-02-15", "2024-05-16");
        check("in the next 6 months", "2024-05-15", "2024-11-16");
        check("in the coming 30 days", "2024-05-15", "2024-06-15");
        check("this year so far", "2024-01-01", "2024-05-16");
        check("year to date", "2024-01-01", "2024-05-16");
        check("Q3 2023", "2023-07-01", "2023-10-01");
        check("the third quarter of 2023", "2023-07-01", "2023-10-01");
        check("March 2023", "2023-03-01", "2023-04-01");
        check("since March", "2024-03-01", "2024-04-01");
        check("in November", "2023-11-01", "2023-12-01");
        check("compared with April", "2024-04-01", "2024-05-01");
        check("in March and April", "2024-03-01", "2024-05-01");
        check("in June and July 2023", "2023-06-01", "2023-08-01");
        check("on March 5, 2023", "2023-03-05", "2023-03-06");
        check("on 5 March 2023", "2023-03-05", "2023-03-06");
        check("in the first half of 2023", "2023-01-01", "2023-07-01");
        check("H2 2023", "2023-07-01", "2024-01-01");
        check("from April to June 2023", "2023-04-01", "2023-07-01");
        check("yesterday", "2024-05-14", "2024-05-15");
    }

    #[test]
    fn the_range_before_has_the_same_length() {
        let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap_or_default();
        let before = time_at(&words("last quarter"), 0, today).map(|(range, _)| range.before().start.to_string());
        assert_eq!(before.as_deref(), Some("2023-10-01"));
    }

    #[test]
    fn other_words_are_no_time() {
        let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap_or_default();
        for text in ["last name", "they may order", "the first quarter", "5 students"] {
            let words = words(text);
            assert!((0..words.len()).all(|at| time_at(&words, at, today).is_none()), "{text}");
        }
    }
}

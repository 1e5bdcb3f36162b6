//! The day that counts as today, where the question or the model says so: `as of 2025-03-10`, `today is March 10, 2025`.

use chrono::NaiveDate;

use super::time::{Unit, time_at};
use super::words::{Word, WordKind, words};

const PHRASES: &[&[&str]] = &[
    &["as", "of"],
    &["assuming", "today", "is"],
    &["assume", "today", "is"],
    &["if", "today", "is"],
    &["today", "is"],
    &["the", "current", "date", "is"],
    &["current", "date", "is"],
];

/// Takes the statement of the day out of a question's words.
pub fn take_stated(words: &mut Vec<Word>, today: NaiveDate) -> Option<NaiveDate> {
    let (at, length, date) = find(words, today)?;
    words.drain(at..at + length);
    Some(date)
}

/// The day that a text about a model states.
#[must_use]
pub fn stated_in(text: &str) -> Option<NaiveDate> {
    find(&words(text), NaiveDate::default()).map(|(_, _, date)| date)
}

fn find(words: &[Word], today: NaiveDate) -> Option<(usize, usize, NaiveDate)> {
    (0..words.len()).find_map(|at| {
        PHRASES.iter().find_map(|phrase| {
            let spelled = phrase
                .iter()
                .enumerate()
                .all(|(offset, text)| words.get(at + offset).is_some_and(|w| w.lower == *text));
            let (date, length) = if spelled { date_at(words, at + phrase.len(), today)? } else { return None };
            Some((at, phrase.len() + length, date))
        })
    })
}

fn date_at(words: &[Word], at: usize, today: NaiveDate) -> Option<(NaiveDate, usize)> {
    let word = words.get(at)?;
    if word.kind == WordKind::Date {
        return word.text.get(..10)?.parse().ok().map(|date| (date, 1));
    }
    let (range, length) = time_at(words, at, today)?;
    (range.unit == Unit::Day).then_some((range.start, length))
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::{stated_in, take_stated};
    use crate::question::words::words;

    #[test]
    fn the_day_is_taken_out_of_the_question() {
        let check = |question: &str, day: Option<&str>, rest: &str| {
            let mut found = words(question);
            let stated = take_stated(&mut found, NaiveDate::default()).map(|date| date.to_string());
            let left: Vec<&str> = found.iter().map(|word| word.lower.as_str()).collect();
            assert_eq!((stated.as_deref(), left.join(" ").as_str()), (day, rest), "{question}");
        };
        check("orders last month as of 2025-03-10?", Some("2025-03-10"), "orders last month ?");
        check("assuming today is March 10, 2025, orders", Some("2025-03-10"), ", orders");
        check("a list as of customers", None, "a list as of customers");
        assert_eq!(
            stated_in("Use euros. Today is 2026-06-30.").map(|day| day.to_string()).as_deref(),
            Some("2026-06-30")
        );
    }
}

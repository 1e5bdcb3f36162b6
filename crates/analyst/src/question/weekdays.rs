//! Days of the week that a question names, from 1 for Monday.

use super::words::Word;

const DAYS: &[(&[u8], &str)] = &[
    (&[1], "on a monday|on mondays|on monday|mondays|on every monday|every monday"),
    (&[2], "on a tuesday|on tuesdays|on tuesday|tuesdays|on every tuesday|every tuesday"),
    (&[3], "on a wednesday|on wednesdays|on wednesday|wednesdays|on every wednesday|every wednesday"),
    (&[4], "on a thursday|on thursdays|on thursday|thursdays|on every thursday|every thursday"),
    (&[5], "on a friday|on fridays|on friday|fridays|on every friday|every friday"),
    (&[6], "on a saturday|on saturdays|on saturday|saturdays|on every saturday|every saturday"),
    (&[7], "on a sunday|on sundays|on sunday|sundays|on every sunday|every sunday"),
    (
        &[6, 7],
        "on weekends|at weekends|at the weekend|on the weekend|on a weekend|during weekends|during the weekend|\
         over the weekend|at a weekend|weekend|weekends",
    ),
    (&[1, 2, 3, 4, 5], "on weekdays|on working days|on workdays|during the week|on a weekday|weekdays"),
];

/// The days of the week that are named from a word on, each with the number of its words.
#[must_use]
pub fn days_at(words: &[Word], at: usize) -> Vec<(&'static [u8], usize)> {
    let length_of = |phrase: &str| {
        let mut said = words[at..].iter();
        let fits = phrase.split(' ').all(|expected| said.next().is_some_and(|word| word.lower == expected));
        fits.then(|| phrase.split(' ').count())
    };
    let named = |(days, phrases): &(&'static [u8], &str)| {
        let lengths = phrases.split('|').filter_map(length_of);
        lengths.map(|length| (*days, length)).collect::<Vec<_>>()
    };
    DAYS.iter().flat_map(named).collect()
}

/// Whether a word names a day of the week, or days of it.
#[must_use]
pub fn is_of_week(word: &Word) -> bool {
    matches!(
        word.lemma.as_str(),
        "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | "weekday" | "weekend"
    )
}

/// How many words from here on say `day of the week`, by which rows can be grouped.
#[must_use]
pub fn weekday_at(words: &[Word], at: usize) -> Option<usize> {
    let starts = |phrase: &[&str]| {
        phrase
            .iter()
            .enumerate()
            .all(|(offset, expected)| words.get(at + offset).is_some_and(|word| word.lower == *expected))
    };
    let phrases: [&[&str]; 5] = [
        &["day", "of", "the", "week"],
        &["day", "of", "week"],
        &["days", "of", "the", "week"],
        &["weekday"],
        &["weekdays"],
    ];
    phrases.iter().find(|phrase| starts(phrase)).map(|phrase| phrase.len())
}

#[cfg(test)]
mod tests {
    use super::{days_at, weekday_at};
    use crate::question::words::words;

    #[test]
    fn days_are_named_with_and_without_a_preposition() {
        let check = |text: &str, expected: &[(&[u8], usize)]| assert_eq!(days_at(&words(text), 0), expected, "{text}");
        check("on Mondays", &[(&[1], 2)]);
        check("weekend revenue", &[(&[6, 7], 1)]);
        check("on a weekday", &[(&[1, 2, 3, 4, 5], 3)]);
        check("Monday", &[]);
        assert_eq!(weekday_at(&words("day of the week"), 0), Some(4));
        assert_eq!(weekday_at(&words("day"), 0), None);
    }
}

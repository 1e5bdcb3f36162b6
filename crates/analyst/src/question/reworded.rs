//! Other ways to say what the readers know by one phrase: `leave out web`, `all channels but web` and `hide web` exclude web;
//! `by channel too` is `also by channel`; `in March` goes on in the year of the question before.

use chrono::{Datelike, NaiveDate};

use super::time::{TimeRange, YEARS, is_month};
use super::words::{Word, WordKind, words};

/// Requests to leave something out.
const EXCLUDING: &[&str] = &["leave out", "leave aside", "exclude", "ignore", "omit", "hide", "skip", "disregard"];
/// What is all but one thing.
const ALL: &[&str] = &["all", "any", "every", "each", "everything", "anything", "everyone", "anyone", "everybody"];
/// So many words may stand between `all` and `but`.
const NOUN_WORDS_MAX: usize = 2;
/// Phrases that close a question which adds to the one before.
const ADDED: &[&str] = &["too", "as well", "also", "additionally", "in addition"];
/// Words of a question that names another time and nothing else.
const LEADING: &[&str] = &[
    "and", "what", "how", "about", "in", "for", "only", "just", "during", "of", "the", "now", "then", "but", "same",
    "it", "instead", "that",
];

/// Puts requests to leave something out into one form; a word that the model has as a name stays.
pub fn reword_exclusions(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool) {
    let mut at = 0;
    while at < asked.len() {
        let phrase = EXCLUDING.iter().find(|phrase| is_spelled(asked, at, phrase));
        if let Some(phrase) = phrase.filter(|_| !is_name(&asked[at])) {
            let follows = if at == 0 { "" } else { asked[at - 1].lower.as_str() };
            // `do not ignore web` says another thing.
            if !matches!(follows, "not" | "never" | "to" | "who" | "that" | "which") {
                asked.splice(at..at + phrase.split(' ').count(), words("excluding"));
            }
        } else if asked[at].lower == "but" {
            match all_before(asked, at) {
                Some(all) if all + 1 == at && is_copula_before(asked, all) => {
                    asked.splice(all..=at, words("not"));
                }
                Some(all) if all + 1 == at => {
                    asked.splice(all..=at, words("excluding"));
                }
                Some(_) => {
                    asked.splice(at..=at, words("excluding"));
                }
                None => {}
            }
        }
        at += 1;
    }
}

/// Where `all` stands before `but`, with no more than a noun between them.
fn all_before(asked: &[Word], but: usize) -> Option<usize> {
    let from = but.saturating_sub(NOUN_WORDS_MAX + 1);
    let all = (from..but).rev().find(|at| ALL.contains(&asked[*at].lower.as_str()))?;
    let is_plain = asked[all + 1..but].iter().all(|word| word.kind == WordKind::Plain);
    let goes_on = asked.get(but + 1).is_some_and(|word| !matches!(word.lower.as_str(), "not" | "only"));
    (is_plain && goes_on).then_some(all)
}

/// `were anything but healthy`.
fn is_copula_before(asked: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| asked[before].lower.as_str());
    matches!(before, "is" | "are" | "was" | "were" | "be" | "been")
}

/// Puts `by channel too` into the form `also by channel`.
pub fn reword_additions(asked: &mut Vec<Word>) {
    let end = asked.iter().rposition(|word| word.kind != WordKind::Mark).map_or(0, |last| last + 1);
    let length = |phrase: &str| phrase.split(' ').count();
    let closes = |phrase: &&&str| end >= length(phrase) && is_spelled(asked, end - length(phrase), phrase);
    let Some(phrase) = ADDED.iter().find(closes) else { return };
    let groups = |word: &Word| matches!(word.lower.as_str(), "by" | "per" | "split" | "each");
    if asked.iter().any(groups) {
        asked.drain(end - length(phrase)..end);
        asked.splice(0..0, words("also"));
    }
}

/// `this year compared to the same period last year`: as much of this year as there has been.
pub fn reword_same_period(asked: &mut Vec<Word>) {
    let says_same = |pair: &[Word]| {
        pair[0].lower == "same" && matches!(pair[1].lower.as_str(), "period" | "time" | "months" | "days")
    };
    if !asked.windows(2).any(says_same) {
        return;
    }
    let is_current = |pair: &[Word]| {
        pair[0].lower == "this" && matches!(pair[1].lower.as_str(), "year" | "quarter" | "month" | "week")
    };
    if let Some(at) = asked.windows(2).position(is_current) {
        let unit = asked[at + 1].lower.clone();
        let is_open = asked.get(at + 2).is_none_or(|word| word.lower != "so");
        if is_open {
            asked.splice(at..at + 2, words(&format!("{unit} to date")));
        }
    }
}

/// `and in March?`: the year is that of the question before, where the question says nothing but the part of a year.
pub fn continue_year(asked: &mut Vec<Word>, before: TimeRange) {
    let last = before.end.pred_opt().unwrap_or(before.end);
    let is_part =
        |word: &Word| is_month(word) || matches!(word.lower.as_str(), "q1" | "q2" | "q3" | "q4" | "h1" | "h2");
    let says_more = asked.iter().any(|word| {
        let is_led = LEADING.contains(&word.lower.as_str()) || word.kind == WordKind::Mark;
        !is_led && !is_part(word)
    });
    let has_year = asked.iter().any(|word| word.number().is_some_and(|number| YEARS.contains(&number)));
    let Some(at) = asked.iter().rposition(is_part) else { return };
    if !says_more && !has_year && years_of(before.start, last) == 1 {
        asked.splice(at + 1..at + 1, words(&last.year().to_string()));
    }
}

fn years_of(first: NaiveDate, last: NaiveDate) -> i32 {
    last.year() - first.year() + 1
}

fn is_spelled(asked: &[Word], at: usize, phrase: &str) -> bool {
    let mut parts = phrase.split(' ').enumerate();
    parts.all(|(offset, part)| asked.get(at + offset).is_some_and(|word| word.lower == part))
}

#[cfg(test)]
mod tests {
    use super::{continue_year, reword_additions, reword_exclusions, reword_same_period};
    use crate::question::time::year_range;
    use crate::question::words::{Word, words};

    fn check(text: &str, expected: &str) {
        let mut asked = words(text);
        reword_exclusions(&mut asked, &|word| word.lower == "skip");
        reword_additions(&mut asked);
        reword_same_period(&mut asked);
        if let Some(before) = year_range(2024) {
            continue_year(&mut asked, before);
        }
        let said: Vec<&str> = asked.iter().map(|word: &Word| word.text.as_str()).collect();
        assert_eq!(said.join(" "), expected);
    }

    #[test]
    fn what_is_left_out_is_excluded() {
        check("leave out web", "excluding web");
        check("revenue by channel, hide web", "revenue by channel , excluding web");
        check("all but web", "excluding web");
        check("revenue of all channels but web", "revenue of all channels excluding web");
        check("inspections that were anything but healthy", "inspections that were not healthy");
        check("do not ignore web", "do not ignore web");
        check("skip bins by depot", "skip bins by depot");
        check("visited in March but not in April", "visited in March but not in April");
    }

    #[test]
    fn what_is_added_is_said_first() {
        check("by channel too", "also by channel");
        check("split by channel as well?", "also split by channel ?");
        check("and Alma Deli too", "and Alma Deli too");
    }

    #[test]
    fn the_same_period_is_as_long() {
        check("sales this year vs the same period last year", "sales year to date vs the same period last year");
        check("sales this year vs last year", "sales this year vs last year");
    }

    #[test]
    fn a_part_of_a_year_is_of_the_year_before_it() {
        check("and in March?", "and in March 2024 ?");
        check("Q3", "Q3 2024");
        check("in March 2023", "in March 2023");
        check("orders in March", "orders in March");
    }
}

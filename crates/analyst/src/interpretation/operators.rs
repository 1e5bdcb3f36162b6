//! Words of a question that compute, compare, group, order or deny.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::links::phrase_match::is_function_word;
use crate::links::synonyms::{ADJECTIVES, Adjective};
use crate::question::words::{Word, WordKind};

use super::operator_phrases::PHRASES;
use super::query::{Comparison, Direction, Function, TimeUnit};
use super::time_phrases::TIME_PHRASES;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operator {
    Count,
    Aggregate(Function),
    Distinct,
    /// `without repetition`.
    Once,
    Compare(Comparison),
    /// `or more` behind a number.
    OrMore(Comparison),
    /// `older than`: the adjective tells the column.
    CompareBy(Adjectives),
    Between,
    Not,
    Without,
    Except,
    Each,
    GroupBy,
    OrderBy,
    /// `in descending order`, `from high to low`.
    Sorted(Direction),
    /// `from the oldest to the youngest`: the adjective tells the column.
    SortedBy(Adjectives),
    Alphabetical,
    /// `most`, `highest`: more of what follows.
    Superlative(Direction),
    /// `oldest`: the adjective tells the column.
    SuperlativeBy(Adjectives),
    /// `most common`: the value that most rows have.
    MostCommon(Direction),
    Top(Direction),
    Both,
    Either,
    Or,
    And,
    Contains,
    StartsWith,
    EndsWith,
    Times(u32),
    /// `multiple`: more than one.
    Multiple,
    /// `the number of times`.
    CountTimes,
    Everything,
    AboveAverage(Comparison),
    Full,
    Share,
    /// `the ratio of`, `divided by`.
    Ratio,
    /// `compared with`: one range of time beside another.
    Versus,
    /// `the same quarter last year`.
    SamePeriodLastYear,
    /// `by month`, `weekly`: groups by a unit of time.
    Grain(TimeUnit),
    /// `month over month`.
    Over(TimeUnit),
    Growth,
    /// `grew fastest`.
    GrowthExtreme(Direction),
    RunningTotal,
    /// `late`, `on time`: the day of an event compared with the day it was due.
    Punctual(Comparison),
    /// `account for`: what follows is a part of a whole.
    Makes,
    /// `the month before`: the period before one already stated.
    PeriodBefore(TimeUnit),
}

/// All adjectives of one form, by their place in the table; the direction is of "more of it".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjectives {
    pub form: &'static str,
    /// `least expensive` and `less expensive` ask for less of it.
    pub is_less: bool,
}

impl Adjectives {
    /// Whether a measure is asked to be large.
    #[must_use]
    pub fn wants_larger(self, measure: &Adjective) -> bool {
        measure.larger != self.is_less
    }

    /// The measures the form may speak of.
    pub fn measures(self) -> impl Iterator<Item = &'static Adjective> {
        ADJECTIVES.iter().filter(move |adjective| adjective.forms.contains(&self.form))
    }
}

/// The longest operator phrase at a word, and how many words it takes.
#[must_use]
pub fn operator_at(words: &[Word], at: usize) -> Option<(Operator, usize)> {
    let fixed = phrases_at(words, at)
        .filter(|(phrase, operator)| !(matches!(operator, Operator::OrMore(_)) && compares_anew(words, at, phrase)))
        .filter(|(phrase, operator)| *operator != Operator::Makes || is_amount(words, at, phrase))
        .filter(|(phrase, _)| *phrase != "order by" || !is_counted_order(words, at))
        .filter(|(phrase, _)| *phrase != "ordered in" || is_order(words.get(at + 2)))
        .map(|(phrase, operator)| (operator, phrase.split(' ').count()))
        .max_by_key(|(_, length)| *length);
    let adjective = sorted_by_at(words, at).or_else(|| adjective_at(words, at));
    match (fixed, adjective) {
        (Some(fixed), Some(adjective)) => Some(if adjective.1 > fixed.1 { adjective } else { fixed }),
        (fixed, adjective) => fixed.or(adjective),
    }
}

/// Every operator phrase at a word, the shorter ones too.
#[must_use]
pub fn operators_at(words: &[Word], at: usize) -> Vec<(Operator, usize)> {
    let mut found: Vec<(Operator, usize)> =
        phrases_at(words, at).map(|(phrase, operator)| (operator, phrase.split(' ').count())).collect();
    found.extend(sorted_by_at(words, at));
    found.extend(adjective_at(words, at));
    found
}

/// `account for more than 5 percent`, but `accounts for each industry`.
fn is_amount(words: &[Word], at: usize, phrase: &str) -> bool {
    let next = words.get(at + phrase.split(' ').count());
    next.is_some_and(|word| {
        let compares = ["more", "less", "at", "over", "under", "fewer", "above", "below", "exactly"];
        matches!(word.kind, WordKind::Number(_)) || compares.contains(&word.lower.as_str())
    })
}

/// `the revenue per order by channel`: an order is a thing there.
fn is_counted_order(words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| words[before].lower.as_str());
    matches!(before, Some("per" | "each" | "every" | "an" | "single" | "any"))
}

/// `ordered in descending order`, but `customers who ordered in 2024`.
fn is_order(word: Option<&Word>) -> bool {
    word.is_some_and(|word| {
        word.kind == WordKind::Plain
            && (word.lower == "the"
                || word.lower.ends_with("ing")
                || word.lower.contains("alpha")
                || word.lower.contains("lexico")
                || word.lower.starts_with("reverse"))
    })
}

/// `or above 5` and `or higher than 5` compare anew; only behind its number does `or above` widen a comparison.
fn compares_anew(words: &[Word], at: usize, phrase: &str) -> bool {
    let next = words.get(at + phrase.split(' ').count());
    next.is_some_and(|word| matches!(word.kind, WordKind::Number(_)) || word.lower == "than")
}

fn is_number_of(phrase: &str) -> bool {
    phrase.starts_with("number") || phrase == "count of"
}

/// `phone number of` is no count.
fn behind_noun(words: &[Word], at: usize) -> bool {
    const OPENERS: &[&str] = &[
        "total",
        "average",
        "largest",
        "highest",
        "greatest",
        "smallest",
        "lowest",
        "maximum",
        "minimum",
        "exact",
        "whole",
        "corresponding",
        "respective",
        "overall",
        "descending",
        "ascending",
        "report",
        "compute",
        "calculate",
        "counting",
        "including",
        "same",
        "increasing",
        "decreasing",
        "large",
        "small",
        "fewest",
        "current",
        "count",
        "having",
        "get",
        "top",
        "combined",
        "by",
        "see",
        "know",
        "provide",
        "select",
        "print",
        "state",
        "output",
        "daily",
        "weekly",
        "monthly",
        "quarterly",
        "yearly",
        "annual",
    ];
    let Some(before) = at.checked_sub(1).map(|at| &words[at]) else { return false };
    before.kind == WordKind::Plain && !is_function_word(&before.lower) && !OPENERS.contains(&before.lower.as_str())
}

/// The phrases that stand at a word, in the order of their tables.
fn phrases_at(words: &[Word], at: usize) -> impl Iterator<Item = (&'static str, Operator)> {
    static BY_FIRST_WORD: LazyLock<HashMap<&str, Vec<(&str, Operator)>>> = LazyLock::new(|| {
        let mut phrases: HashMap<&str, Vec<(&str, Operator)>> = HashMap::new();
        for (phrase, operator) in PHRASES.iter().chain(TIME_PHRASES) {
            let first = phrase.split(' ').next().unwrap_or_default();
            phrases.entry(first).or_default().push((*phrase, *operator));
        }
        phrases
    });
    let of_word = words.get(at).and_then(|word| BY_FIRST_WORD.get(word.lower.as_str()));
    let is_meant = move |phrase: &str| spells(words, at, phrase) && !(is_number_of(phrase) && behind_noun(words, at));
    of_word.into_iter().flatten().copied().filter(move |(phrase, _)| is_meant(phrase))
}

fn spells(words: &[Word], at: usize, phrase: &str) -> bool {
    phrase
        .split(' ')
        .enumerate()
        .all(|(place, expected)| words.get(at + place).is_some_and(|word| word.lower == expected))
}

/// The form of an adjective that a word is.
fn form_of(word: &str) -> Option<&'static str> {
    static FORMS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let forms = ADJECTIVES.iter().flat_map(|adjective| adjective.forms);
        forms.copied().collect()
    });
    FORMS.get(word).copied()
}

/// `from the most expensive to the cheapest`, `from old to young`.
fn sorted_by_at(words: &[Word], at: usize) -> Option<(Operator, usize)> {
    let behind = |word: &str, at: usize| words.get(at).is_some_and(|next| next.lower == word);
    let bound = |at: usize| {
        let at = at + usize::from(behind("the", at));
        let degree = usize::from(behind("most", at) || behind("least", at));
        let word = words.get(at + degree)?.lower.as_str();
        let form = form_of(word)?;
        Some((Adjectives { form, is_less: behind("least", at) }, at + degree + 1))
    };
    if let Some((form, end)) = bound(at).filter(|(_, end)| behind("first", *end)) {
        return Some((Operator::SortedBy(form), end + 1 - at));
    }
    let (form, to) = bound(at + 1).filter(|_| behind("from", at))?;
    let (_, end) = bound(to + 1).filter(|_| behind("to", to))?;
    Some((Operator::SortedBy(form), end - at))
}

/// `older than`, `oldest`, `most expensive`, `the least expensive`.
fn adjective_at(words: &[Word], at: usize) -> Option<(Operator, usize)> {
    let word = words.get(at)?.lower.as_str();
    let next = words.get(at + 1).map_or("", |word| word.lower.as_str());
    let form_of = |word: &str| form_of(word).map(|form| Adjectives { form, is_less: false });
    let superlative = |word: &str| word.ends_with("est") || matches!(word, "best" | "worst" | "last");
    if word == "longest" && matches!(next, "serving" | "standing") {
        return form_of("longest-serving").map(|form| (Operator::SuperlativeBy(form), 2));
    }
    if let Some(form) = form_of(word) {
        if matches!(word, "longest-serving" | "longest-standing") {
            return Some((Operator::SuperlativeBy(form), 1));
        }
        if next == "than" {
            return Some((Operator::CompareBy(form), 2));
        }
        if superlative(word) && !matches!(word, "largest" | "biggest" | "smallest" | "highest" | "last") {
            return Some((Operator::SuperlativeBy(form), 1));
        }
    }
    match (word, form_of(next)) {
        ("most", Some(form)) => Some((Operator::SuperlativeBy(form), 2)),
        ("least", Some(form)) => Some((Operator::SuperlativeBy(Adjectives { is_less: true, ..form }), 2)),
        (sense @ ("more" | "less"), Some(form)) if words.get(at + 2).is_some_and(|word| word.lower == "than") => {
            Some((Operator::CompareBy(Adjectives { is_less: sense == "less", ..form }), 3))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Operator, operator_at};
    use crate::interpretation::query::Comparison;
    use crate::question::words::words;

    #[test]
    fn the_longest_phrase_wins() {
        assert_eq!(operator_at(&words("more than the average price"), 0).map(|(_, length)| length), Some(4));
        assert_eq!(operator_at(&words("more than 3"), 0), Some((Operator::Compare(Comparison::Greater), 2)));
        assert_eq!(operator_at(&words("students"), 0), None);
    }

    #[test]
    fn an_order_may_be_given_by_its_ends() {
        for phrase in ["from the most expensive to the cheapest", "from old to young", "from oldest to the newest"] {
            let words = words(phrase);
            let found = operator_at(&words, 0);
            assert!(matches!(found, Some((Operator::SortedBy(_), length)) if length == words.len()), "{phrase}");
        }
    }

    #[test]
    fn adjectives_carry_their_measure() {
        let Some((Operator::SuperlativeBy(form), 1)) = operator_at(&words("youngest"), 0) else {
            panic!("no adjective")
        };
        assert!(form.measures().any(|measure| measure.column_words.contains(&"age") && !measure.larger));
        assert!(matches!(operator_at(&words("older than 20"), 0), Some((Operator::CompareBy(_), 2))));
    }
}

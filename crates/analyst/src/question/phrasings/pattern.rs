//! Patterns over words. `a|b` is one of these words and `?a|b` the same or nothing, `@` a phrase without the words that end one,
//! `*` any words, `#` a number, `#year` one that is a year; `^` and `$` are the ends of the question. What `@`, `*` and `#` fit is
//! captured in their order, and so are `=a|b`, one of these words, `@1`, a phrase for one thing, `@m`, one that ends with a
//! measure, and `~`, any words that group nothing.

use crate::question::time::YEARS;
use crate::question::words::{Word, WordKind};

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Start,
    End,
    Word(Vec<&'static str>),
    Optional(Vec<&'static str>),
    /// One of these words, captured.
    Choice(Vec<&'static str>),
    Phrase,
    /// A phrase whose noun is of one thing.
    Single,
    /// A phrase that ends with a measure.
    Measure,
    Any,
    /// Words that group nothing.
    Ungrouped,
    Number,
    Year,
    /// One plain word.
    One,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    pub start: usize,
    pub end: usize,
    pub captured: Vec<(usize, usize)>,
    /// The places of the words that the pattern spells out.
    pub said: Vec<usize>,
}

/// Words that a phrase does not go on with.
const STOPS: &[&str] = &[
    "by", "per", "for", "in", "since", "during", "between", "from", "with", "without", "and", "or", "each", "every",
    "where", "who", "that", "which", "only", "than", "what", "how", "is", "are", "was", "were", "has", "have", "had",
    "did", "does", "do", "on", "the", "a", "an", "our", "all", "me", "us", "show", "list", "give", "please", "as",
    "of", "not",
];
/// Words that group.
const GROUPING: &[&str] = &["by", "per", "each", "every"];
/// A phrase has no more words than these.
const PHRASE_MAX: usize = 6;

pub fn parts(pattern: &'static str) -> Vec<Part> {
    let one = |text: &'static str| match text {
        "^" => Part::Start,
        "$" => Part::End,
        "@" => Part::Phrase,
        "@1" => Part::Single,
        "@m" => Part::Measure,
        "*" => Part::Any,
        "~" => Part::Ungrouped,
        "#" => Part::Number,
        "#year" => Part::Year,
        "_" => Part::One,
        _ => match text.strip_prefix('?').filter(|rest| !rest.is_empty() && !rest.starts_with('|')) {
            Some(rest) => Part::Optional(rest.split('|').collect()),
            None => match text.strip_prefix('=') {
                Some(rest) => Part::Choice(rest.split('|').collect()),
                None => Part::Word(text.split('|').collect()),
            },
        },
    };
    pattern.split(' ').map(one).collect()
}

/// The first place that a pattern fits.
pub fn find(pattern: &[Part], asked: &[Word], is_measure: &dyn Fn(&Word) -> bool) -> Option<Found> {
    let fitting = Fitting { asked, is_measure };
    (0..asked.len()).find_map(|start| fitting.fit(pattern, start, &Found { start, ..Found::default() }))
}

struct Fitting<'a> {
    asked: &'a [Word],
    is_measure: &'a dyn Fn(&Word) -> bool,
}

impl Fitting<'_> {
    fn fit(&self, pattern: &[Part], at: usize, found: &Found) -> Option<Found> {
        let asked = self.asked;
        let Some((part, rest)) = pattern.split_first() else { return Some(Found { end: at, ..found.clone() }) };
        let is_one_of = |options: &[&str]| asked.get(at).is_some_and(|word| options.contains(&word.lower.as_str()));
        let captured = |end: usize| {
            let mut next = found.clone();
            next.captured.push((at, end));
            self.fit(rest, end, &next)
        };
        let said = || {
            let mut next = found.clone();
            next.said.push(at);
            self.fit(rest, at + 1, &next)
        };
        match part {
            Part::Start => (at == 0).then(|| self.fit(rest, at, found))?,
            Part::End => asked[at..].iter().all(is_closing).then(|| self.fit(rest, at, found))?,
            Part::Word(options) => is_one_of(options).then(said)?,
            Part::Optional(options) => {
                let taken = if is_one_of(options) { said() } else { None };
                taken.or_else(|| self.fit(rest, at, found))
            }
            Part::Number => asked.get(at)?.number().and_then(|_| captured(at + 1)),
            Part::Year => {
                asked.get(at)?.number().filter(|number| YEARS.contains(number)).and_then(|_| captured(at + 1))
            }
            Part::One => (asked.get(at)?.kind == WordKind::Plain).then(|| captured(at + 1))?,
            Part::Choice(options) => is_one_of(options).then(|| captured(at + 1))?,
            // What nothing follows is as long as it can be.
            Part::Phrase if rest.iter().all(is_loose) => {
                (1..=phrase_length(asked, at)).rev().find_map(|length| captured(at + length))
            }
            Part::Phrase => (1..=phrase_length(asked, at)).find_map(|length| captured(at + length)),
            Part::Single => {
                let is_single = |length: &usize| {
                    let phrase = &asked[at..at + length];
                    let is_plain = phrase.iter().all(|word| word.kind == WordKind::Plain);
                    is_plain && phrase.last().is_some_and(|noun| noun.lower == noun.lemma)
                };
                (1..=phrase_length(asked, at)).filter(is_single).find_map(|length| captured(at + length))
            }
            Part::Measure => {
                let is_measured = |length: &usize| (self.is_measure)(&asked[at + length - 1]);
                (1..=phrase_length(asked, at)).rev().filter(is_measured).find_map(|length| captured(at + length))
            }
            // What nothing follows goes to the end.
            Part::Any if rest.is_empty() => {
                let end = asked.iter().rposition(|word| !is_closing(word)).map_or(0, |last| last + 1);
                (at < end).then(|| captured(end))?
            }
            Part::Any => (at + 1..=asked.len()).find_map(captured),
            Part::Ungrouped => {
                let length = asked[at..].iter().take_while(|word| !GROUPING.contains(&word.lower.as_str())).count();
                (1..=length).find_map(|length| captured(at + length))
            }
        }
    }
}

fn is_loose(part: &Part) -> bool {
    matches!(part, Part::Optional(_))
}

fn phrase_length(asked: &[Word], at: usize) -> usize {
    let is_inside = |word: &&Word| word.kind != WordKind::Mark && !STOPS.contains(&word.lower.as_str());
    asked[at..].iter().take(PHRASE_MAX).take_while(is_inside).count()
}

/// A mark at the end of a question.
fn is_closing(word: &Word) -> bool {
    word.kind == WordKind::Mark && matches!(word.lower.as_str(), "?" | "." | "!")
}

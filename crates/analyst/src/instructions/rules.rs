//! The forms of instructions, as a table of patterns.

use chrono::NaiveDate;

use super::pattern::{Captures, captures};
use crate::question::time::time_at;
use crate::question::words::{Word, words};

#[derive(Debug, Clone, PartialEq)]
pub enum Instruction {
    /// Computed numbers are rounded to so many decimals.
    Round(u32),
    /// Answers have at most so many rows, where the question does not say how many.
    Limit(u64),
    /// `GMV means revenue`: words of questions and what stands for them.
    Means { said: Vec<String>, meant: String },
    /// The month in which the fiscal year begins, 1 to 12.
    FiscalYear { month: u32 },
    /// What money is measured in.
    Currency { name: &'static str, code: &'static str },
    /// The period of questions that name none.
    Period(String),
    /// Rows that count, or do not, unless the question says something of them.
    Filter { phrase: String, rows: Rows, sentence: String },
    /// Questions about this are not answered.
    Reject { topic: Vec<String>, reply: String },
    /// Questions about this are asked back unless they name that.
    Unclear { topic: Vec<String>, missing: Vec<String>, reply: String },
    /// What a rejected question is answered with.
    Reply(String),
    /// What holds without being asked for: percentages are on a scale of 100.
    Given,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    Only,
    Without,
}

/// From the sentence and what its pattern captured.
type Build = fn(&[Word], &Captures<'_>) -> Option<Instruction>;

/// The first pattern that is the whole sentence decides.
const RULES: &[(&str, Build)] = &[
    ("* round|rounded * to <n> decimal|decimals|places|digits *", rounded),
    ("* round|rounded * to * whole|nearest|integer|integers *", |_, _| Some(Instruction::Round(0))),
    ("* round|rounded * to cents *", |_, _| Some(Instruction::Round(2))),
    ("* use|show|display|with|have <n> decimal|decimals *", rounded),
    ("* limit * to <n> rows|results|records|row|entries *", limited),
    ("* return|show|give|display * at|no most|more than? <n> rows|results|records|entries *", limited),
    ("* fiscal|financial year starts|begins|start|begin <when>", fiscal_year),
    ("* percentage|percentages|percent|rate|rates * multiply|multiplied * by <n> *", |_, _| Some(Instruction::Given)),
    (
        "* reject|refuse|decline|block * question|questions asking|that? about|on|regarding|concerning|for <topic>",
        rejected,
    ),
    ("* reject|refuse|decline|block * question|questions about|on|regarding|concerning|for <topic>", rejected),
    ("* do|should|must|can not answer * about|on|regarding|concerning|for <topic>", rejected),
    ("* never answer * about|on|regarding|concerning|for <topic>", rejected),
    ("questions about|on|regarding|concerning <topic> are|should|must|cannot|can not|be? *", rejected),
    ("if|when * question|questions|user|users ask|asks about|for <topic> without <missing> , *", unclear),
    (
        "if|when * question|questions|user|users ask|asks about|for <topic> without <missing> consider|ask|it|treat *",
        unclear,
    ),
    ("ask|tell|respond|reply|say|direct|refer|instead *", |_, _| Some(Instruction::Reply(String::new()))),
    ("* if|when|where|unless * date|dates|period|time|range|timeframe *", period),
    ("* default|defaults to *", period),
    ("* by default *", period),
    ("* always? exclude|ignore|omit|skip <rows>", without),
    ("* filter|leave out <rows>", without),
    ("* do not|never include|count|consider|show|use <rows>", without),
    ("never include|count|consider|show <rows>", without),
    ("* only include|consider|count|use|show|report <rows>", only),
    ("* include|consider|count|use|show|report only <rows>", only),
    ("* always? filter on|to|by|for <rows>", only),
    ("* amounts|prices|values|figures|numbers|money|revenue|currency|sums * in|is <currency>", currency),
    ("treat|interpret|read|understand <said> as <meant>", means),
    ("if|when * say|says|ask|asks|mention|mentions|write|writes about|for? <said> , * mean|means|use <meant>", means),
    ("if|when * say|says|ask|asks|mention|mentions|write|writes about|for? <said> they mean <meant>", means),
    ("a|an|the? <said> is|are defined as a|an|the? <meant>", means),
    ("a|an|the? <said> mean|means a|an|the? <meant>", means),
    ("a|an|the? <said> stands|short|refers|refer for|to a|an|the? <meant>", means),
    ("a|an|the? <said> is|are short|synonymous|the|a same|synonym|for|with as|for|of? a|an|the? <meant>", means),
];

const CURRENCIES: &[(&[&str], &str, &str)] = &[
    (&["euro", "euros", "eur", "€"], "euro", "eur"),
    (&["dollar", "dollars", "usd", "$"], "dollar", "usd"),
    (&["pound", "pounds", "gbp", "£"], "pound", "gbp"),
    (&["franc", "francs", "chf"], "franc", "chf"),
    (&["yen", "jpy", "¥"], "yen", "jpy"),
    (&["krona", "kronor", "sek"], "krona", "sek"),
    (&["krone", "kroner", "nok"], "krone", "nok"),
];

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Words longer than these are no name for something else.
const NAME_WORDS_MAX: usize = 5;
const DECIMALS_MAX: f64 = 12.0;
const LIMIT_MAX: f64 = 1_000_000.0;

/// What a sentence instructs.
pub(super) fn read(sentence: &[Word]) -> Option<Instruction> {
    RULES.iter().find_map(|(pattern, build)| captures(pattern, sentence).and_then(|found| build(sentence, &found)))
}

fn number_of(found: &Captures<'_>) -> Option<f64> {
    found.first()?.first()?.number()
}

fn rounded(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let decimals = number_of(found).filter(|decimals| (0.0..=DECIMALS_MAX).contains(decimals))?;
    Some(Instruction::Round(decimals as u32))
}

fn limited(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let rows = number_of(found).filter(|rows| (1.0..=LIMIT_MAX).contains(rows))?;
    Some(Instruction::Limit(rows as u64))
}

fn fiscal_year(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let month = found.first()?.iter().find_map(|word| {
        let start = word.lower.get(..3)?;
        MONTHS.iter().position(|month| *month == start)
    })?;
    Some(Instruction::FiscalYear { month: month as u32 + 1 })
}

fn currency(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let said = found.first()?.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>();
    let (_, name, code) = CURRENCIES.iter().find(|(words, ..)| words.iter().any(|word| said.contains(word)))?;
    Some(Instruction::Currency { name, code })
}

/// The first period that the sentence names.
fn period(sentence: &[Word], _: &Captures<'_>) -> Option<Instruction> {
    let today = NaiveDate::default();
    let (at, length) = (0..sentence.len()).find_map(|at| Some((at, time_at(sentence, at, today)?.1)))?;
    // `do not use the last 12 months`.
    let before = &sentence[at.saturating_sub(3)..at];
    if before.iter().any(|word| matches!(word.lower.as_str(), "not" | "never")) {
        return None;
    }
    Some(Instruction::Period(text(&sentence[at..at + length])))
}

fn only(sentence: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    filter(sentence, found, Rows::Only)
}

fn without(sentence: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    filter(sentence, found, Rows::Without)
}

fn filter(sentence: &[Word], found: &Captures<'_>, rows: Rows) -> Option<Instruction> {
    let phrase = text(up_to(found.first()?, &["unless", "from", "except", "by", "in"]));
    (!phrase.is_empty()).then(|| Instruction::Filter { phrase, rows, sentence: text(sentence) })
}

fn rejected(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let topic = lemmas(found.first()?);
    let reply = format!("Questions about {} are not answered here.", text(found.first()?));
    Some(Instruction::Reject { topic, reply })
}

fn unclear(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let missing = without_opening(found.get(1)?);
    let reply = format!("Say which {} is meant.", text(missing).replace('_', " "));
    Some(Instruction::Unclear { topic: lemmas(found.first()?), missing: lemmas(missing), reply })
}

fn means(_: &[Word], found: &Captures<'_>) -> Option<Instruction> {
    let said = lemmas(found.first()?);
    let meant = text(found.get(1)?);
    (!said.is_empty() && said.len() <= NAME_WORDS_MAX && !meant.is_empty())
        .then_some(Instruction::Means { said, meant })
}

/// `providing a product type` names the product type.
fn without_opening(phrase: &[Word]) -> &[Word] {
    let opens = |word: &Word| {
        matches!(word.lower.as_str(), "providing" | "naming" | "giving" | "specifying" | "a" | "an" | "the" | "any")
    };
    let start = phrase.iter().position(|word| !opens(word)).unwrap_or(phrase.len());
    &phrase[start..]
}

fn up_to<'a>(phrase: &'a [Word], ends: &[&str]) -> &'a [Word] {
    let end = phrase.iter().position(|word| ends.contains(&word.lower.as_str()) || word.lower == ",");
    &phrase[..end.unwrap_or(phrase.len())]
}

fn text(phrase: &[Word]) -> String {
    phrase.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The lemmas of a phrase, of quoted texts too, without articles.
fn lemmas(phrase: &[Word]) -> Vec<String> {
    let plain = words(&text(phrase).replace('_', " "));
    let is_article = |word: &Word| matches!(word.lower.as_str(), "a" | "an" | "the");
    plain.into_iter().filter(|word| !is_article(word)).map(|word| word.lemma).collect()
}

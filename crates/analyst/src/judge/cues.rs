//! The words of a question as cues: names of the model and literals are replaced by what they are, so that a cue of one
//! model is one of every model.

use std::collections::BTreeSet;

use crate::accounting::Loss;
use crate::lattice::{Item, Lattice, Meaning};
use crate::question::words::WordKind;

/// A weaker link does not hide the word.
const LINK_MIN: f32 = 0.6;
/// More of one kind count as so many.
const COUNT_MAX: usize = 4;
/// How many tokens an opening has at most.
const OPENING_MAX: usize = 2;
/// Stands before the first word.
const EDGE: &str = "#";
/// A cue of every question.
const ALWAYS: &str = "any";
const PLACEHOLDERS: [&str; 5] = ["<table>", "<column>", "<value>", "<number>", "<date>"];

/// A question as cues, each once.
#[derive(Debug, Clone)]
pub struct Cues {
    pub names: Vec<String>,
}

impl Cues {
    #[must_use]
    pub fn of(lattice: &Lattice<'_>, losses: &[Loss]) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < lattice.words.len() {
            let (token, length) = token_at(lattice, losses, at);
            tokens.push(token);
            at += length;
        }
        Self { names: names(&tokens) }
    }

    #[cfg(test)]
    pub(super) fn named(names: &[&str]) -> Self {
        Self { names: names.iter().map(ToString::to_string).collect() }
    }
}

/// What a word is taken for, and how many words that takes.
fn token_at(lattice: &Lattice<'_>, losses: &[Loss], at: usize) -> (String, usize) {
    let word = &lattice.words[at];
    let carries = |at: usize| matches!(losses.get(at), Some(Loss::Content | Loss::Number | Loss::Name));
    let named = lattice.starting_at(at).filter_map(|(_, item)| {
        let is_meant = item.quality >= LINK_MIN && (item.start..item.end).any(carries);
        Some((item, placeholder(item)?)).filter(|_| is_meant && word.kind != WordKind::Mark)
    });
    let longer = |(left, _): &(&Item, &str), (right, _): &(&Item, &str)| {
        left.length().cmp(&right.length()).then(left.quality.total_cmp(&right.quality))
    };
    match named.max_by(longer) {
        Some((item, placeholder)) => (placeholder.to_string(), item.length()),
        None => (word.lemma.clone(), 1),
    }
}

fn placeholder(item: &Item) -> Option<&'static str> {
    match item.meaning {
        Meaning::Table(_) => Some(PLACEHOLDERS[0]),
        Meaning::Column(_) => Some(PLACEHOLDERS[1]),
        Meaning::Value(..) | Meaning::Quoted(_) => Some(PLACEHOLDERS[2]),
        Meaning::Number(_) => Some(PLACEHOLDERS[3]),
        Meaning::Date(_) | Meaning::Period(_) => Some(PLACEHOLDERS[4]),
        Meaning::Operator(_) => None,
    }
}

/// Single tokens, pairs of neighbours, how the question opens, and how often it names what.
fn names(tokens: &[String]) -> Vec<String> {
    let mut names: BTreeSet<String> = tokens.iter().cloned().collect();
    names.extend(tokens.windows(2).map(|pair| pair.join(" ")));
    for length in 1..=OPENING_MAX.min(tokens.len()) {
        names.insert(format!("{EDGE} {}", tokens[..length].join(" ")));
    }
    for placeholder in PLACEHOLDERS {
        let count = tokens.iter().filter(|token| *token == placeholder).count();
        names.insert(format!("{} {placeholder}", count.min(COUNT_MAX)));
    }
    names.insert(ALWAYS.to_string());
    names.into_iter().collect()
}

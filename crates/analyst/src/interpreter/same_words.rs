//! Whether two questions that are understood alike also say the same: every word of one is a word of the other, or another
//! name for the same thing, or says nothing. A reading may drop a word; a verified answer must not.

use chrono::NaiveDate;

use super::Interpreter;
use crate::lattice::{Lattice, Meaning};
use crate::question::words::{Word, WordKind, words};

/// A word that links to something less well is no name for it.
const NAME_QUALITY: f32 = 0.8;

/// Words that only join others or ask, where the two queries are the same. Quantifiers, ordinals, aggregates and negations
/// are none of them.
const LINKING: &[&str] = &[
    "a", "an", "the", "please", "show", "me", "give", "tell", "list", "display", "find", "get", "what", "is", "are",
    "was", "were", "which", "can", "could", "you", "i", "we", "would", "like", "want", "to", "know", "see", "do",
    "does", "did", "us", "our", "be", "been", "of", "in", "by", "for", "per", "each", "from", "on", "at", "have",
    "has", "had", "there", "that", "who", "how", "many", "number", "count", "and", "it", "its", "their",
];

impl Interpreter<'_> {
    pub(super) fn says_the_same(&self, first: &str, second: &str, today: NaiveDate) -> bool {
        let (first, second) = (words(first), words(second));
        let (left, right) = (rest(&first, &second), rest(&second, &first));
        let (first_names, second_names) = (self.names(&first, today), self.names(&second, today));
        let shares = |names: &[Meaning], others: &[usize], of_others: &[Vec<Meaning>]| {
            others.iter().any(|other| names.iter().any(|name| of_others[*other].contains(name)))
        };
        left.iter().all(|at| shares(&first_names[*at], &right, &second_names))
            && right.iter().all(|at| shares(&second_names[*at], &left, &first_names))
    }

    /// What each word is a name for, by itself or with its neighbours.
    fn names(&self, words: &[Word], today: NaiveDate) -> Vec<Vec<Meaning>> {
        let lattice = Lattice::new(&self.index, words, today);
        let mut names = vec![Vec::new(); words.len()];
        for item in lattice.items.iter().filter(|item| item.quality >= NAME_QUALITY) {
            if !matches!(item.meaning, Meaning::Number(_) | Meaning::Date(_) | Meaning::Quoted(_)) {
                names[item.start..item.end].iter_mut().for_each(|of_word| of_word.push(item.meaning.clone()));
            }
        }
        names
    }
}

/// The telling words that the other question lacks, each as often as it does.
fn rest(words: &[Word], others: &[Word]) -> Vec<usize> {
    let mut left: Vec<&str> = others.iter().map(|word| word.lemma.as_str()).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.kind == WordKind::Mark || LINKING.contains(&word.lower.as_str()) {
            continue;
        }
        match left.iter().position(|other| *other == word.lemma) {
            Some(position) => drop(left.swap_remove(position)),
            None => found.push(at),
        }
    }
    found
}

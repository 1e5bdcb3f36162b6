//! Words of grammar that are misspelled. Names of the model and values of the data are not looked for here.

use super::lemma::lemma;
use super::words::{Word, WordKind};
use crate::lexicon;

/// Words that shape a question, of five letters and more.
const WORDS: &[&str] = &[
    "total",
    "average",
    "number",
    "percentage",
    "percent",
    "highest",
    "lowest",
    "largest",
    "smallest",
    "biggest",
    "between",
    "without",
    "before",
    "after",
    "during",
    "month",
    "months",
    "monthly",
    "quarter",
    "quarters",
    "quarterly",
    "years",
    "yearly",
    "weekly",
    "daily",
    "median",
    "maximum",
    "minimum",
    "growth",
    "share",
    "compared",
    "versus",
    "currently",
    "current",
    "which",
    "where",
    "least",
    "fewer",
    "fewest",
    "greater",
    "cumulative",
    "running",
    "distinct",
    "different",
    "except",
    "excluding",
    "previous",
    "today",
    "yesterday",
    "overdue",
    "active",
];
/// Shorter words are not taken for misspelled ones.
const LETTERS_MIN: usize = 4;

/// A value is not looked for by fewer letters.
const VALUE_LETTERS_MIN: usize = 6;

/// The words with those corrected that are a letter away from the only value that `near` finds for them.
#[must_use]
pub fn corrected_values(
    mut words: Vec<Word>,
    is_known: &dyn Fn(&Word) -> bool,
    near: &dyn Fn(&str) -> Vec<String>,
) -> Vec<Word> {
    for word in &mut words {
        let is_lower = word.text == word.lower && word.kind == WordKind::Plain;
        let is_short = word.lower.len() < VALUE_LETTERS_MIN;
        if !is_lower || is_short || lexicon::is_word(&word.lower) || lexicon::is_word(&word.lemma) || is_known(word) {
            continue;
        }
        let is_meant = |value: &String| strsim::damerau_levenshtein(&value.to_lowercase(), &word.lower) == 1;
        let mut found = near(&word.lower).into_iter().filter(is_meant);
        if let (Some(meant), None) = (found.next(), found.next()) {
            word.lower = meant.to_lowercase();
            word.lemma = lemma(&word.lower);
            word.text = meant;
        }
    }
    words
}

/// The words with those corrected that nothing else is known of.
#[must_use]
pub fn corrected(mut words: Vec<Word>, is_known: &dyn Fn(&Word) -> bool) -> Vec<Word> {
    for word in &mut words {
        let is_lower = word.text == word.lower && word.kind == WordKind::Plain;
        if !is_lower || word.lower.len() < LETTERS_MIN || lexicon::is_word(&word.lower) || is_known(word) {
            continue;
        }
        if let Some(meant) = WORDS.iter().find(|meant| strsim::damerau_levenshtein(meant, &word.lower) == 1) {
            word.lower = (*meant).to_owned();
            word.lemma = lemma(meant);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::corrected;
    use crate::question::words::words;

    #[test]
    fn only_unknown_words_are_corrected() {
        let read = |question: &str| {
            let fixed = corrected(words(question), &|word| word.lower == "totel");
            fixed.iter().map(|word| word.lower.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(read("totl fines by monht"), "total fines by month");
        assert_eq!(read("curently open"), "currently open");
        assert_eq!(read("totel rooms"), "totel rooms");
        assert_eq!(read("Totl rooms, their mouth"), "totl rooms , their mouth");
    }
}

//! The values that are really in the data, found by their words.

use std::collections::HashMap;

use crate::lexicon::{self, PartOfSpeech, RelationKind};
use crate::question::lemma::lemma;
use crate::question::words::{Word, WordKind};

use super::entries::ColumnId;
use super::phrase_match::is_function_word;

/// Values whose kind is looked up for one noun.
const KINDS_READ_MAX: usize = 2_000;

/// A value of a column that a question names.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueHit {
    pub column: ColumnId,
    pub value: String,
    /// How many words of the question it takes.
    pub length: usize,
    pub score: f32,
}

/// Values of text columns by the lemma of their first word.
#[derive(Debug, Default)]
pub struct ValueIndex {
    entries: Vec<Entry>,
    by_first_word: HashMap<String, Vec<usize>>,
    by_text: HashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Entry {
    column: ColumnId,
    value: String,
    words: Vec<String>,
}

/// Shorter beginnings are shared by words that have nothing to do with each other.
const STEM_MIN: usize = 4;

impl ValueIndex {
    pub fn add(&mut self, column: ColumnId, value: &str) {
        let words = split(value);
        let Some(first) = words.first() else { return };
        if words.len() > 12 {
            return;
        }
        let at = self.entries.len();
        self.by_first_word.entry(lemma(first)).or_default().push(at);
        self.by_text.entry(words.join(" ")).or_default().push(at);
        self.entries.push(Entry { column, value: value.to_string(), words });
    }

    /// Another word for a value: `female` where the data say `F`.
    pub fn add_alias(&mut self, column: ColumnId, value: &str, alias: &str) {
        let at = self.entries.len();
        let words = split(alias);
        let Some(first) = words.first() else { return };
        self.by_first_word.entry(lemma(first)).or_default().push(at);
        self.entries.push(Entry { column, value: value.to_string(), words });
    }

    /// Values that the words from `at` on spell out, longest first.
    #[must_use]
    pub fn starting_at(&self, words: &[Word], at: usize) -> Vec<ValueHit> {
        let word = &words[at];
        if word.kind == WordKind::Quoted {
            return self.quoted(&word.text);
        }
        // `in` is a value only as the beginning of one: `in transit`.
        let is_grammar = is_function_word(&word.lower) && !word.text.chars().any(char::is_uppercase);
        let first = split(&word.text);
        let Some(head) = first.first() else { return Vec::new() };
        let mut hits: Vec<ValueHit> = self
            .by_first_word
            .get(&lemma(head))
            .into_iter()
            .flatten()
            .filter_map(|&entry| self.entries[entry].spelled_by(words, at))
            .filter(|hit| !is_grammar || hit.length > 1)
            .collect();
        hits.sort_by(|a, b| b.length.cmp(&a.length).then(b.score.total_cmp(&a.score)));
        hits
    }

    /// Values of one word that a noun is made from: `Failed` for failure, `Cancelled` for cancellation.
    #[must_use]
    pub fn derived_from(&self, noun: &str) -> Vec<(ColumnId, String)> {
        let shared = |word: &str| noun.chars().zip(word.chars()).take_while(|(left, right)| left == right).count();
        let is_made = |entry: &&Entry| match entry.words.as_slice() {
            [word] => word.ends_with("ed") && shared(word) >= STEM_MIN && shared(word) + 3 >= word.len(),
            _ => false,
        };
        self.entries.iter().filter(is_made).map(|entry| (entry.column, entry.value.clone())).collect()
    }

    /// Values of one word that tell what was done, for a verb in its base form: `Rejected` for `did we reject`.
    #[must_use]
    pub fn done_by(&self, verb: &str) -> Vec<ValueHit> {
        let bases = |form: &str| lexicon::lemmas(form, Some(PartOfSpeech::Verb));
        let is_done = |entry: &&Entry| match entry.words.as_slice() {
            [word] => word.ends_with("ed") && word != verb && bases(word).iter().any(|base| base.text == verb),
            _ => false,
        };
        let found = self.entries.iter().filter(|_| verb.len() > 3).filter(is_done);
        found
            .map(|entry| ValueHit { column: entry.column, value: entry.value.clone(), length: 1, score: 1.0 })
            .collect()
    }

    /// Values of one word for what people of a profession practise: `Cardiology` for a cardiologist.
    #[must_use]
    pub fn practised_by(&self, noun: &str) -> Vec<ValueHit> {
        let is_person = lexicon::relation(noun, "person").is_some();
        let shared = |word: &str| noun.chars().zip(word.chars()).take_while(|(left, right)| left == right).count();
        let is_practised = |entry: &&Entry| match entry.words.as_slice() {
            [word] => {
                let shared = shared(word);
                shared >= STEM_MIN && shared + 3 >= word.len() && shared + 5 >= noun.len() && word != noun
            }
            _ => false,
        };
        let found = self.entries.iter().filter(|_| is_person).filter(is_practised);
        found
            .map(|entry| ValueHit { column: entry.column, value: entry.value.clone(), length: 1, score: 0.9 })
            .collect()
    }

    /// Whether everything that a column lists is a kind of what a noun names: trout and salmon are fish.
    #[must_use]
    pub fn is_kind_of_all(&self, noun: &str) -> bool {
        let mut columns: HashMap<ColumnId, (usize, usize)> = HashMap::new();
        for entry in self.entries.iter().take(KINDS_READ_MAX) {
            let Some(last) = entry.words.last().filter(|last| lexicon::is_word(last)) else { continue };
            let is_kind = lexicon::relation(noun, last).is_some_and(|found| found.kind == RelationKind::Hypernym);
            let (kinds, known) = columns.entry(entry.column).or_default();
            *known += 1;
            *kinds += usize::from(is_kind);
        }
        columns.values().any(|(kinds, known)| *kinds > 1 && kinds == known)
    }

    /// Whether a text in lower case is a whole value.
    #[must_use]
    pub fn is_exact(&self, lower: &str) -> bool {
        self.by_text.contains_key(lower)
    }

    /// Whether a value begins with a word in lower case.
    #[must_use]
    pub fn has_word(&self, lower: &str) -> bool {
        self.by_first_word.contains_key(lower)
    }

    /// Values of one word that a misspelled name may mean.
    #[must_use]
    pub fn misspelled(&self, word: &Word) -> Vec<ValueHit> {
        let lower = word.lower.as_str();
        let may_be_wrong = word.capitalised() || !lexicon::is_word(lower);
        if lower.len() < 6 || !may_be_wrong || word.kind != WordKind::Plain {
            return Vec::new();
        }
        let near = |entry: &&Entry| match entry.words.as_slice() {
            [only] => {
                only.len().abs_diff(lower.len()) <= 1
                    && only.as_bytes()[0] == lower.as_bytes()[0]
                    && strsim::damerau_levenshtein(only, lower) == 1
            }
            _ => false,
        };
        let hit = |entry: &Entry| ValueHit { column: entry.column, value: entry.value.clone(), length: 1, score: 0.8 };
        self.entries.iter().filter(near).map(hit).take(4).collect()
    }

    /// Values that are spelled much like a name, the most alike first.
    #[must_use]
    pub fn spelled_like(&self, name: &str, most: usize) -> Vec<String> {
        let key = name.to_lowercase();
        let alike = |entry: &Entry| strsim::jaro_winkler(&entry.words.join(" "), &key);
        let mut near: Vec<(f64, &str)> = self
            .entries
            .iter()
            .map(|entry| (alike(entry), entry.value.as_str()))
            .filter(|(score, _)| *score >= 0.85)
            .collect();
        near.sort_by(|left, right| right.0.total_cmp(&left.0));
        near.dedup_by(|left, right| left.1 == right.1);
        near.into_iter().take(most).map(|(_, value)| value.to_owned()).collect()
    }

    /// Values equal to quoted text but for the case of letters, or else those that nearly are.
    #[must_use]
    pub fn quoted(&self, text: &str) -> Vec<ValueHit> {
        let key = split(text).join(" ");
        let hit =
            |entry: &Entry, score| ValueHit { column: entry.column, value: entry.value.clone(), length: 1, score };
        let exact: Vec<ValueHit> = self
            .by_text
            .get(&key)
            .into_iter()
            .flatten()
            .map(|&at| {
                let entry = &self.entries[at];
                hit(entry, if entry.value == text { 1.0 } else { 0.95 })
            })
            .collect();
        if !exact.is_empty() || key.len() < 4 {
            return exact;
        }
        let mut near: Vec<ValueHit> = self
            .entries
            .iter()
            .map(|entry| hit(entry, strsim::normalized_levenshtein(&entry.words.join(" "), &key) as f32))
            .filter(|found| found.score >= 0.8)
            .collect();
        near.sort_by(|a, b| b.score.total_cmp(&a.score));
        near.truncate(4);
        near
    }
}

impl Entry {
    fn spelled_by(&self, words: &[Word], at: usize) -> Option<ValueHit> {
        let mut position = at;
        let mut matched = 0;
        let mut exact = true;
        while matched < self.words.len() {
            let word = words.get(position)?;
            if word.kind == WordKind::Mark {
                if matched == 0 || word.lower == "'s" {
                    return None;
                }
                position += 1;
                continue;
            }
            for piece in split(&word.text) {
                let expected = self.words.get(matched)?;
                if *expected != piece {
                    exact = false;
                    if lemma(expected) != lemma(&piece) {
                        return None;
                    }
                }
                matched += 1;
            }
            position += 1;
        }
        let score = if exact { 1.0 } else { 0.85 };
        Some(ValueHit { column: self.column, value: self.value.clone(), length: position - at, score })
    }
}

fn split(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ValueIndex;
    use crate::question::words::words;

    #[test]
    fn values_are_found_by_their_words() {
        let mut index = ValueIndex::default();
        index.add(3, "Computer Science");
        index.add(4, "660 Shea Crescent");
        let question = words("members of the computer science department at 660 Shea Crescent");
        assert_eq!(index.starting_at(&question, 3).first().map(|hit| (hit.column, hit.length)), Some((3, 2)));
        assert_eq!(index.starting_at(&question, 7).first().map(|hit| (hit.column, hit.length)), Some((4, 3)));
        assert!(index.starting_at(&question, 0).is_empty());
        assert_eq!(index.quoted("Computer Sciences").first().map(|hit| hit.column), Some(3));
    }
}

//! How well the words of a question match the phrases of the model's tables and columns.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::lexicon::{self, RelationKind};
use crate::question::lemma::{lemma, stem};
use crate::question::words::{Word, WordKind};

use super::entries::{ColumnId, TableId};
use super::identifier_words::expansion;
use super::schema_words::is_schema_word;
use super::synonyms::synonyms_of;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    Table(TableId),
    Column(ColumnId),
}

/// One way to name a target.
#[derive(Debug, Clone)]
pub struct Phrase {
    pub target: Target,
    pub words: Vec<String>,
    /// What a full match is worth.
    pub worth: f32,
}

/// All phrases of a model, by the words in them.
#[derive(Debug, Default)]
pub struct Vocabulary {
    pub phrases: Vec<Phrase>,
    by_word: HashMap<String, Vec<usize>>,
    stems: HashMap<String, String>,
    /// Phrases of several words, by the words written as one.
    glued: HashMap<String, Vec<usize>>,
    /// What words were found to match before: every reader asks for the same ones.
    known: Mutex<Known>,
}

/// Matches of words by spelling, with the place they stand in, and by the lexicon.
#[derive(Debug, Default)]
struct Known {
    spelled: HashMap<(String, String, Place), Vec<(String, f32)>>,
    related: HashMap<String, Vec<(String, f32)>>,
}

/// A run of words that matches a phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhraseHit {
    pub target: Target,
    pub length: usize,
    pub score: f32,
}

/// Words that say little about which column is meant.
const WEAK: &[&str] = &["id", "name", "code", "number", "type", "detail", "description", "date", "of", "the", "other"];

fn weight(word: &str) -> f32 {
    match word {
        "of" | "the" | "in" | "to" | "and" => 0.1,
        _ if WEAK.contains(&word) => 0.6,
        _ => 1.0,
    }
}

impl Vocabulary {
    pub fn add_table(&mut self, table: TableId, words: &[String], synonyms: &[String]) {
        self.add(Target::Table(table), words.to_vec(), 1.0);
        if let [first, .., last] = words {
            if matches!(
                last.as_str(),
                "detail" | "info" | "information" | "record" | "profile" | "data" | "list" | "table"
            ) {
                self.add(Target::Table(table), words[..words.len() - 1].to_vec(), 0.97);
            }
            if let Some(preposition) =
                words.iter().position(|word| matches!(word.as_str(), "of" | "in" | "to" | "for" | "by"))
                && preposition > 0
            {
                self.add(Target::Table(table), words[..preposition].to_vec(), 0.85);
            }
            self.add(Target::Table(table), vec![last.clone()], 0.85);
            self.add(Target::Table(table), vec![first.clone()], 0.45);
        }
        for synonym in synonyms {
            self.add(Target::Table(table), phrase_words(synonym), 1.0);
        }
    }

    pub fn add_column(&mut self, column: ColumnId, full: &[String], bare: &[String], synonyms: &[String]) {
        let target = Target::Column(column);
        self.add(target, full.to_vec(), 1.0);
        if bare != full {
            self.add(target, bare.to_vec(), 0.95);
        }
        for words in [full, bare] {
            if let Some((last, rest)) = words.split_last()
                && !rest.is_empty()
            {
                match last.as_str() {
                    "code" | "type" | "description" | "detail" => self.add(target, rest.to_vec(), 0.85),
                    "name" | "number" => self.add(target, rest.to_vec(), 0.75),
                    "id" => self.add(target, rest.to_vec(), 0.55),
                    _ => {}
                }
            }
        }
        for synonym in synonyms {
            self.add(target, phrase_words(synonym), 1.0);
        }
    }

    /// Another way to name the rows of a table.
    pub fn add_table_phrase(&mut self, table: TableId, words: Vec<String>, worth: f32) {
        self.add(Target::Table(table), words, worth);
    }

    /// Another way to name a column, less sure than its own name.
    pub fn add_column_phrase(&mut self, column: ColumnId, words: Vec<String>, worth: f32) {
        self.add(Target::Column(column), words, worth);
    }

    /// Makes phrases that say too little worth less.
    pub fn devalue(&mut self, is_weak: impl Fn(&Phrase) -> bool, worth: f32) {
        self.phrases
            .iter_mut()
            .filter(|phrase| is_weak(phrase))
            .for_each(|phrase| phrase.worth = phrase.worth.min(worth));
    }

    fn add(&mut self, target: Target, words: Vec<String>, worth: f32) {
        *self.known() = Known::default();
        let at = self.phrases.len();
        for word in &words {
            let entry = self.by_word.entry(word.clone()).or_default();
            if !entry.contains(&at) {
                entry.push(at);
            }
            self.stems.entry(word.clone()).or_insert_with(|| stem(word));
        }
        if words.len() > 1 {
            self.glued.entry(words.concat()).or_default().push(at);
        }
        let hyphenated = with_hyphen(&words);
        self.phrases.push(Phrase { target, words, worth });
        if let Some(words) = hyphenated {
            self.add(target, words, worth);
        }
    }

    /// The words of the vocabulary that each word of the question may stand for.
    #[must_use]
    pub fn word_matches(&self, words: &[Word]) -> Vec<Vec<(String, f32)>> {
        let matches = words.iter().enumerate().map(|(at, word)| {
            let stated = at.checked_sub(1).map(|before| words[before].lower.as_str());
            let key = (word.lower.clone(), word.lemma.clone(), place_behind(stated));
            if word.kind != WordKind::Plain {
                return Vec::new();
            }
            let known = self.known().spelled.get(&key).cloned();
            if let Some(known) = known {
                return known;
            }
            let found = self.matches_of(word, key.2);
            self.known().spelled.insert(key, found.clone());
            found
        });
        matches.collect()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a name of the model has the word.
    #[must_use]
    pub fn knows(&self, lemma: &str) -> bool {
        self.by_word.contains_key(lemma)
    }

    /// The matches with those that only the lexicon knows, for words that the model does not have itself.
    #[must_use]
    pub fn with_related(&self, words: &[Word], mut matches: Vec<Vec<(String, f32)>>) -> Vec<Vec<(String, f32)>> {
        for (word, found) in words.iter().zip(&mut matches) {
            let is_known = found.iter().any(|(_, score)| *score >= 0.9);
            if is_known || word.kind != WordKind::Plain || is_function_word(&word.lower) || word.lower.len() < 3 {
                continue;
            }
            for (known, score) in self.related_to(&word.lemma) {
                match found.iter_mut().find(|(other, _)| *other == known) {
                    Some((_, best)) => *best = best.max(score),
                    None => found.push((known, score)),
                }
            }
        }
        matches
    }

    /// The words of the vocabulary that the lexicon relates to a word.
    fn related_to(&self, lemma: &str) -> Vec<(String, f32)> {
        let known = self.known().related.get(lemma).cloned();
        if let Some(known) = known {
            return known;
        }
        let related = self.stems.keys().filter_map(|known| Some((known.clone(), related(lemma, known)?)));
        let found: Vec<(String, f32)> = related.collect();
        self.known().related.insert(lemma.to_owned(), found.clone());
        found
    }

    fn matches_of(&self, word: &Word, place: Place) -> Vec<(String, f32)> {
        let noun = match word.lower.as_str() {
            "return" | "list" | "other" => place != Place::OfRequest,
            "show" | "display" | "find" => place == Place::OfNoun,
            _ => false,
        };
        if !matches!(word.kind, WordKind::Plain) || (is_function_word(&word.lower) && !noun) {
            return Vec::new();
        }
        let stemmed = stem(&word.lemma);
        let mut synonyms = synonyms_of(&word.lemma);
        synonyms.extend(synonyms_of(&stemmed));
        self.stems
            .iter()
            .filter_map(|(known, known_stem)| {
                likeness(word, &stemmed, &synonyms, known, known_stem).map(|score| (known.clone(), score))
            })
            .collect()
    }

    /// Phrases that the words from `at` on match, for every length.
    #[must_use]
    pub fn starting_at(&self, words: &[Word], matches: &[Vec<(String, f32)>], at: usize) -> Vec<PhraseHit> {
        let mut best: HashMap<(Target, usize), f32> = HashMap::new();
        for (first, _) in &matches[at] {
            for &phrase in self.by_word.get(first).into_iter().flatten() {
                self.extend_phrase(phrase, words, matches, at, &mut best);
            }
        }
        self.led_by_preposition(words, at, &mut best);
        for &phrase in self.glued.get(&words[at].lemma.replace('_', "")).into_iter().flatten() {
            let Phrase { target, worth, .. } = &self.phrases[phrase];
            best.insert((*target, 1), *worth);
        }
        if let Some(next) = words.get(at + 1).filter(|next| next.kind == WordKind::Plain) {
            let glued = format!("{}{}", words[at].lower, next.lemma);
            for &phrase in self.by_word.get(&glued).into_iter().flatten() {
                let Phrase { target, words: expected, worth } = &self.phrases[phrase];
                let total: f32 = expected.iter().map(|word| weight(word)).sum();
                let share = weight(&glued) / total;
                let share = if expected.last() == Some(&glued) { share.max(0.3 + 0.6 * share) } else { share };
                let entry = best.entry((*target, 2)).or_insert(0.0);
                *entry = entry.max(share.min(1.0) * worth);
            }
        }
        // `other` is a part of names, and none by itself.
        best.retain(|(_, length), _| *length > 1 || words[at].lower != "other");
        let mut hits: Vec<PhraseHit> =
            best.into_iter().map(|((target, length), score)| PhraseHit { target, length, score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.target.cmp(&b.target)).then(a.length.cmp(&b.length)));
        hits
    }

    /// `in force`, `on sick leave`: names whose first word is grammar are meant where all of their words are said.
    fn led_by_preposition(&self, words: &[Word], at: usize, best: &mut HashMap<(Target, usize), f32>) {
        if !is_function_word(&words[at].lower) {
            return;
        }
        for &phrase in self.by_word.get(&words[at].lower).into_iter().flatten() {
            let Phrase { target, words: expected, worth } = &self.phrases[phrase];
            let is_said = |(offset, word): (usize, &String)| {
                words.get(at + offset).is_some_and(|said| said.lemma == *word || said.lower == *word)
            };
            if expected.len() > 1 && expected.iter().enumerate().all(is_said) {
                best.insert((*target, expected.len()), *worth);
            }
        }
    }

    fn extend_phrase(
        &self,
        phrase: usize,
        words: &[Word],
        matches: &[Vec<(String, f32)>],
        at: usize,
        best: &mut HashMap<(Target, usize), f32>,
    ) {
        let Phrase { target, words: expected, worth } = &self.phrases[phrase];
        let total: f32 = expected.iter().map(|word| weight(word)).sum();
        let mut used = vec![false; expected.len()];
        let mut gained = 0.0;
        let mut position = at;
        while position < words.len() && position < at + 8 {
            let matched = expected
                .iter()
                .enumerate()
                .filter(|(slot, _)| !used[*slot])
                .filter_map(|(slot, word)| {
                    let same = |(known, score): &&(String, f32)| if known == word { Some(*score) } else { None };
                    let score = matches[position].iter().find(|entry| same(entry).is_some()).map(|(_, score)| *score);
                    let score = score.or_else(|| (words[position].lower == *word).then_some(1.0));
                    score.map(|score| (slot, score))
                })
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            match matched {
                Some((slot, score)) => {
                    used[slot] = true;
                    gained += weight(&expected[slot]) * score;
                    let share = (gained / total).min(1.0);
                    let head = used.last() == Some(&true) && expected.len() > 1;
                    let share = if head { share.max(0.3 + 0.6 * share) } else { share };
                    let entry = best.entry((*target, position + 1 - at)).or_insert(0.0);
                    *entry = entry.max(share * worth);
                }
                None if position > at && matches!(words[position].lower.as_str(), "of" | "the" | "for" | "'s") => {}
                None => break,
            }
            position += 1;
        }
    }
}

/// People write `no-show` and `check-in`: a particle and its neighbour as one word.
fn with_hyphen(words: &[String]) -> Option<Vec<String>> {
    let is_particle = |word: &String| matches!(word.as_str(), "no" | "in" | "out" | "up" | "off");
    let place = words.windows(2).position(|pair| pair.iter().filter(|word| is_particle(word)).count() == 1)?;
    let joined = format!("{}-{}", words[place], words[place + 1]);
    let (before, behind) = (&words[..place], &words[place + 2..]);
    Some(before.iter().cloned().chain([joined]).chain(behind.iter().cloned()).collect())
}

/// What a word of both kinds is where it stands: `and return`, `please list` ask; `the show`, `each list` name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    OfRequest,
    OfNoun,
    Between,
}

fn place_behind(before: Option<&str>) -> Place {
    match before {
        None | Some("and" | "," | "." | "please" | "then" | "to" | "?" | ";" | ":") => Place::OfRequest,
        Some("the" | "a" | "an" | "each" | "every" | "which" | "this" | "that" | "per" | "of" | "no" | "one") => {
            Place::OfNoun
        }
        Some(_) => Place::Between,
    }
}

/// How well two words go together by the lexicon.
fn related(lemma: &str, known: &str) -> Option<f32> {
    let relation = lexicon::relation(lemma, known)?;
    let worth = match relation.kind {
        RelationKind::Synonym | RelationKind::Demonym => 0.75,
        RelationKind::Derived => 0.8,
        RelationKind::Hypernym | RelationKind::Hyponym => 0.6,
        RelationKind::Attribute => 0.65,
        RelationKind::Antonym => return None,
    };
    Some(worth * relation.strength.min(1.0)).filter(|score| *score > 0.28)
}

/// How well a question's word fits a word of the model, if at all.
fn likeness(word: &Word, stemmed: &str, synonyms: &[&str], known: &str, known_stem: &str) -> Option<f32> {
    let (lemma, lower) = (word.lemma.as_str(), word.lower.as_str());
    if lemma == known || lower == known {
        return Some(1.0);
    }
    if stemmed == known_stem && stemmed.len() >= 4 {
        return Some(0.9);
    }
    if expansion(lemma) == Some(known) {
        return Some(0.97);
    }
    if synonyms.contains(&known) {
        return Some(if matches!(known, "id" | "name" | "code" | "number" | "date") { 0.5 } else { 0.65 });
    }
    if known.len() == 3 && lemma.len() >= 6 && lemma.starts_with(known) && !is_schema_word(known) {
        return Some(0.7);
    }
    let shorter = known.len().min(lemma.len());
    if shorter >= 4 && known.len() < lemma.len() && lemma.starts_with(known) && lemma.len() <= known.len() + 4 {
        return Some(0.7);
    }
    if known.len() >= 6 && lemma.starts_with(known) && lemma.len() <= known.len() + 7 {
        return Some(0.65);
    }
    if shorter >= 5 && known.starts_with(lemma) && known.len() <= lemma.len() + 4 {
        return Some(0.7);
    }
    if shorter >= 5 && lemma.as_bytes()[0] == known.as_bytes()[0] && known.len().abs_diff(lemma.len()) <= 1 {
        let distance = strsim::damerau_levenshtein(lemma, known);
        if distance <= 1 + usize::from(shorter >= 9) {
            return Some(0.8);
        }
    }
    None
}

/// Words of grammar; they link to nothing by themselves.
#[must_use]
pub fn is_function_word(lower: &str) -> bool {
    const WORDS: &[&str] = &[
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "but", "is", "are",
        "was", "were", "be", "been", "do", "does", "did", "have", "has", "had", "who", "whom", "whose", "which",
        "what", "that", "this", "these", "those", "there", "their", "its", "it", "they", "them", "his", "her", "he",
        "she", "all", "any", "each", "every", "per", "some", "not", "no", "as", "than", "then", "if", "how", "many",
        "much", "more", "most", "less", "least", "me", "i", "we", "our", "us", "you", "your", "show", "list", "give",
        "find", "return", "tell", "please", "display", "also", "both", "either", "neither", "nor", "can", "could",
        "will", "would", "should", "so", "such", "only", "other", "between", "among", "same", "and/or", "'s", "many",
        "when", "where", "why", "into", "out", "up", "about", "over", "under", "above", "below", "after", "before",
        "since",
    ];
    WORDS.contains(&lower)
}

fn phrase_words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
        .map(|piece| lemma(&piece.to_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Target, Vocabulary};
    use crate::question::words::words;

    fn best(vocabulary: &Vocabulary, question: &str) -> Option<(Target, usize)> {
        let words = words(question);
        let matches = vocabulary.word_matches(&words);
        let mut hits = vocabulary.starting_at(&words, &matches, 0);
        hits.sort_by(|a, b| (b.score * b.length as f32).total_cmp(&(a.score * a.length as f32)));
        hits.first().map(|hit| (hit.target, hit.length))
    }

    #[test]
    fn longer_and_exact_phrases_win() {
        let mut vocabulary = Vocabulary::default();
        let phrase = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
        vocabulary.add_column(1, &phrase("product type code"), &phrase("type code"), &[]);
        vocabulary.add_column(2, &phrase("date of birth"), &phrase("date of birth"), &[]);
        vocabulary.add_table(7, &phrase("product"), &[]);
        assert_eq!(best(&vocabulary, "product types"), Some((Target::Column(1), 2)));
        assert_eq!(best(&vocabulary, "birth date"), Some((Target::Column(2), 2)));
        assert_eq!(best(&vocabulary, "products"), Some((Target::Table(7), 1)));
        assert_eq!(best(&vocabulary, "prodcts"), Some((Target::Table(7), 1)));
    }
}

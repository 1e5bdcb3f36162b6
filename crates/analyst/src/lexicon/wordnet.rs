//! The WordNet part of the lexicon: words, their parts of speech, their frequent senses, the hypernyms of those, and
//! pairs of words that WordNet relates. Words and synsets are numbers; a word's number is its place in the sorted list.

use std::sync::LazyLock;

use super::decode::unpack;

/// The table, unpacked at the first use.
pub static WORDNET: LazyLock<WordNet> = LazyLock::new(unpack);

pub struct WordNet {
    pub(super) words: Strings,
    /// Per word and part of speech half a byte: 0 if it is none, else 1 for untagged words and more for frequent ones.
    /// Nouns and verbs are in the first column, adjectives and adverbs in the second.
    pub(super) parts: [Vec<u8>; 2],
    pub(super) senses: Lists<Sense>,
    pub(super) hypernyms: Lists<u32>,
    /// The synsets of broad categories, such as person and vehicle.
    pub(super) categories: Vec<u32>,
    pub(super) category_sets: Lists<u8>,
    /// Per synset the number of its set of categories.
    pub(super) categories_of: Vec<u8>,
    pub(super) pairs: Lists<Pair>,
    /// Irregular forms, sorted; a form that is one of two parts of speech is there twice.
    pub(super) forms: Strings,
    /// Per form its part of speech and its base.
    pub(super) form_bases: Vec<(u8, u32)>,
}

/// A sense of a word; the weight is the share of the word's uses, from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct Sense {
    pub synset: u32,
    pub weight: f32,
}

/// A word that WordNet relates to another.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub word: u32,
    pub kind: PairKind,
    pub strength: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairKind {
    /// One is made from the other: `teach`, `teacher`.
    Derived,
    Antonym,
    /// An adjective and the noun it is a value of: `heavy`, `weight`.
    Attribute,
}

impl PairKind {
    pub(super) fn from_code(code: u8) -> Self {
        match code {
            0 => Self::Derived,
            1 => Self::Antonym,
            _ => Self::Attribute,
        }
    }
}

impl WordNet {
    pub fn find(&self, word: &str) -> Option<u32> {
        self.words.find(word)
    }

    pub fn text(&self, word: u32) -> &str {
        self.words.get(word as usize)
    }

    /// The level of frequency as noun, verb, adjective and adverb.
    pub fn parts(&self, word: u32) -> [u8; 4] {
        let [first, second] = [0, 1].map(|column: usize| self.parts[column].get(word as usize).copied().unwrap_or(0));
        [first & 0xf, first >> 4, second & 0xf, second >> 4]
    }

    pub fn senses(&self, word: u32) -> &[Sense] {
        self.senses.get(word)
    }

    pub fn hypernyms(&self, synset: u32) -> &[u32] {
        self.hypernyms.get(synset)
    }

    /// The broad categories that a synset is below of, from any depth.
    pub fn categories(&self, synset: u32) -> impl Iterator<Item = u32> {
        let set = self.categories_of.get(synset as usize).copied().unwrap_or_default();
        self.category_sets
            .get(u32::from(set))
            .iter()
            .filter_map(|&place| self.categories.get(usize::from(place)))
            .copied()
    }

    pub fn pairs(&self, word: u32) -> &[Pair] {
        self.pairs.get(word)
    }

    /// The bases of an irregular form, with their part of speech.
    pub fn irregular_bases(&self, form: &str) -> &[(u8, u32)] {
        let start = self.forms.lower_bound(form);
        let count = (start..self.forms.len()).take_while(|&at| self.forms.get(at) == form).count();
        self.form_bases.get(start..start + count).unwrap_or(&[])
    }
}

/// Sorted strings in one buffer.
pub struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    pub(super) fn with_capacity(count: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ends: Vec::with_capacity(count) }
    }

    /// Adds a string that begins like the one before.
    pub(super) fn push_sharing(&mut self, shared: usize, rest: &[u8]) {
        let start = self.start(self.ends.len().saturating_sub(1));
        let shared_end = (start + shared).min(self.text.len());
        self.text.extend_from_within(start..shared_end);
        self.text.push_str(str::from_utf8(rest).unwrap_or_default());
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize)
    }

    pub fn get(&self, at: usize) -> &str {
        let end = self.ends.get(at).map_or(0, |&end| end as usize);
        self.text.get(self.start(at)..end).unwrap_or_default()
    }

    /// The place of the first string that is not before `text`.
    pub fn lower_bound(&self, text: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.get(middle) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        let at = self.lower_bound(text);
        (!text.is_empty() && self.get(at) == text).then(|| u32::try_from(at).ok()).flatten()
    }
}

/// A list for every number, all in one buffer.
pub struct Lists<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    pub(super) fn new(counts: &[u8], items: Vec<T>) -> Self {
        let mut end = 0;
        let ends = counts.iter().map(|&count| {
            end += u32::from(count);
            end
        });
        Self { ends: ends.collect(), items }
    }

    /// Lists from items in any order of their lists.
    pub(super) fn scattered(counts: &[u8], items: impl Iterator<Item = (u32, T)>, empty: T) -> Self
    where
        T: Clone,
    {
        let mut lists = Self::new(counts, vec![empty; counts.iter().map(|&count| usize::from(count)).sum()]);
        let mut free: Vec<u32> = lists.ends.iter().zip(counts).map(|(end, &count)| end - u32::from(count)).collect();
        for (list, item) in items {
            let Some(at) = free.get_mut(list as usize) else { continue };
            if let Some(place) = lists.items.get_mut(*at as usize) {
                *place = item;
            }
            *at += 1;
        }
        lists
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, at: u32) -> &[T] {
        let at = at as usize;
        let end = self.ends.get(at).copied().unwrap_or(0) as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0) as usize;
        self.items.get(start..end).unwrap_or(&[])
    }
}

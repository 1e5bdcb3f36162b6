//! Unpacks the WordNet table that `scripts/lexicon/encode.py` writes. The table is part of the binary, so a malformed one
//! is a build fault: the reader returns zeros past the end instead of failing, and a test checks that all bytes are read.

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::wordnet::{Lists, Pair, PairKind, Sense, Strings, WordNet};

static PACKED: &[u8] = include_bytes!("data/wordnet.bin");

/// The steps that a weight between 0 and 1 is rounded to.
const WEIGHT_STEPS: f32 = 31.0;

/// Inflates and indexes the table.
pub fn unpack() -> WordNet {
    read_table(&mut Reader { bytes: &inflate(), at: 0 })
}

fn inflate() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PACKED.len() * 3);
    // A truncated table leaves the words that were read before its end.
    let _ = DeflateDecoder::new(PACKED).read_to_end(&mut bytes);
    bytes
}

fn read_table(reader: &mut Reader<'_>) -> WordNet {
    let words = reader.words();
    let parts = reader.parts(words.len());
    let senses = reader.senses(words.len());
    let hypernyms = reader.hypernyms();
    let (categories, category_sets, categories_of) = reader.categories(hypernyms.len());
    let pairs = reader.pairs(words.len());
    let (forms, form_bases) = reader.forms();
    WordNet { words, parts, senses, hypernyms, categories, category_sets, categories_of, pairs, forms, form_bases }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn slice(&mut self, length: usize) -> &'a [u8] {
        let slice = self.bytes.get(self.at..self.at + length).unwrap_or(&[]);
        self.at += length;
        slice
    }

    /// A LEB128 number.
    fn number(&mut self) -> u32 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            number |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 || shift > 21 {
                return number;
            }
            shift += 7;
        }
    }

    fn count(&mut self) -> usize {
        self.number() as usize
    }

    fn words(&mut self) -> Strings {
        let count = self.count();
        let mut words = Strings::with_capacity(count, count * 11);
        for _ in 0..count {
            self.front_coded(&mut words);
        }
        words
    }

    fn front_coded(&mut self, strings: &mut Strings) {
        let shared = usize::from(self.byte());
        let length = usize::from(self.byte());
        let rest = self.slice(length);
        strings.push_sharing(shared, rest);
    }

    fn parts(&mut self, count: usize) -> [Vec<u8>; 2] {
        [0, 1].map(|_| self.slice(count).to_vec())
    }

    fn senses(&mut self, count: usize) -> Lists<Sense> {
        let counts = self.slice(count);
        let weights = self.slice(total(counts));
        let mut senses = Vec::with_capacity(weights.len());
        let mut next_synset = 0_u32;
        for &weight in weights {
            let back = self.number();
            let synset = next_synset.saturating_sub(back);
            next_synset = next_synset.max(synset + 1);
            senses.push(Sense { synset, weight: f32::from(weight) / WEIGHT_STEPS });
        }
        Lists::new(counts, senses)
    }

    fn hypernyms(&mut self) -> Lists<u32> {
        let count = self.count();
        let counts = self.slice(count);
        let total = total(counts);
        // The three bytes of the numbers are stored in columns, which compress better.
        let [low, middle, high] = [0, 1, 2].map(|_| self.slice(total));
        let numbers = low.iter().zip(middle).zip(high);
        let parents = numbers.map(|((&low, &middle), &high)| u32::from_le_bytes([low, middle, high, 0])).collect();
        Lists::new(counts, parents)
    }

    fn categories(&mut self, synsets: usize) -> (Vec<u32>, Lists<u8>, Vec<u8>) {
        let categories = (0..self.byte()).map(|_| self.number()).collect();
        let set_count = usize::from(self.byte()) + 1;
        let mut counts = Vec::with_capacity(set_count);
        let mut members = Vec::new();
        for _ in 0..set_count {
            let count = self.byte();
            counts.push(count);
            members.extend_from_slice(self.slice(usize::from(count)));
        }
        (categories, Lists::new(&counts, members), self.slice(synsets).to_vec())
    }

    /// Each pair is stored with its first word only; the lists hold it for both.
    fn pairs(&mut self, count: usize) -> Lists<Pair> {
        let stored = self.slice(count);
        let mut pairs: Vec<(u32, Pair)> = Vec::with_capacity(total(stored));
        let mut counts = stored.to_vec();
        for (first, &count) in (0_u32..).zip(stored) {
            let mut second = first;
            for _ in 0..count {
                second += self.number();
                let code = self.byte();
                let (kind, strength) = (PairKind::from_code(code >> 5), f32::from(code & 0x1f) / WEIGHT_STEPS);
                pairs.push((first, Pair { word: second, kind, strength }));
                if let Some(count) = counts.get_mut(second as usize) {
                    *count += 1;
                }
            }
        }
        let both_ways =
            pairs.iter().flat_map(|&(first, pair)| [(first, pair), (pair.word, Pair { word: first, ..pair })]);
        Lists::scattered(&counts, both_ways, Pair { word: 0, kind: PairKind::Derived, strength: 0.0 })
    }

    fn forms(&mut self) -> (Strings, Vec<(u8, u32)>) {
        let count = self.count();
        let mut forms = Strings::with_capacity(count, count * 11);
        let mut bases = Vec::with_capacity(count);
        for _ in 0..count {
            self.front_coded(&mut forms);
            bases.push((self.byte(), self.number()));
        }
        (forms, bases)
    }
}

fn total(counts: &[u8]) -> usize {
    counts.iter().map(|&count| usize::from(count)).sum()
}

#[cfg(test)]
mod tests {
    use super::{Reader, inflate, read_table};

    #[test]
    fn the_whole_table_is_read() {
        let bytes = inflate();
        let mut reader = Reader { bytes: &bytes, at: 0 };
        let wordnet = read_table(&mut reader);
        assert_eq!(reader.at, bytes.len());
        assert!(wordnet.words.len() > 50_000 && wordnet.forms.len() > 3_000);
        assert!((1..wordnet.words.len()).all(|at| wordnet.words.get(at - 1) < wordnet.words.get(at)));
    }
}

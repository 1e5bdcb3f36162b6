//! Which words are English, and as what they are used. Names of people and places are not among them, so that the parser
//! can tell a content word from a name.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::inflect::lemmas;
use super::wordnet::WORDNET;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartOfSpeech {
    Noun,
    Verb,
    Adjective,
    Adverb,
}

impl PartOfSpeech {
    pub const ALL: [Self; 4] = [Self::Noun, Self::Verb, Self::Adjective, Self::Adverb];
}

/// The parts of speech of a word, each with the level of its frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PartsOfSpeech {
    levels: [u8; 4],
}

impl PartsOfSpeech {
    #[must_use]
    pub fn has(self, part: PartOfSpeech) -> bool {
        self.frequency(part) > 0
    }

    /// 0 if the word is not used so, 1 if it is hardly ever, then one more for each doubling, up to 15.
    #[must_use]
    pub fn frequency(self, part: PartOfSpeech) -> u8 {
        self.levels[part as usize]
    }

    /// The part of speech that the word is most often; nouns first among equals.
    #[must_use]
    pub fn main(self) -> Option<PartOfSpeech> {
        PartOfSpeech::ALL.into_iter().rev().filter(|part| self.has(*part)).max_by_key(|part| self.frequency(*part))
    }
}

static FUNCTION_WORDS: &str = include_str!("data/function_words.txt");
static MORE_WORDS: &str = include_str!("data/words.txt");

/// Words that WordNet lacks: function words, which have no part of speech here, and new words.
static OTHER_WORDS: LazyLock<HashMap<&'static str, PartsOfSpeech>> = LazyLock::new(|| {
    let mut words: HashMap<_, _> =
        FUNCTION_WORDS.split_whitespace().map(|word| (word, PartsOfSpeech::default())).collect();
    for (head, list) in MORE_WORDS.lines().filter_map(|line| line.split_once(": ")) {
        let part = match head {
            "noun" => PartOfSpeech::Noun,
            "verb" => PartOfSpeech::Verb,
            "adjective" => PartOfSpeech::Adjective,
            _ => continue,
        };
        for word in list.split_whitespace() {
            words.entry(word).or_default().levels[part as usize] = 1;
        }
    }
    words
});

/// Whether a lower-case word, inflected or not, is an English word and no name.
#[must_use]
pub fn is_word(word: &str) -> bool {
    WORDNET.find(word).is_some() || is_other_word(word) || !lemmas(word, None).is_empty()
}

fn is_other_word(word: &str) -> bool {
    OTHER_WORDS.contains_key(word) || word.strip_suffix('s').is_some_and(|base| OTHER_WORDS.contains_key(base))
}

/// Whether a lower-case word only holds a sentence together: `the`, `of`, `which`.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    OTHER_WORDS.get(word).is_some_and(|parts| *parts == PartsOfSpeech::default())
}

/// What a lower-case word, inflected or not, is used as; nothing for unknown words and function words.
#[must_use]
pub fn parts_of_speech(word: &str) -> PartsOfSpeech {
    if is_function_word(word) {
        return PartsOfSpeech::default();
    }
    let mut parts = WORDNET
        .find(word)
        .map_or_else(PartsOfSpeech::default, |number| PartsOfSpeech { levels: WORDNET.parts(number) });
    let others = [OTHER_WORDS.get(word), word.strip_suffix('s').and_then(|base| OTHER_WORDS.get(base))];
    for other in others.into_iter().flatten() {
        parts.raise(*other);
    }
    for lemma in lemmas(word, None) {
        let frequency = WORDNET.find(lemma.text).map_or(0, |number| WORDNET.parts(number)[lemma.part as usize]);
        let level = &mut parts.levels[lemma.part as usize];
        *level = frequency.max(*level);
    }
    parts
}

impl PartsOfSpeech {
    fn raise(&mut self, other: Self) {
        for (level, other) in self.levels.iter_mut().zip(other.levels) {
            *level = other.max(*level);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PartOfSpeech::{Adjective, Adverb, Noun, Verb};
    use super::{is_function_word, is_word, parts_of_speech};

    #[test]
    fn words_are_known() {
        for word in [
            "customer",
            "customers",
            "city",
            "cities",
            "bought",
            "buy",
            "oldest",
            "expensive",
            "currently",
            "child",
            "children",
            "revenue",
            "invoice",
            "the",
            "which",
            "smartphone",
            "dashboards",
            "zip_code",
            "airship",
            "royalty",
            "asian",
            "turnover",
            "email",
            "website",
        ] {
            assert!(is_word(word), "{word}");
        }
    }

    #[test]
    fn names_and_noise_are_not() {
        for word in
            ["bergen", "oslo", "schmidt", "bavaria", "xqzfoo", "", "contoso", "paris", "jones", "q3", "abcde", "2023"]
        {
            assert!(!is_word(word), "{word}");
        }
    }

    #[test]
    fn words_have_their_parts_of_speech() {
        for (word, part) in [
            ("customer", Some(Noun)),
            ("cities", Some(Noun)),
            ("buy", Some(Verb)),
            ("bought", Some(Verb)),
            ("expensive", Some(Adjective)),
            ("oldest", Some(Adjective)),
            ("currently", Some(Adverb)),
            ("recently", Some(Adverb)),
            ("person", Some(Noun)),
            ("people", Some(Noun)),
            ("make", Some(Verb)),
            ("headcount", Some(Noun)),
            ("unpaid", Some(Adjective)),
            ("the", None),
            ("which", None),
            ("oslo", None),
        ] {
            assert_eq!(parts_of_speech(word).main(), part, "{word}");
        }
        let order = parts_of_speech("order");
        assert!(order.has(Noun) && order.has(Verb) && !order.has(Adverb));
        assert!(parts_of_speech("person").frequency(Noun) > parts_of_speech("mortician").frequency(Noun));
    }

    #[test]
    fn function_words_are_distinguished() {
        for word in ["the", "of", "which", "every"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["customer", "show", "own", "smartphone", "oslo"] {
            assert!(!is_function_word(word), "{word}");
        }
    }
}

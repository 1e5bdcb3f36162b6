//! Changes texts by their tokens and characters.

use firn_tests::random::Random;

/// Longer texts are cut: what a target does with a long input is seen as well with this much.
const INPUT_BYTES_MAX: usize = 32 << 10;

/// Texts at which parsers are wrong most often.
const EDGES: [&str; 44] = [
    "",
    "0",
    "-1",
    "1e999",
    "99999999999999999999999999999999999999",
    "170141183460469231731687303715884105728",
    "9223372036854775808",
    "-9223372036854775808",
    "0.00000000000000000000000000000000000001",
    "1e-400",
    "'",
    "\"",
    "''",
    "\"\"",
    "$$",
    "--",
    "/*",
    "*/",
    "//",
    ";",
    ":",
    "::",
    "?",
    "@",
    "@~",
    "%",
    "\\",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "😀",
    "é",
    "ß",
    "İ",
    "\r",
    "\n",
    "\t",
    "{",
    "}",
    "[",
    "]",
    "&a",
    "*a",
    "NULL",
];

pub struct Mutator<'corpus> {
    corpus: &'corpus [String],
    /// Every token of the corpus, as often as it is there.
    tokens: Vec<&'corpus str>,
}

impl<'corpus> Mutator<'corpus> {
    pub fn new(corpus: &'corpus [String]) -> Self {
        Self { corpus, tokens: corpus.iter().flat_map(|text| tokens(text)).collect() }
    }

    /// A text of the corpus, changed one to five times.
    pub fn next(&mut self, random: &mut Random) -> String {
        let mut text = random.pick(self.corpus).clone();
        for _ in 0..=random.below(5) {
            text = self.changed(&text, random);
            cut(&mut text);
        }
        text
    }

    fn changed(&self, text: &str, random: &mut Random) -> String {
        let mut pieces = tokens(text);
        if pieces.is_empty() {
            return (*random.pick(&self.tokens)).to_owned();
        }
        let at = random.index(pieces.len());
        let end = (at + 1 + random.index(8)).min(pieces.len());
        match random.below(11) {
            0 => drop(pieces.drain(at..end)),
            1 => {
                let copy = pieces[at..end].to_vec();
                let target = random.index(pieces.len() + 1);
                pieces.splice(target..target, copy);
            }
            2 => {
                let other = random.index(pieces.len());
                pieces.swap(at, other);
            }
            3 => pieces[at] = *random.pick(&self.tokens),
            4 => pieces.insert(at, *random.pick(&self.tokens)),
            5 => pieces[at] = *random.pick(&EDGES),
            6 => pieces.insert(at, *random.pick(&EDGES)),
            7 => {
                let other = tokens(random.pick::<String>(self.corpus));
                let from = random.index(other.len().max(1)).min(other.len());
                pieces.splice(at.., other[from..].iter().copied());
            }
            8 => {
                let copy = pieces[at..end].to_vec();
                let times = 1 << random.below(9);
                pieces.splice(at..at, std::iter::repeat_n(copy, times).flatten());
            }
            9 => {
                let (open, close) =
                    *random.pick(&[("(", ")"), ("[", "]"), ("{", "}"), ("(SELECT ", ")"), ("NOT ", "")]);
                let depth = 1 << random.below(9);
                pieces.splice(end..end, std::iter::repeat_n(close, depth));
                pieces.splice(at..at, std::iter::repeat_n(open, depth));
            }
            _ => return with_other_character(text, random),
        }
        pieces.concat()
    }
}

fn with_other_character(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.index(characters.len());
    match random.below(3) {
        0 => drop(characters.remove(at)),
        1 => characters.insert(at, char::from_u32(random.below(0x300) as u32).unwrap_or('x')),
        _ => characters[at] = char::from_u32(characters[at] as u32 ^ (1 << random.below(7))).unwrap_or('x'),
    }
    characters.into_iter().collect()
}

fn cut(text: &mut String) {
    let end = (0..=INPUT_BYTES_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or_default());
}

/// Words, runs of spaces, and every other character alone.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |character: char| match character {
        _ if character.is_alphanumeric() || character == '_' => 1,
        _ if character.is_whitespace() => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut before = 0;
    for (at, character) in text.char_indices() {
        let now = kind(character);
        if at > start && (now == 0 || now != before) {
            tokens.push(&text[start..at]);
            start = at;
        }
        before = now;
    }
    if start < text.len() {
        tokens.push(&text[start..]);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::{Mutator, tokens};
    use firn_tests::random::Random;

    #[test]
    fn tokens_are_words_spaces_and_single_signs() {
        assert_eq!(tokens("a_1  <= (é)"), ["a_1", "  ", "<", "=", " ", "(", "é", ")"]);
        assert!(tokens("").is_empty());
    }

    #[test]
    fn the_same_seed_gives_the_same_texts() {
        let corpus = ["SELECT 1".to_owned(), "SELECT 'a' FROM t".to_owned()];
        let texts = |seed| {
            let (mut mutator, mut random) = (Mutator::new(&corpus), Random(seed));
            (0..50).map(|_| mutator.next(&mut random)).collect::<Vec<_>>()
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
    }
}

//! Patterns of sentences. A pattern is a line of words: `round|rounded` is any of them, `the?` may be absent, `*` stands
//! for any words, `<x>` for one or more that are captured, `<n>` for a number that is. Words before a pattern that deny what it
//! says are no part of it.

use crate::question::words::{Word, WordKind};

/// What a pattern captured, in its order.
pub(super) type Captures<'a> = Vec<&'a [Word]>;

/// The captures of the first way in which the pattern is the whole sentence.
pub(super) fn captures<'a>(pattern: &str, sentence: &'a [Word]) -> Option<Captures<'a>> {
    let parts: Vec<&str> = pattern.split_whitespace().collect();
    let ["*", rest @ ..] = parts.as_slice() else { return matched(&parts, sentence) };
    let opening = sentence.iter().take_while(|word| !denies(word)).count();
    (0..=opening).find_map(|length| matched(rest, &sentence[length..]))
}

/// `do not exclude web sales`, `there is no need to exclude them`.
fn denies(word: &Word) -> bool {
    matches!(word.lower.as_str(), "not" | "never" | "no" | "nor" | "neither" | "cannot" | "without" | "stop" | "avoid")
        || word.lower.ends_with("n't")
        || word.lower.ends_with("n’t")
}

fn matched<'a>(parts: &[&str], sentence: &'a [Word]) -> Option<Captures<'a>> {
    let Some((part, rest)) = parts.split_first() else {
        return sentence.is_empty().then(Vec::new);
    };
    match *part {
        "*" => (0..=sentence.len()).find_map(|length| matched(rest, &sentence[length..])),
        "<n>" => {
            let (number, after) = sentence.split_first()?;
            number.number()?;
            matched(rest, after).map(|found| with(&sentence[..1], found))
        }
        capture if capture.starts_with('<') => (1..=sentence.len()).find_map(|length| {
            let found = matched(rest, &sentence[length..])?;
            Some(with(&sentence[..length], found))
        }),
        word => {
            let (choices, is_optional) = word.strip_suffix('?').map_or((word, false), |choices| (choices, true));
            let is_said = sentence.first().is_some_and(|first| is_one_of(choices, first));
            let said = is_said.then(|| matched(rest, &sentence[1..])).flatten();
            said.or_else(|| is_optional.then(|| matched(rest, sentence)).flatten())
        }
    }
}

fn is_one_of(choices: &str, word: &Word) -> bool {
    word.kind != WordKind::Quoted && choices.split('|').any(|choice| choice == word.lower)
}

fn with<'a>(capture: &'a [Word], mut others: Captures<'a>) -> Captures<'a> {
    others.insert(0, capture);
    others
}

#[cfg(test)]
mod tests {
    use super::captures;
    use crate::question::words::words;

    #[test]
    fn patterns_capture_the_shortest_words() {
        let check = |pattern: &str, sentence: &str, expected: Option<&[&str]>| {
            let spoken = words(sentence);
            let found = captures(pattern, &spoken).map(|found| {
                let text = |words: &[crate::question::words::Word]| {
                    words.iter().map(|word| word.text.clone()).collect::<Vec<_>>().join(" ")
                };
                found.into_iter().map(text).collect::<Vec<_>>()
            });
            let expected = expected.map(|texts| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{pattern}: {sentence}");
        };
        check("* round|rounded * to <n> decimals *", "Please round it to 2 decimals", Some(&["2"]));
        check("the? <x> means <y>", "The GMV means gross revenue", Some(&["GMV", "gross revenue"]));
        check("the? <x> means <y>", "GMV means", None);
        check("limit to <n> rows", "limit to ten rows", Some(&["ten"]));
        check("limit to <n> rows", "limit to many rows", None);
        check("* exclude <x>", "Always exclude web sales", Some(&["web sales"]));
        check("* exclude <x>", "Do not exclude web sales", None);
        check("* exclude <x>", "There is no need to exclude web sales", None);
        check("* do not show <x>", "Please do not show web sales", Some(&["web sales"]));
    }
}

//! Cuts a question into words. Quoted text stays whole; numbers and dates are recognised; contractions are opened.

use super::lemma::lemma;

/// What starts with these goes on with the question before.
pub const FRAGMENT_OPENINGS: &[&str] =
    &["", "without", "excluding", "except", "only", "just", "and", "but", "or", "with", "not", "now", "same", "then"];

/// One word of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// As written.
    pub text: String,
    pub lower: String,
    pub lemma: String,
    pub kind: WordKind,
    /// A number of percent.
    pub is_percent: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum WordKind {
    Plain,
    Number(f64),
    Quoted,
    /// An ISO date or point in time.
    Date,
    Mark,
}

impl Word {
    fn new(text: &str, kind: WordKind) -> Self {
        let lower = text.to_lowercase();
        let lemma = if kind == WordKind::Plain { lemma(&lower) } else { lower.clone() };
        Self { text: text.to_string(), lower, lemma, kind, is_percent: false }
    }

    /// Whether the word begins with a capital, as names do.
    #[must_use]
    pub fn capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self.kind {
            WordKind::Number(value) => Some(value),
            _ => None,
        }
    }
}

/// The words of a question, in order.
#[must_use]
pub fn words(question: &str) -> Vec<Word> {
    let characters: Vec<char> = question.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let character = characters[at];
        if character.is_whitespace() {
            at += 1;
        } else if is_possessive(&characters, at) {
            found.push(Word::new("'s", WordKind::Mark));
            at += 1;
        } else if let Some(end) = quotation_end(&characters, at) {
            let inside: String = characters[at + 1..end].iter().collect();
            found.push(Word::new(inside.trim(), WordKind::Quoted));
            at = end + 1;
        } else if character.is_alphanumeric() || (character == '$' && at + 1 < characters.len()) {
            at = push_word(&characters, at, &mut found);
        } else {
            found.push(Word::new(&character.to_string(), WordKind::Mark));
            at += 1;
        }
    }
    scale_numbers(joined_number_words(found))
}

/// The apostrophe of `the members' names`; a quotation does not open within a word.
fn is_possessive(characters: &[char], at: usize) -> bool {
    let is_plural = at > 1 && characters[at - 1] == 's' && characters[at - 2].is_alphabetic();
    is_plural && matches!(characters[at], '\'' | '’')
}

/// Where a quotation that opens at `at` closes.
fn quotation_end(characters: &[char], at: usize) -> Option<usize> {
    let close = match characters[at] {
        '"' => '"',
        '“' | '”' => '”',
        '\'' | '‘' | '’' | '`' => '\'',
        _ => return None,
    };
    let closes = |position: usize| {
        let character = characters[position];
        let same = match close {
            '"' => character == '"' || character == '”',
            '”' => character == '”' || character == '"',
            _ => matches!(character, '\'' | '’' | '`'),
        };
        let next_is_letter = characters.get(position + 1).is_some_and(|next| next.is_alphanumeric());
        same && (close != '\'' || !next_is_letter)
    };
    (at + 1..characters.len()).find(|&position| closes(position)).filter(|&end| end > at + 1)
}

fn push_word(characters: &[char], start: usize, found: &mut Vec<Word>) -> usize {
    if let Some(end) = date_end(characters, start) {
        let text: String = characters[start..end].iter().collect();
        found.push(Word::new(&text, WordKind::Date));
        return end;
    }
    let mut end = start + usize::from(characters[start] == '$');
    while end < characters.len() && inside_word(characters, start, end) {
        end += 1;
    }
    let text: String = characters[start..end].iter().collect();
    let apostrophe = text.find(['\'', '’']);
    let digits: String = text.chars().filter(|character| !matches!(character, ',' | '$')).collect();
    if let Ok(value) = digits.parse::<f64>()
        && digits.chars().all(|character| character.is_ascii_digit() || character == '.')
    {
        found.push(Word {
            lemma: digits.clone(),
            lower: digits,
            text,
            kind: WordKind::Number(value),
            is_percent: false,
        });
    } else if let Some(position) = apostrophe {
        push_contraction(&text, position, found);
    } else if let Some((number, unit)) = counted_unit(&text) {
        found.push(number);
        found.push(Word::new(unit, WordKind::Plain));
    } else if let Some(value) = number_word(&text.to_lowercase()) {
        found.push(Word { kind: WordKind::Number(value), ..Word::new(&text, WordKind::Plain) });
    } else {
        found.push(Word::new(&text, WordKind::Plain));
    }
    end
}

/// `three-month`, `12-week`: a number and what it counts.
fn counted_unit(text: &str) -> Option<(Word, &str)> {
    let (count, unit) = text.split_once('-')?;
    super::time::unit(&unit.to_lowercase())?;
    let value = count.parse::<f64>().ok().or_else(|| number_word(&count.to_lowercase()))?;
    Some((Word { kind: WordKind::Number(value), ..Word::new(count, WordKind::Plain) }, unit))
}

fn inside_word(characters: &[char], start: usize, at: usize) -> bool {
    let character = characters[at];
    let next_inside = characters.get(at + 1).is_some_and(|next| next.is_alphanumeric());
    let digits_around =
        at > start && characters[at - 1].is_ascii_digit() && characters.get(at + 1).is_some_and(char::is_ascii_digit);
    match character {
        '_' => true,
        '\'' | '’' | '-' | '&' | '@' | '/' => at > start && next_inside,
        '.' => at > start && next_inside && (digits_around || characters[start..at].contains(&'@')),
        ',' => {
            digits_around && characters.len() > at + 3 && characters[at + 1..at + 4].iter().all(char::is_ascii_digit)
        }
        _ => character.is_alphanumeric(),
    }
}

/// The end of an ISO date, with its time of day if one follows.
fn date_end(characters: &[char], start: usize) -> Option<usize> {
    let shape = |from: usize, pattern: &str| {
        pattern.chars().enumerate().all(|(offset, expected)| {
            characters.get(from + offset).is_some_and(|&found| match expected {
                '0' => found.is_ascii_digit(),
                _ => found == expected,
            })
        })
    };
    if !shape(start, "0000-00-00") {
        return None;
    }
    let date = start + 10;
    let with_seconds = shape(date, " 00:00:00") || shape(date, "T00:00:00");
    let end = if with_seconds { date + 9 } else { date };
    (!characters.get(end).is_some_and(|next| next.is_alphanumeric())).then_some(end)
}

fn push_contraction(text: &str, position: usize, found: &mut Vec<Word>) {
    let lower = text.to_lowercase().replace('’', "'");
    if let Some(verb) = lower.strip_suffix("n't") {
        let verb = match verb {
            "ca" => "can",
            "wo" => "will",
            other => other,
        };
        found.push(Word::new(verb, WordKind::Plain));
        found.push(Word::new("not", WordKind::Plain));
        return;
    }
    // `O'Neil`, `d'Arc`: the apostrophe is part of the name.
    if !["'s", "'re", "'ve", "'ll", "'d", "'m"].iter().any(|ending| lower.ends_with(ending)) {
        found.push(Word::new(text, WordKind::Plain));
        return;
    }
    found.push(Word::new(&text[..position], WordKind::Plain));
    if lower.ends_with("'s") {
        found.push(Word::new("'s", WordKind::Mark));
    }
}

fn number_word(lower: &str) -> Option<f64> {
    const NAMES: &[(&str, f64)] = &[
        ("zero", 0.0),
        ("one", 1.0),
        ("two", 2.0),
        ("three", 3.0),
        ("four", 4.0),
        ("five", 5.0),
        ("six", 6.0),
        ("seven", 7.0),
        ("eight", 8.0),
        ("nine", 9.0),
        ("ten", 10.0),
        ("eleven", 11.0),
        ("twelve", 12.0),
        ("dozen", 12.0),
        ("thirteen", 13.0),
        ("fourteen", 14.0),
        ("fifteen", 15.0),
        ("sixteen", 16.0),
        ("seventeen", 17.0),
        ("eighteen", 18.0),
        ("nineteen", 19.0),
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("seventy", 70.0),
        ("eighty", 80.0),
        ("ninety", 90.0),
        ("hundred", 100.0),
    ];
    if let Some((_, value)) = NAMES.iter().find(|(name, _)| *name == lower) {
        return Some(*value);
    }
    let (digits, factor) = match lower.as_bytes() {
        [.., b'k'] => (&lower[..lower.len() - 1], 1e3),
        [.., b'm'] => (&lower[..lower.len() - 1], 1e6),
        _ => return None,
    };
    let digits = digits.trim_start_matches('$');
    let plain = digits.chars().all(|character| character.is_ascii_digit() || character == '.');
    (plain && !digits.is_empty()).then(|| digits.parse::<f64>().ok().map(|value| value * factor)).flatten()
}

fn multiplier(lower: &str) -> Option<f64> {
    Some(match lower {
        "hundred" => 1e2,
        "thousand" => 1e3,
        "million" => 1e6,
        "billion" => 1e9,
        _ => return None,
    })
}

/// Joins `twenty five`, `one thousand five hundred`, `a hundred` and `half a million` into one number each.
fn joined_number_words(found: Vec<Word>) -> Vec<Word> {
    let mut joined = Vec::with_capacity(found.len());
    let mut at = 0;
    while at < found.len() {
        match number_phrase(&found[at..]) {
            Some((value, length)) => {
                let text = found[at..at + length].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                let lower = value.to_string();
                joined.push(Word {
                    text,
                    lemma: lower.clone(),
                    lower,
                    kind: WordKind::Number(value),
                    is_percent: false,
                });
                at += length;
            }
            None => {
                joined.push(found[at].clone());
                at += 1;
            }
        }
    }
    joined
}

/// A number spelled in two words or more, and how many they are.
fn number_phrase(words: &[Word]) -> Option<(f64, usize)> {
    let lower = |at: usize| words.get(at).map_or("", |word| word.lower.as_str());
    if lower(0) == "half" && matches!(lower(1), "a" | "an") {
        return multiplier(lower(2)).map(|factor| (factor / 2.0, 3));
    }
    if lower(0) == "a" {
        let factor = if lower(1) == "dozen" { Some(12.0) } else { multiplier(lower(1)) };
        return factor.map(|factor| (factor, 2));
    }
    let spelled = |at: usize| words.get(at).filter(|word| word.text.chars().all(char::is_alphabetic))?.number();
    let (mut total, mut current) = (0.0, spelled(0).filter(|_| multiplier(lower(0)).is_none())?);
    let mut length = 1;
    loop {
        let word = lower(length);
        let and = usize::from(word == "and" && (total >= 100.0 || current >= 100.0));
        match (multiplier(word), spelled(length + and)) {
            (Some(factor), _) if factor == 100.0 => current *= factor,
            (Some(factor), _) => {
                total += current * factor;
                current = 0.0;
            }
            (None, Some(value)) if multiplier(lower(length + and)).is_none() && fits_behind(total, current, value) => {
                current += value;
                length += and;
            }
            _ => break,
        }
        length += 1;
    }
    (length > 1).then_some((total + current, length))
}

/// `five` behind `twenty`, `hundred` or `thousand`.
fn fits_behind(total: f64, current: f64, value: f64) -> bool {
    let tens = (20.0..100.0).contains(&(current % 100.0)) && current % 10.0 == 0.0 && value < 10.0;
    let hundreds = current >= 100.0 && current % 100.0 == 0.0 && value < 100.0;
    tens || hundreds || (total > 0.0 && current == 0.0)
}

/// Joins `5 million` into one number, and drops the sign after `10 %`.
fn scale_numbers(found: Vec<Word>) -> Vec<Word> {
    let mut scaled: Vec<Word> = Vec::with_capacity(found.len());
    for word in found {
        let factor = match word.lower.as_str() {
            "thousand" => 1e3,
            "million" | "millions" => 1e6,
            "billion" | "billions" => 1e9,
            "%" | "percent" => 1.0,
            _ => 0.0,
        };
        match scaled.last_mut() {
            Some(Word { kind: WordKind::Number(value), lemma, lower, is_percent, .. }) if factor > 0.0 => {
                *is_percent = factor == 1.0;
                *value *= factor;
                *lemma = value.to_string();
                lower.clone_from(lemma);
            }
            _ => scaled.push(word),
        }
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::{WordKind, words};

    fn lowers(question: &str) -> Vec<String> {
        words(question).into_iter().map(|word| word.lower).collect()
    }

    #[test]
    fn quoted_text_stays_whole() {
        let found = words("members of the club named \"Hopkins Student Enterprises\".");
        let quoted: Vec<_> = found.iter().filter(|word| word.kind == WordKind::Quoted).map(|word| &word.text).collect();
        assert_eq!(quoted, ["Hopkins Student Enterprises"]);
        assert_eq!(lowers("type 'Paper'?"), ["type", "paper", "?"]);
    }

    #[test]
    fn contractions_open() {
        assert_eq!(lowers("students who don't have any"), ["students", "who", "do", "not", "have", "any"]);
        assert_eq!(lowers("each student's age"), ["each", "student", "'s", "age"]);
    }

    #[test]
    fn possessives_of_plurals_open_no_quotation() {
        assert_eq!(
            lowers("pilots' names and their planes' ages"),
            ["pilots", "'s", "names", "and", "their", "planes", "'s", "ages"]
        );
        assert_eq!(lowers("the type 'red cars' of 'Ann'"), ["the", "type", "red cars", "of", "ann"]);
    }

    #[test]
    fn numbers_have_values() {
        let values: Vec<f64> =
            words("$1,200 or 3.5 or two or 5 million or 10k").iter().filter_map(super::Word::number).collect();
        assert_eq!(values, [1200.0, 3.5, 2.0, 5_000_000.0, 10_000.0]);
    }

    #[test]
    fn numbers_may_be_spelled() {
        let values: Vec<f64> = words(
            "fifty thousand, one thousand five hundred, half a million, twenty five, two hundred and ten, a dozen, two or three",
        )
        .iter()
        .filter_map(super::Word::number)
        .collect();
        assert_eq!(values, [50_000.0, 1_500.0, 500_000.0, 25.0, 210.0, 12.0, 2.0, 3.0]);
    }

    #[test]
    fn a_number_of_units_is_two_words() {
        assert_eq!(
            lowers("three-month average of part-time staff"),
            ["three", "month", "average", "of", "part-time", "staff"]
        );
    }

    #[test]
    fn dates_are_one_word() {
        assert_eq!(lowers("before 2018-03-17 07:13:53?"), ["before", "2018-03-17 07:13:53", "?"]);
        assert_eq!(words("since 2018-03-17").last().map(|word| word.kind.clone()), Some(WordKind::Date));
    }
}

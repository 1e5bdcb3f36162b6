//! How alike two texts are, and how a word sounds.

use firn_values::running_call::{check_interrupt, work};

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Integer, Text};

/// Both comparisons take time in proportion to the product of the lengths.
const CHARACTERS_MAX: usize = 20_000;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_editdistance", &[Text, Text, Integer], Integer, edit_distance),
    Native::new(c"firn_jarowinkler", &[Text, Text], Integer, |row| {
        check_lengths("JAROWINKLER_SIMILARITY", row)?;
        Ok(Answer::Integer(jaro_winkler(row.text(0), row.text(1))))
    }),
    Native::new(c"firn_soundex", &[Text], Text, |row| Ok(Answer::Text(soundex(row.text(0), Rule::Standard)))),
    Native::new(c"firn_soundex_p123", &[Text], Text, |row| {
        Ok(Answer::Text(soundex(row.text(0), Rule::EveryConsonant)))
    }),
];

fn check_lengths(function: &str, row: &Row<'_>) -> Result<(), String> {
    if [row.text(0), row.text(1)].iter().any(|text| text.chars().nth(CHARACTERS_MAX).is_some()) {
        return Err(format!("firn:100078:{function} compares texts of at most {CHARACTERS_MAX} characters"));
    }
    Ok(())
}

/// A third argument of -1 sets no limit.
fn edit_distance(row: &Row<'_>) -> Evaluated {
    check_lengths("EDITDISTANCE", row)?;
    let one: Vec<char> = row.text(0).chars().collect();
    let other: Vec<char> = row.text(1).chars().collect();
    let mut costs: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.iter().enumerate() {
        check_interrupt()?;
        let mut diagonal = costs[0];
        costs[0] = place + 1;
        for (index, opposite) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != opposite);
            diagonal = costs[index + 1];
            costs[index + 1] = changed.min(costs[index] + 1).min(diagonal + 1);
        }
    }
    let distance = costs[other.len()] as i64;
    Ok(Answer::Integer(if row.integer(2) >= 0 { distance.min(row.integer(2)) } else { distance }))
}

/// From 0 to 100, whatever the letter case; the whole common prefix counts.
fn jaro_winkler(one: &str, other: &str) -> i64 {
    let one: Vec<char> = one.to_lowercase().chars().collect();
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let jaro = jaro(&one, &other);
    let prefix = one.iter().zip(&other).take_while(|(left, right)| left == right).count().min(10);
    let similarity = jaro + prefix as f64 * 0.1 * (1.0 - jaro);
    (similarity * 100.0 + 1e-9).floor() as i64
}

fn jaro(one: &[char], other: &[char]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let window = (one.len().max(other.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; other.len()];
    let mut matched = Vec::new();
    for (place, letter) in one.iter().enumerate() {
        work(window);
        let nearby = place.saturating_sub(window)..(place + window + 1).min(other.len());
        let mut candidates = nearby;
        if let Some(found) = candidates.find(|index| !taken[*index] && other[*index] == *letter) {
            taken[found] = true;
            matched.push(*letter);
        }
    }
    if matched.is_empty() {
        return 0.0;
    }
    let opposite = other.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(letter, _)| letter);
    let moved = matched.iter().zip(opposite).filter(|(left, right)| left != right).count() / 2;
    let matches = matched.len() as f64;
    (matches / one.len() as f64 + matches / other.len() as f64 + (matches - moved as f64) / matches) / 3.0
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The second letter is left out when it sounds like the first.
    Standard,
    EveryConsonant,
}

fn soundex(text: &str, rule: Rule) -> String {
    let mut letters = text.chars().inspect(|_| work(1)).filter(char::is_ascii_alphabetic);
    let Some(first) = letters.next() else { return String::new() };
    let mut code = first.to_ascii_uppercase().to_string();
    let mut previous = if rule == Rule::Standard { sound(first) } else { None };
    for letter in letters {
        let digit = sound(letter);
        if let Some(digit) = digit
            && previous != Some(digit)
        {
            code.push(digit);
        }
        if !matches!(letter.to_ascii_uppercase(), 'H' | 'W') {
            previous = digit;
        }
        if code.len() == 4 {
            break;
        }
    }
    format!("{code:0<4}")
}

fn sound(letter: char) -> Option<char> {
    match letter.to_ascii_uppercase() {
        'B' | 'F' | 'P' | 'V' => Some('1'),
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => Some('2'),
        'D' | 'T' => Some('3'),
        'L' => Some('4'),
        'M' | 'N' => Some('5'),
        'R' => Some('6'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Rule, jaro_winkler, soundex};

    #[test]
    fn documented_similarities() {
        for (one, other, expected) in [
            ("Gute nacht", "Ich weis nicht", 56),
            ("Ich weiß nicht", "Ich wei? nicht", 98),
            ("Ich weiß nicht", "Ich weiss nicht", 97),
            ("święta", "swieta", 77),
            ("merge", "MARGE", 88),
            ("same", "same", 100),
            ("", "", 0),
            ("", "swieta", 0),
        ] {
            assert_eq!(jaro_winkler(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn words_that_sound_alike_have_one_code() {
        for (word, expected) in [
            ("Marks", "M620"),
            ("Marx", "M620"),
            ("Robert", "R163"),
            ("Ashcraft", "A261"),
            ("Tymczak", "T522"),
            ("Pfister", "P236"),
            ("I love rock and roll music.", "I416"),
            ("12", ""),
        ] {
            assert_eq!(soundex(word, Rule::Standard), expected, "{word}");
        }
        assert_eq!(soundex("Pfister", Rule::EveryConsonant), "P123");
    }
}

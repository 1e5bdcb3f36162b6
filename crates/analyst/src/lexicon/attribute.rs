//! Adjectives that speak of a quantity: what they measure, and whether more of it means larger numbers. The table is
//! `data/attributes.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::inflect::lemmas;
use super::parts_of_speech::PartOfSpeech;

/// What an adjective measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Nouns that columns are named by, the best first; some are phrases (`birth date`).
    pub nouns: Vec<&'static str>,
    pub direction: Direction,
    /// How surely the adjective speaks of these nouns: little for `high` and `good`, which go with any quantity.
    pub strength: f32,
}

const STRENGTH: f32 = 0.9;
const STRENGTH_OF_ANY_QUANTITY: f32 = 0.45;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The superlative is the largest number: `oldest` for an age.
    Up,
    /// The superlative is the smallest number: `oldest` for a birth date.
    Down,
}

impl Direction {
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Degree {
    Positive,
    Comparative,
    Superlative,
}

#[derive(Default)]
struct Entry {
    plain: Vec<Attribute>,
    /// For `less` and `least`.
    reversed: Vec<Attribute>,
}

static TEXT: &str = include_str!("data/attributes.txt");

static ATTRIBUTES: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let mut entries = HashMap::new();
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        add_line(&mut entries, line);
    }
    entries
});

/// What a lower-case adjective measures, in any degree: `older`, `most expensive`, `least popular`. The direction is that
/// of the phrase: `least expensive` is cheap. Empty if it is none that measures.
#[must_use]
pub fn attribute_of(adjective: &str) -> &'static [Attribute] {
    let (adverb, adjective) = split_adverb(adjective);
    match (adverb, ATTRIBUTES.get(adjective)) {
        (_, None) => &[],
        (Some("less" | "least"), Some(entry)) => &entry.reversed,
        (_, Some(entry)) => &entry.plain,
    }
}

/// The degree of a lower-case adjective, `None` if it is no adjective: `older` is a comparative, `most expensive` a
/// superlative.
#[must_use]
pub fn degree_of(adjective: &str) -> Option<Degree> {
    let (adverb, adjective) = split_adverb(adjective);
    let bases = lemmas(adjective, Some(PartOfSpeech::Adjective));
    let is_known = !bases.is_empty() || ATTRIBUTES.contains_key(adjective);
    let is_inflected = bases.iter().any(|base| base.text != adjective);
    match adverb {
        _ if !is_known => None,
        Some("more" | "less") => Some(Degree::Comparative),
        Some(_) => Some(Degree::Superlative),
        None if is_inflected && adjective.ends_with("st") => Some(Degree::Superlative),
        None if is_inflected => Some(Degree::Comparative),
        None => Some(Degree::Positive),
    }
}

fn split_adverb(phrase: &str) -> (Option<&str>, &str) {
    match phrase.split_once([' ', '_']) {
        Some((adverb @ ("more" | "most" | "less" | "least"), adjective)) => (Some(adverb), adjective),
        _ => (None, phrase),
    }
}

/// Reads `forms | + nouns | - nouns`, or the same after a `~`.
fn add_line(entries: &mut HashMap<&'static str, Entry>, line: &'static str) {
    let mut fields = line.split(" | ");
    let forms = fields.next().unwrap_or_default();
    let (strength, forms) =
        forms.strip_prefix("~ ").map_or((STRENGTH, forms), |forms| (STRENGTH_OF_ANY_QUANTITY, forms));
    for field in fields {
        let Some((sign, nouns)) = field.split_once(' ') else { continue };
        let direction = if sign == "+" { Direction::Up } else { Direction::Down };
        for form in forms.split_whitespace() {
            let nouns: Vec<_> = nouns.split(',').collect();
            let entry = entries.entry(form).or_default();
            entry.reversed.push(Attribute { nouns: nouns.clone(), direction: direction.reversed(), strength });
            entry.plain.push(Attribute { nouns, direction, strength });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Degree::{Comparative, Positive, Superlative};
    use super::Direction::{Down, Up};
    use super::{TEXT, attribute_of, degree_of};

    #[test]
    fn adjectives_measure_nouns() {
        for (adjective, noun, direction) in [
            ("old", "age", Up),
            ("oldest", "age", Up),
            ("oldest", "birth date", Down),
            ("young", "age", Down),
            ("youngest", "birthday", Up),
            ("tall", "height", Up),
            ("shortest", "height", Down),
            ("heavy", "weight", Up),
            ("lighter", "weight", Down),
            ("long", "duration", Up),
            ("short", "length", Down),
            ("largest", "population", Up),
            ("small", "area", Down),
            ("expensive", "price", Up),
            ("most expensive", "cost", Up),
            ("least expensive", "price", Down),
            ("cheapest", "price", Down),
            ("fast", "speed", Up),
            ("fastest", "time", Down),
            ("rich", "net worth", Up),
            ("poorest", "income", Down),
            ("earliest", "date", Down),
            ("latest", "date", Up),
            ("most populous", "population", Up),
            ("hottest", "temperature", Up),
            ("cold", "temperature", Down),
            ("deepest", "depth", Up),
            ("wide", "width", Up),
            ("highest", "elevation", Up),
            ("best", "rank", Down),
            ("least_popular", "votes", Down),
            ("busiest", "traffic", Up),
            ("better", "rating", Up),
        ] {
            let found = attribute_of(adjective);
            let is_found = found.iter().any(|found| found.direction == direction && found.nouns.contains(&noun));
            assert!(is_found, "{adjective} {noun}: {found:?}");
        }
        for word in ["red", "customer", "", "french", "more", "most customers", "married", "agest"] {
            assert!(attribute_of(word).is_empty(), "{word}");
        }
    }

    #[test]
    fn adjectives_of_any_quantity_are_weak() {
        let strength = |adjective: &str| attribute_of(adjective).first().map_or(0.0, |found| found.strength);
        for (any, one) in [("highest", "tallest"), ("low", "short"), ("best", "fastest"), ("top", "oldest")] {
            assert!(strength(any) > 0.0 && strength(any) < strength(one), "{any} {one}");
        }
    }

    #[test]
    fn every_line_is_well_formed() {
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut fields = line.split(" | ");
            assert!(fields.next().is_some_and(|forms| forms.split_whitespace().any(|form| form != "~")), "{line}");
            let mut attributes = fields.peekable();
            assert!(attributes.peek().is_some(), "{line}");
            for attribute in attributes {
                let nouns = attribute.strip_prefix("+ ").or_else(|| attribute.strip_prefix("- "));
                assert!(
                    nouns.is_some_and(|nouns| nouns.split(',').all(|noun| noun == noun.trim() && !noun.is_empty())),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn adjectives_have_a_degree() {
        for (adjective, degree) in [
            ("old", Some(Positive)),
            ("older", Some(Comparative)),
            ("oldest", Some(Superlative)),
            ("better", Some(Comparative)),
            ("best", Some(Superlative)),
            ("worst", Some(Superlative)),
            ("eldest", Some(Superlative)),
            ("latest", Some(Superlative)),
            ("heavier", Some(Comparative)),
            ("most expensive", Some(Superlative)),
            ("less popular", Some(Comparative)),
            ("expensive", Some(Positive)),
            ("populous", Some(Positive)),
            ("customer", None),
            ("more customers", None),
            ("teacher", None),
            ("forest", None),
        ] {
            assert_eq!(degree_of(adjective), degree, "{adjective}");
        }
    }
}

//! Edges of periods: `since the beginning of 2024` is since 2024, `since the end of 2023` is after 2023.

use super::time::{YEARS, is_month};
use super::words::{Word, words};

/// A preposition before an edge of a period, the edge, and the preposition that means the same before the period itself.
const EDGES: &[(&str, &str, &str)] = &[
    ("since", "beginning", "since"),
    ("since", "start", "since"),
    ("since", "end", "after"),
    ("from", "beginning", "since"),
    ("from", "start", "since"),
    ("after", "end", "after"),
    ("until", "end", "until"),
    ("till", "end", "until"),
    ("by", "end", "until"),
    ("before", "end", "until"),
    ("before", "beginning", "before"),
    ("before", "start", "before"),
    ("until", "beginning", "before"),
    ("until", "start", "before"),
];

/// Puts one preposition in the place of a preposition and an edge.
pub fn drop_edges(asked: &mut Vec<Word>) {
    let mut at = 0;
    while at < asked.len() {
        if let Some((preposition, length)) = edge_at(asked, at) {
            asked.splice(at..at + length, words(preposition));
        }
        at += 1;
    }
}

/// The preposition that a phrase at a word stands for, and how many words the phrase has.
fn edge_at(asked: &[Word], at: usize) -> Option<(&'static str, usize)> {
    let lower = |place: usize| asked.get(place).map_or("", |word| word.lower.as_str());
    let article = usize::from(lower(at + 1) == "the");
    let (edge, of) = (lower(at + 1 + article), lower(at + 2 + article));
    let period = asked.get(at + 3 + article)?;
    let is_period = period.number().is_some_and(|number| YEARS.contains(&number))
        || is_month(period) && period.capitalised()
        || matches!(period.lower.as_str(), "last" | "this");
    let found = EDGES.iter().find(|(preposition, name, _)| *preposition == lower(at) && *name == edge);
    found.filter(|_| of == "of" && is_period).map(|(_, _, meant)| (*meant, 3 + article))
}

#[cfg(test)]
mod tests {
    use super::drop_edges;
    use crate::question::words::words;

    #[test]
    fn an_edge_of_a_period_is_a_preposition() {
        for (text, expected) in [
            ("sold since the beginning of 2024", "sold since 2024"),
            ("sold since the end of 2023", "sold after 2023"),
            ("paid by the end of May 2024", "paid until May 2024"),
            ("the end of the street", "the end of the street"),
        ] {
            let mut asked = words(text);
            drop_edges(&mut asked);
            let found: Vec<&str> = asked.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(found.join(" "), expected);
        }
    }
}

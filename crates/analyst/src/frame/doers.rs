//! Whoever did something, behind a passive: `policies sold by agents of the North region`.

use super::cover::is_done;
use crate::question::time::is_month;
use crate::question::words::{Word, WordKind};

/// Words that restrict the noun before them.
const RESTRICTING: &[&str] = &["of", "from", "who", "that", "whose", "with", "based", "in", "at"];

/// Whether `by` at a word leads those who did it, with something that is stated of them: they restrict the rows, while `sold
/// by agent` and `sold by agents in 2024` group them.
pub fn leads_doers(words: &[Word], at: usize) -> bool {
    let is_passive = words[at].lower == "by" && at > 0 && is_done(&words[at - 1].lower);
    let noun = words[at + 1..].iter().position(|word| !matches!(word.lower.as_str(), "the" | "our"));
    let Some(noun) = noun.map(|offset| at + 1 + offset).filter(|_| is_passive) else { return false };
    let is_plural = words[noun].kind == WordKind::Plain && words[noun].lower != words[noun].lemma;
    let is_restricted = words.get(noun + 1).is_some_and(|word| RESTRICTING.contains(&word.lower.as_str()));
    is_plural && is_restricted && words.get(noun + 2).is_some_and(|word| !is_time(word))
}

fn is_time(word: &Word) -> bool {
    let is_relative =
        matches!(word.lower.as_str(), "this" | "last" | "next" | "previous" | "total" | "q1" | "q2" | "q3" | "q4");
    is_relative || is_month(word) || matches!(word.kind, WordKind::Number(_) | WordKind::Date)
}

#[cfg(test)]
mod tests {
    use super::leads_doers;
    use crate::question::words::words;

    #[test]
    fn doers_restrict_where_something_is_said_of_them() {
        for (text, expected) in [
            ("policies sold by agents of the North region", true),
            ("orders placed by customers from Spain", true),
            ("policies sold by agent", false),
            ("orders placed by customers in 2024", false),
            ("revenue by customers of Spain", false),
        ] {
            let words = words(text);
            assert_eq!((0..words.len()).any(|at| leads_doers(&words, at)), expected, "{text}");
        }
    }
}

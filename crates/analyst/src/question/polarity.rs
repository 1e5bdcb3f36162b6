//! `worst` and `best` of a measure: the worst punctuality is the lowest one, the worst cancellation rate the highest.

use super::words::{Word, words};

/// What a business wants less of.
const UNWANTED: &[&str] = &[
    "abandon",
    "abandonment",
    "absence",
    "absenteeism",
    "accident",
    "breakdown",
    "cancel",
    "cancellation",
    "churn",
    "complaint",
    "cost",
    "damage",
    "default",
    "defect",
    "delay",
    "downtime",
    "error",
    "expense",
    "failure",
    "fault",
    "handling",
    "incident",
    "late",
    "lateness",
    "loss",
    "lost",
    "no-show",
    "outage",
    "overdue",
    "penalty",
    "refund",
    "rejection",
    "resolution",
    "response",
    "return",
    "scrap",
    "sickness",
    "wait",
    "waiting",
    "waste",
];
/// What leads a measure that is ranked by.
const LEADING: &[&str] = &["has", "had", "have", "with", "shows", "show", "showed", "the"];

/// Says `highest` or `lowest` for `worst` and `best` where they speak of a measure.
pub fn settle_polarity(asked: &mut [Word], is_measure: &dyn Fn(&Word) -> bool) {
    let is_unwanted = asked.iter().any(|word| {
        let is_one = |one: &&str| word.lemma == **one || word.lower == **one;
        UNWANTED.iter().any(is_one)
    });
    for at in 0..asked.len() {
        let direction = match (asked[at].lower.as_str(), is_unwanted) {
            ("worst", true) | ("best", false) => "highest",
            ("worst", false) | ("best", true) => "lowest",
            _ => continue,
        };
        let next = |offset: usize| asked.get(at + offset);
        let is_order = next(1).is_some_and(|word| word.lower == "first")
            || at > 0 && asked[at - 1].lower == "," && next(1).is_some_and(|word| word.number().is_some());
        let is_led = at > 1 && asked[at - 1].lower == "the" && LEADING.contains(&asked[at - 2].lower.as_str());
        let speaks = (1..=3).any(|offset| next(offset).is_some_and(is_measure));
        if is_order && asked.iter().any(is_measure) || is_led && speaks {
            asked[at] = words(direction).remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::settle_polarity;
    use crate::question::words::{Word, words};

    fn check(question: &str, expected: &str) {
        let mut asked = words(question);
        settle_polarity(&mut asked, &|word| matches!(word.lemma.as_str(), "rate" | "punctuality"));
        let said: Vec<&str> = asked.iter().map(|word: &Word| word.text.as_str()).collect();
        assert_eq!(said.join(" "), expected);
    }

    #[test]
    fn the_worst_of_what_is_wanted_is_the_least() {
        check("abandon rate by line, worst first", "abandon rate by line , highest first");
        check("which carrier has the worst punctuality", "which carrier has the lowest punctuality");
        check("which line has the best abandonment rate", "which line has the lowest abandonment rate");
        check("which shop has the worst staff", "which shop has the worst staff");
        check("the worst carriers", "the worst carriers");
    }
}

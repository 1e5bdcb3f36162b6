//! Names that a question gives to a quotient and explains at once: `the loss ratio, damages divided by income`.

use super::words::Word;

/// Nouns for quotients.
const QUOTIENTS: &[&str] =
    &["ratio", "rate", "quota", "share", "margin", "percentage", "index", "factor", "proportion"];

/// Takes the name out of the question: what it stands for is said behind it.
pub fn drop_defined_name(words: &mut Vec<Word>) {
    let is_division = |pair: &[Word]| pair[0].lower == "divided" && pair[1].lower == "by";
    let Some(division) = words.windows(2).position(is_division) else { return };
    let is_mark = |word: &Word| matches!(word.lower.as_str(), "," | ":" | "=" | "(");
    let named = |at: usize| is_mark(&words[at + 1]) && QUOTIENTS.contains(&words[at].lemma.as_str());
    let Some(name) = (0..division.saturating_sub(1)).find(|at| named(*at)) else { return };
    let leads = |word: &Word| matches!(word.lower.as_str(), "the" | "our" | "is" | "what" | "show" | "me" | "compute");
    let start = words[..name].iter().rposition(leads).map_or(0, |lead| lead + 1);
    let explains = |word: &Word| {
        is_mark(word)
            || matches!(word.lower.as_str(), "i" | "e" | "." | "i.e" | "that" | "is" | "ie" | "meaning" | "namely")
    };
    let end = (name + 1..division).find(|at| !explains(&words[*at])).unwrap_or(division);
    words.drain(start..end);
}

#[cfg(test)]
mod tests {
    use super::drop_defined_name;
    use crate::question::words::words;

    fn check(text: &str, expected: &str) {
        let mut asked = words(text);
        drop_defined_name(&mut asked);
        let said: Vec<&str> = asked.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(said.join(" "), expected);
    }

    #[test]
    fn explained_names_are_dropped() {
        check(
            "What is the loss ratio, damages divided by income, by line",
            "What is the damages divided by income , by line",
        );
        check("return rate, i.e. returns divided by orders", "returns divided by orders");
        check("returns divided by orders", "returns divided by orders");
        check("the return rate by month", "the return rate by month");
    }
}

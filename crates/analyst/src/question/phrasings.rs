//! Ways of asking that differ in form only, put into the one form that the readers know. Each rule is a pattern over the words of
//! a question and what takes its place; no rule names anything of a model, and none applies where a word that it would drop is a
//! name of the model.

mod pattern;
mod table;

use super::time::{YEARS, grain_of, unit};
use super::words::{Word, WordKind, words};
use crate::lexicon;
use crate::links::phrase_match::is_function_word;
use pattern::{Part, find, parts};
use std::sync::LazyLock;

/// A rule that still fits after so many uses is not used again.
const USES_MAX: usize = 2;

/// Verbs that a question opens with, whatever the model has that is called so.
const IMPERATIVES: &[&str] = &["order", "rank", "sort", "name", "show"];
/// Words that shape a question, whatever the model has that is called so too.
const PLAIN: &[&str] =
    &["number", "count", "total", "average", "mean", "first", "month", "quarter", "year", "week", "day", "open"];
/// Nouns that a form puts in, which say something only where the model has them.
const NOUNS: &[&str] = &["rating", "turnover", "email"];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

struct Rule {
    pattern: Vec<Part>,
    form: &'static str,
}

static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| table::RULES.iter().map(|(pattern, form)| Rule { pattern: parts(pattern), form }).collect());

/// Puts a question into the forms that readers know. `is_name` tells the words that the model has as names, `is_measure`
/// those of its measures.
pub fn rephrase(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool, is_measure: &dyn Fn(&Word) -> bool) {
    split_compounds(asked, is_name);
    spell_months(asked);
    drop_trend(asked, is_name);
    name_quantity(asked, is_measure);
    for rule in RULES.iter() {
        for _ in 0..USES_MAX {
            let Some(found) = find(&rule.pattern, asked, is_measure) else { break };
            let drops_name = |at: &usize| {
                let word = &asked[*at];
                let is_plain = is_function_word(&word.lower) || PLAIN.contains(&word.lower.as_str());
                let is_name = !is_plain && is_name(word);
                is_name && !is_kept(rule.form, word) && (*at > 0 || !IMPERATIVES.contains(&word.lower.as_str()))
            };
            if found.said.iter().any(drops_name) || needs_name(rule.form, is_name) {
                break;
            }
            let put = filled(rule.form, &found.captured, asked);
            asked.splice(found.start..found.end, put);
        }
    }
}

fn is_kept(form: &str, word: &Word) -> bool {
    form.split(' ').any(|part| part == word.lower)
}

/// `on-time rate`: a word that the model does not have, of words that it has.
fn split_compounds(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool) {
    let mut at = 0;
    while at < asked.len() {
        let split: Vec<Word> = asked[at].text.split('-').flat_map(words).collect();
        let is_known = |word: &Word| is_function_word(&word.lower) || is_name(word);
        let is_compound = split.len() > 1 && asked[at].kind == WordKind::Plain && !is_name(&asked[at]);
        let length =
            if is_compound && split.iter().all(is_known) && split.iter().any(is_name) { split.len() } else { 1 };
        if length > 1 {
            asked.splice(at..=at, split);
        }
        at += length;
    }
}

/// `the revenue trend` is the revenue by month, unless another unit of time is named.
fn drop_trend(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool) {
    let is_trend = |word: &Word| matches!(word.lower.as_str(), "trend" | "trends") && !is_name(word);
    let Some(at) = asked.iter().position(is_trend) else { return };
    let leads = |word: &Word| matches!(word.lower.as_str(), "of" | "in" | "for");
    let is_led =
        at > 0 && asked.get(at + 1).is_some_and(leads) && matches!(asked[at - 1].lower.as_str(), "the" | "show" | "me");
    asked.drain(at..at + 1 + usize::from(is_led || at == 0));
    let is_unit = |word: &Word| unit(&word.lemma).is_some() || grain_of(&word.lower).is_some();
    if !asked.iter().any(is_unit) {
        let end = asked.iter().rposition(|word| word.kind != WordKind::Mark).map_or(0, |last| last + 1);
        asked.splice(end..end, words("by month"));
    }
}

/// `how heavy is a shipment`, `how punctual is each carrier`: the weight, the punctuality.
fn name_quantity(asked: &mut Vec<Word>, is_measure: &dyn Fn(&Word) -> bool) {
    let Some(at) = (0..asked.len()).find(|at| asked[*at].lower == "how") else { return };
    let [_, adjective, verb, ..] = &asked[at..] else { return };
    // `how good is the average rating`: the measure is named already.
    let is_copula = matches!(verb.lower.as_str(), "is" | "are" | "was" | "were");
    if !is_copula || asked[at + 2..].iter().any(is_measure) {
        return;
    }
    let nouns = lexicon::attribute_of(&adjective.lower).iter().flat_map(|attribute| attribute.nouns.iter());
    let mut nouns = nouns.map(|noun| (*noun).to_owned()).chain([format!("{}ity", adjective.lower)]);
    let is_one = |noun: &String| words(noun).as_slice().iter().all(is_measure) && !noun.contains(' ');
    let Some(noun) = nouns.find(is_one) else { return };
    asked.splice(at..at + 3, words(&format!("what is the {noun} of")));
}

/// `09/2026` is September 2026, `2024's` is of 2024.
fn spell_months(asked: &mut Vec<Word>) {
    for at in 0..asked.len() {
        let is_year = |text: &str| text.len() == 4 && text.parse::<f64>().is_ok_and(|year| YEARS.contains(&year));
        if asked[at].kind == WordKind::Plain && is_year(&asked[at].text) {
            let year = words(&asked[at].text);
            asked.splice(at..=at, year);
        }
        let Some((month, year)) = asked[at].text.split_once('/') else { continue };
        let month = month.parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
        if let (Some(month), true) = (month, is_year(year)) {
            asked.splice(at..=at, words(&format!("{month} {year}")));
        }
    }
}

fn needs_name(form: &str, is_name: &dyn Fn(&Word) -> bool) -> bool {
    let put = form.split(' ').filter(|part| NOUNS.contains(part));
    put.flat_map(words).any(|word| !is_name(&word))
}

/// The words of a form, with what was captured in the place of `$1` and so on.
fn filled(form: &str, captured: &[(usize, usize)], asked: &[Word]) -> Vec<Word> {
    let mut found = Vec::new();
    for part in form.split(' ').filter(|part| !part.is_empty()) {
        match part.strip_prefix('$').and_then(|number| number.parse::<usize>().ok()) {
            Some(number) => {
                let capture = number.checked_sub(1).and_then(|place| captured.get(place));
                found.extend(capture.into_iter().flat_map(|(start, end)| asked[*start..*end].iter().cloned()));
            }
            None => found.extend(words(part)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::rephrase;
    use crate::question::words::{Word, words};

    fn check(question: &str, expected: &str) {
        let mut asked = words(question);
        let is_name = |word: &Word| matches!(word.lemma.as_str(), "level" | "rank" | "rating" | "time" | "rate");
        rephrase(&mut asked, &is_name, &|word| matches!(word.lemma.as_str(), "revenue" | "rate"));
        let said: Vec<&str> = asked.iter().map(|word: &Word| word.text.as_str()).collect();
        assert_eq!(said.join(" "), expected, "{question}");
    }

    #[test]
    fn what_is_wrapped_around_a_question_is_dropped() {
        check("Hi, could you tell me the revenue of 2024?", "the revenue of 2024 ?");
        check("I would like to know the revenue for the year 2024", "the revenue for 2024");
        check("Which orders are not paid yet?", "Which orders are not paid ?");
    }

    #[test]
    fn shares_have_one_form() {
        check("how many percent of orders are late", "what percentage of orders are late");
        check("In what % of the checks was the door open?", "what percentage of the checks was the door open ?");
        check("% of orders with a gift, by region", "what percentage of orders with a gift , by region");
        check(
            "percentage of late orders among all web orders, per region",
            "what percentage of web orders were late orders , per region",
        );
        check("revenue contribution of each plan in %", "share of revenue of each plan in %");
    }

    #[test]
    fn rankings_have_one_form() {
        check("agents ranked by revenue", "revenue by agents , highest first");
        check("order the agents by revenue, largest first", "revenue by agents , largest first");
        check("top 3 agents in terms of revenue", "top 3 agents by revenue");
        check("hotel with the highest revenue", "which hotel has the highest revenue");
        check("hotels with the highest revenue", "hotels with the highest revenue");
        check("agent with the most calls per team", "agent with the most calls per team");
    }

    #[test]
    fn times_have_one_form() {
        check("revenue on a monthly basis", "revenue by month");
        check("calls per line 09/2026", "calls per line September 2026");
        check("Who joined in 2024 or later?", "Who joined since 2024 ?");
        check("Show 2024's revenue", "Show 2024 revenue");
    }

    #[test]
    fn names_of_the_model_stay() {
        check("tickets per priority level", "tickets per priority level");
    }
}

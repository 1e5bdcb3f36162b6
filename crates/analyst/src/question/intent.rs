//! Requests that no query can meet: reasons, predictions, changes of the data, and questions in another language.

use super::lemma::lemma;
use super::words::{Word, WordKind};
use crate::lexicon::{self, PartOfSpeech};

/// What is asked for instead of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// `Why did sales drop?`
    Reason,
    /// `What will revenue be next year?`
    Prediction,
    /// `Delete the cancelled orders.`
    Change,
    /// `Should we hire more drivers?`
    Advice,
    /// The language, where it is not English.
    Foreign(&'static str),
}

impl Intent {
    /// What is said of it.
    #[must_use]
    pub fn explanation(self) -> String {
        match self {
            Self::Reason => "A query shows what is in the data; it cannot tell why.".to_owned(),
            Self::Prediction => {
                "A query shows what is in the data; it cannot predict what is not there yet.".to_owned()
            }
            Self::Advice => "A query shows what is in the data; it cannot tell what should be done.".to_owned(),
            Self::Change => "Questions only read the data; nothing is changed or deleted by them.".to_owned(),
            Self::Foreign(language) => {
                format!("The question seems to be in {language}; questions are understood in English only.")
            }
        }
    }
}

const CHANGES: &[&str] = &["delete", "remove", "drop", "truncate", "update", "insert", "erase", "overwrite", "rename"];
const PREDICTIONS: &[&str] = &["predict", "forecast", "extrapolate", "prognosis", "prediction"];
/// Verbs that ask for an opinion on what to do.
const ADVISING: &[&str] = &["recommend", "advise", "suggest"];
const OPENINGS: &[&str] = &["please", "can", "could", "you", "now", "then", "would", "kindly", "and"];

/// Verbs that open a request for data; any other before `all` or `every` asks for something to be done.
const REQUESTS: &[&str] = &[
    "show",
    "list",
    "give",
    "display",
    "return",
    "find",
    "get",
    "tell",
    "print",
    "name",
    "count",
    "compare",
    "rank",
    "sort",
    "order",
    "group",
    "break",
    "split",
    "sum",
    "total",
    "average",
    "compute",
    "calculate",
    "present",
    "report",
    "provide",
    "select",
    "plot",
    "chart",
    "graph",
    "describe",
    "identify",
    "determine",
    "explain",
    "include",
    "exclude",
    "add",
    "combine",
    "filter",
    "narrow",
    "limit",
    "use",
    "take",
    "see",
    "check",
    "look",
    "summarize",
    "summarise",
    "analyze",
    "analyse",
    "fetch",
    "retrieve",
    "search",
    "want",
    "need",
    "know",
    "see",
    "have",
    "are",
    "is",
    "do",
    "does",
    "did",
    "was",
    "were",
    "enumerate",
    "output",
    "query",
    "pull",
    "detail",
];
/// What a verb that changes data is said of.
const EVERY: &[&str] = &["all", "every", "everybody", "everyone", "each"];

/// Function words that English does not have; two of them tell the language.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "German",
        &[
            "der", "das", "und", "wie", "viele", "wieviele", "welche", "welcher", "pro", "nach", "aller", "mit",
            "haben", "wurden", "hat", "ist", "sind", "zeige", "letzten", "je", "von", "für", "im",
        ],
    ),
    (
        "French",
        &[
            "les", "des", "combien", "quels", "quelles", "quel", "quelle", "est", "dans", "avec", "montre", "nombre",
            "sont", "dernier", "du", "le", "la", "par", "pour", "ont",
        ],
    ),
    (
        "Spanish",
        &[
            "los", "las", "cuántos", "cuantos", "cuántas", "cuantas", "cuáles", "cuales", "qué", "que", "por",
            "muestra", "número", "del", "con", "último", "el", "la", "hay", "son", "cada",
        ],
    ),
];

/// Question words of other languages, one of which is enough.
const DECISIVE: &[&str] = &[
    "combien", "quels", "quelles", "cuántos", "cuantos", "cuántas", "cuantas", "cuáles", "wieviele", "welche", "zeige",
];

/// The intent of a question that no query can answer.
#[must_use]
pub fn intent(words: &[Word]) -> Option<Intent> {
    let lower: Vec<&str> =
        words.iter().filter(|word| word.kind == WordKind::Plain).map(|word| word.lower.as_str()).collect();
    let first = lower.iter().position(|word| !OPENINGS.contains(word))?;
    let opens = lower[first];
    if let Some(language) = foreign(&lower) {
        return Some(Intent::Foreign(language));
    }
    // `and why? break it down by reason` goes on.
    let goes_on = words.iter().rev().skip(1).any(|word| word.kind == WordKind::Mark && word.lower == "?");
    let asks_why = opens == "why" && lower.get(first + 1) != Some(&"not") && !goes_on;
    if asks_why || lower[first..].starts_with(&["how", "come"]) || starts(&lower, first, &["what", "caused"]) {
        return Some(Intent::Reason);
    }
    if advises(&lower[first..]) {
        return Some(Intent::Advice);
    }
    let sets = opens == "set" && lower.contains(&"to");
    if CHANGES.contains(&opens) || sets || commands(&lower[first..]) {
        return Some(Intent::Change);
    }
    let asks_ahead = matches!(opens, "what" | "how" | "which" | "when" | "who");
    let will = lower.contains(&"will") && asks_ahead || opens == "will";
    let will = will || lower.windows(2).any(|pair| pair == ["going", "to"]);
    (will || lower.iter().any(|word| PREDICTIONS.contains(word))).then_some(Intent::Prediction)
}

/// `should we buy more vans`, `which shop should I close`, `recommend a supplier`; what should have happened is in the data.
fn advises(words: &[&str]) -> bool {
    let is_asker = |word: &str| matches!(word, "we" | "i" | "you" | "one" | "they" | "he" | "she");
    let asks = words.windows(3).any(|three| {
        let is_modal = matches!(three[0], "should" | "shall" | "ought" | "must");
        is_modal && is_asker(three[1]) && three[2] != "have"
    });
    let is_worth = words.starts_with(&["is", "it", "worth"]) || words.starts_with(&["would", "it", "be", "better"]);
    let opens = words.first().is_some_and(|word| ADVISING.contains(word));
    asks || is_worth || opens && words.get(1).is_none_or(|word| *word != "by")
}

/// `Close all tickets`: a verb in its base form and what it is to be done to.
fn commands(words: &[&str]) -> bool {
    let [opens, next, ..] = words else { return false };
    let is_verb = lexicon::parts_of_speech(opens).has(PartOfSpeech::Verb) && lemma(opens) == *opens;
    EVERY.contains(next) && is_verb && !REQUESTS.contains(opens)
}

/// Whether a word says that nothing is left out: `all`, `every`.
#[must_use]
pub fn says_every(word: &Word) -> bool {
    EVERY.contains(&word.lower.as_str())
}

fn starts(words: &[&str], from: usize, wanted: &[&str]) -> bool {
    words[from..].starts_with(wanted)
}

fn foreign(words: &[&str]) -> Option<&'static str> {
    let count = |known: &[&str]| words.iter().filter(|word| known.contains(word)).count();
    let (language, found) =
        FOREIGN.iter().map(|(language, known)| (*language, count(known))).max_by_key(|(_, found)| *found)?;
    let english =
        ["the", "of", "are", "what", "how", "which", "show", "list", "who", "many", "is", "for", "each", "and"];
    let is_english = words.iter().any(|word| english.contains(word));
    let decisive = words.iter().any(|word| DECISIVE.contains(word));
    let strange = words.iter().filter(|word| !lexicon::is_word(word)).count();
    let is_strange = found >= 1 && words.len() >= 3 && strange >= 2 && strange + found >= words.len();
    ((found >= 2 || decisive || is_strange) && !is_english).then_some(language)
}

/// Words that compare two sides of one measure.
pub(crate) const MORE: &[&str] =
    &["more", "less", "fewer", "higher", "lower", "larger", "smaller", "bigger", "greater"];

/// `is revenue higher in Oslo or in Bergen`: both are shown, and the rows tell which has more.
#[must_use]
pub(crate) fn asks_which_is_more(words: &[Word]) -> bool {
    asks_for_more(words) && says(words, &["or"]) && !says(words, &["than"])
}

/// `did Oslo have more visits than Bergen`: the same.
#[must_use]
pub(crate) fn asks_for_more_than(words: &[Word]) -> bool {
    asks_for_more(words) && says(words, &["than"])
}

fn asks_for_more(words: &[Word]) -> bool {
    const OPENINGS: &[&str] = &["did", "do", "does", "is", "are", "was", "were", "has", "have"];
    words.first().is_some_and(|word| OPENINGS.contains(&word.lower.as_str())) && says(words, MORE)
}

fn says(words: &[Word], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(&word.lower.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{Intent, intent};
    use crate::question::words::words;

    fn check(question: &str, expected: Option<Intent>) {
        assert_eq!(intent(&words(question)), expected, "{question}");
    }

    #[test]
    fn what_no_query_can_do_is_recognised() {
        check("Why did revenue fall in March?", Some(Intent::Reason));
        check("What caused the drop in orders?", Some(Intent::Reason));
        check("Predict sales for next year", Some(Intent::Prediction));
        check("What will turnover be in 2027?", Some(Intent::Prediction));
        check("Delete all cancelled orders", Some(Intent::Change));
        check("Close all tickets older than 30 days", Some(Intent::Change));
        check("Archive every invoice of 2019", Some(Intent::Change));
        check("Will we reach our target?", Some(Intent::Prediction));
        check("Who is going to win?", Some(Intent::Prediction));
        check("Please set the price of every product to zero", Some(Intent::Change));
        check("Should we buy more vans?", Some(Intent::Advice));
        check("Which branch should I close?", Some(Intent::Advice));
        check("What should we do about late orders?", Some(Intent::Advice));
        check("Is it worth keeping the Oslo store?", Some(Intent::Advice));
        check("Recommend a supplier for screws", Some(Intent::Advice));
        check("Wie viele Kunden gibt es pro Land?", Some(Intent::Foreign("German")));
        check("Combien de clients par pays ?", Some(Intent::Foreign("French")));
        check("¿Cuántos clientes hay por país?", Some(Intent::Foreign("Spanish")));
        check("Combien de membres avons-nous ?", Some(Intent::Foreign("French")));
        check("¿Cuántos miembros tenemos?", Some(Intent::Foreign("Spanish")));
        check("Ausleihen pro Filiale", Some(Intent::Foreign("German")));
    }

    #[test]
    fn questions_are_questions() {
        check("How many orders were deleted last month?", None);
        check("Which products were removed from the catalog?", None);
        check("What is the total revenue per region?", None);
        check("returns by supplier 2023", None);
        check("List customers in Los Angeles and La Paz", None);
        check("why not 2022?", None);
        check("Show all orders", None);
        check("orders each month", None);
        check("sales every quarter", None);
        check("What set of customers moved to Oslo?", None);
        check("Which orders should have been delivered in May?", None);
        check("How many invoices should be paid this month?", None);
    }
}

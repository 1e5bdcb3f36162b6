//! How much a word of a question says by itself, whatever it may be linked to.

use crate::links::phrase_match::is_function_word;
use crate::question::words::{Word, WordKind};

/// What is lost where a word is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordClass {
    /// Grammar, politeness, requests: nothing.
    Filler,
    /// A noun, verb or adjective that may carry a condition.
    Content,
    /// A number, a date or a period.
    Number,
    /// Quoted text, or a name in capitals inside the sentence.
    Name,
}

/// Words that ask for an answer or soften the request, and general nouns that add nothing to what they stand beside.
const REQUESTS: &[&str] = &[
    "please", "kindly", "thanks", "thank", "hi", "hello", "hey", "want", "need", "like", "know", "see", "look", "get",
    "got", "tell", "show", "list", "give", "find", "return", "display", "provide", "print", "retrieve", "select",
    "report", "compute", "calculate", "determine", "count", "identify", "name", "state", "output", "fetch", "describe",
    "present", "enumerate", "query", "result", "results", "answer", "question", "together", "along", "corresponding",
    "respective", "respectively", "different", "various", "existing", "exist", "exists", "available", "given",
    "following", "associated", "related", "belong", "belongs", "belonging", "total", "overall", "currently", "ever",
    "just", "really", "actually", "maybe", "also", "too", "any", "anything", "something", "someone", "kind", "kinds",
    "let", "lets", "help", "wonder", "wondering", "curious", "interested", "out", "there", "here", "ok", "okay",
    "well", "shown", "listed", "recorded", "stored", "contained", "including", "include", "includes", "regarding",
    "concerning", "across", "within", "during", "while", "whether", "because", "via", "using", "used", "use", "uses",
    "data", "database", "record", "records", "table", "information", "info", "detail", "details", "value", "values",
    "number", "numbers", "amount", "according", "based", "made", "make", "makes", "making", "took", "take", "takes",
    "taken", "do", "done", "doing", "did", "go", "goes", "went", "come", "comes", "came", "having", "being", "been",
    "'s", "his", "her", "own", "owned", "s", "d", "ll", "ve", "re", "m", "im", "id", "ids", "say", "says", "said",
    "names", "title", "titles", "code", "codes", "date", "called", "named", "titled", "known", "as", "such", "type", "types", "order", "ordered", "sorted", "sort",
    "ascending", "descending", "alphabetical", "alphabetically", "average", "each", "top", "first", "last", "all",
    "every", "everything", "everyone", "people", "person", "persons", "one", "ones", "thing", "things", "time",
    "times", "way", "part", "set", "group", "grouped", "per",
];

/// Nouns that say little by themselves and much as a part of a column's name.
const GENERAL_NOUNS: &[&str] = &[
    "id", "ids", "name", "names", "type", "types", "number", "numbers", "code", "codes", "title", "titles", "value",
    "values", "amount", "total", "time", "times", "record", "records", "information", "detail", "details", "data", "date",
    "part", "group", "set", "people", "person", "first", "last", "order", "state", "kind", "result", "results", "table",
    "count", "average", "top", "use", "used", "made", "take", "taken", "order",
];

/// Whether a word that says nothing by itself may be part of a name.
#[must_use]
pub fn is_general_noun(lower: &str) -> bool {
    GENERAL_NOUNS.contains(&lower)
}

/// The class of every word.
#[must_use]
pub fn classes(words: &[Word]) -> Vec<WordClass> {
    words.iter().enumerate().map(|(at, word)| class(word, at)).collect()
}

fn class(word: &Word, at: usize) -> WordClass {
    match word.kind {
        WordKind::Mark => WordClass::Filler,
        WordKind::Number(_) if word.text.eq_ignore_ascii_case("one") => WordClass::Filler,
        WordKind::Number(_) | WordKind::Date => WordClass::Number,
        WordKind::Quoted => WordClass::Name,
        WordKind::Plain if is_function_word(&word.lower) || REQUESTS.contains(&word.lower.as_str()) => {
            WordClass::Filler
        }
        WordKind::Plain if at > 0 && word.capitalised() => WordClass::Name,
        WordKind::Plain => WordClass::Content,
    }
}

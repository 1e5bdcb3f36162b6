//! Finds the verified query of a question. Only the same question counts, in other words at most where the words say
//! nothing, and with other values at most where its SQL has the values; a merely similar one does not.

mod other_values;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::links::phrase_match::is_function_word;
use crate::links::value_index::ValueIndex;
use crate::question::time::unit;
use crate::question::words::{Word, WordKind, words};
use crate::semantic_model::{SemanticModel, VerifiedQuery};

/// Words that ask without saying what for.
const EMPTY_WORDS: [&str; 34] = [
    "a", "an", "the", "please", "show", "me", "give", "tell", "list", "display", "find", "get", "what", "is", "are",
    "was", "were", "which", "can", "could", "you", "i", "we", "would", "like", "want", "to", "know", "see", "do",
    "does", "did", "us", "our",
];

/// Words that place a unit of time.
const TIME_WORDS: [&str; 5] = ["last", "next", "past", "previous", "current"];

/// A verified query that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'m> {
    pub query: &'m VerifiedQuery,
    /// The verified question, with the values asked for.
    pub question: String,
    /// The verified SQL, with the values asked for.
    pub sql: String,
}

/// The verified query that answers this very question, or the same about other values.
#[must_use]
pub fn find<'m>(model: &'m SemanticModel, values: &ValueIndex, question: &str) -> Option<Found<'m>> {
    let asked = telling_words(question);
    if asked.is_empty() {
        return None;
    }
    let same = model.verified_queries.iter().find(|query| telling_words(&query.question) == asked);
    let found = same.map(|query| Found { query, question: query.question.clone(), sql: query.sql.clone() });
    found.or_else(|| model.verified_queries.iter().find_map(|query| other_values::adapted(query, values, question)))
}

/// Verified questions that share words with the one asked, those with the most first. Words of time are in any question.
#[must_use]
pub fn near<'m>(model: &'m SemanticModel, asked: &[Word]) -> Vec<&'m str> {
    let is_telling = |word: &&Word| {
        let is_empty = EMPTY_WORDS.contains(&word.lower.as_str()) || is_function_word(&word.lower);
        let is_of_time = unit(&word.lower).is_some() || TIME_WORDS.contains(&word.lower.as_str());
        word.kind == WordKind::Plain && !is_empty && !is_of_time
    };
    let asked: BTreeSet<&str> = asked.iter().filter(is_telling).map(|word| word.lemma.as_str()).collect();
    let mut near: Vec<(usize, &str)> = Vec::new();
    for query in &model.verified_queries {
        let words = words(&query.question);
        let shared: BTreeSet<&str> = words.iter().filter(is_telling).map(|word| word.lemma.as_str()).collect();
        match shared.intersection(&asked).count() {
            0 => {}
            count => near.push((count, &query.question)),
        }
    }
    near.sort_by_key(|(shared, _)| Reverse(*shared));
    near.into_iter().map(|(_, question)| question).collect()
}

/// A question's words in lower case, without those that say nothing.
#[must_use]
pub fn telling_words(question: &str) -> Vec<String> {
    let words = question.split(|character: char| !(character.is_alphanumeric() || "%$€'.".contains(character)));
    let words = words.map(|word| word.trim_matches(['\'', '.']).to_lowercase());
    words.filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_questions_share_telling_words() {
        let questions =
            ["Revenue by region last year", "Who are our oldest customers?", "Which customers bring revenue?"];
        let query = |question: &str| VerifiedQuery { question: question.to_owned(), ..VerifiedQuery::default() };
        let model = SemanticModel { verified_queries: questions.map(query).to_vec(), ..SemanticModel::default() };
        let near = |question: &str| near(&model, &words(question));
        assert_eq!(near("revenue of the customer Atlantis"), [questions[2], questions[0], questions[1]]);
        assert_eq!(near("which zeppelins were sold last year?"), [""; 0]);
    }

    fn check(question: &str, is_found: bool) {
        let query = VerifiedQuery {
            name: "q".to_owned(),
            question: "What was the revenue by region in 2023?".to_owned(),
            ..VerifiedQuery::default()
        };
        let model = SemanticModel { verified_queries: vec![query], ..SemanticModel::default() };
        assert_eq!(find(&model, &ValueIndex::default(), question).is_some(), is_found, "{question}");
    }

    #[test]
    fn only_the_same_question_matches() {
        check("what was the revenue by region in 2023", true);
        check("Please show me the revenue by region in 2023!", true);
        check("What was the revenue by region in 2024?", false);
        check("What was the revenue by country in 2023?", false);
        check("What was the revenue not by region in 2023?", false);
        check("revenue", false);
        check("what is the", false);
    }
}

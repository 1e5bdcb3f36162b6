//! What people think and feel, which no data tell unless the model has a name for it.

use super::understanding::Understood;
use super::{Answer, Category, Interpreter};
use crate::links::model_index::ColumnEntry;
use crate::question::words::Word;
use chrono::NaiveDate;

/// Base forms of verbs for liking.
const VERBS: &[&str] = &["like", "dislike", "love", "hate", "enjoy", "trust"];
/// Adjectives for being content.
const ADJECTIVES: &[&str] = &["satisfied", "dissatisfied", "unsatisfied", "happy", "unhappy", "pleased", "content"];
/// Words for columns that tell how content somebody was.
const RATINGS: &[&str] = &["rating", "score", "star", "satisfaction", "review", "feedback", "sentiment"];

impl Interpreter<'_> {
    /// The answer to a question about what people think, where neither the model nor the data have a word for it.
    pub(super) fn opinion(&self, understood: &Understood, today: NaiveDate) -> Option<Answer> {
        let words = &understood.words;
        let is_known =
            |word: &Word| self.index.vocabulary.knows(&word.lemma) || self.index.values.has_word(&word.lower);
        let is_rating = |column: &ColumnEntry| column.words.iter().any(|word| RATINGS.contains(&word.as_str()));
        let is_rated = self.index.columns.iter().any(is_rating);
        let is_opinion = |at: &usize| {
            let is_content = ADJECTIVES.contains(&words[*at].lower.as_str()) && !is_rated;
            (is_content || is_liking(words, *at)) && !is_known(&words[*at])
        };
        let at = (0..words.len()).find(is_opinion)?;
        let doubt = format!(
            "The data tell what happened, not what people think: neither the model nor the data have ‘{}’.",
            words[at].text
        );
        let suggestions = self.near_questions(understood, today);
        Some(Answer { category: Category::OutOfScope, suggestions, doubts: vec![doubt], ..self.unanswered(understood) })
    }
}

/// `which riders do not like`, not `I would like to see` or `names like`.
fn is_liking(words: &[Word], at: usize) -> bool {
    let lower = words[at].lower.as_str();
    let is_verb = VERBS.iter().any(|verb| lower == *verb || lower.strip_suffix('s') == Some(verb));
    let is_asked =
        words[..at].iter().any(|word| matches!(word.lower.as_str(), "do" | "does" | "did" | "who" | "which"));
    let is_wish =
        words[..at].iter().any(|word| matches!(word.lower.as_str(), "would" | "'d" | "look" | "looks" | "names"));
    let follows = at.checked_sub(1).is_some_and(|before| words[before].lower == "is");
    is_verb && is_asked && !is_wish && !follows
}

//! "What can I ask?": which questions are about the analyst itself, and what is offered then.

use crate::semantic_model::SemanticModel;

const OFFERED_MAX: usize = 5;

const ASKED: [&str; 22] = [
    "help",
    "help me",
    "hi",
    "hello",
    "what can i ask",
    "what can i ask you",
    "what can i ask about",
    "what can i ask about this data",
    "what should i ask",
    "what could i ask",
    "what can you do",
    "what can you tell me",
    "what can you answer",
    "what do you know",
    "what questions can i ask",
    "what questions can i ask about this data",
    "what questions can you answer",
    "what kind of questions can i ask",
    "which questions can i ask",
    "give me example questions",
    "show me example questions",
    "how can you help me",
];

/// Whether the question is about what can be asked.
#[must_use]
pub fn is_asked(question: &str) -> bool {
    let words: Vec<String> = question
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    ASKED.contains(&words.join(" ").as_str())
}

/// Verified questions to begin with: those marked for it, else the first few.
#[must_use]
pub fn questions(model: &SemanticModel) -> Vec<String> {
    let marked = model.verified_queries.iter().filter(|query| query.use_as_onboarding_question);
    let marked: Vec<String> = marked.map(|query| query.question.clone()).collect();
    if !marked.is_empty() {
        return marked;
    }
    model.verified_queries.iter().take(OFFERED_MAX).map(|query| query.question.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_asking_are_distinguished_from_others() {
        for question in ["What can I ask?", "help!", " what questions can I ask "] {
            assert!(is_asked(question), "{question}");
        }
        for question in ["What can I ask customers to pay?", "How many help tickets?", ""] {
            assert!(!is_asked(question), "{question}");
        }
    }
}
